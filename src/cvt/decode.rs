//! From the dotted parts of an opcode to what each of them means.
//!
//! ptxas collects the parts as a set: modifiers and types come in any order, only the destination type before
//! the source type, and `pack` directly after `cvt`. Nothing is refused here: every spelling decodes to
//! something, and [`super::legality`] says what is wrong with it.

use smallvec::SmallVec;

use super::foreign::{self, Foreign};
use super::form::{Form, Rounding};
use crate::ptx::Type;

/// What one dotted part of the opcode is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// `cvt`, or `pack` directly after it.
    Base,
    /// A rounding modifier.
    Rounding(Rounding),
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
    /// A type; `None` for one that is a type to ptxas but of no conversion or register.
    Type(Option<Type>),
    /// A modifier of other instructions: its group and its name.
    Foreign(&'static Foreign, Box<str>),
    /// A name that ptxas does not know.
    Unknown(Box<str>),
}

/// An opcode taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decoded {
    /// `cvt.pack`
    pub pack: bool,
    /// The parts in the order of the text; the first is `cvt`.
    pub parts: SmallVec<[Part; 6]>,
    /// The rounding in force: of several, ptxas keeps the last.
    pub rounding: Option<Rounding>,
    /// `.ftz`
    pub ftz: bool,
    /// `.sat`, unless `.relu` or `.satfinite` before it keeps it out.
    pub sat: bool,
    /// `.relu`, unless `.sat` before it keeps it out.
    pub relu: bool,
    /// `.satfinite`
    pub satfinite: bool,
    /// `.scaled::n2::ue8m0`
    pub scaled: bool,
    /// The types in order; conversions have two, the packing ones of `cvt.pack` three.
    pub types: SmallVec<[Option<Type>; 3]>,
}

impl Decoded {
    /// What the opcode says, as a form of these types.
    pub fn form(&self, dst: Type, src: Type) -> Form {
        Form {
            pack: self.pack,
            rounding: self.rounding,
            ftz: self.ftz,
            sat: self.sat,
            relu: self.relu,
            satfinite: self.satfinite,
            scaled: self.scaled,
            dst,
            src,
        }
    }
}

impl Decoded {
    /// The instruction's name as ptxas's messages give it.
    pub fn name(&self) -> &'static str {
        if self.pack { "cvt.pack" } else { "cvt" }
    }

    /// Index of the last part for which `wanted` holds.
    pub fn place(&self, wanted: impl Fn(&Part) -> bool) -> Option<u8> {
        self.parts.iter().rposition(wanted).and_then(|i| u8::try_from(i).ok())
    }

    /// The modifiers of other instructions among the parts, each with its index.
    pub fn foreign(&self) -> impl Iterator<Item = (u8, &'static Foreign, &str)> {
        self.parts.iter().zip(0..).filter_map(|(p, i)| match p {
            Part::Foreign(f, name) => Some((i, *f, &**name)),
            _ => None,
        })
    }
}

/// Takes an opcode apart. `parts` are the dotted parts, `cvt` first.
pub fn decode<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Decoded {
    let mut d = Decoded::default();
    for (i, text) in parts.enumerate() {
        let part = match i {
            0 => Part::Base,
            1 if text == b"pack" => {
                d.pack = true;
                Part::Base
            }
            _ => part(text),
        };
        match part {
            Part::Rounding(r) => d.rounding = Some(r),
            Part::Ftz => d.ftz = true,
            Part::Sat => d.sat |= !(d.relu || d.satfinite),
            Part::Relu => d.relu |= !d.sat,
            Part::Satfinite => d.satfinite = true,
            Part::Scaled => d.scaled = true,
            Part::Type(t) => d.types.push(t),
            _ => {}
        }
        d.parts.push(part);
    }
    d
}

