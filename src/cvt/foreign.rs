//! Modifiers of other instructions: ptxas knows them by name, and no conversion takes them.
//!
//! What ptxas says of one, and when in its order of checks, depends on the group of modifiers it belongs to.
//! The table is by group, in the order in which ptxas looks at them.

use super::violation::Lack;
use crate::ptx::Type;

/// When, in the order of checks, ptxas looks at a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Before anything else of the instruction: with it, nothing else is looked at.
    Gate,
    /// The same, after what `cvt.pack` does not know.
    LateGate,
    /// Before `.sat` on packed types and bf16 is looked at.
    BeforeFtz,
    /// Between that and `.ftz`.
    AfterEarlySat,
    /// Between what is said of `.ftz`.
    WithFtz,
    /// After `.ftz`, before the result operand.
    AfterFtz,
    /// After the result operand, before `.sat` on integers.
    BeforeSat,
    /// Before the rounding modifier.
    BeforeRounding,
    /// After it, before the operands are looked at one by one.
    AfterRounding,
    /// After the operands.
    Last,
}

/// What ptxas says of a foreign modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// `Illegal modifier '.x' for instruction 'cvt'`.
    Illegal,
    /// The same with the group's name for the modifier.
    IllegalAs(&'static str),
    /// `No state space qualifier expected …`.
    StateSpace,
    /// `Comparison qualifier is not allowed …`.
    Comparison,
    /// `Mismatch between instruction type and comparison qualifier`, where the source's type does not fit.
    ComparisonMismatch(Fits),
    /// `Vector qualifier is not allowed …`.
    Vector,
    /// `Vector type too large, exceeds 128 bit limit`, with so many elements.
    VectorTooLarge(u16),
    /// `Result vector expected` and `Argument vector size mismatch …`, by the operands.
    VectorOperands,
    /// `Illegal reduction operation …` with the types.
    Reduction,
    /// `Illegal query modifier …`.
    Query,
    /// `Modifier '.x' requires modifier '.y'`, unless that is there.
    Needs(&'static str),
    /// What `.cc` says beyond being illegal.
    CarryOut,
    /// `Modifier '.mmio' cannot be applied to '' space`, unless a state space is named.
    NoSpace,
    /// What the target or version lacks, said here rather than where the name stands.
    Since(&'static str, Lack),
    /// `Modifier '.ftz' cannot be combined with modifier '.x'`, where `.ftz` is there.
    NotWithFtz,
}

/// The sources that a comparison fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fits {
    /// `.lo .ls .hi .hs`
    Unsigned,
    /// `.equ`, `.nan` and kin
    Float,
    /// `.eq`, `.lt` and kin
    Number,
}

impl Fits {
    /// Whether a comparison of this kind fits a source of type `ty`.
    pub fn holds(self, ty: Type) -> bool {
        let unsigned = matches!(ty, Type::U2 | Type::U4 | Type::U8 | Type::U16 | Type::U32 | Type::U64);
        let signed = matches!(ty, Type::S2 | Type::S4 | Type::S8 | Type::S16 | Type::S32 | Type::S64);
        let float =
            matches!(ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64 | Type::F16x2 | Type::Bf16x2 | Type::Tf32);
        match self {
            Fits::Unsigned => unsigned,
            Fits::Float => float,
            Fits::Number => unsigned || signed || float,
        }
    }
}

/// A group of modifiers that ptxas treats alike.
#[derive(Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The names, without dots.
    names: &'static [&'static str],
    /// What is said, and when.
    pub remarks: &'static [(Stage, Remark)],
    /// What the name itself needs: whether ptxas calls it a `Feature` or a `Modifier`, and what.
    pub since: &'static [(&'static str, Lack)],
    /// What ptxas says where a second one of its kind stands; the number tells the kinds apart.
    pub repeated: Option<(u8, &'static str)>,
}

const fn group(names: &'static [&'static str], remarks: &'static [(Stage, Remark)]) -> Foreign {
    Foreign { names, remarks, since: &[], repeated: None }
}

