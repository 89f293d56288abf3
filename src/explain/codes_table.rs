//! The texts about findings. Each `wrong` brings about its code and each `right` brings about none: a test judges them.

use super::codes::Code;

/// All codes, sorted.
pub const CODES: &[Code] = &[
    Code {
        code: "cvt::ftz_without_f32",
        title: ".ftz stands where no f32 takes part",
        text: "Flushing subnormal values to zero is a property of single precision. It may stand on a conversion \
               that has f32 on one side, and from sm_90 on f32 from bf16; anywhere else there is nothing to flush.",
        wrong: "cvt.rn.ftz.f16.f64 h1, d1;",
        arch: "sm_89",
        right: "cvt.rn.f16.f64 h1, d1;",
    },
    Code {
        code: "cvt::guard_not_predicate",
        title: "the guard is no predicate",
        text: "Behind `@` or `@!` stands a register of type .pred, such as setp writes.",
        wrong: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\n@r1 cvt.u32.u16 r1, h1;\nret;\n}\n",
        arch: "sm_80",
        right: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\n.reg .pred p;\nsetp.ne.s32 p, r1, 0;\n@p cvt.u32.u16 r1, h1;\nret;\n}\n",
    },
    Code {
        code: "cvt::modifier_foreign",
        title: "a modifier of other instructions",
        text: "The name is known, but no conversion has it: a state space, a comparison, a cache operator, a vector \
               size and the like. Leave it out.",
        wrong: "cvt.global.u32.u16 r1, h1;",
        arch: "sm_89",
        right: "cvt.u32.u16 r1, h1;",
    },
    Code {
        code: "cvt::modifier_illegal",
        title: "the conversion does not have this modifier with these types",
        text: "Each modifier is for some pairs of types only: .relu and .satfinite for narrowing from f32 and for \
               packed types, .scaled::n2::ue8m0 for s2f6x2. `cvtlower explain cvt.DESTINATION.SOURCE` lists what a \
               pair has.",
        wrong: "cvt.rn.sat.bf16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.relu.bf16.f32 h1, f1;",
    },
    Code {
        code: "cvt::modifier_newer",
        title: "a modifier or type of a PTX version that is newer than the reference",
        text: "What ptxas 13.1 does not know, it refuses as if it were misspelled. The SASS of it cannot be told either.",
        wrong: "cvt.rn.satfinite.ue5m3x2.f32 h1, f1, f2;",
        arch: "sm_100a",
        right: "",
    },
    Code {
        code: "cvt::modifier_repeated",
        title: "a modifier that may be given once is given again",
        text: "A rounding, .ftz and .scaled::n2::ue8m0 may be given once. (.sat, .relu and .satfinite may be \
               repeated; that is not an error to ptxas.)",
        wrong: "cvt.rn.rz.f16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.f16.f32 h1, f1;",
    },
    Code {
        code: "cvt::modifier_unavailable",
        title: "a modifier that other targets have",
        text: "The pair of types takes the modifier, but not in a module of this .target.",
        wrong: "cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 r1, h1, h2;",
        arch: "sm_120f",
        right: "",
    },
    Code {
        code: "cvt::modifier_unknown",
        title: "a dotted part of the opcode has no meaning",
        text: "The parts of the opcode behind `cvt` are roundings, modifiers and types. This is none; most often it \
               is misspelled. `.pack` is one only directly behind `cvt`.",
        wrong: "cvt.rn.satfinit.f16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.satfinite.f16.f32 h1, f1;",
    },
    Code {
        code: "cvt::modifiers_conflict",
        title: "two modifiers exclude each other",
        text: ".sat clamps to [0, 1], .relu to what is not negative, .satfinite to what is finite: .sat goes with \
               neither of the others. Keep the one that is meant.",
        wrong: "cvt.rn.sat.relu.f16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.relu.f16.f32 h1, f1;",
    },
    Code {
        code: "cvt::operand_illegal",
        title: "an operand is of a kind that no conversion takes",
        text: "A result is a register, a source a register or a constant. There is no negation, no `[address]`, no \
               variable, no selector such as `.b0`, no predicate beside the result, and no `_`; a guard is a \
               predicate. Move the value into a register first.",
        wrong: "cvt.u32.u32 r1, -r2;",
        arch: "sm_89",
        right: "neg.s32 r3, r2;\ncvt.u32.u32 r1, r3;",
    },
    Code {
        code: "cvt::operands_mismatch",
        title: "the operands are not those of these types",
        text: "There are too few or too many operands, or one is of another type or width. Scalar integers and \
               floats may sit in registers that are wider than they; bf16 and the narrow and packed types want \
               untyped registers (.b8, .b16, .b32) of exactly their width. `.rs` takes random bits as its last \
               source. `cvtlower explain FORM` shows each operand.",
        wrong: "cvt.rn.f16x2.f32 r1, f1;",
        arch: "sm_89",
        right: "cvt.rn.f16x2.f32 r1, f1, f2;",
    },
    Code {
        code: "cvt::rounding_illegal",
        title: "these types do not take this rounding",
        text: "To a narrower float and from an integer to a float: .rn, .rz, .rm, .rp (packed types and, before \
               sm_90, bf16: .rn and .rz, some only one of them). From a float to an integer, and in place: .rni, .rzi, .rmi, .rpi. .rna is \
               for tf32 alone, .rs for packed results on sm_100a and sm_103a. An exact conversion has no rounding.",
        wrong: "cvt.rna.bf16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.bf16.f32 h1, f1;",
    },
    Code {
        code: "cvt::rounding_required",
        title: "a rounding has to be given",
        text: "Where the destination cannot hold every value of the source, PTX has no default rounding. C++ and \
               most languages mean .rn to a float and .rzi to an integer.",
        wrong: "cvt.f16.f32 h1, f1;",
        arch: "sm_89",
        right: "cvt.rn.f16.f32 h1, f1;",
    },
    Code {
        code: "cvt::sat_required",
        title: "cvt.pack has to have .sat",
        text: "cvt.pack clamps both integers to the narrow type; it cannot cut them instead.",
        wrong: "cvt.pack.u16.s32 r1, r2, r3;",
        arch: "sm_89",
        right: "cvt.pack.sat.u16.s32 r1, r2, r3;",
    },
    Code {
        code: "cvt::satfinite_required",
        title: ".satfinite has to be given",
        text: "The 8-bit, 6-bit and 4-bit floats are narrowed with saturation only: what is too large becomes the \
               largest finite value.",
        wrong: "cvt.rn.e4m3x2.f32 h1, f1, f2;",
        arch: "sm_89",
        right: "cvt.rn.satfinite.e4m3x2.f32 h1, f1, f2;",
    },
    Code {
        code: "cvt::symbol_unknown",
        title: "nothing declares this name",
        text: "In a module every register is declared, by `.reg`, in the block or in one around it. (In a bare snippet registers are taken as needed.)",
        wrong: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h9;\nret;\n}\n",
        arch: "sm_80",
        right: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h2;\nret;\n}\n",
    },
    Code {
        code: "cvt::target_lacks",
        title: "only architectures with `a` or `f` in their names have this conversion",
        text: "The 6- and 4-bit floats, ue8m0 and s2f6 are no part of the plain targets: sm_100 is not sm_100a. `a` code runs on exactly that architecture, `f` code within its family; stochastic rounding is on sm_100a and sm_103a alone.",
        wrong: "cvt.rn.satfinite.e2m1x2.f32 b1, f1, f2;",
        arch: "sm_120",
        right: "cvt.rn.satfinite.e4m3x2.f32 h1, f1, f2;",
    },
    Code {
        code: "cvt::target_too_old",
        title: "the module's .target does not have this conversion yet",
        text: "Legality goes by the .target of the module, never by the architecture that code is generated for: a module of .target sm_80 may not have fp8 even when it is assembled for sm_89. Raise the .target (or try `--retarget`), or write what the target has; `cvtlower explain FORM` says what that is.",
        wrong: "cvt.rn.bf16.f16 h1, h2;",
        arch: "sm_89",
        right: "cvt.f32.f16 f1, h2;\ncvt.rn.bf16.f32 h1, f1;",
    },
    Code {
        code: "cvt::types_illegal",
        title: "there is no conversion between these types",
        text: "The destination type comes first. Narrow and packed floats are converted from and to f32, f16x2 and \
               bf16x2, as pairs or fours; other ways need two steps.",
        wrong: "cvt.rn.e4m3x2.f64 h1, d1;",
        arch: "sm_89",
        right: "cvt.rn.f32.f64 f1, d1;\ncvt.rn.satfinite.e4m3x2.f32 h1, f2, f1;",
    },
    Code {
        code: "cvt::types_newer",
        title: "a pair of types of a PTX version that is newer than the reference",
        text: "PTX ISA 9.2 converts more of the narrow pairs to bf16x2. ptxas 13.1 refuses them; go through f16x2.",
        wrong: "cvt.rn.bf16x2.e4m3x2 r1, h1;",
        arch: "sm_100a",
        right: "cvt.rn.f16x2.e4m3x2 r1, h1;",
    },
    Code {
        code: "cvt::version_too_old",
        title: "the module's .version is older than this conversion",
        text: "Write the .version that `cvtlower explain FORM` names. A driver has to be as new as the version, so \
               compilers often emit the oldest one that will do.",
        wrong: ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 h;\n.reg .f32 f;\n\
                cvt.rn.satfinite.f16.f32 h, f;\nret;\n}\n",
        arch: "sm_90",
        right: ".version 8.1\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 h;\n.reg .f32 f;\n\
                cvt.rn.satfinite.f16.f32 h, f;\nret;\n}\n",
    },
    Code {
        code: "input::binary",
        title: "the input is no text",
        text: "PTX is text. A program, a cubin or an object file holds it in compressed form; `cuobjdump -ptx FILE` \
               prints it.",
        wrong: "\u{7f}ELF…",
        arch: "sm_89",
        right: "",
    },
    Code {
        code: "input::empty",
        title: "there is nothing in the input",
        text: "The file has no byte but blanks: most often the compiler before it failed, or wrote somewhere else.",
        wrong: " ",
        arch: "sm_89",
        right: "",
    },
    Code {
        code: "input::encoding",
        title: "the input is UTF-16 text",
        text: "PTX is ASCII, with anything in its comments. Some shells write UTF-16 when they redirect output; \
               `iconv -f UTF-16 -t UTF-8 FILE` converts it.",
        wrong: "UTF-16 with its byte order mark",
        arch: "sm_89",
        right: "",
    },
    Code {
        code: "module::target_refused",
        title: "code for this architecture cannot be made of a module of this .target",
        text: "A plain target runs on its own and every newer architecture, one with `f` within its family, one with `a` on exactly itself. An older architecture never runs newer code. `--retarget` looks at the file as if it were written for the architecture.",
        wrong: ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h1;\nret;\n}\n",
        arch: "sm_89",
        right: ".version 8.0\n.target sm_89\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h1;\nret;\n}\n",
    },
    Code {
        code: "module::target_unknown",
        title: "there is no such .target",
        text: "The name is none that ptxas 13.1 knows. Names from sm_10 on are known, also those that code is no longer generated for.",
        wrong: ".version 9.0\n.target sm_95\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h1;\nret;\n}\n",
        arch: "sm_90",
        right: ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h1;\nret;\n}\n",
    },
    Code {
        code: "module::version_too_old",
        title: "the .version is from before the .target",
        text: "Each target came with a version of PTX; write at least that.",
        wrong: ".version 7.0\n.target sm_89\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h1;\nret;\n}\n",
        arch: "sm_89",
        right: ".version 7.8\n.target sm_89\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h1;\nret;\n}\n",
    },
    Code {
        code: "module::version_unknown",
        title: "the reference does not know this .version",
        text: "ptxas 13.1.115 takes .version 1.0 to 9.1 and ends at once with any other. A file of a newer compiler may still be legal in an older version: write that one.",
        wrong: ".version 9.9\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h1;\nret;\n}\n",
        arch: "sm_90",
        right: ".version 9.1\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b16 h<3>;\n.reg .b32 r<3>;\n.reg .f32 f<3>;\ncvt.u32.u16 r1, h1;\nret;\n}\n",
    },
    Code {
        code: "ptx::syntax",
        title: "the text is not PTX at this place",
        text: "The statement is left out and reading goes on with the next one, so that everything else is still \
               translated. ptxas ends at its first syntax error.",
        wrong: "cvt.rn.f16.f32 h1 f1;",
        arch: "sm_89",
        right: "cvt.rn.f16.f32 h1, f1;",
    },
    Code {
        code: "ptxas::defect",
        title: "ptxas takes this and gets it wrong",
        text: "A warning: the conversion is legal, but what ptxas 13.1 makes of it does not do what the manual says, or ptxas ends with an internal error. The listing shows what ptxas does.",
        wrong: "cvt.rn.satfinite.f16.f32 h1, f1;",
        arch: "sm_75",
        right: "cvt.rn.f16.f32 h1, f1;",
    },
];