/// What a dotted part after the base name means.
fn part(text: &[u8]) -> Part {
    let Ok(name) = std::str::from_utf8(text) else {
        return Part::Unknown(String::from_utf8_lossy(text).into());
    };
    match name {
        "ftz" => Part::Ftz,
        "sat" => Part::Sat,
        "relu" => Part::Relu,
        "satfinite" => Part::Satfinite,
        "scaled::n2::ue8m0" => Part::Scaled,
        // types of other instructions, of which nothing more is asked here
        "b2" => Part::Type(None),
        _ => {
            if let Some(r) = rounding(name) {
                Part::Rounding(r)
            } else if let Some(t) = instruction_type(name) {
                Part::Type(Some(t))
            } else if let Some(f) = foreign::find(name) {
                Part::Foreign(f, name.into())
            } else {
                Part::Unknown(name.into())
            }
        }
    }
}

/// The rounding modifiers by name.
const ROUNDINGS: &[(&str, Rounding)] = &[
    ("rn", Rounding::Rn),
    ("rz", Rounding::Rz),
    ("rm", Rounding::Rm),
    ("rp", Rounding::Rp),
    ("rni", Rounding::Rni),
    ("rzi", Rounding::Rzi),
    ("rmi", Rounding::Rmi),
    ("rpi", Rounding::Rpi),
    ("rna", Rounding::Rna),
    ("rs", Rounding::Rs),
];

fn rounding(name: &str) -> Option<Rounding> {
    ROUNDINGS.iter().find(|(n, _)| *n == name).map(|&(_, r)| r)
}

/// The name of a rounding modifier, without the dot.
pub fn rounding_name(rounding: Rounding) -> &'static str {
    ROUNDINGS.iter().find(|&&(_, r)| r == rounding).map_or("", |&(n, _)| n)
}

/// The names of all roundings and types that conversions know or can name.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROUNDINGS
        .iter()
        .map(|&(n, _)| n)
        .chain(Type::NAMES.iter().map(|&(n, _)| n).filter(|n| instruction_type(n).is_some()))
}

/// The type of that name, where an instruction can have it: predicates, references and vectors of bytes no `cvt` names.
fn instruction_type(name: &str) -> Option<Type> {
    Type::from_name(name.as_bytes()).filter(|t| {
        !matches!(t, Type::U8x4 | Type::S8x4 | Type::Pred | Type::Texref | Type::Samplerref | Type::Surfref)
    })
}

/// The name of a type, without the dot.
pub fn type_name(ty: Type) -> &'static str {
    ty.name()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Decoded {
        decode(text.as_bytes().split(|&b| b == b'.'))
    }

    #[test]
    fn modifiers_and_types_come_in_any_order() {
        let d = of("cvt.e4m3x2.f32.satfinite.rn");
        assert_eq!((d.rounding, d.satfinite), (Some(Rounding::Rn), true));
        assert_eq!(d.types.as_slice(), [Some(Type::E4m3x2), Some(Type::F32)]);
    }

    #[test]
    fn pack_counts_only_directly_after_cvt() {
        assert!(of("cvt.pack.sat.u16.s32").pack);
        let d = of("cvt.sat.pack.u16.s32");
        assert!(!d.pack && d.parts[2] == Part::Unknown("pack".into()));
    }

    #[test]
    fn the_last_rounding_counts() {
        assert_eq!(of("cvt.rn.rni.s32.f32").rounding, Some(Rounding::Rni));
    }

    #[test]
    fn of_relu_and_sat_the_first_counts() {
        let d = of("cvt.rn.relu.sat.f16.f32");
        assert!(d.relu && !d.sat);
        let d = of("cvt.rn.sat.relu.f16.f32");
        assert!(d.sat && !d.relu);
    }

    #[test]
    fn any_text_decodes() {
        for text in ["", "cvt", "cvt..", "cvt.pack", "cvt.\u{e9}", "cvt.::"] {
            of(text);
        }
        decode([&b"cvt"[..], &[0xff, 0xfe]].into_iter());
    }
}
