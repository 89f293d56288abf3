//! Arithmetic of all kinds, packing and unpacking.

use super::generate::{Any, Generator, Text, braces};
use super::registers::{Kind, Reg};

use Kind::{Bfloat, Bfloats, Byte, Double, Half, Halves, Long, Short, Single, Truth, Word};

impl Generator {
    /// One operation.
    pub fn arithmetic(&mut self) {
        let operation: fn(&mut Generator) -> Reg = self.random.weighted(&[
            (30, Generator::on_words as fn(&mut Generator) -> Reg),
            (10, Generator::on_shorts),
            (6, Generator::on_longs),
            (24, Generator::on_singles),
            (4, Generator::on_doubles),
            (6, Generator::on_halves),
            (4, Generator::on_pairs),
            (3, Generator::comparison),
        ]);
        operation(self);
    }

    /// A predicate.
    pub fn comparison(&mut self) -> Reg {
        let how = self.random.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
        let number = self.random.pick(&["0", "1", "5", "100"]);
        let with = self.random.chance(40);
        let (ty, kind, other) = self.random.weighted(&[
            (28, ("s32", Word, if with { Any(Word) } else { Text(number) })),
            (27, ("u32", Word, if with { Any(Word) } else { Text(number) })),
            (25, ("f32", Single, if with { Any(Single) } else { Text("0f3F800000") })),
            (5, ("s16", Short, Text(number))),
            (5, ("u16", Byte, Text(number))),
            (5, ("f16", Half, Any(Half))),
            (5, ("s64", Long, Text(number))),
        ]);
        self.result(Truth, &format!("setp.{how}.{ty}"), &[Any(kind), other])
    }

    fn on_words(&mut self) -> Reg {
        let sign = self.random.pick(&["s32", "u32"]);
        let number =
            self.random.pick(&["1", "2", "3", "4", "7", "15", "31", "127", "128", "255", "-1", "256", "1000", "65535"]);
        let other = if self.random.chance(75) { Any(Word) } else { Text(number) };
        let shift = self.random.pick(&["1", "2", "4", "8", "16", "24", "31"]);
        match self.random.below(24) {
            0 | 1 => self.result(Word, "add.s32", &[Any(Word), other]),
            2 => self.result(Word, "sub.s32", &[Any(Word), other]),
            3 => self.result(Word, "mul.lo.s32", &[Any(Word), other]),
            4 => self.result(Word, "mad.lo.s32", &[Any(Word), other, Any(Word)]),
            5 => self.result(Word, &format!("min.{sign}"), &[Any(Word), Any(Word)]),
            6 => self.result(Word, "max.s32", &[Any(Word), other]),
            7 => {
                let opcode = self.random.pick(&["and.b32", "or.b32", "xor.b32"]);
                self.result(Word, opcode, &[Any(Word), other])
            }
            8..11 => {
                let mask = self.random.pick(&["255", "255", "65535", "15", "127", "1", "-256", "32767", "7"]);
                self.result(Word, "and.b32", &[Any(Word), Text(mask)])
            }
            11 | 12 => self.result(Word, "shl.b32", &[Any(Word), Text(shift)]),
            13 | 14 => self.result(Word, &format!("shr.{sign}"), &[Any(Word), Text(shift)]),
            15 | 16 => {
                let (from, bits) =
                    (self.random.pick(&["0", "8", "16", "24", "4"]), self.random.pick(&["8", "8", "16", "4"]));
                self.result(Word, &format!("bfe.{sign}"), &[Any(Word), Text(from), Text(bits)])
            }
            17 => self.result(Word, "neg.s32", &[Any(Word)]),
            18 => self.result(Word, "abs.s32", &[Any(Word)]),
            19 => {
                let opcode = self.random.pick(&["not.b32", "popc.b32", "clz.b32"]);
                self.result(Word, opcode, &[Any(Word)])
            }
            20 => self.result(Word, "selp.b32", &[Any(Word), Text(number), Any(Truth)]),
            21 => self.result(Word, &format!("mul.hi.{sign}"), &[Any(Word), Any(Word)]),
            22 => {
                let (at, bits) = (self.random.pick(&["0", "8", "16"]), self.random.pick(&["8", "16"]));
                self.result(Word, "bfi.b32", &[Any(Word), Any(Word), Text(at), Text(bits)])
            }
            _ => {
                let selectors = ["0x7770", "0x7771", "0x4440", "0x5410", "0x7632", "0x3340", "0x8880", "0x9910"];
                let (selector, zero) = (self.random.pick(&selectors), self.random.chance(50));
                let second = if zero { Text("0") } else { Any(Word) };
                self.result(Word, "prmt.b32", &[Any(Word), second, Text(selector)])
            }
        }
    }

