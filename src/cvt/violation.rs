//! What can be wrong with a conversion, one value a finding, and the text that ptxas prints for it.
//!
//! The texts for people are in [`super::advice`].

use super::decode::type_name;
use super::form::Rounding;
use crate::ptx::Type;
use crate::target::{Target, Version};

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
    pub fault: Fault,
    /// What to mark.
    pub place: Place,
    /// What it is about.
    pub about: About,
}

/// What to mark in the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The opcode with all its parts.
    Opcode,
    /// One dotted part of the opcode, counted from 0 (`cvt`).
    Part(u8),
    /// The types in the opcode, from the first to the last.
    Types,
    /// One operand, counted from 0.
    Operand(u8),
    /// All operands.
    Operands,
    /// The guard.
    Guard,
}

/// What a finding is about: as much of the form as is known, and what it is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// `cvt.pack`
    pub pack: bool,
    /// The rounding modifier in force.
    pub rounding: Option<Rounding>,
    /// Destination type, where there is one.
    pub dst: Option<Type>,
    /// Source type, where there is one.
    pub src: Option<Type>,
    /// The module's `.target`.
    pub target: Target,
    /// The module's `.version`.
    pub version: Version,
}

/// A modifier of conversions, as messages name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modifier {
    /// `.ftz`
    Ftz,
    /// `.sat`
    Sat,
    /// `.relu`
    Relu,
    /// `.satfinite`
    Satfinite,
    /// `.scaled::n2::ue8m0`
    Scaled,
    /// The rounding modifier, or that there is none.
    Rounding(Option<Rounding>),
}

impl Modifier {
    /// With its dot; empty for a rounding modifier that is not there.
    pub fn text(self) -> &'static str {
        match self {
            Modifier::Ftz => ".ftz",
            Modifier::Sat => ".sat",
            Modifier::Relu => ".relu",
            Modifier::Satfinite => ".satfinite",
            Modifier::Scaled => ".scaled::n2::ue8m0",
            Modifier::Rounding(None) => "",
            Modifier::Rounding(Some(r)) => match r {
                Rounding::Rn => ".rn",
                Rounding::Rz => ".rz",
                Rounding::Rm => ".rm",
                Rounding::Rp => ".rp",
                Rounding::Rni => ".rni",
                Rounding::Rzi => ".rzi",
                Rounding::Rmi => ".rmi",
                Rounding::Rpi => ".rpi",
                Rounding::Rna => ".rna",
                Rounding::Rs => ".rs",
            },
        }
    }
}

/// Why the operands do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// Too few or too many: how many there are, how few and how many may be.
    Count(u8, u8, u8),
    /// This operand is nothing that the place takes.
    Operand(u8),
    /// `.rs` where nothing takes random bits.
    NoRandom,
    /// `.rs` without random bits, or random bits without `.rs`.
    RandomBits,
    /// `.scaled::n2::ue8m0` without a factor.
    NoFactor,
    /// A factor, or some other operand, that nothing asks for.
    Spare,
    /// No vector of four.
    NoFour,
}

/// What a feature is called in ptxas's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// `.bf16`: a type by itself.
    Type(Type),
    /// A modifier by itself.
    Modifier(Modifier),
    /// A modifier of other instructions.
    Foreign(Box<str>),
    /// `cvt.e4m3x2.f32`
    Pair,
    /// `cvt.e4m3x2.f32 on sm_89`
    PairOn(u16),
    /// `cvt with .bf16.f16`
    WithPair,
    /// `cvt with .f32.bf16.ftz`
    WithPairFtz,
    /// `cvt with .tf32.f32.rn`
    WithPairRounding,
    /// `cvt with .ue8m0x2`
    With(Type),
    /// `cvt.pack`
    Pack,
    /// `cvt.pack with sub-byte type`
    PackSubByte,
}

/// What is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// A target of at least this number.
    Target(u16),
    /// A version of at least this.
    Version(Version),
    /// A target that has it; which ones, ptxas does not say.
    Support,
}

