//! What compilers write around conversions.

use super::generate::{Any, Generator, Is, Text, braces};
use super::registers::{Kind, Reg};

use Kind::{Bfloat, Bfloats, Byte, Double, Half, Halves, Long, Short, Single, Word};

impl Generator {
    /// One idiom.
    pub fn idiom(&mut self) {
        match self.random.below(14) {
            0 => self.bytes_of_word(),
            1 => self.normalise(),
            2 => self.quantise(),
            3 => self.quantise_and_pack(),
            4 | 5 => self.through_halves(),
            6 => self.through_bfloats(),
            7 => {
                self.indexed_load();
            }
            8 => self.thread_index(),
            9 => self.saturate_word(),
            10 => self.through_fp8(),
            11 => self.fraction(),
            12 => self.nibbles(),
            _ => self.average(),
        }
    }

    /// A float limited to a byte's range.
    pub fn clamped(&mut self) -> Reg {
        let ftz = if self.ftz { ".ftz" } else { "" };
        let low = self.random.pick(&["0fC3000000", "0f00000000"]);
        let value = self.result(Single, &format!("max{ftz}.f32"), &[Any(Single), Text(low)]);
        self.result(Single, &format!("min{ftz}.f32"), &[Is(value), Text("0f42FE0000")])
    }

    fn store_byte(&mut self, value: Reg) {
        if self.random.chance(80) {
            let (ty, place) = (self.random.pick(&["u8", "s8", "b8"]), self.target_place());
            self.read(value);
            self.emit(format!("st.global.{ty} {place}, {value};"));
        }
    }

    fn bytes_of_word(&mut self) {
        let word = self.value(Word);
        let first = self.random.below(4);
        for byte in first..first + self.random.pick(&[1, 2, 4]) {
            let from = (byte % 4 * 8).to_string();
            let sign = self.random.pick(&["u32", "s32"]);
            let shifted = |g: &mut Generator| {
                if from == "0" { word } else { g.result(Word, &format!("shr.{sign}"), &[Is(word), Text(&from)]) }
            };
            match self.random.below(5) {
                0 => {
                    let low = shifted(self);
                    let low = self.result(Word, "and.b32", &[Is(low), Text("255")]);
                    let ty = self.random.pick(&["u32", "s32", "u16", "u8"]);
                    self.result(Single, &format!("cvt.rn.f32.{ty}"), &[Is(low)]);
                }
                1 => {
                    let low = self.result(Word, &format!("bfe.{sign}"), &[Is(word), Text(&from), Text("8")]);
                    let ty = self.random.pick(&["u32", "s32", "s8", "u8"]);
                    self.result(Single, &format!("cvt.rn.f32.{ty}"), &[Is(low)]);
                }
                2 => {
                    let low = shifted(self);
                    let low = self.result(Short, "cvt.u16.u32", &[Is(low)]);
                    let (narrow, ty) = self.random.pick(&[("and.b16", "u16"), ("cvt.s16.s8", "s16"), ("", "u8")]);
                    let low = match narrow {
                        "and.b16" => self.result(Short, narrow, &[Is(low), Text("255")]),
                        "" => low,
                        _ => self.result(Short, narrow, &[Is(low)]),
                    };
                    self.result(Single, &format!("cvt.rn.f32.{ty}"), &[Is(low)]);
                }
                3 => {
                    let low = self.result(Word, &format!("bfe.{sign}"), &[Is(word), Text(&from), Text("8")]);
                    let opcode = self.random.pick(&["cvt.u16.u32", "cvt.s8.s32", "cvt.s16.s8"]);
                    let low = self.result(Short, opcode, &[Is(low)]);
                    let ty = self.random.pick(&["u16", "s16"]);
                    self.result(Single, &format!("cvt.rn.f32.{ty}"), &[Is(low)]);
                }
                _ => {
                    let low = shifted(self);
                    let low = self.result(Word, "cvt.s32.s8", &[Is(low)]);
                    self.result(Single, "cvt.rn.f32.s32", &[Is(low)]);
                }
            }
        }
    }

