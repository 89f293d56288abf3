//! Every form of conversion there is to ask about: types, roundings and modifiers, combined.
//!
//! The list holds legal and illegal forms alike. Which are legal is asked of [`super::legality`], never stored here;
//! a combination is left out only where types or operands could not even be written for it.

use std::fmt::{self, Write};

use super::decode::{rounding_name, type_name};
use super::form::{Form, Rounding};
use crate::ptx::Type;

use Type::*;

/// The types of one value.
pub const SCALARS: &[Type] = &[U8, S8, U16, S16, U32, S32, U64, S64, F16, Bf16, F32, F64];

/// The roundings, none first.
pub const ROUNDINGS: &[Option<Rounding>] = &[
    None,
    Some(Rounding::Rn),
    Some(Rounding::Rz),
    Some(Rounding::Rm),
    Some(Rounding::Rp),
    Some(Rounding::Rni),
    Some(Rounding::Rzi),
    Some(Rounding::Rmi),
    Some(Rounding::Rpi),
    Some(Rounding::Rna),
    Some(Rounding::Rs),
];

/// What is done with values out of range: `.sat`, `.relu`, `.satfinite`.
pub const LIMITS: &[(bool, bool, bool)] =
    &[(false, false, false), (true, false, false), (false, true, false), (false, false, true), (false, true, true)];

/// The packed types of 8 bits and less.
const NARROW: &[Type] = &[E4m3x2, E5m2x2, E2m1x2, E2m3x2, E3m2x2, Ue8m0x2, S2f6x2];

/// The packed types of 16 bits.
const HALVES: &[Type] = &[F16x2, Bf16x2];

/// Four values in one register.
const FOURS: &[Type] = &[E4m3x4, E5m2x4, E2m3x4, E3m2x4, E2m1x4];

/// What `cvt.pack` converts to.
const PACKS: &[Type] = &[U16, S16, U8, S8, U4, S4, U2, S2];

/// A conversion as it is written: its form, and what the form leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spelling {
    /// The form.
    pub form: Form,
    /// Whether `cvt.pack` names the type of a third operand, `.b32`.
    pub merges: bool,
}

impl From<Form> for Spelling {
    /// The spelling that goes with the types: `cvt.pack` below 16 bits merges.
    fn from(form: Form) -> Self {
        Self { form, merges: form.pack && !matches!(form.dst, U16 | S16) }
    }
}

impl fmt::Display for Spelling {
    /// The opcode with its modifiers, in the usual order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = &self.form;
        f.write_str(if form.pack { "cvt.pack" } else { "cvt" })?;
        if let Some(rounding) = form.rounding {
            write!(f, ".{}", rounding_name(rounding))?;
        }
        for (name, set) in [
            (".ftz", form.ftz),
            (".sat", form.sat),
            (".relu", form.relu),
            (".satfinite", form.satfinite),
            (".scaled::n2::ue8m0", form.scaled),
        ] {
            if set {
                f.write_str(name)?;
            }
        }
        write!(f, ".{}.{}", type_name(form.dst), type_name(form.src))?;
        if self.merges { f.write_str(".b32") } else { Ok(()) }
    }
}

impl Spelling {
    /// How many sources of the source type it reads.
    pub fn sources(&self) -> usize {
        let Form { pack, dst, src, .. } = self.form;
        match () {
            () if pack => 2,
            () if FOURS.contains(&dst) => 4,
            () if src == F32 && (NARROW.contains(&dst) || HALVES.contains(&dst)) => 2,
            () => 1,
        }
    }

    /// The operands, the result first, as the manual names them: `d, a, b`.
    pub fn operands(&self) -> String {
        let mut text = String::from(match self.sources() {
            4 => "d, {a, b, e, f}",
            2 => "d, a, b",
            _ => "d, a",
        });
        for name in self.extra() {
            let _ = write!(text, ", {name}");
        }
        text
    }

    /// The operands behind the sources.
    pub fn extra(&self) -> impl Iterator<Item = &'static str> {
        let Form { pack, rounding, dst, src, scaled, .. } = self.form;
        // The patterns for four values have the random bits whatever the rounding is.
        let pair = HALVES.contains(&dst) && src == F32;
        let random = (rounding == Some(Rounding::Rs) && pair) || FOURS.contains(&dst);
        [("c", pack && self.merges), ("rbits", random), ("scale", scaled)]
            .into_iter()
            .filter_map(|(name, there)| there.then_some(name))
    }

    /// The whole statement.
    pub fn statement(&self) -> String {
        format!("{self} {};", self.operands())
    }
}