const fn since(mut f: Foreign, needs: &'static [(&'static str, Lack)]) -> Foreign {
    f.since = needs;
    f
}

const fn repeated(mut f: Foreign, text: (u8, &'static str)) -> Foreign {
    f.repeated = Some(text);
    f
}

use Remark::*;
use Stage::*;

const TWICE_BEFORE_FTZ: &[(Stage, Remark)] = &[(BeforeFtz, Illegal), (BeforeFtz, Illegal)];
const TWICE_AFTER: &[(Stage, Remark)] = &[(AfterRounding, Illegal), (AfterRounding, Illegal)];
const CACHE: &str = "Multiple cache operation modifiers specified";
const COMPARISONS: &str = "Multiple comparisons set";

/// The groups, in ptxas's order within a stage.
const GROUPS: &[Foreign] = &[
    group(&["sync", "add", "and", "or", "xor", "cas", "max", "maxabs", "min", "popc"], &[(Gate, Illegal)]),
    group(
        &[
            "L2::128B",
            "L2::256B",
            "L2::64B",
            "L2::cache_hint",
            "cta_group::1",
            "cta_group::2",
            "im2col",
            "im2col::w",
            "im2col::w::128",
            "im2col_no_offs",
            "multicast",
            "multicast::cluster",
            "multicast::cluster::all",
            "tile",
            "tile::gather4",
            "tile::scatter4",
        ],
        &[(LateGate, Illegal)],
    ),
    group(
        &[
            "texref",
            "samplerref",
            "surfref",
            "pred",
            "rank",
            "finite",
            "infinite",
            "normal",
            "subnormal",
            "number",
            "notanumber",
            "acc::f16",
            "acc::f32",
            "b4x16_p64",
            "b6x16_p32",
            "b8x16",
            "box_dim",
            "element_stride",
            "elemtype",
            "fill_mode",
            "global_address",
            "global_dim",
            "global_stride",
            "interleave_layout",
            "swizzle_atomicity",
            "swizzle_mode",
        ],
        &[],
    ),
    group(
        &["L1::evict_first", "L2::evict_first"],
        &[(BeforeFtz, IllegalAs(".level::eviction_priority")), (BeforeFtz, IllegalAs(".evict_first"))],
    ),
    group(
        &["L1::evict_last", "L2::evict_last"],
        &[(BeforeFtz, IllegalAs(".level::eviction_priority")), (BeforeFtz, IllegalAs(".evict_last"))],
    ),
    group(
        &["L1::evict_normal", "L2::evict_normal"],
        &[(BeforeFtz, IllegalAs(".level::eviction_priority")), (BeforeFtz, IllegalAs(".evict_normal"))],
    ),
    group(
        &["L1::evict_unchanged", "L2::evict_unchanged"],
        &[(BeforeFtz, IllegalAs(".level::eviction_priority")), (BeforeFtz, IllegalAs(".evict_unchanged"))],
    ),
    group(
        &["L1::no_allocate", "L2::no_allocate"],
        &[(BeforeFtz, IllegalAs(".level::eviction_priority")), (BeforeFtz, IllegalAs(".no_allocate"))],
    ),
    repeated(group(&["L1", "L2"], TWICE_BEFORE_FTZ), (3, CACHE)),
    group(
        &[
            "const",
            "global",
            "local",
            "param",
            "param::entry",
            "param::func",
            "shared",
            "shared::cluster",
            "shared::cta",
            "tex",
        ],
        &[(BeforeFtz, StateSpace)],
    ),
    group(&["thread"], TWICE_BEFORE_FTZ),
    since(
        group(&["tensormap"], TWICE_BEFORE_FTZ),
        &[("Modifier", Lack::Target(90)), ("Modifier", Lack::Version((8, 0)))],
    ),
    since(
        group(&["sp::ordered_metadata"], TWICE_BEFORE_FTZ),
        &[("Feature", Lack::Target(80)), ("Feature", Lack::Version((8, 5)))],
    ),
    group(&["uni"], &[(BeforeFtz, Illegal)]),
    group(&["all", "any", "ballot"], &[(BeforeFtz, Illegal)]),
    since(
        group(&["aligned"], &[(BeforeFtz, Illegal)]),
        &[("Feature", Lack::Version((6, 0))), ("Feature", Lack::Target(20))],
    ),
    group(&["approx"], &[(AfterEarlySat, Illegal)]),
    group(
        &[
            "async::generic",
            "b1024",
            "bfly",
            "down",
            "idx",
            "up",
            "evict_first",
            "evict_last",
            "evict_normal",
            "evict_unchanged",
            "no_allocate",
            "noComplete",
            "noinc",
            "sp",
            "tensormap::generic",
            "bulk_group",
        ],
        &[(BeforeFtz, Illegal)],
    ),
    group(&["1d", "2d", "3d", "4d", "5d"], &[(BeforeFtz, IllegalAs("dimension"))]),
    since(
        group(&["launch_dependents", "wait"], &[(BeforeFtz, Illegal)]),
        &[("Modifier", Lack::Target(90)), ("Modifier", Lack::Version((7, 8)))],
    ),
    since(
        group(
            &["get_first_ctaid", "get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z", "is_canceled"],
            &[(BeforeFtz, Illegal)],
        ),
        &[("Feature", Lack::Target(100)), ("Feature", Lack::Version((8, 6)))],
    ),
    since(
        group(&["cp_mask"], &[(BeforeFtz, Illegal)]),
        &[("Feature", Lack::Target(100)), ("Feature", Lack::Version((8, 6)))],
    ),
    since(
        group(&["oob"], &[(BeforeFtz, Illegal), (BeforeFtz, NotWithFtz)]),
        &[("Modifier", Lack::Target(90)), ("Feature", Lack::Version((8, 1)))],
    ),
    group(&["noftz"], &[(WithFtz, Illegal)]),
    group(&["row", "col"], &[(AfterFtz, IllegalAs(".alayout or .blayout"))]),
    repeated(
        group(&["v2"], &[(AfterFtz, Vector), (AfterFtz, VectorTooLarge(2)), (BeforeSat, VectorOperands)]),
        (1, "Multiple vector modifiers specified"),
    ),
    repeated(
        group(&["v4"], &[(AfterFtz, Vector), (AfterFtz, VectorTooLarge(4)), (BeforeSat, VectorOperands)]),
        (1, "Multiple vector modifiers specified"),
    ),
    repeated(
        group(&["v8"], &[(AfterFtz, Vector), (AfterFtz, VectorTooLarge(8)), (BeforeSat, VectorOperands)]),
        (1, "Multiple vector modifiers specified"),
    ),
    repeated(
        group(
            &["eq", "ne", "lt", "le", "gt", "ge"],
            &[(AfterFtz, Comparison), (AfterFtz, ComparisonMismatch(Fits::Number))],
        ),
        (2, COMPARISONS),
    ),
    repeated(
        group(&["lo", "ls", "hi", "hs"], &[(AfterFtz, Comparison), (AfterFtz, ComparisonMismatch(Fits::Unsigned))]),
        (2, COMPARISONS),
    ),
    repeated(
        group(
            &["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"],
            &[(AfterFtz, Comparison), (AfterFtz, ComparisonMismatch(Fits::Float))],
        ),
        (2, COMPARISONS),
    ),
    group(&["inc", "dec", "exch"], &[(AfterFtz, Reduction)]),
    group(&["cta", "cluster", "gpu", "sys", "gl"], &[(AfterFtz, Illegal), (BeforeSat, Illegal)]),
    group(&["relaxed", "acquire", "release", "acq_rel", "sc", "weak", "volatile"], &[(BeforeSat, Illegal)]),
    since(
        group(&["mmio"], &[(BeforeSat, NoSpace), (BeforeSat, Illegal)]),
        &[("Feature", Lack::Version((8, 2))), ("Feature", Lack::Target(70))],
    ),
    group(&["nc"], &[(BeforeSat, Illegal)]),
    group(&["cc"], &[(BeforeRounding, Illegal), (BeforeRounding, CarryOut)]),
    group(&["shiftamt"], &[(BeforeRounding, Illegal)]),
    group(
        &["xorsign"],
        &[
            (AfterRounding, Illegal),
            (AfterRounding, Remark::Since("Feature", Lack::Version((7, 2)))),
            (AfterRounding, Needs("abs")),
            (AfterRounding, Remark::Since("Modifier", Lack::Target(86))),
        ],
    ),
    group(
        &["NaN"],
        &[
            (AfterRounding, Illegal),
            (AfterRounding, Remark::Since("Feature", Lack::Version((7, 0)))),
            (AfterRounding, Remark::Since("Modifier", Lack::Target(80))),
        ],
    ),
    since(group(&["no_membermask_overlap"], &[(AfterRounding, Illegal)]), &[("Feature", Lack::Version((8, 4)))]),
    repeated(group(&["ca", "cg", "cs", "lu", "cv", "wb", "wt", "inv", "invall"], TWICE_AFTER), (4, CACHE)),
    group(
        &["clamp", "trap", "wrap", "zero"],
        &[(AfterRounding, IllegalAs("Clamp")), (AfterRounding, IllegalAs("Clamp"))],
    ),
    group(
        &["1d_buffer", "a1d", "a2d", "cube", "acube"],
        &[(AfterRounding, IllegalAs("Geometry")), (AfterRounding, Illegal)],
    ),
    group(
        &["2dms", "a2dms"],
        &[(AfterRounding, IllegalAs("Geometry")), (AfterRounding, IllegalAs("Multi-sample geometry"))],
    ),
    group(
        &[
            "addr_mode_0",
            "addr_mode_1",
            "addr_mode_2",
            "array_size",
            "channel_data_type",
            "channel_order",
            "depth",
            "filter_mode",
            "force_unnormalized_coords",
            "height",
            "normalized_coords",
            "num_mipmap_levels",
            "num_samples",
            "width",
        ],
        &[(AfterRounding, Query), (AfterRounding, Query)],
    ),
    group(&["memory_layout"], &[(AfterRounding, Query)]),
    group(&["a", "b", "g", "r"], &[(AfterRounding, IllegalAs("Component"))]),
    group(&["shr7", "shr15"], &[(AfterRounding, IllegalAs("Shift-right"))]),
    group(&["b4e", "f4e", "ecl", "ecr", "rc8", "rc16"], &[(Last, IllegalAs("Permute"))]),
    group(&["dis", "en"], &[(Last, IllegalAs("Enable/disable"))]),
    group(&["trans", "x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"], &[(Last, Illegal)]),
    since(
        group(&["abs"], &[(Last, Illegal), (Last, Needs("xorsign"))]),
        &[("Feature", Lack::Target(86)), ("Feature", Lack::Version((7, 2)))],
    ),
    since(group(&["alias"], &[(Last, Illegal)]), &[("Modifier", Lack::Version((7, 5)))]),
    since(
        group(&["async"], &[(Last, Illegal), (Last, Illegal)]),
        &[("Modifier", Lack::Target(90)), ("Modifier", Lack::Version((8, 0)))],
    ),
    since(group(&["read"], &[(Last, Illegal)]), &[("Modifier", Lack::Target(90)), ("Modifier", Lack::Version((8, 0)))]),
];

/// Any matrix shape, such as `m16n8k16`.
static SHAPE: Foreign = group(&[], &[(AfterFtz, Illegal)]);

static TABLE: &[Foreign] = GROUPS;

/// The group that a name belongs to.
pub fn find(name: &str) -> Option<&'static Foreign> {
    let shape = || {
        let rest = name.strip_prefix('m')?;
        let (m, rest) = rest.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        [m, n, k].iter().all(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit())).then_some(&SHAPE)
    };
    TABLE.iter().find(|g| g.names.contains(&name)).or_else(shape)
}

/// The place of a group in the order within a stage.
pub fn order(group: &'static Foreign) -> usize {
    let place = |g: &'static Foreign| TABLE.iter().position(|other| std::ptr::eq(other, g));
    place(group).or_else(|| find("row").and_then(place)).unwrap_or(TABLE.len())
}