    fn on_shorts(&mut self) -> Reg {
        let source = Any(self.random.pick(&[Short, Byte, Short]));
        let number = self.random.pick(&["1", "-1", "3", "127", "128", "255"]);
        let other = self.random.pick(&[Any(Short), Any(Byte), Text(number)]);
        let sign = self.random.pick(&["u16", "s16"]);
        match self.random.below(13) {
            0 => self.result(Short, "add.s16", &[source, other]),
            1 => self.result(Short, "sub.s16", &[source, other]),
            2 => self.result(Short, "mul.lo.s16", &[source, other]),
            3 | 4 => {
                let mask = self.random.pick(&["255", "15", "1", "7", "127"]);
                self.result(Short, "and.b16", &[source, Text(mask)])
            }
            5 => {
                let by = self.random.pick(&["8", "4", "1", "3", "15", "7"]);
                self.result(Short, &format!("shr.{sign}"), &[source, Text(by)])
            }
            6 => {
                let by = self.random.pick(&["8", "4", "1"]);
                self.result(Short, "shl.b16", &[source, Text(by)])
            }
            7 => {
                let opcode = self.random.pick(&["min", "max"]);
                self.result(Short, &format!("{opcode}.{sign}"), &[source, Any(Short)])
            }
            8 => {
                let opcode = self.random.pick(&["or.b16", "xor.b16"]);
                self.result(Short, opcode, &[source, Any(Short)])
            }
            9 => {
                let opcode = self.random.pick(&["neg.s16", "not.b16"]);
                self.result(Short, opcode, &[source])
            }
            10 => self.result(Short, "selp.b16", &[source, Text("0"), Any(Truth)]),
            _ => self.result(Word, &format!("mul.wide.{sign}"), &[source, Any(Short)]),
        }
    }

    fn on_longs(&mut self) -> Reg {
        let sign = self.random.pick(&["u32", "s32", "s32"]);
        let by = self.random.pick(&["8", "16", "32", "40"]);
        match self.random.below(13) {
            0 | 1 => {
                let opcode = self.random.pick(&["add.s64", "sub.s64", "or.b64", "min.s64", "max.u64"]);
                self.result(Long, opcode, &[Any(Long), Any(Long)])
            }
            2 => self.result(Long, "add.s64", &[Any(Long), Text("16")]),
            3 => self.result(Long, "shl.b64", &[Any(Long), Text("2")]),
            4 => self.result(Long, "shr.u64", &[Any(Long), Text(by)]),
            5 => {
                let mask = self.random.pick(&["255", "65535", "4294967295"]);
                self.result(Long, "and.b64", &[Any(Long), Text(mask)])
            }
            6 | 7 => {
                let by = self.random.pick(&[Text("4"), Text("2"), Text("12"), Any(Word)]);
                self.result(Long, &format!("mul.wide.{sign}"), &[Any(Word), by])
            }
            8 => self.result(Long, &format!("mad.wide.{sign}"), &[Any(Word), Text("4"), Any(Long)]),
            9 => self.result(Long, "mul.lo.s64", &[Any(Long), Any(Long)]),
            _ => self.indexed_load(),
        }
    }

    fn on_singles(&mut self) -> Reg {
        let ftz = if self.ftz { ".ftz" } else { "" };
        let constants = ["0f3F800000", "0f42FE0000", "0f3B808081", "0f40490FDB", "0fBF800000", "0f437F0000"];
        let constant = self.random.pick(&constants);
        let other = if self.random.chance(65) { Any(Single) } else { Text(constant) };
        let round = self.random.weighted(&[(80, ""), (10, ".rn"), (10, ".rz")]);
        match self.random.below(18) {
            0 | 1 => self.result(Single, &format!("add{round}{ftz}.f32"), &[Any(Single), other]),
            2 | 3 => self.result(Single, &format!("mul{round}{ftz}.f32"), &[Any(Single), other]),
            4 => self.result(Single, &format!("sub{round}{ftz}.f32"), &[Any(Single), other]),
            5..8 => self.result(Single, &format!("fma.rn{ftz}.f32"), &[Any(Single), other, Any(Single)]),
            8 => self.result(Single, &format!("neg{ftz}.f32"), &[Any(Single)]),
            9 => self.result(Single, &format!("abs{ftz}.f32"), &[Any(Single)]),
            10 => self.result(Single, &format!("min{ftz}.f32"), &[Any(Single), other]),
            11 => self.result(Single, &format!("max{ftz}.f32"), &[Any(Single), other]),
            12 => {
                let opcode = self.random.pick(&["rcp", "ex2", "sin", "rsqrt", "sqrt"]);
                self.result(Single, &format!("{opcode}.approx.ftz.f32"), &[Any(Single)])
            }
            13 => self.result(Single, &format!("mul{ftz}.sat.f32"), &[Any(Single), other]),
            14 => self.result(Single, &format!("add{ftz}.sat.f32"), &[Any(Single), other]),
            15 => self.result(Single, "selp.f32", &[Any(Single), other, Any(Truth)]),
            _ => self.clamped(),
        }
    }

