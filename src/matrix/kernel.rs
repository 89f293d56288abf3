//! The kernels that the forms are asked about in: one a form.

use std::fmt::Write;

use crate::cvt::Spelling;
use crate::cvt::signature::{self, Signature, Slot};
use crate::ptx::Type;
use crate::target::NEWEST_VERSION;

/// What stands around the conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surroundings {
    /// Integers come out of a `max` and go into a `min`: every bit is wanted and nothing is known of the source.
    #[default]
    Registers,
    /// Sources come straight from typed loads, results go to typed stores.
    Memory,
}

/// A module with a kernel for each form.
pub struct Kernels {
    /// The PTX.
    pub text: String,
    /// Where each conversion starts in it, in the order of the forms.
    pub places: Vec<u32>,
}

impl Kernels {
    /// Writes the kernels.
    pub fn new(forms: &[Spelling], surroundings: Surroundings) -> Self {
        let (major, minor) = NEWEST_VERSION;
        let mut text = String::with_capacity(64 + 512 * forms.len());
        // The target of the text is not asked for: it is translated as if its target were another.
        let _ = writeln!(text, ".version {major}.{minor}\n.target sm_100\n.address_size 64");
        let mut places = Vec::with_capacity(forms.len());
        for (number, form) in forms.iter().enumerate() {
            let kernel = Kernel::new(form, surroundings);
            let _ = write!(
                text,
                ".visible .entry k{number}(.param .u64 pp,.param .u64 pq){{\n\
                 {} .reg .b64 pa, pb; ld.param.u64 pa,[pp]; ld.param.u64 pb,[pq]; \
                 cvta.to.global.u64 pa,pa; cvta.to.global.u64 pb,pb;\n{}\n",
                kernel.declarations, kernel.loads
            );
            places.push(text.len() as u32);
            let _ = write!(text, "{}\n{}\nret;}}\n", form.statement(), kernel.store);
        }
        Self { text, places }
    }
}

/// The lines around one conversion.
#[derive(Default)]
struct Kernel {
    declarations: String,
    loads: String,
    store: String,
}

/// The register that an operand stands in.
#[derive(Clone, Copy)]
struct Place {
    ty: Type,
    bits: u8,
    /// An integer whose register may be wider than it.
    wide: bool,
}

impl Place {
    fn new(ty: Type, slot: Option<Slot>) -> Self {
        let width = signature::width(ty);
        let (bits, wide) = match slot {
            Some(Slot::Wide(_)) => (width.max(16), ty.is_int()),
            // No pattern: it is illegal in any register.
            None if ty != Type::E2m1x2 => (width.max(16), ty.is_int()),
            _ => (width, false),
        };
        Self { ty, bits, wide }
    }

    /// What a load or store of it is typed as.
    fn memory_type(self) -> String {
        if self.ty.is_int() { self.ty.name().to_owned() } else { format!("b{}", signature::width(self.ty)) }
    }

    /// A pair of 4-bit floats, which ptxas keeps in a register of 8 bits that no load writes.
    fn is_nibbles(self) -> bool {
        self.ty == Type::E2m1x2
    }
}

impl Kernel {
    fn new(spelling: &Spelling, surroundings: Surroundings) -> Self {
        let form = &spelling.form;
        let mut kernel = Self::default();
        let signature = if form.pack { None } else { signature::of_cvt(form.dst, form.src) };
        let slot = |index: usize| signature.as_ref().and_then(|s: &Signature| s.slots.get(index).copied());
        let (result, source) = if form.pack {
            (Place { ty: Type::B32, bits: 32, wide: false }, Place { ty: Type::S32, bits: 32, wide: false })
        } else {
            // A vector stands for its elements.
            let source_slot = slot(1).filter(|s| !matches!(s, Slot::Four | Slot::OneOrFour));
            (Place::new(form.dst, slot(0)), Place::new(form.src, source_slot))
        };
        let in_registers = surroundings == Surroundings::Registers;
        let names = ["a", "b", "e", "f"];
        for (at, name) in names[..spelling.sources()].iter().enumerate() {
            kernel.source(name, 32 * at, source, in_registers);
        }
        for (at, name) in (spelling.sources()..).zip(spelling.extra()) {
            let ty = if name == "scale" { Type::B16 } else { Type::B32 };
            kernel.source(name, 32 * at, Place::new(ty, None), false);
        }
        kernel.result(result, in_registers);
        kernel
    }

    fn source(&mut self, name: &str, offset: usize, place: Place, in_registers: bool) {
        let at = format!("[pa+{offset}]");
        let bits = place.bits;
        let _ = if in_registers && place.wide {
            let bits = bits.max(32);
            let _ = write!(self.declarations, ".reg .b{bits} {name}, {name}x; ");
            write!(self.loads, "ld.global.v2.b{bits} {{{name},{name}x}}, {at}; max.u{bits} {name}, {name}, {name}x; ")
        } else if place.is_nibbles() {
            let _ = write!(self.declarations, ".reg .b8 {name}; .reg .b16 {name}w; ");
            write!(self.loads, "ld.global.b16 {name}w, {at}; cvt.u8.u16 {name}, {name}w; ")
        } else {
            let _ = write!(self.declarations, ".reg .b{bits} {name}; ");
            write!(self.loads, "ld.global.{} {name}, {at}; ", place.memory_type())
        };
    }

    fn result(&mut self, place: Place, in_registers: bool) {
        let bits = place.bits;
        let _ = if in_registers && place.wide {
            let bits = bits.max(32);
            let _ = write!(self.declarations, ".reg .b{bits} d, y;");
            let _ = write!(self.loads, "ld.global.b{bits} y, [pa+512];");
            write!(self.store, "min.u{bits} d, d, y; st.global.b{bits} [pb], d;")
        } else if place.is_nibbles() {
            let _ = write!(self.declarations, ".reg .b8 d; .reg .b16 dw;");
            write!(self.store, "cvt.u16.u8 dw, d; st.global.b16 [pb], dw;")
        } else {
            let _ = write!(self.declarations, ".reg .b{bits} d;");
            write!(self.store, "st.global.{} [pb], d;", place.memory_type())
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cvt::forms;
    use crate::ptx::parser::parse;

    #[test]
    fn every_kernel_parses() {
        let forms = forms::all();
        for surroundings in [Surroundings::Registers, Surroundings::Memory] {
            let kernels = Kernels::new(&forms, surroundings);
            let (module, errors) = parse(kernels.text.as_bytes());
            assert!(errors.is_empty(), "{:?}", errors.first());
            assert_eq!(module.functions.len(), forms.len());
            for (form, &place) in forms.iter().zip(&kernels.places) {
                assert!(kernels.text[place as usize..].starts_with(&form.statement()));
            }
        }
    }
}
