//! What a violation means, in the words of the one who wrote the statement, and what to write instead.

use super::decode::{rounding_name, type_name};
use super::form::Rounding;
use super::legality::{holds_all, rounding_rule};
use super::signature::{self, Class, class, width};
use super::violation::{About, Fault, ForeignFault, Lack, Misfit, Modifier, OperandFault, Subject, Violation};
use crate::ptx::Type;
use crate::target::{Availability, Feature, Version};

/// The codes of violations, each with what it is about.
pub const CODES: &[(&str, &str)] = &[
    ("cvt::modifier_unknown", "The opcode has a modifier or type that ptxas 13.1 does not know."),
    (
        "cvt::modifier_newer",
        "The opcode has a modifier or type of a PTX ISA version that ptxas 13.1 does not know yet.",
    ),
    ("cvt::modifier_repeated", "A modifier stands twice that may stand once; of two roundings ptxas keeps the last."),
    ("cvt::modifiers_conflict", "Two modifiers exclude each other."),
    ("cvt::modifier_illegal", "The conversion does not take the modifier with these types."),
    ("cvt::modifier_foreign", "The modifier belongs to other instructions."),
    ("cvt::modifier_unavailable", "The module's .target does not have the modifier."),
    ("cvt::ftz_without_f32", ".ftz flushes subnormal f32 values, and neither type is f32."),
    ("cvt::rounding_required", "The conversion is not exact, so a rounding modifier must be given."),
    ("cvt::rounding_illegal", "The types do not take this rounding modifier."),
    ("cvt::satfinite_required", "The destination type has no infinity, so .satfinite must be given."),
    ("cvt::sat_required", "cvt.pack always saturates, and .sat must be written."),
    ("cvt::types_illegal", "There is no conversion between these types."),
    ("cvt::types_newer", "The conversion came with a PTX ISA version that ptxas 13.1 does not know yet."),
    ("cvt::operands_mismatch", "The operands do not fit the types of the opcode."),
    ("cvt::operand_illegal", "A conversion does not take this kind of operand."),
    ("cvt::symbol_unknown", "Nothing declares this name."),
    ("cvt::guard_not_predicate", "A guard is a predicate register."),
    ("cvt::target_too_old", "The module's .target does not have this conversion yet."),
    ("cvt::target_lacks", "Only some architectures, by their a or f names, have this conversion."),
    ("cvt::version_too_old", "The module's .version does not have this conversion yet."),
];

/// The first version of CUDA whose ptxas knows a PTX ISA version.
const CUDA: &[(Version, &str)] = &[
    ((6, 0), "9.0"),
    ((6, 3), "10.0"),
    ((6, 5), "10.2"),
    ((7, 0), "11.0"),
    ((7, 1), "11.1"),
    ((7, 2), "11.2"),
    ((7, 8), "11.8"),
    ((8, 0), "12.0"),
    ((8, 1), "12.1"),
    ((8, 6), "12.7"),
    ((8, 7), "12.8"),
    ((8, 8), "12.9"),
    ((9, 0), "13.0"),
    ((9, 1), "13.1"),
];

/// A PTX ISA version with its CUDA version, where that is known.
fn version((major, minor): Version) -> String {
    match CUDA.iter().find(|(v, _)| *v == (major, minor)) {
        Some((_, cuda)) => format!("{major}.{minor} (CUDA {cuda})"),
        None => format!("{major}.{minor}"),
    }
}

/// Names of later PTX ISA versions: the part, and what it needs.
const NEWER: &[(&str, &str)] = &[
    ("pzo", "PTX ISA 9.4 and sm_107f"),
    ("scaled::n1::ue8m0", "PTX ISA 9.4 and sm_107f"),
    ("ue5m3x2", "PTX ISA 9.4 and sm_107f"),
];

fn newer(name: &str) -> Option<&'static str> {
    NEWER.iter().find(|(n, _)| *n == name).map(|&(_, needs)| needs)
}

/// Whether the pair is one of PTX ISA 9.2: `bf16x2` from narrow floats.
fn pair_of_9_2(about: &About) -> bool {
    about.dst == Some(Type::Bf16x2) && about.src.is_some_and(|s| class(s) == Class::NarrowPair)
}

