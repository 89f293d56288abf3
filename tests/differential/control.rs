//! Branches and counted loops.

use super::generate::{Any, Generator, Is, Text};
use super::registers::{Kind, Reg};

use Kind::{Half, Short, Single, Truth, Word};

fn copy(kind: Kind) -> &'static str {
    match kind {
        Word => "mov.b32",
        Single => "mov.f32",
        _ => "mov.b16",
    }
}

impl Generator {
    /// A branch or a loop.
    pub fn control(&mut self) {
        if self.random.chance(65) { self.branch() } else { self.counted_loop() }
    }

    fn assign(&mut self, kind: Kind, to: Reg) {
        let value = self.value(kind);
        self.emit(format!("{} {to}, {value};", copy(kind)));
    }

    /// Into a register that another branch writes too: a copy, or straight from a conversion.
    fn convert_into(&mut self, kind: Kind, to: Reg) {
        let (opcode, from) = match kind {
            Single => self.random.pick(&[("cvt.rn.f32.s32", Word), ("cvt.rn.f32.u32", Word)]),
            Word => self.random.pick(&[("cvt.rzi.s32.f32", Single), ("cvt.u32.u16", Short), ("cvt.s32.s16", Short)]),
            Short => self.random.pick(&[("cvt.u16.u32", Word), ("cvt.s16.s8", Word)]),
            _ => ("cvt.rn.f16.f32", Single),
        };
        let value = self.value(from);
        self.emit(format!("{opcode} {to}, {value};"));
    }

    fn branch(&mut self) {
        let truth = self.value(Truth);
        let label = self.label;
        self.label += 2;
        let kind = self.random.pick(&[Word, Single, Short, Half, Word, Single]);
        let merged = self.registers(kind, 1)[0];
        let both = self.random.chance(60);
        if !both {
            self.assign(kind, merged);
        }
        let before = self.values();
        let not = self.random.pick(&["", "!"]);
        self.emit(format!("@{not}{truth} bra $L{label};"));
        self.depth += 1;
        for _ in 0..1 + self.random.below(4) {
            self.step();
        }
        if self.random.chance(60) {
            self.convert_into(kind, merged)
        } else {
            self.assign(kind, merged)
        }
        if self.random.chance(40) {
            self.store_some();
        }
        self.forget(before.clone());
        if both {
            self.emit(format!("bra.uni $L{};", label + 1));
            self.emit(format!("$L{label}:"));
            for _ in 0..1 + self.random.below(3) {
                self.step();
            }
            self.assign(kind, merged);
            self.forget(before);
            self.emit(format!("$L{}:", label + 1));
        } else {
            self.emit(format!("$L{label}:"));
        }
        self.depth -= 1;
        self.made(kind, merged);
    }

    fn counted_loop(&mut self) {
        let label = self.label;
        self.label += 1;
        let kind = self.random.pick(&[Single, Word, Single]);
        let sum = self.registers(kind, 1)[0];
        self.assign(kind, sum);
        let counter = self.registers(Word, 1)[0];
        self.emit(format!("mov.u32 {counter}, 0;"));
        let count = self.registers(Word, 1)[0];
        self.emit(format!("ld.param.u32 {count}, [p_u32];"));
        let before = self.values();
        self.depth += 1;
        self.emit(format!("$L{label}:"));
        self.made(Word, counter);
        self.made(kind, sum);
        for _ in 0..2 + self.random.below(5) {
            self.step();
        }
        let more = self.value(kind);
        let add = if kind == Word { "add.s32" } else { "add.f32" };
        self.emit(format!("{add} {sum}, {sum}, {more};"));
        self.emit(format!("add.s32 {counter}, {counter}, 1;"));
        let again = self.registers(Truth, 1)[0];
        self.emit(format!("setp.lt.s32 {again}, {counter}, {count};"));
        self.emit(format!("@{again} bra $L{label};"));
        self.depth -= 1;
        self.forget(before);
        self.store(kind, sum);
        self.made(kind, sum);
    }

    /// A load from a computed address.
    pub fn indexed_load(&mut self) -> Reg {
        let (index, sign) = (self.value(Word), self.random.pick(&["s", "s", "u"]));
        let scale = self.random.pick(&["4", "2", "8", "1"]);
        let widen = format!("cvt.{sign}64.{sign}32");
        let distance = match self.random.below(4) {
            0 => self.result(Kind::Long, &format!("mul.wide.{sign}32"), &[Is(index), Text(scale)]),
            1 => self.result(Kind::Long, &widen, &[Is(index)]),
            2 => {
                let wide = self.result(Kind::Long, &widen, &[Is(index)]);
                self.result(Kind::Long, "shl.b64", &[Is(wide), Text("2")])
            }
            _ => {
                let wide = self.result(Kind::Long, &widen, &[Is(index)]);
                self.result(Kind::Long, "add.s64", &[Is(wide), Any(Kind::Long)])
            }
        };
        self.read(distance);
        let address = self.registers(Kind::Long, 1)[0];
        self.emit(format!("add.s64 {address}, %pa, {distance};"));
        let (kind, ty) = self.random.pick(&[
            (Single, "f32"),
            (Kind::Byte, "u8"),
            (Kind::Byte, "s8"),
            (Short, "u16"),
            (Short, "s16"),
            (Half, "b16"),
            (Word, "u32"),
            (Word, "s8"),
            (Kind::Double, "f64"),
        ]);
        let place = format!("[{address}+{}]", self.offset());
        self.result(kind, &format!("ld.global.{ty}"), &[Text(&place)])
    }
}
