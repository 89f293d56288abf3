//! One random conversion.

use super::generate::{Any, Generator, Is, Text};
use super::registers::{Kind, Reg};

use Kind::{Bfloat, Bfloats, Byte, Double, Half, Halves, Long, Short, Single, Truth, Word};

const INTEGERS: [&str; 8] = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];

/// The integer conversions that compilers write.
const COMMON: [(&str, &str); 20] = [
    ("s64", "s32"),
    ("u64", "u32"),
    ("u32", "u16"),
    ("u16", "u32"),
    ("s16", "s8"),
    ("u32", "u64"),
    ("s32", "s16"),
    ("u16", "u64"),
    ("u32", "u8"),
    ("s32", "s8"),
    ("u16", "u8"),
    ("s64", "s8"),
    ("u64", "u16"),
    ("s64", "s16"),
    ("u64", "u8"),
    ("s8", "s16"),
    ("u8", "u16"),
    ("u8", "u32"),
    ("s8", "s32"),
    ("s16", "s32"),
];

const SATURATING: [(&str, &str); 12] = [
    ("u8", "s32"),
    ("s8", "s32"),
    ("u16", "s32"),
    ("s16", "s32"),
    ("u8", "u32"),
    ("s32", "s64"),
    ("u32", "s64"),
    ("u32", "s32"),
    ("s8", "s16"),
    ("u8", "s16"),
    ("s32", "u32"),
    ("u8", "s8"),
];

fn kind(ty: &str) -> Kind {
    match ty {
        "u8" | "s8" => Byte,
        "u16" | "s16" => Short,
        "u32" | "s32" => Word,
        "u64" | "s64" => Long,
        "f32" => Single,
        "f64" => Double,
        "f16" => Half,
        _ => Bfloat,
    }
}

impl Generator {
    /// A conversion of some kind.
    pub fn conversion(&mut self) {
        match self.random.weighted(&[(28, 0), (4, 1), (20, 2), (20, 3), (26, 4), (8, 5)]) {
            0 => {
                let (to, from) = if self.random.chance(60) {
                    self.random.pick(&COMMON)
                } else {
                    (self.random.pick(&INTEGERS), self.random.pick(&INTEGERS))
                };
                if to != from {
                    self.scalar("cvt", to, from);
                }
            }
            1 => {
                let (to, from) = self.random.pick(&SATURATING);
                self.scalar("cvt.sat", to, from);
            }
            2 => self.integer_to_float(),
            3 => self.float_to_integer(),
            4 => self.between_floats(),
            _ => self.packed(),
        }
    }

    /// `opcode.to.from` of some source that may be wider than its type.
    fn scalar(&mut self, opcode: &str, to: &str, from: &str) -> Reg {
        let source = match kind(from) {
            Byte => self.random.pick(&[Byte, Byte, Short, Word]),
            Short => self.random.pick(&[Short, Short, Byte, Word]),
            other => other,
        };
        let result = match kind(to) {
            Byte => self.random.pick(&[Byte, Byte, Word]),
            Short => self.random.weighted(&[(6, Short), (1, Word)]),
            other => other,
        };
        let opcode = format!("{opcode}.{to}.{from}");
        let source = self.value(source);
        if self.depth == 0 && self.random.chance(2) {
            let (truth, old) = (self.value(Truth), self.origin(result));
            let not = self.random.pick(&["", "!"]);
            self.emit(format!("@{not}{truth} {opcode} {old}, {source};"));
            return old;
        }
        self.result(result, &opcode, &[Is(source)])
    }

