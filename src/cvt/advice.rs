//! What a violation means, in the words of the one who wrote the statement, and what to write instead.

mod help;

use super::decode::type_name;
use super::signature::{self, Class, class, width};
use super::violation::{About, Fault, ForeignFault, Lack, Misfit, Modifier, OperandFault, Subject, Violation};
use crate::ptx::Type;
use crate::target::Version;

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

pub(super) fn newer(name: &str) -> Option<&'static str> {
    NEWER.iter().find(|(n, _)| *n == name).map(|&(_, needs)| needs)
}

/// Whether the pair is one of PTX ISA 9.2: `bf16x2` from narrow floats.
pub(super) fn pair_of_9_2(about: &About) -> bool {
    about.dst == Some(Type::Bf16x2) && about.src.is_some_and(|s| class(s) == Class::NarrowPair)
}

/// "bf16 from f32"
pub(super) fn conversion(about: &About) -> String {
    match (about.dst, about.src) {
        (Some(d), Some(s)) => format!("{} from {}", type_name(d), type_name(s)),
        (Some(d), None) => type_name(d).to_owned(),
        _ => "this conversion".to_owned(),
    }
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

    /// What operand `index` has to be.
    pub(super) fn wanted(&self, index: u8) -> Option<String> {
        use signature::Slot;
        let a = &self.about;
        let signature = if a.pack { None } else { signature::of_cvt(a.dst?, a.src?) }?;
        let register = |ty: Type, exact: bool| {
            let bits = width(ty);
            let typed = match class(ty) {
                Class::Bf16 | Class::HalfPair if ty != Type::F16x2 => String::new(),
                _ => format!(" or `.{}`", type_name(ty)),
            };
            let wider = if exact || bits == 64 { "" } else { " or wider" };
            format!("a `.b{bits}`{typed} register{wider}")
        };
        Some(match signature.slot(usize::from(index))? {
            Slot::Wide(ty) => register(ty, false),
            Slot::Exact(ty) => register(ty, true),
            Slot::Byte => "a `.b8` register".into(),
            Slot::Half | Slot::HalfBesideBf16x2 | Slot::FixedBesideBf16x2 | Slot::FixedResult => {
                "a `.b16` register".into()
            }
            Slot::Word | Slot::Unchecked => "a `.b32` register".into(),
            Slot::PackRest => "a 32-bit value".into(),
            Slot::Four | Slot::OneOrFour => "four f32 in braces".into(),
            Slot::Random => "32 random bits in a `.b32` register".into(),
            Slot::Factor => "a factor in a `.b16` register".into(),
        })
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
