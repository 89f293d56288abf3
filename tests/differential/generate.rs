//! Random well-typed kernels: pools of values by kind, and steps that use some and make others.

use super::kernel::Kernel;
use super::random::Random;
use super::registers::{Kind, Reg};

/// An operand of a step.
#[derive(Debug, Clone, Copy)]
pub enum Arg<'a> {
    /// Some value of a kind.
    Any(Kind),
    /// This value.
    Is(Reg),
    /// This text.
    Text(&'a str),
}

pub use Arg::{Any, Is, Text};

/// So many values of a kind, the newest, are used again.
const WINDOW: usize = 6;

/// A kernel under construction.
#[derive(Debug)]
pub struct Generator {
    /// What is decided by chance.
    pub random: Random,
    /// The number of the target: 89 of `sm_89`.
    pub sm: u32,
    /// `.ftz` everywhere, as some compilers are told.
    pub ftz: bool,
    /// How many branches and loops are open.
    pub depth: usize,
    /// The next label.
    pub label: usize,
    body: Vec<String>,
    pools: [Vec<Reg>; Kind::ALL.len()],
    used: Vec<Reg>,
    counts: [u32; 6],
    reuses: bool,
    narrow_stores: bool,
    next_load: usize,
    next_store: usize,
}

impl Generator {
    /// A generator for a target.
    pub fn new(seed: u64, arch: &str) -> Generator {
        let mut random = Random::new(seed);
        let sm = arch.bytes().filter(u8::is_ascii_digit).fold(0, |n, b| n * 10 + u32::from(b - b'0'));
        let (ftz, reuses, narrow_stores) = (random.chance(25), random.chance(15), random.chance(40));
        Generator {
            random,
            sm,
            ftz,
            depth: 0,
            label: 0,
            body: Vec::new(),
            pools: Default::default(),
            used: Vec::new(),
            counts: [0; 6],
            reuses,
            narrow_stores,
            next_load: 0,
            next_store: 0,
        }
    }

    /// The whole kernel.
    pub fn kernel(mut self) -> Kernel {
        for _ in 0..4 + self.random.below(19) {
            self.step();
        }
        for kind in Kind::ALL.into_iter().filter(|&k| k != Kind::Truth) {
            for value in self.pools[kind as usize].clone() {
                if !self.used.contains(&value) && !self.random.chance(4) {
                    self.store(kind, value);
                }
            }
        }
        Kernel { body: self.body }
    }

    /// One more statement, idiom, branch or loop.
    pub fn step(&mut self) {
        let nested: usize = if self.depth < 2 { 3 } else { 0 };
        let step: fn(&mut Generator) = self.random.weighted(&[
            (34, Generator::conversion as fn(&mut Generator)),
            (26, Generator::arithmetic),
            (12, Generator::idiom),
            (6, Generator::pack),
            (5, Generator::unpack),
            (4, Generator::vector_load),
            (3, Generator::store_some),
            (2, Generator::vector_store),
            (nested, Generator::control),
        ]);
        step(self);
    }

    /// Add a statement as it is.
    pub fn emit(&mut self, statement: String) {
        self.body.push(statement);
    }

    /// A register for a new value; now and then one that holds another, as hand-written code has it.
    pub fn register(&mut self, kind: Kind) -> Reg {
        if self.reuses && self.depth == 0 && self.random.chance(12) {
            let old: Vec<Reg> = self.pools.iter().flatten().copied().filter(|r| r.0 == kind.class()).collect();
            if !old.is_empty() {
                let register = self.random.pick(&old);
                for pool in &mut self.pools {
                    pool.retain(|&r| r != register);
                }
                self.used.retain(|&r| r != register);
                return register;
            }
        }
        let count = &mut self.counts[kind.class() as usize];
        *count += 1;
        Reg(kind.class(), *count)
    }

    /// Several registers, all different.
    pub fn registers(&mut self, kind: Kind, count: usize) -> Vec<Reg> {
        let reuses = std::mem::take(&mut self.reuses);
        let registers = (0..count).map(|_| self.register(kind)).collect();
        self.reuses = reuses;
        registers
    }

    /// A value is there from now on.
    pub fn made(&mut self, kind: Kind, value: Reg) -> Reg {
        self.pools[kind as usize].push(value);
        value
    }

    /// A value has a reader.
    pub fn read(&mut self, value: Reg) -> Reg {
        self.used.push(value);
        value
    }