/// A form without modifiers.
const fn bare(dst: Type, src: Type) -> Form {
    Form { pack: false, rounding: None, ftz: false, sat: false, relu: false, satfinite: false, scaled: false, dst, src }
}

fn limited(form: Form, (sat, relu, satfinite): (bool, bool, bool)) -> Form {
    Form { sat, relu, satfinite, ..form }
}

/// Every form, by kind: scalars, packed and narrow types, stochastic and four-wide, scaled, `cvt.pack`.
pub fn all() -> Vec<Spelling> {
    let mut forms = Vec::with_capacity(20_000);
    let scalars = || SCALARS.iter().flat_map(|&d| SCALARS.iter().map(move |&s| (d, s)));
    let packed: Vec<(Type, Type)> = std::iter::once((Tf32, F32))
        .chain(HALVES.iter().chain(NARROW).map(|&d| (d, F32)))
        .chain(NARROW.iter().flat_map(|&d| HALVES.iter().map(move |&s| (d, s))))
        .chain(NARROW.iter().flat_map(|&s| HALVES.iter().map(move |&d| (d, s))))
        .collect();
    let mut push = |form: Form| forms.push(Spelling { form, merges: false });
    for &rounding in ROUNDINGS {
        for ftz in [false, true] {
            for &limits in LIMITS {
                for (d, s) in scalars() {
                    push(limited(Form { rounding, ftz, ..bare(d, s) }, limits));
                }
            }
        }
    }
    for &(d, s) in &packed {
        for &rounding in ROUNDINGS.iter().filter(|&&r| r != Some(Rounding::Rs)) {
            for ftz in [false, true] {
                for &limits in LIMITS {
                    push(limited(Form { rounding, ftz, ..bare(d, s) }, limits));
                }
            }
        }
    }
    for &d in HALVES {
        for &limits in LIMITS {
            push(limited(Form { rounding: Some(Rounding::Rs), ..bare(d, F32) }, limits));
        }
    }
    for &d in FOURS {
        for &limits in LIMITS {
            for rounding in [Rounding::Rs, Rounding::Rn] {
                push(limited(Form { rounding: Some(rounding), ..bare(d, F32) }, limits));
            }
        }
    }
    for (d, s) in [(S2f6x2, F32), (S2f6x2, Bf16x2), (Bf16x2, S2f6x2)] {
        for &limits in LIMITS {
            push(limited(Form { rounding: Some(Rounding::Rn), scaled: true, ..bare(d, s) }, limits));
        }
    }
    for &d in PACKS {
        for sat in [true, false] {
            for merges in [false, true] {
                forms.push(Spelling { form: Form { pack: true, sat, ..bare(d, S32) }, merges });
            }
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_form_is_there_once() {
        let forms = all();
        assert_eq!(forms.len(), 19_747);
        assert_eq!(forms.iter().map(ToString::to_string).collect::<HashSet<_>>().len(), forms.len());
    }

    #[test]
    fn spellings_decode_to_their_forms() {
        for spelling in all() {
            let text = spelling.to_string();
            let decoded = crate::cvt::decode(text.as_bytes().split(|&b| b == b'.'));
            let form = spelling.form;
            assert_eq!(
                (decoded.pack, decoded.rounding, decoded.ftz, decoded.scaled),
                (form.pack, form.rounding, form.ftz, form.scaled),
                "{text}"
            );
            assert_eq!((decoded.sat, decoded.relu, decoded.satfinite), (form.sat, form.relu, form.satfinite), "{text}");
            assert_eq!(decoded.types[..2], [Some(form.dst), Some(form.src)], "{text}");
        }
    }

    #[test]
    fn statements_are_as_the_manual_writes_them() {
        let statement = |of: fn(&Form) -> bool| all().into_iter().find(|s| of(&s.form)).expect("a form").statement();
        assert_eq!(statement(|f| f.dst == E4m3x4), "cvt.rs.e4m3x4.f32 d, {a, b, e, f}, rbits;");
        assert_eq!(statement(|f| f.scaled), "cvt.rn.scaled::n2::ue8m0.s2f6x2.f32 d, a, b, scale;");
        assert_eq!(statement(|f| f.pack && f.dst == U8), "cvt.pack.sat.u8.s32 d, a, b;");
    }
}