/// How an operand is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandFault {
    /// `-h` on what is no 32-bit integer.
    Minus,
    /// `!r` on what is no predicate.
    Not,
    /// `-r` as the result, or more than one.
    NegationLimited,
    /// `-r`
    Negation,
    /// A special register where none can be.
    Special,
    /// A special register as the result.
    ReadOnly,
    /// `r|p`
    Pair,
    /// A constant as the result.
    NoResult,
    /// A variable or an address.
    NoRegister(u8),
    /// `{…}` or a vector register.
    Vector,
    /// `r.b0` as the result.
    SelectedResult,
    /// `r.b0` as a source.
    SelectedSource,
    /// `r.x`: no selector; with its name.
    SelectorUnknown(Box<str>),
    /// `h.x`: no field; with its name.
    FieldUnknown(Box<str>),
    /// `{…}` of a length that there is not.
    VectorLength(u16),
    /// `{…}` of different widths.
    VectorMixed,
    /// `{…}` of types that are not all the wanted one.
    VectorTypes,
    /// A name that nothing declares.
    Unknown(Box<str>),
    /// `_` as the result.
    Discard,
    /// `.v2` and no vector as the result.
    VectorResult,
    /// `.v2` and another number of elements.
    VectorSize,
    /// `@r` and no predicate.
    Guard,
}

/// What a modifier of other instructions is refused for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForeignFault {
    /// By name, or by the name of its group.
    Illegal(Box<str>),
    /// A state space.
    StateSpace,
    /// A comparison.
    Comparison,
    /// A comparison that does not fit the source either.
    ComparisonMismatch,
    /// A vector size.
    Vector,
    /// `.v8`
    VectorTooLarge,
    /// A reduction operation.
    Reduction,
    /// A query of textures.
    Query,
    /// It goes with another one only.
    Needs(Box<str>, Box<str>),
    /// `.cc`, which goes with integers only.
    CarryOut,
    /// It does not go with this one.
    Conflict(Box<str>, Box<str>),
    /// It needs a state space.
    NoSpace(Box<str>),
    /// A second one of its group; the whole text.
    Repeated(&'static str),
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A name that ptxas does not know.
    UnknownModifier(Box<str>),
    /// A modifier that may be given once.
    Repeated(Modifier),
    /// Two modifiers that exclude each other.
    Conflict(Modifier, Modifier),
    /// A modifier that the instruction does not have.
    Illegal(Modifier),
    /// A modifier that the instruction does not have with this type.
    IllegalWith(Modifier, Type),
    /// A modifier that the instruction does not have with these types.
    IllegalWithPair(Modifier),
    /// The same, in other words.
    IllegalForPair(Modifier),
    /// A modifier that the instruction has on other targets.
    IllegalHere(Modifier),
    /// `.ftz` where no f32 takes part.
    NothingToFlush,
    /// No rounding modifier where there must be one.
    RoundingRequired,
    /// A rounding modifier that the types do not take.
    RoundingIllegal,
    /// No `.satfinite` where there must be one.
    SatfiniteRequired,
    /// No `.sat` on `cvt.pack`.
    SatRequired,
    /// Types that cannot be converted into each other.
    Types,
    /// Operands that do not fit.
    Arguments(Misfit),
    /// Something that the target or version does not have.
    Lacking(Subject, Lack),
    /// `.satfinite` on a form that the target or version has without it.
    LackingOn(Subject, Lack),
    /// An operand.
    Operand(OperandFault),
    /// A modifier of other instructions.
    Foreign(ForeignFault),
}