    fn on_doubles(&mut self) -> Reg {
        match self.random.below(5) {
            0 => {
                let opcode = self.random.pick(&["add.f64", "mul.f64", "sub.f64"]);
                self.result(Double, opcode, &[Any(Double), Any(Double)])
            }
            1 => self.result(Double, "mul.f64", &[Any(Double), Text("0d3FF8000000000000")]),
            2 => self.result(Double, "fma.rn.f64", &[Any(Double), Any(Double), Any(Double)]),
            3 => self.result(Double, "min.f64", &[Any(Double), Any(Double)]),
            _ => {
                let opcode = self.random.pick(&["neg.f64", "abs.f64"]);
                self.result(Double, opcode, &[Any(Double)])
            }
        }
    }

    fn on_halves(&mut self) -> Reg {
        match self.random.below(6) {
            0 | 1 => {
                let opcode = self.random.pick(&["add.f16", "mul.f16", "sub.f16", "add.sat.f16", "mul.sat.f16"]);
                self.result(Half, opcode, &[Any(Half), Any(Half)])
            }
            2 => self.result(Half, "fma.rn.f16", &[Any(Half), Any(Half), Any(Half)]),
            3 => {
                let opcode = self.random.pick(&["neg.f16", "abs.f16"]);
                self.result(Half, opcode, &[Any(Half)])
            }
            4 => {
                let opcode = self.random.pick(&["min.f16", "max.f16"]);
                self.result(Half, opcode, &[Any(Half), Any(Half)])
            }
            _ => self.result(Bfloat, "fma.rn.bf16", &[Any(Bfloat), Any(Bfloat), Any(Bfloat)]),
        }
    }

    fn on_pairs(&mut self) -> Reg {
        match self.random.below(5) {
            0 | 1 => {
                let opcode = self.random.pick(&["add.f16x2", "mul.f16x2", "max.f16x2"]);
                self.result(Halves, opcode, &[Any(Halves), Any(Halves)])
            }
            2 => self.result(Halves, "fma.rn.f16x2", &[Any(Halves), Any(Halves), Any(Halves)]),
            3 => {
                let opcode = self.random.pick(&["neg.f16x2", "abs.f16x2"]);
                self.result(Halves, opcode, &[Any(Halves)])
            }
            _ => self.result(Bfloats, "fma.rn.bf16x2", &[Any(Bfloats), Any(Bfloats), Any(Bfloats)]),
        }
    }

    /// Halves and words from what holds them, and bits as other types.
    pub fn unpack(&mut self) {
        let (to, from, width) = self.random.pick(&[
            (Half, Halves, "b32"),
            (Half, Halves, "b32"),
            (Bfloat, Bfloats, "b32"),
            (Short, Word, "b32"),
            (Short, Word, "b32"),
            (Word, Long, "b64"),
            (Half, Long, "b64"),
            (Word, Single, "b32"),
            (Single, Word, "b32"),
            (Long, Double, "b64"),
        ]);
        let count = match (to, from) {
            (Half, Long) => 4,
            (Word, Single) | (Single, Word) | (Long, Double) => {
                self.result(to, &format!("mov.{width}"), &[Any(from)]);
                return;
            }
            _ => 2,
        };
        let source = self.value(from);
        self.split(to, &format!("mov.{width}"), source, count);
    }

    /// The parts of a value.
    pub fn split(&mut self, kind: Kind, opcode: &str, source: Reg, count: usize) -> Vec<Reg> {
        let parts = self.registers(kind, count);
        self.read(source);
        self.emit(format!("{opcode} {}, {source};", braces(&parts)));
        for &part in &parts {
            self.made(kind, part);
        }
        parts
    }

    /// A value of parts.
    pub fn pack(&mut self) {
        let (to, from, count) = self.random.pick(&[
            (Halves, Half, 2),
            (Halves, Half, 2),
            (Bfloats, Bfloat, 2),
            (Word, Short, 2),
            (Long, Word, 2),
            (Double, Word, 2),
            (Long, Half, 4),
            (Halves, Half, 1),
        ]);
        let mut parts: Vec<Reg> = (0..count).map(|_| self.value(from)).collect();
        if count == 1 {
            parts.push(parts[0]);
        }
        self.join(to, &parts);
    }

    /// Put parts together.
    pub fn join(&mut self, to: Kind, parts: &[Reg]) -> Reg {
        for &part in parts {
            self.read(part);
        }
        let width = if matches!(to, Long | Double) { "mov.b64" } else { "mov.b32" };
        self.result(to, width, &[Text(&braces(parts))])
    }
}