    fn normalise(&mut self) {
        let byte = self.value(Byte);
        let value = match self.random.below(4) {
            0 => {
                let ty = self.random.pick(&["u16", "u8", "s8", "s16"]);
                self.result(Single, &format!("cvt.rn.f32.{ty}"), &[Is(byte)])
            }
            1 => {
                let (ty, sign) = (self.random.pick(&["u16", "u8"]), self.random.pick(&["u32", "s32"]));
                let wide = self.result(Word, &format!("cvt.u32.{ty}"), &[Is(byte)]);
                self.result(Single, &format!("cvt.rn.f32.{sign}"), &[Is(wide)])
            }
            2 => {
                let ty = self.random.pick(&["s16", "s8"]);
                let wide = self.result(Word, &format!("cvt.s32.{ty}"), &[Is(byte)]);
                self.result(Single, "cvt.rn.f32.s32", &[Is(wide)])
            }
            _ => {
                let opcode = self.random.pick(&["cvt.u16.u8", "cvt.s16.s8"]);
                let wide = self.result(Short, opcode, &[Is(byte)]);
                let ty = self.random.pick(&["u16", "s16"]);
                self.result(Single, &format!("cvt.rn.f32.{ty}"), &[Is(wide)])
            }
        };
        let value = if self.random.chance(50) {
            self.result(Single, "mul.f32", &[Is(value), Text("0f3B808081")])
        } else {
            self.result(Single, "fma.rn.f32", &[Is(value), Text("0f3C000000"), Text("0fBF800000")])
        };
        if self.random.chance(30) {
            self.result(Half, "cvt.rn.f16.f32", &[Is(value)]);
        }
    }

    fn quantise(&mut self) {
        let value = if self.random.chance(60) { self.clamped() } else { self.value(Single) };
        let value = self.result(Single, "mul.f32", &[Is(value), Any(Single)]);
        let quantised = match self.random.below(6) {
            0 => {
                let round = self.random.pick(&["rni", "rzi"]);
                let word = self.result(Word, &format!("cvt.{round}.s32.f32"), &[Is(value)]);
                let word = self.result(Word, "min.s32", &[Is(word), Text("127")]);
                self.result(Word, "max.s32", &[Is(word), Text("-128")])
            }
            1 => {
                let (kind, ty) = (self.random.pick(&[Word, Byte]), self.random.pick(&["s8", "u8"]));
                self.result(kind, &format!("cvt.rni.sat.{ty}.f32"), &[Is(value)])
            }
            2 => {
                let round = self.random.pick(&["rni", "rmi", "rzi"]);
                let value = self.result(Single, &format!("cvt.{round}.f32.f32"), &[Is(value)]);
                self.result(Word, "cvt.rzi.s32.f32", &[Is(value)])
            }
            3 => {
                let ty = self.random.pick(&["u16", "s16"]);
                self.result(Short, &format!("cvt.rzi.{ty}.f32"), &[Is(value)])
            }
            4 => {
                let value = self.result(Single, "cvt.sat.f32.f32", &[Is(value)]);
                let word = self.result(Word, "cvt.rzi.u32.f32", &[Is(value)]);
                self.result(Short, "cvt.u16.u32", &[Is(word)])
            }
            _ => {
                let ty = self.random.pick(&["s8", "u8"]);
                self.result(Byte, &format!("cvt.rzi.{ty}.f32"), &[Is(value)])
            }
        };
        self.store_byte(quantised);
    }