impl Violation {
    /// The text that ptxas prints, without the place before it.
    pub fn ptxas(&self) -> String {
        let a = &self.about;
        let name = a.name();
        match &self.fault {
            Fault::UnknownModifier(text) => format!("Unknown modifier '.{text}'"),
            Fault::Repeated(Modifier::Rounding(_)) => "Multiple rounding modifiers specified".into(),
            Fault::Repeated(Modifier::Ftz) => "Duplicate .ftz modifier".into(),
            Fault::Repeated(m) => format!("Multiple {} modifiers specified", m.text()),
            Fault::Conflict(x, y) => {
                format!("Modifier '{}' cannot be combined with modifier '{}'", x.text(), y.text())
            }
            Fault::Illegal(m) => format!("Illegal modifier '{}' for instruction '{name}'", m.text()),
            Fault::IllegalWith(m, ty) => {
                format!("Illegal modifier '{}' for instruction '{name}' with type '.{}'", m.text(), type_name(*ty))
            }
            Fault::IllegalWithPair(m) => {
                format!("Illegal modifier '{}' for instruction '{name}' with type '{}'", m.text(), a.pair())
            }
            Fault::IllegalForPair(m) => format!("Illegal modifier '{}' for instruction '{name}{}'", m.text(), a.pair()),
            Fault::IllegalHere(m) => {
                format!("Illegal modifier '{}' for instruction '{name}', for arch '{}'", m.text(), a.target)
            }
            Fault::NothingToFlush => "Modifier '.ftz' does not apply to this type of convert operation".into(),
            Fault::RoundingRequired => format!("Rounding modifier required for instruction '{name}'"),
            Fault::RoundingIllegal => format!("Illegal rounding modifier for instruction '{name}'"),
            Fault::SatfiniteRequired => format!(
                "'.satfinite' modifier required for instruction '{name}' with destination type '.{}'",
                a.dst.map_or("", type_name)
            ),
            Fault::SatRequired => format!(".sat modifier required for instruction '{name}'"),
            Fault::Types => format!("Unexpected instruction types specified for '{name}'"),
            Fault::Arguments(_) => format!("Arguments mismatch for instruction '{name}'"),
            Fault::Lacking(subject, lack) => self.lacking(subject, *lack),
            Fault::LackingOn(subject, lack) => {
                let rounding = match subject {
                    Subject::WithPairRounding => Modifier::Rounding(a.rounding).text(),
                    _ => "",
                };
                let what = format!("Modifier '.satfinite' on 'cvt{}{rounding}'", a.pair());
                match lack {
                    Lack::Target(sm) => format!("{what} requires .target sm_{sm} or higher"),
                    Lack::Version((x, y)) => format!("{what} requires PTX ISA .version {x}.{y} or later"),
                    Lack::Support => format!("{what} not supported on .target '{}'", a.target),
                }
            }
            Fault::Operand(fault) => operand_text(fault, name),
            Fault::Foreign(fault) => foreign_text(fault, name, &a.pair()),
        }
    }

    fn lacking(&self, subject: &Subject, lack: Lack) -> String {
        let a = &self.about;
        let pair = a.pair();
        let rounding = Modifier::Rounding(a.rounding).text();
        let (word, what) = match subject {
            Subject::Type(ty) => ("Feature", format!(".{}", type_name(*ty))),
            Subject::Modifier(Modifier::Relu) if matches!(lack, Lack::Target(_)) => ("Modifier", ".relu".into()),
            Subject::Modifier(m) => ("Feature", m.text().into()),
            Subject::Foreign(text) => match text.split_once(' ') {
                Some((word, name)) => {
                    let what = format!("'.{name}'");
                    return match lack {
                        Lack::Target(sm) => format!("{word} {what} requires .target sm_{sm} or higher"),
                        Lack::Version((x, y)) => format!("{word} {what} requires PTX ISA .version {x}.{y} or later"),
                        Lack::Support => format!("{word} {what} not supported on .target '{}'", a.target),
                    };
                }
                None => ("Feature", text.to_string()),
            },
            Subject::Pair => ("Feature", format!("cvt{pair}")),
            Subject::PairOn(sm) => ("Feature", format!("cvt{pair} on sm_{sm}")),
            Subject::WithPair => ("Feature", format!("cvt with {pair}")),
            Subject::WithPairFtz => ("Feature", format!("cvt with {pair}.ftz")),
            Subject::WithPairRounding => ("Feature", format!("cvt with {pair}{rounding}")),
            Subject::With(ty) => {
                let word = if lack == Lack::Support { "Instruction" } else { "Feature" };
                (word, format!("cvt with .{}", type_name(*ty)))
            }
            Subject::Pack => ("Feature", "cvt.pack".into()),
            Subject::PackSubByte => ("Feature", "cvt.pack with sub-byte type".into()),
        };
        match (lack, subject) {
            (Lack::Target(sm), _) => format!("{word} '{what}' requires .target sm_{sm} or higher"),
            (Lack::Version((x, y)), _) => format!("{word} '{what}' requires PTX ISA .version {x}.{y} or later"),
            (Lack::Support, _) => format!("{word} '{what}' not supported on .target '{}'", a.target),
        }
    }

