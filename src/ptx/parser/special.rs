//! The names that PTX itself gives to operands.

/// Whether `name` (without `.x` and the like) is a special register or the constant `WARP_SZ`.
///
/// PTX ISA, "Special Registers". A declared register of the same name goes before.
pub fn is_special(name: &[u8]) -> bool {
    let Some(name) = name.strip_prefix(b"%") else {
        return name == b"WARP_SZ";
    };
    match name {
        b"tid" | b"ntid" | b"laneid" | b"warpid" | b"nwarpid" | b"ctaid" | b"nctaid" | b"smid" | b"nsmid"
        | b"gridid" | b"clock" | b"clock_hi" | b"clock64" | b"globaltimer" | b"globaltimer_lo" | b"globaltimer_hi" => {
            true
        }
        b"lanemask_eq" | b"lanemask_le" | b"lanemask_lt" | b"lanemask_ge" | b"lanemask_gt" => true,
        b"is_explicit_cluster"
        | b"clusterid"
        | b"nclusterid"
        | b"cluster_ctaid"
        | b"cluster_nctaid"
        | b"cluster_ctarank"
        | b"cluster_nctarank" => true,
        b"total_smem_size" | b"aggr_smem_size" | b"dynamic_smem_size" | b"current_graph_exec" => true,
        b"reserved_smem_offset_begin" | b"reserved_smem_offset_end" | b"reserved_smem_offset_cap" => true,
        _ => {
            let numbered = |prefix: &[u8], count: u32, suffix: &[u8]| {
                let digits = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
                digits.is_some_and(|digits| match digits {
                    [b'0'..=b'9'] => u32::from(digits[0] - b'0') < count,
                    [b'1'..=b'9', b'0'..=b'9'] => {
                        u32::from(digits[0] - b'0') * 10 + u32::from(digits[1] - b'0') < count
                    }
                    _ => false,
                })
            };
            numbered(b"envreg", 32, b"")
                || numbered(b"pm", 8, b"")
                || numbered(b"pm", 8, b"_64")
                || numbered(b"reserved_smem_offset_", 2, b"")
        }
    }
}