    fn quantise_and_pack(&mut self) {
        let how = self.random.below(4);
        let words: Vec<Reg> = (0..4)
            .map(|_| match how {
                0 => self.result(Word, "cvt.rni.sat.s8.f32", &[Any(Single)]),
                1 => self.result(Word, "cvt.rni.s32.f32", &[Any(Single)]),
                2 => self.result(Word, "cvt.rzi.u32.f32", &[Any(Single)]),
                _ => {
                    let short = self.result(Short, "cvt.rzi.u16.f32", &[Any(Single)]);
                    self.result(Word, "cvt.u32.u16", &[Is(short)])
                }
            })
            .collect();
        match self.random.below(4) {
            0 => {
                let pack = "cvt.pack.sat.s8.s32.b32";
                let upper = self.result(Word, pack, &[Is(words[1]), Is(words[0]), Text("0")]);
                self.result(Word, pack, &[Is(words[3]), Is(words[2]), Is(upper)]);
            }
            1 => {
                let mut all = self.result(Word, "and.b32", &[Is(words[0]), Text("255")]);
                for (i, &word) in words.iter().enumerate().skip(1) {
                    let byte = self.result(Word, "and.b32", &[Is(word), Text("255")]);
                    let byte = self.result(Word, "shl.b32", &[Is(byte), Text(&(8 * i).to_string())]);
                    all = self.result(Word, "or.b32", &[Is(all), Is(byte)]);
                }
            }
            2 => {
                let shorts: Vec<Reg> =
                    words.iter().map(|&word| self.result(Short, "cvt.u16.u32", &[Is(word)])).collect();
                for &short in &shorts {
                    self.read(short);
                }
                let place = self.target_place();
                self.emit(format!("st.global.v4.u8 {place}, {};", braces(&shorts)));
            }
            _ => {
                let low = self.result(Word, "prmt.b32", &[Is(words[0]), Is(words[1]), Text("0x3340")]);
                let high = self.result(Word, "prmt.b32", &[Is(words[2]), Is(words[3]), Text("0x3340")]);
                self.result(Word, "prmt.b32", &[Is(low), Is(high), Text("0x5410")]);
            }
        }
    }

    fn through_halves(&mut self) {
        let pair = self.value(Halves);
        let parts = self.split(Half, "mov.b32", pair, 2);
        let (factor, two) = (self.value(Single), self.random.chance(60));
        let low = self.result(Single, "cvt.f32.f16", &[Is(parts[0])]);
        let high = self.result(Single, "cvt.f32.f16", &[Is(parts[1])]);
        let low = self.result(Single, "mul.f32", &[Is(low), Is(factor)]);
        let high = self.result(Single, "fma.rn.f32", &[Is(high), Is(factor), Is(low)]);
        if two && self.random.chance(40) {
            self.result(Halves, "cvt.rn.f16x2.f32", &[Is(high), Is(low)]);
        } else if two {
            let low = self.result(Half, "cvt.rn.f16.f32", &[Is(low)]);
            let high = self.result(Half, "cvt.rn.f16.f32", &[Is(high)]);
            self.join(Halves, &[low, high]);
        }
    }

    fn through_bfloats(&mut self) {
        let pair = self.value(Bfloats);
        let parts = self.split(Bfloat, "mov.b32", pair, 2);
        let low = self.result(Single, "cvt.f32.bf16", &[Is(parts[0])]);
        let high = self.result(Single, "cvt.f32.bf16", &[Is(parts[1])]);
        let low = self.result(Single, "mul.f32", &[Is(low), Any(Single)]);
        let high = self.result(Single, "add.f32", &[Is(high), Any(Single)]);
        if self.random.chance(50) {
            self.result(Bfloats, "cvt.rn.bf16x2.f32", &[Is(high), Is(low)]);
        } else {
            let low = self.result(Bfloat, "cvt.rn.bf16.f32", &[Is(low)]);
            let high = self.result(Bfloat, "cvt.rn.bf16.f32", &[Is(high)]);
            self.join(Bfloats, &[low, high]);
        }
    }

    fn thread_index(&mut self) {
        let thread = self.result(Word, "mov.u32", &[Text("%tid.x")]);
        let block = self.result(Word, "mov.u32", &[Text("%ctaid.x")]);
        let size = self.result(Word, "mov.u32", &[Text("%ntid.x")]);
        let index = self.result(Word, "mad.lo.s32", &[Is(block), Is(size), Is(thread)]);
        if self.random.chance(40) {
            self.result(Single, "cvt.rn.f32.s32", &[Is(index)]);
        }
        if self.random.chance(60) {
            let opcode = self.random.pick(&["cvt.s64.s32", "cvt.u64.u32"]);
            self.result(Long, opcode, &[Is(index)]);
        }
    }