/// "`.rn`, `.rz` or `.rm`"
fn list(roundings: &[Rounding]) -> String {
    let names: Vec<String> = roundings.iter().map(|&r| format!("`.{}`", rounding_name(r))).collect();
    match names.split_last() {
        None => "none".into(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// "bf16 from f32"
fn conversion(about: &About) -> String {
    match (about.dst, about.src) {
        (Some(d), Some(s)) => format!("{} from {}", type_name(d), type_name(s)),
        (Some(d), None) => type_name(d).to_owned(),
        _ => "this conversion".to_owned(),
    }
}

/// The opcode of `about`'s types with these modifiers before them.
fn opcode(about: &About, modifiers: &str) -> String {
    format!("`{}{modifiers}{}`", about.name(), about.pair())
}

/// How to spell a rounding of the same direction that the types take, else the first that they take.
fn instead(about: &About, takes: &[Rounding]) -> Option<Rounding> {
    use Rounding::*;
    let alike = match about.rounding? {
        Rn | Rna | Rs => [Rn, Rni],
        Rni => [Rn, Rni],
        Rz | Rzi => [Rz, Rzi],
        Rm | Rmi => [Rm, Rmi],
        Rp | Rpi => [Rp, Rpi],
    };
    alike.into_iter().find(|r| takes.contains(r)).or_else(|| takes.first().copied())
}

impl Violation {
    /// A stable code; [`CODES`] says what each is about.
    pub fn code(&self) -> &'static str {
        match &self.fault {
            Fault::UnknownModifier(name) if newer(name).is_some() => "cvt::modifier_newer",
            Fault::UnknownModifier(_) => "cvt::modifier_unknown",
            Fault::Repeated(_) | Fault::Foreign(ForeignFault::Repeated(_)) => "cvt::modifier_repeated",
            Fault::Conflict(..) => "cvt::modifiers_conflict",
            Fault::Illegal(_) | Fault::IllegalWith(..) | Fault::IllegalWithPair(_) | Fault::IllegalForPair(_) => {
                "cvt::modifier_illegal"
            }
            Fault::IllegalHere(_) => "cvt::modifier_unavailable",
            Fault::NothingToFlush => "cvt::ftz_without_f32",
            Fault::RoundingRequired => "cvt::rounding_required",
            Fault::RoundingIllegal => "cvt::rounding_illegal",
            Fault::SatfiniteRequired => "cvt::satfinite_required",
            Fault::SatRequired => "cvt::sat_required",
            Fault::Types if pair_of_9_2(&self.about) => "cvt::types_newer",
            Fault::Types => "cvt::types_illegal",
            Fault::Arguments(_) => "cvt::operands_mismatch",
            Fault::Lacking(_, lack) | Fault::LackingOn(_, lack) => match lack {
                Lack::Target(_) => "cvt::target_too_old",
                Lack::Support => "cvt::target_lacks",
                Lack::Version(_) => "cvt::version_too_old",
            },
            Fault::Operand(OperandFault::Unknown(_)) => "cvt::symbol_unknown",
            Fault::Operand(OperandFault::Guard) => "cvt::guard_not_predicate",
            Fault::Operand(_) => "cvt::operand_illegal",
            Fault::Foreign(_) => "cvt::modifier_foreign",
        }
    }

    /// What is wrong.
    pub fn message(&self) -> String {
        let a = &self.about;
        let what = conversion(a);
        match &self.fault {
            Fault::UnknownModifier(name) => match newer(name) {
                Some(needs) => format!("`.{name}` needs {needs}; ptxas 13.1 does not know it"),
                None => format!("there is no modifier or type `.{name}`"),
            },
            Fault::Repeated(Modifier::Rounding(_)) => "more than one rounding modifier".into(),
            Fault::Repeated(m) => format!("`{}` stands twice", m.text()),
            Fault::Conflict(x, Modifier::Rounding(None)) => {
                format!("`{}` needs a rounding modifier beside it", x.text())
            }
            Fault::Conflict(x, y) => format!("`{}` and `{}` exclude each other on {what}", x.text(), y.text()),
            Fault::Illegal(m) | Fault::IllegalWith(m, _) | Fault::IllegalWithPair(m) | Fault::IllegalForPair(m) => {
                match m {
                    Modifier::Rounding(_) => format!("{what} does not take `{}`", m.text()),
                    _ if a.pack => format!("`cvt.pack` does not take `{}`", m.text()),
                    _ => format!("{what} does not take `{}`", m.text()),
                }
            }
            Fault::IllegalHere(m) => format!("{} does not have `{}`", a.target, m.text()),
            Fault::NothingToFlush => format!("`.ftz` has nothing to flush: no f32 takes part in {what}"),
            Fault::RoundingRequired => format!("{what} needs a rounding modifier"),
            Fault::RoundingIllegal if a.pack => "`cvt.pack` takes no rounding modifier".into(),
            Fault::RoundingIllegal => {
                format!("{what} does not round with `{}`", Modifier::Rounding(a.rounding).text())
            }
            Fault::SatfiniteRequired => {
                format!("{} has no infinity: `.satfinite` must be given", a.dst.map_or("it", type_name))
            }
            Fault::SatRequired => "`cvt.pack` needs `.sat`".into(),
            Fault::Types if pair_of_9_2(a) => {
                format!("{what} needs PTX ISA 9.2 (CUDA 13.2); ptxas 13.1 does not know it")
            }
            Fault::Types => self.types_message(),
            Fault::Arguments(misfit) => arguments_message(*misfit, a),
            Fault::Lacking(subject, lack) => self.lacking_message(subject, *lack),
            Fault::LackingOn(_, lack) => {
                let rounding = Modifier::Rounding(a.rounding).text();
                let form = format!("`.satfinite` on `cvt{rounding}{}`", a.pair());
                lack_message(&form, *lack, a)
            }
            Fault::Operand(fault) => operand_message(fault, a),
            Fault::Foreign(fault) => foreign_message(fault),
        }
    }

    /// What the marked place is, in a few words.
    pub fn label(&self) -> String {
        let a = &self.about;
        match &self.fault {
            Fault::UnknownModifier(name) if newer(name).is_some() => "of a later PTX ISA version".into(),
            Fault::UnknownModifier(_) => "not known to ptxas 13.1".into(),
            Fault::Repeated(Modifier::Rounding(_)) => "the second one".into(),
            Fault::Repeated(_) | Fault::Foreign(ForeignFault::Repeated(_)) => "once more".into(),
            Fault::Conflict(_, Modifier::Rounding(None)) => "no rounding modifier".into(),
            Fault::Conflict(x, y) => format!("`{}` with `{}`", x.text(), y.text()),
            Fault::RoundingIllegal => "not taken by these types".into(),
            Fault::RoundingRequired => "no rounding modifier".into(),
            Fault::SatfiniteRequired | Fault::SatRequired => "always saturates".into(),
            Fault::NothingToFlush => "no f32 here".into(),
            Fault::Types => "no such conversion".into(),
            Fault::IllegalHere(_) => format!("not on {}", a.target),
            Fault::Illegal(_) | Fault::IllegalWith(..) | Fault::IllegalWithPair(_) | Fault::IllegalForPair(_) => {
                "not taken here".into()
            }
            Fault::Arguments(Misfit::Count(have, ..)) => {
                format!("{have} {}", if *have == 1 { "operand" } else { "operands" })
            }
            Fault::Arguments(Misfit::Operand(i)) => match self.wanted(*i) {
                Some(wanted) => format!("{wanted} belongs here"),
                None => "does not fit".into(),
            },
            Fault::Arguments(Misfit::NoFactor) => "needs a 16-bit factor as the last operand".into(),
            Fault::Arguments(Misfit::NoFour) => "four values in braces belong here".into(),
            Fault::Arguments(_) => "does not fit".into(),
            Fault::Lacking(_, lack) | Fault::LackingOn(_, lack) => match lack {
                Lack::Version((x, y)) => format!("since .version {x}.{y}"),
                Lack::Target(sm) => format!("since sm_{sm}"),
                Lack::Support => format!("not on {}", a.target),
            },
            Fault::Operand(OperandFault::Unknown(_)) => "not declared".into(),
            Fault::Operand(OperandFault::Guard) => "no predicate".into(),
            Fault::Operand(_) => "not taken here".into(),
            Fault::Foreign(_) => "belongs to other instructions".into(),
        }
    }

    /// What to write instead.
    pub fn help(&self) -> Option<String> {
        let a = &self.about;
        match &self.fault {
            Fault::UnknownModifier(name) => unknown_help(name),
            Fault::Repeated(Modifier::Rounding(_)) => Some("keep one; ptxas would take the last".into()),
            Fault::Repeated(_) | Fault::Foreign(ForeignFault::Repeated(_)) => Some("write it once".into()),
            Fault::Conflict(x, y) => conflict_help(*x, *y, a),
            Fault::RoundingRequired | Fault::RoundingIllegal => rounding_help(a),
            Fault::SatfiniteRequired => Some(format!(
                "values out of range become the largest finite one; write {}",
                opcode(a, &format!("{}.satfinite", Modifier::Rounding(a.rounding).text()))
            )),
            Fault::SatRequired => Some(format!("write {}", opcode(a, ".sat"))),
            Fault::NothingToFlush => Some("leave `.ftz` out: only f32 has a flush mode".into()),
            Fault::Illegal(m) | Fault::IllegalWith(m, _) | Fault::IllegalWithPair(m) | Fault::IllegalForPair(m) => {
                illegal_help(*m, a)
            }
            Fault::IllegalHere(_) => Some(format!("{} have it", Feature::S2f6.availability().describe())),
            Fault::Types => self.types_help(),
            Fault::Arguments(misfit) => self.arguments_help(*misfit),
            Fault::Lacking(subject, lack) => self.lacking_help(subject, *lack),
            Fault::LackingOn(_, lack) => lack_help(*lack, Some(Feature::Tf32Saturation), a),
            Fault::Operand(fault) => operand_help(fault, a),
            Fault::Foreign(fault) => foreign_help(fault),
        }
    }

    fn types_message(&self) -> String {
        let a = &self.about;
        match (a.dst, a.src) {
            _ if a.pack => "`cvt.pack` does not convert between these types".into(),
            (Some(d), Some(s)) if signature::of_cvt(d, s).is_some() => {
                format!("{} takes neither `.relu` nor `.satfinite`", conversion(a))
            }
            (Some(d), Some(s)) => format!("there is no conversion to {} from {}", type_name(d), type_name(s)),
            _ => "a conversion names two types: destination, then source".into(),
        }
    }

    fn types_help(&self) -> Option<String> {
        let a = &self.about;
        let (d, s) = match (a.dst, a.src) {
            _ if a.pack => {
                return Some(
                    "it takes `.u16.s32` and `.s16.s32`, and `.u8 .s8 .u4 .s4 .u2 .s2` with `.s32.b32`".to_owned(),
                );
            }
            (Some(d), Some(s)) => (d, s),
            _ => return Some("write `cvt.DESTINATION.SOURCE`, as in `cvt.u32.u16`".into()),
        };
        if pair_of_9_2(a) {
            let middle = "go through f16x2: `cvt.rn.f16x2";
            return Some(format!(
                "{middle}.{}`, then convert each half to f32 and pack with `cvt.rn.bf16x2.f32`",
                type_name(s)
            ));
        }
        if signature::of_cvt(d, s).is_some() {
            return Some(format!(
                "`.relu` and `.satfinite` belong to conversions from f32 to f16, bf16 and tf32, and to packed types; {}",
                "integers and f16 and f32 destinations saturate with `.sat`"
            ));
        }
        let bits = |t: Type| match t {
            Type::B8 => Some("u8"),
            Type::B16 => Some("u16"),
            Type::B32 => Some("u32"),
            Type::B64 => Some("u64"),
            _ => None,
        };
        if let Some(t) = bits(d).or_else(|| bits(s)) {
            return Some(format!("an untyped value is not converted: name its meaning, as in `.{t}`, or use `mov`"));
        }
        if matches!(d, Type::E4m3 | Type::E5m2 | Type::E2m3 | Type::E3m2 | Type::E2m1 | Type::Ue8m0) {
            return Some(format!("narrow floats are converted in pairs: `.{}x2`", type_name(d)));
        }
        if s == Type::Tf32 {
            return Some("a tf32 value is an f32 value already: use the register as it is".into());
        }
        match (class(d), class(s)) {
            (Class::NarrowPair | Class::FixedPair | Class::ScalePair, _) => {
                Some("narrow pairs come from two f32, or from `f16x2` or `bf16x2`".into())
            }
            (_, Class::NarrowPair) => Some("narrow pairs go to `f16x2`".into()),
            (_, Class::ScalePair | Class::FixedPair) => Some("`ue8m0x2` and `s2f6x2` go to `bf16x2`".into()),
            _ => None,
        }
    }

    /// What operand `index` has to be.
    fn wanted(&self, index: u8) -> Option<String> {
        use signature::Slot;
        let a = &self.about;
        let signature = if a.pack { None } else { signature::of_cvt(a.dst?, a.src?) }?;
        let operand = if index == 0 { "the result" } else { "a source" };
        let register = |ty: Type, exact: bool| {
            let bits = width(ty);
            let typed = match class(ty) {
                Class::Bf16 | Class::HalfPair if ty != Type::F16x2 => String::new(),
                _ => format!(" or `.{}`", type_name(ty)),
            };
            let wider = if exact || bits == 64 { "" } else { " or wider" };
            format!("{operand} in a `.b{bits}`{typed} register{wider}")
        };
        Some(match signature.slot(usize::from(index))? {
            Slot::Wide(ty) => register(ty, false),
            Slot::Exact(ty) => register(ty, true),
            Slot::Byte => format!("{operand} in a `.b8` register"),
            Slot::Half | Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2 | Slot::FixedResult => {
                format!("{operand} in a `.b16` register")
            }
            Slot::Word | Slot::Unchecked => format!("{operand} in a `.b32` register"),
            Slot::PackRest => "a 32-bit value".into(),
            Slot::Four | Slot::OneOrFour => "four f32 in braces".into(),
            Slot::Random => "32 random bits in a `.b32` register".into(),
            Slot::Factor => "a factor in a `.b16` register".into(),
        })
    }

    fn arguments_help(&self, misfit: Misfit) -> Option<String> {
        let a = &self.about;
        match misfit {
            Misfit::Count(..) => {
                let shape = usage(a)?;
                Some(format!("write `{} {shape};`", opcode(a, "").trim_matches('`')))
            }
            Misfit::Operand(i) => self.wanted(i).map(|w| format!("operand {i} of {} is {w}", conversion(a))),
            Misfit::NoRandom => Some("`.rs` belongs to f16x2 and bf16x2 from f32 and to the `x4` types".into()),
            Misfit::RandomBits => {
                Some("with `.rs` a `.b32` register of random bits comes last; without it, nothing".into())
            }
            Misfit::NoFactor => Some("the factor is a pair of ue8m0 in a `.b16` register, as the last operand".into()),
            Misfit::Spare => Some("leave the last operand out".into()),
            Misfit::NoFour => Some("write `{a, b, e, f}`: the first goes to the highest element".into()),
        }
    }

    fn lacking_message(&self, subject: &Subject, lack: Lack) -> String {
        let a = &self.about;
        let what = match subject {
            Subject::Type(ty) => format!("the type {}", type_name(*ty)),
            Subject::Modifier(m) => format!("`{}`", m.text()),
            Subject::Foreign(text) => format!("`.{}`", text.rsplit(' ').next().unwrap_or_default()),
            Subject::WithPairFtz => format!("`.ftz` on {}", conversion(a)),
            Subject::WithPairRounding => format!("`{}` to tf32", Modifier::Rounding(a.rounding).text()),
            Subject::With(ty) => format!("the type {}", type_name(*ty)),
            Subject::Pair | Subject::PairOn(_) | Subject::WithPair => conversion(a),
            Subject::Pack => "`cvt.pack`".into(),
            Subject::PackSubByte => "`cvt.pack` to types of less than 8 bits".into(),
        };
        let what = match subject {
            Subject::PairOn(sm) => format!("{what} on sm_{sm}"),
            _ => what,
        };
        lack_message(&what, lack, a)
    }

    fn lacking_help(&self, subject: &Subject, lack: Lack) -> Option<String> {
        let a = &self.about;
        if let Lack::Version(_) = lack {
            return lack_help(lack, None, a);
        }
        let feature = match subject {
            Subject::With(Type::S2f6x2) => Some(Feature::S2f6),
            Subject::Modifier(Modifier::Rounding(_)) => Some(Feature::Stochastic),
            Subject::Pair | Subject::With(_) if lack == Lack::Support => Some(Feature::Narrow),
            _ => None,
        };
        let who = lack_help(lack, feature, a);
        match (self.detour(subject), who) {
            (Some(detour), Some(who)) => Some(format!("{who}; {detour}")),
            (detour, who) => detour.or(who),
        }
    }

    /// How to get the same values where the conversion is not there.
    fn detour(&self, subject: &Subject) -> Option<String> {
        let a = &self.about;
        let (d, s) = (a.dst?, a.src?);
        let on = format!("on {} go through f32", a.target);
        let bf16 = Feature::Bf16.availability().includes(a.target);
        match subject {
            Subject::WithPair if d == Type::Bf16 && bf16 => {
                let first = match class(s) {
                    Class::Integer => format!("cvt.rn.f32.{}", type_name(s)),
                    _ if s == Type::F64 => "cvt.rn.f32.f64".into(),
                    _ => "cvt.f32.f16".into(),
                };
                Some(format!("{on}: `{first}`, then `cvt.rn.bf16.f32`"))
            }
            Subject::WithPair if s == Type::Bf16 && bf16 => {
                let second = match class(d) {
                    Class::Integer => format!("cvt.rzi.{}.f32", type_name(d)),
                    _ if d == Type::F64 => "cvt.f64.f32".into(),
                    _ => "cvt.rn.f16.f32".into(),
                };
                Some(format!("{on}: `cvt.f32.bf16`, then `{second}`"))
            }
            Subject::WithPairFtz => Some(format!("on {} leave `.ftz` out", a.target)),
            Subject::WithPairRounding if d == Type::Tf32 => Some(format!("on {} write `cvt.rna.tf32.f32`", a.target)),
            Subject::Pair if d == Type::F16x2 && s == Type::F32 => {
                Some("pack two `cvt.rn.f16.f32` with `mov.b32 d, {lo, hi}`".into())
            }
            Subject::Pair if s == Type::Bf16x2 => Some("go through f32: unpack, then convert from two f32".into()),
            Subject::Modifier(Modifier::Relu) => Some("use `max` with zero on the result".into()),
            Subject::Modifier(Modifier::Rounding(_)) => Some("use `.rn`, or add the random bits yourself".into()),
            _ => None,
        }
    }
}

fn lack_message(what: &str, lack: Lack, about: &About) -> String {
    match lack {
        Lack::Target(sm) => format!("{what} needs sm_{sm}; the module is for {}", about.target),
        Lack::Version(v) => {
            let (x, y) = about.version;
            format!("{what} needs PTX ISA {}; the module says {x}.{y}", version(v))
        }
        Lack::Support => format!("{what} is not there on {}", about.target),
    }
}

fn lack_help(lack: Lack, feature: Option<Feature>, about: &About) -> Option<String> {
    match lack {
        Lack::Version((x, y)) => Some(format!("write `.version {x}.{y}` or newer at the start of the file")),
        Lack::Target(sm) => Some(format!("write `.target sm_{sm}` or newer")),
        Lack::Support => {
            let feature = feature?;
            let names = feature.availability().describe();
            Some(match feature.availability() {
                Availability::ExactOf(_) | Availability::ExactFrom(_) => {
                    format!("only {names} have it: their `a` names, not {}", about.target)
                }
                _ => format!("only names with `a` or `f` have it: {names}"),
            })
        }
    }
}

fn unknown_help(name: &str) -> Option<String> {
    if newer(name).is_some() {
        return None;
    }
    let known = ["ftz", "sat", "relu", "satfinite", "scaled::n2::ue8m0"];
    let lower = name.to_ascii_lowercase();
    let is_known = |n: &str| known.contains(&n) || super::decode::names().any(|k| k == n);
    if is_known(&lower) {
        return Some(format!("modifiers are written in lower case: `.{lower}`"));
    }
    match lower.as_str() {
        "pack" => return Some("`pack` stands directly after `cvt`: `cvt.pack.sat.u16.s32`".into()),
        "f8" | "fp8" | "e4m3fn" => return Some("the 8-bit floats are `.e4m3x2` and `.e5m2x2`, in pairs".into()),
        "f4" | "fp4" => return Some("the 4-bit float is `.e2m1x2`, in pairs".into()),
        "e8m0" | "e8m0x2" => return Some("the type of scale factors is `.ue8m0x2`".into()),
        _ => {}
    }
    let all = known.into_iter().chain(super::decode::names());
    let near = all.map(|n| (strsim::damerau_levenshtein(&lower, n), n)).min()?;
    (near.0 <= 1 || (near.0 == 2 && name.len() > 4)).then(|| format!("did you mean `.{}`?", near.1))
}

fn conflict_help(x: Modifier, y: Modifier, about: &About) -> Option<String> {
    Some(match (x, y) {
        (Modifier::Satfinite | Modifier::Relu, Modifier::Rounding(_)) => {
            let pair = conversion(about);
            let takes = match about.dst {
                Some(Type::Tf32) if x == Modifier::Satfinite => "`.rn`, `.rz` or `.rna`",
                _ => "`.rn` or `.rz`",
            };
            format!("with `{}`, {pair} takes {takes}: write {}", x.text(), opcode(about, &format!(".rn{}", x.text())))
        }
        (Modifier::Satfinite, Modifier::Sat) => {
            "`.sat` clamps to [0, 1], `.satfinite` to the finite values: keep one".into()
        }
        (Modifier::Relu, Modifier::Sat) => "`.sat` already makes negative values 0: leave `.relu` out".into(),
        (_, Modifier::Ftz) => format!("leave `.ftz` or `{}` out", x.text()),
        _ => return None,
    })
}

fn rounding_help(about: &About) -> Option<String> {
    if about.pack {
        return Some("leave the rounding modifier out: integers are packed as they are".into());
    }
    let (d, s) = (about.dst?, about.src?);
    let rule = rounding_rule(d, s, false);
    let pair = conversion(about);
    if rule.takes.is_empty() {
        let why = if class(d) == Class::Integer { "between integers nothing is rounded" } else { "widening is exact" };
        return Some(format!("{why}: write {}", opcode(about, "")));
    }
    let write = instead(about, rule.takes)
        .map_or_else(|| if class(d) == Class::Integer { Rounding::Rzi } else { rule.takes[0] }, |r| r);
    let choice = if rule.required { "takes" } else { "takes none, or" };
    Some(format!(
        "{pair} {choice} {}: write {}",
        list(rule.takes),
        opcode(about, &format!(".{}", rounding_name(write)))
    ))
}

fn illegal_help(modifier: Modifier, about: &About) -> Option<String> {
    let (d, s) = (about.dst?, about.src?);
    Some(match modifier {
        Modifier::Sat if holds_all(d, s) => {
            format!("{} holds every value of {}: leave `.sat` out", type_name(d), type_name(s))
        }
        Modifier::Sat if class(d) == Class::Integer => {
            "a conversion to an integer clamps by itself: leave `.sat` out".into()
        }
        Modifier::Sat => {
            "`.sat` is for f16, f32 and f64 destinations; to clamp to finite values write `.satfinite`".into()
        }
        Modifier::Ftz => "leave `.ftz` out".into(),
        Modifier::Relu if about.pack => "leave `.relu` out; `.sat` clamps to the destination's range".into(),
        Modifier::Relu => "ue8m0 holds no negative value: leave `.relu` out".into(),
        Modifier::Satfinite if about.pack => "write `.sat`".into(),
        Modifier::Satfinite => "the result holds every value of the source: leave `.satfinite` out".into(),
        Modifier::Scaled => "`.scaled::n2::ue8m0` is for `s2f6x2`, with a factor as the last operand".into(),
        Modifier::Rounding(_) => return rounding_help(about),
    })
}

/// The operands of a form.
fn usage(about: &About) -> Option<String> {
    if about.pack {
        let sub = matches!(about.dst?, Type::U16 | Type::S16);
        return Some(if sub { "d, a, b" } else { "d, a, b, c" }.into());
    }
    let signature = signature::of_cvt(about.dst?, about.src?)?;
    let stochastic = about.rounding == Some(Rounding::Rs);
    let names: &[&str] = match (class(about.dst?), signature.slots.len()) {
        (Class::NarrowFour, _) => &["d", "{a, b, e, f}", "rbits"],
        (_, 3) if stochastic => &["d", "a", "b", "rbits"],
        (_, 3) => &["d", "a", "b"],
        _ => &["d", "a"],
    };
    Some(names.join(", "))
}

fn arguments_message(misfit: Misfit, about: &About) -> String {
    let what = if about.pack { "`cvt.pack`".to_owned() } else { conversion(about) };
    match misfit {
        Misfit::Count(have, least, most) => {
            let many = |n: u8| if n == 1 { "1 operand".to_owned() } else { format!("{n} operands") };
            let takes = if least == most { many(least) } else { format!("{least} or {}", many(most)) };
            format!("{what} takes {takes}, and here {} {have}", if have == 1 { "is" } else { "are" })
        }
        Misfit::Operand(0) => format!("the result does not fit {what}"),
        Misfit::Operand(_) => format!("a source operand does not fit {what}"),
        Misfit::NoRandom => format!("{what} takes no random bits"),
        Misfit::RandomBits => "`.rs` and an operand with random bits go together".into(),
        Misfit::NoFactor => "`.scaled::n2::ue8m0` needs a factor".into(),
        Misfit::Spare => format!("{what} does not take this last operand"),
        Misfit::NoFour => format!("{what} takes a vector of four"),
    }
}

fn operand_message(fault: &OperandFault, about: &About) -> String {
    let name = about.name();
    match fault {
        OperandFault::Minus => "only 32-bit integer operands can bear a minus".into(),
        OperandFault::Not => "only a predicate can bear `!`".into(),
        OperandFault::NegationLimited | OperandFault::Negation => format!("`{name}` does not negate an operand"),
        OperandFault::Special => "a special register can be converted between integer types only".into(),
        OperandFault::ReadOnly => "a special register cannot be written".into(),
        OperandFault::Pair => format!("`{name}` has no predicate result"),
        OperandFault::NoResult => "the result must be a register".into(),
        OperandFault::NoRegister(_) => format!("`{name}` takes no variable and no address"),
        OperandFault::Vector => format!("`{name}` takes no vector here"),
        OperandFault::SelectedResult | OperandFault::SelectedSource => format!("`{name}` takes no part of a register"),
        OperandFault::SelectorUnknown(s) | OperandFault::FieldUnknown(s) => format!("there is no selector `.{s}`"),
        OperandFault::VectorLength(n) => format!("there is no vector of {n}"),
        OperandFault::VectorMixed => "the elements of a vector have one width".into(),
        OperandFault::VectorTypes => "the elements of a vector have one type".into(),
        OperandFault::Unknown(s) => format!("nothing declares `{s}`"),
        OperandFault::Discard => format!("`{name}` cannot discard its result"),
        OperandFault::VectorResult | OperandFault::VectorSize => "the vector modifier does not fit the operands".into(),
        OperandFault::Guard => "the guard is no predicate".into(),
    }
}

fn operand_help(fault: &OperandFault, about: &About) -> Option<String> {
    Some(match fault {
        OperandFault::Minus | OperandFault::NegationLimited | OperandFault::Negation => {
            "use `neg` before the conversion".into()
        }
        OperandFault::Not => "use `not` before the conversion".into(),
        OperandFault::Special => "`mov.u32` it into a register first".into(),
        OperandFault::NoRegister(_) => "load the value with `ld`, or take the address with `mov`".into(),
        OperandFault::SelectedResult | OperandFault::SelectedSource => {
            "take the part out with `mov.b32 {lo, hi}, r`, `bfe` or `prmt`".into()
        }
        OperandFault::Vector => "convert the elements one by one".into(),
        OperandFault::VectorLength(_) if about.dst.map(class) == Some(Class::NarrowFour) => {
            "four values belong in the braces".into()
        }
        OperandFault::Unknown(_) => "declare it with `.reg`".into(),
        OperandFault::Discard => "leave the statement out: a conversion has no other effect".into(),
        OperandFault::Guard => "make one with `setp`".into(),
        _ => return None,
    })
}

fn foreign_message(fault: &ForeignFault) -> String {
    match fault {
        ForeignFault::Illegal(text) if text.starts_with('.') => format!("a conversion does not take `{text}`"),
        ForeignFault::Illegal(_) => "a conversion does not take this modifier".into(),
        ForeignFault::StateSpace => "a conversion names no state space".into(),
        ForeignFault::Comparison => "a conversion compares nothing".into(),
        ForeignFault::ComparisonMismatch => "the comparison does not fit the source type either".into(),
        ForeignFault::Vector | ForeignFault::VectorTooLarge => "a conversion works on single values".into(),
        ForeignFault::Reduction => "a conversion reduces nothing".into(),
        ForeignFault::Query => "a conversion queries no texture".into(),
        ForeignFault::Needs(x, y) => format!("`.{x}` goes with `.{y}` only"),
        ForeignFault::CarryOut => "`.cc` is for integer arithmetic".into(),
        ForeignFault::Conflict(x, y) => format!("`.{x}` and `.{y}` exclude each other"),
        ForeignFault::NoSpace(x) => format!("`.{x}` goes with a state space only"),
        ForeignFault::Repeated(text) => (*text).into(),
    }
}

fn foreign_help(fault: &ForeignFault) -> Option<String> {
    Some(match fault {
        ForeignFault::Illegal(text) if &**text == ".abs" => "use `abs` before the conversion".into(),
        ForeignFault::StateSpace => "to convert an address write `cvta`; to load a value write `ld`".into(),
        ForeignFault::Vector => "write one conversion for each element".into(),
        ForeignFault::Illegal(text) if text.starts_with('.') => format!("leave `{text}` out"),
        _ => return None,
    })
}