    /// Whether ptxas ends at once with it.
    pub fn fatal(&self) -> bool {
        self.fault == Fault::Operand(OperandFault::Discard)
    }
}

impl About {
    /// `cvt` or `cvt.pack`.
    pub fn name(&self) -> &'static str {
        if self.pack { "cvt.pack" } else { "cvt" }
    }

    /// The types as the opcode has them, such as `.e4m3x2.f32`.
    pub fn pair(&self) -> String {
        [self.dst, self.src].into_iter().flatten().map(|t| format!(".{}", type_name(t))).collect()
    }
}

fn operand_text(fault: &OperandFault, name: &str) -> String {
    match fault {
        OperandFault::Minus => "Illegal argument to unary minus".into(),
        OperandFault::Not => "Illegal argument to predicate negation".into(),
        OperandFault::NegationLimited => {
            "Operand negation limited to either (source A xor source B) or source C".into()
        }
        OperandFault::Negation => format!("Operand negation not allowed for instruction '{name}'"),
        OperandFault::Special => format!("Special register argument not allowed for instruction '{name}'"),
        OperandFault::ReadOnly => "Read-only special register cannot be destination argument".into(),
        OperandFault::Pair => format!("Predicate output not allowed for instruction '{name}'"),
        OperandFault::NoResult => format!("Result register required for instruction '{name}'"),
        OperandFault::NoRegister(i) => format!("Argument {i} of instruction '{name}': must be register"),
        OperandFault::Vector => format!("Vector operand is not allowed for instruction '{name}'"),
        OperandFault::SelectedResult => {
            format!("Video selector is not allowed on destination for instruction '{name}'")
        }
        OperandFault::SelectedSource => {
            format!("Video selector is not allowed on source operand for instruction '{name}'")
        }
        OperandFault::SelectorUnknown(text) => format!("Unknown video selector: '.{text}'"),
        OperandFault::FieldUnknown(text) => format!("Unknown field '.{text}'"),
        OperandFault::VectorLength(n) => format!("Illegal vector size: {n}"),
        OperandFault::VectorMixed => "Incompatible elements of vector expression".into(),
        OperandFault::VectorTypes => {
            format!("Vector with elements of different types are not allowed in {name} instruction")
        }
        OperandFault::Unknown(text) => format!("Unknown symbol '{text}'"),
        OperandFault::Discard => format!("Result discard mode is not allowed for instruction '{name}'"),
        OperandFault::VectorResult => "Result vector expected".into(),
        OperandFault::VectorSize => format!("Argument vector size mismatch for instruction '{name}'"),
        OperandFault::Guard => "Predicate expression expected".into(),
    }
}

fn foreign_text(fault: &ForeignFault, name: &str, pair: &str) -> String {
    match fault {
        ForeignFault::Illegal(text) => format!("Illegal modifier '{text}' for instruction '{name}'"),
        ForeignFault::StateSpace => format!("No state space qualifier expected for instruction '{name}'"),
        ForeignFault::Comparison => format!("Comparison qualifier is not allowed for instruction '{name}'"),
        ForeignFault::ComparisonMismatch => "Mismatch between instruction type and comparison qualifier".into(),
        ForeignFault::Vector => format!("Vector qualifier is not allowed for instruction '{name}'"),
        ForeignFault::VectorTooLarge => "Vector type too large, exceeds 128 bit limit".into(),
        ForeignFault::Reduction => format!("Illegal reduction operation for instruction '{name}{pair}'"),
        ForeignFault::Query => format!("Illegal query modifier for instruction '{name}'"),
        ForeignFault::Needs(x, y) => format!("Modifier '.{x}' requires modifier '.{y}'"),
        ForeignFault::CarryOut => format!("Modifier '.cc' applies only to {name} integer types"),
        ForeignFault::Conflict(x, y) => format!("Modifier '.{x}' cannot be combined with modifier '.{y}'"),
        ForeignFault::NoSpace(x) => format!("Modifier '.{x}' cannot be applied to '' space"),
        ForeignFault::Repeated(text) => (*text).into(),
    }
}