    fn saturate_word(&mut self) {
        let (ty, kind, wide) = self.random.pick(&[
            ("u8", Byte, "cvt.u32.u8"),
            ("s8", Byte, "cvt.s32.s8"),
            ("u16", Short, "cvt.u32.u16"),
            ("s16", Short, "cvt.s32.s16"),
        ]);
        let narrow = self.result(kind, &format!("cvt.sat.{ty}.s32"), &[Any(Word)]);
        if self.random.chance(50) {
            self.store_byte(narrow);
        } else {
            self.result(Word, wide, &[Is(narrow)]);
        }
    }

    fn through_fp8(&mut self) {
        if self.sm < 89 {
            return;
        }
        let eight = self.random.pick(&["e4m3x2", "e5m2x2"]);
        let pair = self.result(Halves, &format!("cvt.rn.f16x2.{eight}"), &[Any(Short)]);
        let parts = self.split(Half, "mov.b32", pair, 2);
        let low = self.result(Single, "cvt.f32.f16", &[Is(parts[0])]);
        let high = self.result(Single, "cvt.f32.f16", &[Is(parts[1])]);
        if self.random.chance(60) {
            self.result(Short, &format!("cvt.rn.satfinite.{eight}.f32"), &[Is(high), Is(low)]);
        }
    }

    fn fraction(&mut self) {
        let value = self.value(Single);
        let round = self.random.pick(&["rmi", "rzi", "rni", "rpi"]);
        match self.random.below(3) {
            0 => {
                let whole = self.result(Single, &format!("cvt.{round}.f32.f32"), &[Is(value)]);
                self.result(Single, "sub.f32", &[Is(value), Is(whole)]);
            }
            1 => {
                let word = self.result(Word, &format!("cvt.{round}.s32.f32"), &[Is(value)]);
                let whole = self.result(Single, "cvt.rn.f32.s32", &[Is(word)]);
                self.result(Single, "sub.f32", &[Is(value), Is(whole)]);
            }
            _ => {
                let wide = self.result(Double, "cvt.f64.f32", &[Is(value)]);
                let wide = self.result(Double, "mul.f64", &[Is(wide), Text("0d3FF8000000000000")]);
                self.result(Single, "cvt.rn.f32.f64", &[Is(wide)]);
            }
        }
    }

    fn nibbles(&mut self) {
        let word = self.value(Word);
        let low = self.result(Word, "and.b32", &[Is(word), Text("15")]);
        let low = self.result(Word, "add.s32", &[Is(low), Text("-8")]);
        let (kind, opcode) = self.random.pick(&[(Single, "cvt.rn.f32.s32"), (Half, "cvt.rn.f16.s32")]);
        self.result(kind, opcode, &[Is(low)]);
        let high = self.result(Word, "shr.u32", &[Is(word), Text("4")]);
        let high = self.result(Short, "cvt.u16.u32", &[Is(high)]);
        let high = self.result(Short, "and.b16", &[Is(high), Text("15")]);
        let high = self.result(Short, "add.s16", &[Is(high), Text("-8")]);
        self.result(Single, "cvt.rn.f32.s16", &[Is(high)]);
    }

    fn average(&mut self) {
        let opcode = self.random.pick(&["cvt.u32.u16", "cvt.u32.u8"]);
        let first = self.result(Word, "cvt.u32.u16", &[Any(Byte)]);
        let second = self.result(Word, opcode, &[Any(Byte)]);
        let sum = self.result(Word, "add.s32", &[Is(first), Is(second)]);
        let half = self.result(Word, "shr.u32", &[Is(sum), Text("1")]);
        let half = if self.random.chance(50) { self.result(Short, "cvt.u16.u32", &[Is(half)]) } else { half };
        self.store_byte(half);
    }
}
