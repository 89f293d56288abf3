//! Work that a conversion leaves to the one that reads its result.

use rustc_hash::FxHashMap;

use crate::cvt::Form;
use crate::dataflow::Flow;
use crate::ptx::Type;

use super::{Case, Source};

/// Conversions that left their work to the reader of their result: by statement, what they are and what they read.
pub type Passed = FxHashMap<u32, (Form, Source)>;

/// A saturating cut of an integer made of f32 is an F2I of the float itself: to half the width and 16 bits at least.
pub fn saturates_at_once(form: &Form, from: Type, to: Type) -> bool {
    let signs =
        form.dst.is_signed() == from.is_signed() && (form.dst.bits() == 32 || form.dst.is_signed() == to.is_signed());
    form.src == Type::F32 && to.bits() >= 16 && form.dst.bits() == 2 * to.bits() && signs
}

impl Case {
    /// Do what an earlier conversion left to this reader of its result.
    pub(super) fn take_over(&mut self, flow: &Flow<'_>, at: u32, passed: &Passed) {
        let maker = flow.value(flow.copied(at)).map(|v| flow.maker(v).1);
        let Some((form, source)) = maker.and_then(|m| passed.get(&m)) else { return };
        if !self.form.src.is_int() || self.form.pack {
            return;
        }
        if form.src.is_int() {
            // The two together extend from the narrower type.
            let wide = form.dst.bits() >= 32 && form.dst.bits() > form.src.bits();
            let signs = self.form.src.is_signed() == form.src.is_signed();
            // Only the conversion to f32 reads the byte or half before its extension to a word.
            let read = self.form.src.bits() == form.dst.bits() || self.form.src == form.src;
            if wide && !(signs && self.form.dst == Type::F32 && read) {
                return;
            }
            let narrow = if form.dst.bits() <= form.src.bits() { form.dst } else { form.src };
            let same = narrow.bits() == self.form.src.bits();
            // A float is made without sign of the byte that was cut with it.
            if same && form.dst == Type::S8 && !self.form.src.is_signed() && self.form.dst == Type::F32 {
                return;
            }
            // What is no wider is a copy, or cut anew.
            let extended = self.form.dst.bits() > self.form.src.bits() || self.form.dst == narrow;
            // A signed byte in a half has zeros above, which this reader sees.
            let fits = narrow.bits() < self.form.src.bits()
                && narrow.is_signed() == self.form.src.is_signed()
                // a limit to less than a word is one of halves
                && (!self.form.sat || self.form.dst.bits() >= 32)
                && (self.form.dst == Type::F32
                    || self.form.dst.is_int() && self.form.dst.bits() < 64 && narrow.is_signed() && extended);
            if same || fits {
                // Of as many bits, it is this reader's sign that counts.
                if !same {
                    self.form.src = narrow;
                }
                self.source = Source { only_reader: source.only_reader && self.source.only_reader, ..*source };
                self.widened = wide;
            }
        } else if form.dst.bits() >= 32 {
            if self.form.sat && saturates_at_once(form, self.form.src, self.form.dst) {
                self.form = Form { dst: self.form.dst, ftz: false, ..*form };
                self.source = *source;
            }
        } else if self.form.dst.is_int() {
            self.form = *form;
            self.source = *source;
            self.takes_over = true;
        }
    }
}