    fn flush(&mut self) -> &'static str {
        if self.ftz || self.random.chance(8) { ".ftz" } else { "" }
    }

    fn float(&mut self) -> &'static str {
        let bfloat = if self.sm >= 90 { 2 } else { 0 };
        self.random.weighted(&[(12, "f32"), (4, "f64"), (5, "f16"), (bfloat, "bf16")])
    }

    fn integer_to_float(&mut self) {
        let from = self.random.pick(&[
            "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "u8", "s32", "s32", "u32", "u16", "s16", "s8",
        ]);
        let mut to = self.float();
        // bf16 and bytes know no conversion of their own.
        if to == "bf16" && kind(from) == Byte {
            to = "f32";
        }
        let round = self.random.weighted(&[(12, ".rn"), (1, ".rz"), (1, ".rm"), (1, ".rp")]);
        let round = if to == "bf16" { ".rn" } else { round };
        let sat = if matches!(to, "f32" | "f16") && self.random.chance(4) { ".sat" } else { "" };
        self.scalar(&format!("cvt{round}{sat}"), to, from);
    }

    fn float_to_integer(&mut self) {
        let to =
            self.random.pick(&["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "s32", "s32", "u32", "u8", "s8"]);
        let mut from = self.float();
        if from == "bf16" && kind(to) == Byte {
            from = "f32";
        }
        let round = self.random.weighted(&[(6, ".rzi"), (4, ".rni"), (1, ".rmi"), (1, ".rpi")]);
        let ftz = if from == "f32" { self.flush() } else { "" };
        let sat = if from != "bf16" && self.random.chance(20) { ".sat" } else { "" };
        self.scalar(&format!("cvt{round}{ftz}{sat}"), to, from);
    }

    fn between_floats(&mut self) {
        let ftz = self.flush();
        let sometimes = if self.random.chance(30) { ftz } else { "" };
        let integral = self.random.pick(&[".rni", ".rzi", ".rmi", ".rpi"]);
        let round = self.random.weighted(&[(12, ".rn"), (2, ".rz"), (1, ".rm"), (1, ".rp")]);
        let sat = if self.random.chance(20) { ".sat" } else { "" };
        let relu = if self.random.chance(15) { ".relu" } else { "" };
        match self.random.below(66) {
            0..10 => self.scalar(&format!("cvt{sometimes}{sat}"), "f32", "f16"),
            10..19 => self.scalar(&format!("cvt{round}{sometimes}"), "f16", "f32"),
            19 => self.scalar(&format!("cvt.rn{sat}"), "f16", "f32"),
            20 => self.scalar(&format!("cvt.rn{relu}"), "f16", "f32"),
            21..28 => self.scalar(&format!("cvt.rn{relu}"), "bf16", "f32"),
            28 => self.scalar("cvt.rz", "bf16", "f32"),
            29..35 => self.scalar("cvt", "f32", "bf16"),
            35..40 => self.scalar(&format!("cvt{ftz}"), "f64", "f32"),
            40..45 => self.scalar(&format!("cvt{round}{ftz}"), "f32", "f64"),
            45..49 => self.scalar(&format!("cvt{ftz}.sat"), "f32", "f32"),
            49..56 => self.scalar(&format!("cvt{integral}{ftz}{sat}"), "f32", "f32"),
            56 => self.scalar("cvt.ftz", "f32", "f32"),
            57 => self.scalar("cvt.rn", "f16", "f64"),
            58 => self.scalar("cvt", "f64", "f16"),
            59 | 60 => self.scalar(&format!("cvt{integral}"), "f16", "f16"),
            61 | 62 => self.scalar(&format!("cvt{integral}"), "f64", "f64"),
            63 => self.scalar("cvt", "f32", "f32"),
            _ => self.result(Word, "cvt.rna.tf32.f32", &[Any(Single)]),
        };
    }

    fn packed(&mut self) {
        let relu = if self.random.chance(30) { ".relu" } else { "" };
        let eight = self.random.pick(&["e4m3x2", "e5m2x2"]);
        let fp8 = if self.sm >= 89 { 1 } else { 0 };
        match self.random.weighted(&[(2, 0), (2, 1), (2, 2), (fp8, 3), (fp8, 4), (fp8, 5)]) {
            0 => {
                let round = self.random.pick(&["rn", "rn", "rz"]);
                let second = self.random.pick(&[Any(Single), Any(Single), Text("0f00000000")]);
                self.result(Halves, &format!("cvt.{round}{relu}.f16x2.f32"), &[Any(Single), second])
            }
            1 => self.result(Bfloats, &format!("cvt.rn{relu}.bf16x2.f32"), &[Any(Single), Any(Single)]),
            2 => {
                let (ty, rest) = (self.random.pick(&["s8", "u8"]), self.random.pick(&[Text("0"), Any(Word)]));
                self.result(Word, &format!("cvt.pack.sat.{ty}.s32.b32"), &[Any(Word), Any(Word), rest])
            }
            3 => self.result(Short, &format!("cvt.rn.satfinite{relu}.{eight}.f32"), &[Any(Single), Any(Single)]),
            4 => self.result(Short, &format!("cvt.rn.satfinite.{eight}.f16x2"), &[Any(Halves)]),
            _ => self.result(Halves, &format!("cvt.rn.f16x2.{eight}"), &[Any(Short)]),
        };
    }
}