    /// Some value, most likely a new one that nothing reads yet.
    pub fn value(&mut self, kind: Kind) -> Reg {
        let pool = &self.pools[kind as usize];
        let newest: Vec<Reg> = pool[pool.len().saturating_sub(WINDOW)..].to_vec();
        if newest.is_empty() || self.random.chance(12) {
            let value = self.origin(kind);
            return self.read(value);
        }
        let unread: Vec<Reg> = newest.iter().copied().filter(|r| !self.used.contains(r)).collect();
        let value = if unread.is_empty() || self.random.chance(40) {
            self.random.pick(&newest)
        } else {
            self.random.pick(&unread)
        };
        self.read(value)
    }

    /// Add `opcode result, arguments` and give the result.
    pub fn result(&mut self, kind: Kind, opcode: &str, arguments: &[Arg<'_>]) -> Reg {
        let mut text = Vec::new();
        for argument in arguments {
            text.push(match *argument {
                Any(kind) => {
                    let value = self.value(kind).to_string();
                    // An operation of a value with itself says little: mostly, take another.
                    if text.contains(&value) { self.value(kind).to_string() } else { value }
                }
                Is(register) => self.read(register).to_string(),
                Text(t) => t.to_owned(),
            });
        }
        let result = self.register(kind);
        self.emit(format!("{opcode} {result}, {};", text.join(", ")));
        self.made(kind, result)
    }

    /// A place of its own in memory to load from.
    pub fn source_place(&mut self) -> String {
        self.next_load += 16;
        format!("[%pa+{}]", self.next_load)
    }

    /// An offset that no other load has.
    pub fn offset(&mut self) -> usize {
        self.next_load += 16;
        self.next_load
    }

    /// A place of its own in memory to store to.
    pub fn target_place(&mut self) -> String {
        self.next_store += 16;
        format!("[%pb+{}]", self.next_store)
    }

    /// A new value from outside: memory, parameters, special registers, constants.
    pub fn origin(&mut self, kind: Kind) -> Reg {
        if kind == Kind::Truth {
            return self.comparison();
        }
        let chance = self.random.below(100);
        let place = self.source_place();
        let random = &mut self.random;
        let (opcode, from) = match kind {
            Kind::Byte | Kind::Short => {
                let ty =
                    if kind == Kind::Byte { random.pick(&["u8", "s8"]) } else { random.pick(&["u16", "s16", "u16"]) };
                match chance {
                    0..7 => (format!("ld.param.{ty}"), format!("[p_{ty}]")),
                    7..11 => ("mov.b16".into(), random.pick(&["0", "1", "2", "127", "255", "-1", "17", "-128"]).into()),
                    _ => (format!("ld.global.{ty}"), place),
                }
            }
            Kind::Word => match chance {
                0..10 => (
                    format!("ld.param.{}", random.pick(&["u32", "s32", "b32"])),
                    random.pick(&["[p_u32]", "[p_u32b]"]).into(),
                ),
                10..20 => {
                    let special = ["%tid.x", "%ctaid.x", "%ntid.x", "%laneid", "%tid.y", "%nctaid.x"];
                    ("mov.u32".into(), random.pick(&special).into())
                }
                20..24 => ("mov.b32".into(), random.pick(&["0", "1", "7", "255", "65535", "-1", "1000"]).into()),
                24..32 => (format!("ld.global.{}", random.pick(&["u8", "s8", "u16", "s16"])), place),
                _ => (format!("ld.global.{}", random.pick(&["u32", "s32", "b32"])), place),
            },
            Kind::Long => match chance {
                0..10 => ("ld.param.u64".into(), "[p_u64]".into()),
                10..20 => {
                    let from = self.value(Kind::Word).to_string();
                    (self.random.pick(&["cvt.s64.s32", "cvt.u64.u32", "cvt.s64.s32"]).into(), from)
                }
                _ => (format!("ld.global.{}", random.pick(&["u64", "s64", "b64"])), place),
            },
            Kind::Single => match chance {
                0..10 => ("ld.param.f32".into(), "[p_f32]".into()),
                10..14 => {
                    let constants = ["0f3F800000", "0f00000000", "0f42FE0000", "0fC0490FDB", "0f437F0000"];
                    ("mov.f32".into(), random.pick(&constants).into())
                }
                _ => ("ld.global.f32".into(), place),
            },
            Kind::Double => ("ld.global.f64".into(), place),
            Kind::Half | Kind::Bfloat => match chance {
                0..6 => ("ld.param.b16".into(), "[p_u16]".into()),
                _ => (format!("ld.global.{}", random.pick(&["b16", "u16"])), place),
            },
            Kind::Halves | Kind::Bfloats | Kind::Truth => ("ld.global.b32".into(), place),
        };
        self.result(kind, &opcode, &[Text(&from)])
    }

    fn vector_load(&mut self) {
        let halves = self.random.pick(&[Kind::Halves, Kind::Bfloats]);
        let (kind, ty, count) = self.random.pick(&[
            (Kind::Byte, "u8", 4),
            (Kind::Byte, "s8", 4),
            (Kind::Byte, "u8", 2),
            (Kind::Short, "u16", 2),
            (Kind::Short, "s16", 2),
            (Kind::Short, "u16", 4),
            (Kind::Single, "f32", 2),
            (Kind::Single, "f32", 4),
            (Kind::Word, "u32", 2),
            (Kind::Word, "b32", 4),
            (Kind::Half, "b16", 2),
            (Kind::Half, "u16", 4),
            (halves, "b32", 4),
            (Kind::Double, "f64", 2),
        ]);
        let elements = self.registers(kind, count);
        let place = self.source_place();
        self.emit(format!("ld.global.v{count}.{ty} {}, {place};", braces(&elements)));
        for element in elements {
            self.made(kind, element);
        }
    }

    /// Store a value.
    pub fn store(&mut self, kind: Kind, value: Reg) {
        let types: &[&str] = match kind {
            Kind::Byte => &["u8", "u8", "s8", "u16", "b8"],
            Kind::Short => &["u16", "u16", "s16", "u8", "b16"],
            Kind::Half => &["b16", "b16", "u16"],
            Kind::Bfloat => &["b16", "u16"],
            Kind::Word if self.narrow_stores => &["u32", "b32", "s32", "u16", "u8", "s8", "s16"],
            Kind::Word => &["u32", "b32", "u32", "s32"],
            Kind::Halves | Kind::Bfloats => &["b32", "u32"],
            Kind::Long if self.narrow_stores => &["u64", "b64", "u32", "u16", "u8"],
            Kind::Long => &["u64", "b64"],
            Kind::Single => &["f32", "f32", "b32"],
            Kind::Double => &["f64"],
            Kind::Truth => return,
        };
        let ty = self.random.pick(types);
        let place = self.target_place();
        self.read(value);
        self.emit(format!("st.global.{ty} {place}, {value};"));
    }

    /// Store some value that nothing reads.
    pub fn store_some(&mut self) {
        let mut unread = Vec::new();
        for kind in Kind::ALL.into_iter().filter(|&k| k != Kind::Truth) {
            let values = self.pools[kind as usize].iter().copied().filter(|v| !self.used.contains(v));
            unread.extend(values.map(|v| (kind, v)));
        }
        if !unread.is_empty() {
            let (kind, value) = self.random.pick(&unread);
            self.store(kind, value);
        }
    }

    fn vector_store(&mut self) {
        let (kind, ty) = self.random.pick(&[
            (Kind::Single, "f32"),
            (Kind::Word, "b32"),
            (Kind::Byte, "u8"),
            (Kind::Byte, "s8"),
            (Kind::Short, "u16"),
            (Kind::Short, "u8"),
            (Kind::Half, "b16"),
            (Kind::Halves, "b32"),
        ]);
        let count = self.random.pick(&[2, 4]);
        let elements: Vec<Reg> = (0..count).map(|_| self.value(kind)).collect();
        let place = self.target_place();
        self.emit(format!("st.global.v{count}.{ty} {place}, {};", braces(&elements)));
    }

    /// The values that there are, to come back to.
    pub fn values(&self) -> [Vec<Reg>; Kind::ALL.len()] {
        self.pools.clone()
    }

    /// Forget what was made since.
    pub fn forget(&mut self, values: [Vec<Reg>; Kind::ALL.len()]) {
        self.pools = values;
    }
}

/// Registers as a vector operand.
pub fn braces(elements: &[Reg]) -> String {
    let names: Vec<String> = elements.iter().map(Reg::to_string).collect();
    format!("{{{}}}", names.join(", "))
}
