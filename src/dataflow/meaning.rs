//! What an opcode does, as far as conversions care. Worked out once per distinct spelling.

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use rustc_hash::FxHasher;

use crate::cvt::decode::decode;
use crate::cvt::{Form, constant};
use crate::ptx::{Opcode, Type};

/// A state space of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// Kernel or function parameters.
    Param,
    /// Constants of the module.
    Const,
    /// Any other memory.
    Memory,
}

/// The memory that an instruction reads or writes, as far as ptxas keeps apart what overwrites what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// `.global`
    Global,
    /// `.global.nc`: nothing writes it.
    Unwritten,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
    /// A generic address, or all of them.
    Any,
}

/// The kinds of instructions told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named after the PTX instructions")]
pub enum Action {
    Load(Space),
    Store,
    Mov,
    Cvt,
    Cvta,
    Add,
    Sub,
    /// `mul.lo`, `mul24`, floating-point `mul`.
    Mul,
    MulHi,
    MulWide,
    /// `mad.lo`, `mad24`.
    Mad,
    MadWide,
    Fma,
    Div,
    Rem,
    Neg,
    Abs,
    Min,
    Max,
    And,
    Or,
    Xor,
    Not,
    Shl,
    Shr,
    Setp,
    Set,
    Selp,
    Prmt,
    Bfe,
    Bfi,
    Lop3,
    /// Reads its operands and writes its first one.
    Pure,
    /// Writes its first operand, and cannot be left out: atomics, barriers with a result, assembly-like things.
    Effect,
    /// Writes nothing.
    Sink,
    /// `call`: its first parenthesised group, if any, is written.
    Call,
    /// A branch.
    Branch,
    /// `ret`, `exit`, `trap`.
    Exit,
}

/// What an opcode does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    /// The kind.
    pub action: Action,
    /// The first type named: of the result, where there is one.
    pub ty: Option<Type>,
    /// The second type named (`cvt`, `set`).
    pub source: Option<Type>,
    /// `.ftz`
    pub ftz: bool,
    /// `.sat`
    pub sat: bool,
    /// `.shared`: an address of which the low word counts.
    pub shared: bool,
    /// What a load or a store goes to.
    pub memory: Memory,
    /// What memory it may overwrite: after that ptxas loads it anew.
    pub overwrites: Option<Memory>,
    /// A number that those have in common that compute the same of the same: the opcode, but ptxas sees no sign where
    /// none matters, and one cut or extension whatever its result's sign.
    pub kind: u64,
    /// Of a conversion that saturates the float which another conversion makes, without `.sat`: that one's
    /// [`Meaning::kind`].
    pub unsaturated: Option<u64>,
    /// `.param`
    pub parameter: bool,
    /// `.volatile`, `.relaxed`, `.acquire`: not to be changed or removed.
    pub volatile: bool,
    /// A comparison that is false of a value with itself: `gt`, `lt`.
    pub irreflexive: bool,
    /// No modifier but a type.
    pub plain: bool,
    /// `setp.eq`, `setp.ne`
    pub tests_equality: bool,
    /// `shfl`, which moves a word from one thread to another.
    pub shuffles: bool,
    /// `shfl.idx`, which one lane's word may go to all from.
    pub broadcasts: bool,
    /// ptxas merges its result from two ways: a select, or an approximation that scales subnormals.
    pub merges: bool,
    /// ptxas calls a routine for it, so that it parts blocks: division and roots rounded exactly.
    pub calls: bool,
    /// It parts a block: what calls a routine, a signed quotient or remainder, whose sign ptxas sets right, and a fence of
    /// memory.
    pub parts: bool,
    /// A fence of memory: `membar`, and `fence` but of proxies.
    pub settles: bool,
    /// `popc`, `clz`, `bfind`, `brev`
    pub counts: bool,
    /// Its floating-point result is never negative: it is clamped, or a power.
    pub positive: bool,
    /// `mma` of tf32 numbers, of which it reads no more than the bits that they have.
    pub multiplies_tf32: bool,
    /// Threads or memory wait there: what is loaded before is loaded apart from what is loaded behind.
    pub fences: bool,
    /// It reads its address in uniform registers: bulk copies, descriptors of tensors.
    pub uniform: bool,
    /// A rounding modifier of arithmetic: `.rn`, `.rz`, `.rm`, `.rp`.
    pub rounds: bool,
    /// `.rzi`
    pub truncates: bool,
    /// A conversion between floats, or floats and integers, that ptxas computes of a constant.
    pub computed: Option<Form>,
    /// `cvt.pack`
    pub pack: bool,
    /// `cvt.pack` to 8 bits.
    pub pack_bytes: bool,
    /// A conversion from f32 to a 32-bit integer, to nearest or (`true`) truncating, without `.ftz`.
    pub word_rounding: Option<bool>,
    /// A conversion from f32 to f16 or bf16 that two of can go into one instruction: its kind.
    pub half_kind: Option<u8>,
    /// It writes its first operand; a call does so where that is a group.
    pub writes: bool,
    /// It cannot be left out, whatever is read of it.
    pub effect: bool,
    /// Of a cut to a byte or half what it is in a register of a word.
    pub in_word: Option<&'static Meaning>,
}

/// The bit of a half's kind that `.sat` sets.
pub(super) const SATURATES: u8 = 2;

/// The extensions that [`extension_in_word`] gives.
static EXTENSIONS: LazyLock<[Meaning; 4]> = LazyLock::new(|| {
    ["cvt.u32.u8", "cvt.s32.s8", "cvt.u32.u16", "cvt.s32.s16"]
        .map(|text| Meaning::of(&Opcode { text: text.as_bytes().into() }))
});

/// What a cut to a byte or half is in a register of a word, where there is room for all of an extension from that type: its
/// types, of the result and of the source. So is an extension to a half from a byte of that sign.
pub fn extension_in_word(dst: Type, src: Type) -> Option<(Type, Type)> {
    if !dst.is_int() || !src.is_int() || dst.bits() > 16 {
        return None;
    }
    let word = if dst.is_signed() { Type::S32 } else { Type::U32 };
    if dst.bits() <= src.bits() {
        Some((word, dst))
    } else {
        (dst.is_signed() == src.is_signed()).then_some((word, src))
    }
}

/// Reads a type suffix (`u32`); `None` for anything else.
pub fn type_of(part: &[u8]) -> Option<Type> {
    Type::from_name(part)
}

impl Meaning {
    /// Whether a guarded statement is jumped over, which parts a block: one that reaches memory or other threads. Others
    /// are done under the predicate.
    pub fn parts_if_guarded(&self) -> bool {
        self.effect && self.action != Action::Branch || matches!(self.action, Action::Load(_))
    }

    /// Whether it truncates an f32 to an f16.
    pub fn truncates_to_half(&self) -> bool {
        self.ty == Some(Type::F16) && self.half_kind.is_some_and(|kind| kind & 1 == 1)
    }

    /// Whether it is arithmetic of half precision, of which two can go into one instruction.
    pub fn is_half_arithmetic(&self) -> bool {
        matches!(self.ty, Some(Type::F16 | Type::Bf16))
            && matches!(self.action, Action::Add | Action::Sub | Action::Mul | Action::Fma | Action::Min | Action::Max)
    }

    /// Whether it loads or stores a half of a word, or a vector of them.
    pub fn reaches_halfword(&self) -> bool {
        matches!(self.action, Action::Load(Space::Memory) | Action::Store)
            && !self.volatile
            && self.ty.is_some_and(|ty| ty.bits() == 16)
    }

    /// The meaning of an opcode.
    pub fn of(opcode: &Opcode<'_>) -> Meaning {
        let mut parts = opcode.parts();
        let base = parts.next().unwrap_or_default();
        let mut m = Meaning {
            action: Action::Pure,
            ty: None,
            source: None,
            ftz: false,
            sat: false,
            shared: false,
            memory: Memory::Any,
            overwrites: None,
            kind: 0,
            unsaturated: None,
            parameter: false,
            volatile: false,
            irreflexive: false,
            half_kind: None,
            plain: false,
            tests_equality: false,
            shuffles: false,
            broadcasts: false,
            merges: false,
            calls: false,
            parts: false,
            settles: false,
            fences: false,
            uniform: false,
            counts: false,
            positive: false,
            multiplies_tf32: false,
            rounds: false,
            truncates: false,
            computed: None,
            pack: false,
            pack_bytes: false,
            word_rounding: None,
            writes: true,
            effect: false,
            in_word: None,
        };
        let mut rounding = None;
        let mut unpaired = false;
        let mut integral = None;
        let (mut wide, mut hi) = (false, false);
        let mut space = Space::Memory;
        for part in parts {
            match part {
                b"wide" => wide = true,
                b"hi" => hi = true,
                b"pack" => m.pack = true,
                b"rni" => integral = Some(false),
                b"rzi" => integral = Some(true),
                b"rn" => rounding = Some(0),
                b"rz" => rounding = Some(1),
                b"relu" | b"satfinite" => unpaired = true,
                b"gt" | b"lt" => m.irreflexive = true,
                b"ftz" => m.ftz = true,
                b"sat" => m.sat = true,
                b"param" | b"param::func" | b"param::entry" => (space, m.parameter) = (Space::Param, true),
                b"const" => space = Space::Const,
                b"shared" | b"shared::cta" => {
                    m.shared = true;
                    m.memory = Memory::Shared;
                }
                b"global" => m.memory = Memory::Global,
                b"local" => m.memory = Memory::Local,
                b"nc" => m.memory = Memory::Unwritten,
                b"volatile" | b"relaxed" | b"acquire" | b"mmio" => m.volatile = true,
                _ => {
                    if let Some(t) = type_of(part) {
                        if m.ty.is_none() {
                            m.ty = Some(t);
                        } else if m.source.is_none() {
                            m.source = Some(t);
                        }
                    }
                }
            }
        }
        m.action = match base {
            b"ld" | b"ldu" => Action::Load(space),
            b"st" => Action::Store,
            b"mov" => Action::Mov,
            b"cvt" => Action::Cvt,
            b"cvta" => Action::Cvta,
            b"add" => Action::Add,
            b"sub" => Action::Sub,
            b"mul" | b"mul24" if wide => Action::MulWide,
            b"mul" | b"mul24" if hi => Action::MulHi,
            b"mul" | b"mul24" => Action::Mul,
            b"mad" | b"mad24" if wide => Action::MadWide,
            b"mad" if m.ty.is_some_and(Type::is_float) => Action::Fma,
            b"mad" | b"mad24" if !hi => Action::Mad,
            b"fma" => Action::Fma,
            b"div" => Action::Div,
            b"rem" => Action::Rem,
            b"neg" => Action::Neg,
            b"abs" => Action::Abs,
            b"min" => Action::Min,
            b"max" => Action::Max,
            b"and" => Action::And,
            b"or" => Action::Or,
            b"xor" => Action::Xor,
            b"not" => Action::Not,
            b"shl" => Action::Shl,
            b"shr" => Action::Shr,
            b"setp" => Action::Setp,
            b"set" => Action::Set,
            b"selp" => Action::Selp,
            b"prmt" => Action::Prmt,
            b"bfe" => Action::Bfe,
            b"bfi" => Action::Bfi,
            b"lop3" => Action::Lop3,
            b"bra" | b"brx" => Action::Branch,
            b"ret" | b"exit" | b"trap" => Action::Exit,
            b"call" => Action::Call,
            b"red"
            | b"sust"
            | b"sured"
            | b"bar"
            | b"barrier"
            | b"membar"
            | b"fence"
            | b"prefetch"
            | b"prefetchu"
            | b"cp"
            | b"pmevent"
            | b"nanosleep"
            | b"brkpt"
            | b"discard"
            | b"applypriority"
            | b"stmatrix"
            | b"mbarrier"
            | b"setmaxnreg"
            | b"griddepcontrol"
            | b"multimem"
            | b"wgmma"
            | b"tcgen05"
            | b"clusterlaunchcontrol"
            | b"elect"
            | b"stackrestore" => Action::Sink,
            b"atom" | b"shfl" | b"vote" | b"match" | b"activemask" | b"alloca" | b"stacksave" | b"suld" | b"redux"
            | b"ldmatrix" | b"mma" | b"wmma" => Action::Effect,
            _ => Action::Pure,
        };
        let (mut approximate, mut exact) = (false, false);
        for part in opcode.parts() {
            approximate |= part == b"approx";
            exact |= matches!(part, b"rn" | b"rz" | b"rm" | b"rp");
        }
        m.plain = opcode.parts().count() == 2;
        m.tests_equality = base == b"setp" && opcode.parts().any(|part| matches!(part, b"eq" | b"ne"));
        m.shuffles = base == b"shfl";
        m.broadcasts = m.shuffles && opcode.parts().any(|part| part == b"idx");
        m.merges = base == b"selp"
            || matches!(base, b"ex2" | b"lg2" | b"sqrt" | b"rsqrt") && approximate && !m.ftz && m.ty == Some(Type::F32);
        m.calls = matches!(base, b"div" | b"rcp" | b"sqrt") && exact && m.ty.is_some_and(Type::is_float)
            || matches!(base, b"div" | b"rem") && m.ty.is_some_and(|t| t.is_int() && t.bits() != 32)
            || base == b"rsqrt" && m.ty == Some(Type::F64);
        m.settles = base == b"membar" || base == b"fence" && !opcode.parts().any(|part| part == b"proxy");
        m.parts = m.calls || m.settles || matches!(base, b"div" | b"rem") && m.ty == Some(Type::S32);
        m.counts = matches!(base, b"popc" | b"clz" | b"bfind" | b"brev");
        m.positive = m.sat || base == b"ex2";
        m.multiplies_tf32 = matches!(base, b"mma" | b"wmma") && opcode.parts().any(|part| part == b"tf32");
        m.fences = matches!(base, b"bar" | b"barrier" | b"membar" | b"fence");
        m.uniform =
            matches!(base, b"cp" | b"prefetch") && opcode.parts().any(|part| matches!(part, b"bulk" | b"tensormap"));
        m.rounds = exact;
        m.truncates = integral == Some(true);
        m.computed = (m.action == Action::Cvt)
            .then(|| decode(opcode.parts()))
            .and_then(|decoded| Some(decoded.form(m.ty?, m.source?)))
            .filter(|form| !(form.src.is_int() && form.dst.is_int()) && constant::folds(form));
        m.pack_bytes = m.pack && matches!(m.ty, Some(Type::U8 | Type::S8));
        if m.source == Some(Type::F32) && matches!(m.ty, Some(Type::U32 | Type::S32)) && !m.ftz {
            m.word_rounding = integral;
        }
        if m.action == Action::Cvt && m.source == Some(Type::F32) && !unpaired {
            // A bf16 with .ftz is left to the conversion unit.
            m.half_kind = match (m.ty, rounding) {
                (Some(Type::F16), Some(r)) => Some(r | if m.sat { SATURATES } else { 0 }),
                (Some(Type::Bf16), Some(r)) if !m.ftz => Some(4 | r),
                _ => None,
            };
        }
        m.writes = !matches!(m.action, Action::Store | Action::Sink | Action::Branch | Action::Exit);
        m.effect = !m.writes || matches!(m.action, Action::Call | Action::Effect) || m.volatile;
        m.overwrites = match base {
            b"st" | b"atom" | b"red" | b"ld" if m.effect => Some(m.memory),
            // moves words between threads, or hints
            b"shfl" | b"vote" | b"match" | b"activemask" | b"redux" | b"ldmatrix" | b"mma" | b"prefetch"
            | b"prefetchu" | b"pmevent" | b"nanosleep" | b"brkpt" => None,
            _ => m.effect.then_some(Memory::Any),
        };
        m.kind = kind(&m, opcode);
        let saturates = m.action == Action::Cvt && m.sat && m.ty.is_some_and(Type::is_float);
        let rounds = || opcode.parts().any(|part| matches!(part, b"rni" | b"rzi" | b"rmi" | b"rpi"));
        if saturates && (m.ty != m.source || rounds()) {
            m.unsaturated = Some(named(&m, opcode, true));
        }
        if m.action == Action::Cvt && !m.sat && !m.pack {
            m.in_word =
                m.ty.zip(m.source)
                    .and_then(|(dst, src)| extension_in_word(dst, src))
                    .and_then(|(dst, src)| EXTENSIONS.iter().find(|e| (e.ty, e.source) == (Some(dst), Some(src))));
        }
        m
    }
}

/// An integer operation of so many bits, as a [`Meaning::kind`].
pub fn integer_kind(action: Action, bits: u32) -> u64 {
    let mut hasher = FxHasher::default();
    (action, bits).hash(&mut hasher);
    hasher.finish()
}

/// An extension from a type to a word or a pair of words, which begin alike, as a [`Meaning::kind`].
pub fn extension_kind(from: Type) -> u64 {
    integer_kind(Action::Cvt, 1024 + 2 * from.bits() + u32::from(from.is_signed()))
}

/// A number of an opcode's parts, `.sat` left out where that is asked for.
fn named(m: &Meaning, opcode: &Opcode<'_>, unsaturated: bool) -> u64 {
    let mut hasher = FxHasher::default();
    // a half has nothing that a word would flush; what makes integers of floats limits them anyway
    let to_int = m.action == Action::Cvt && m.ty.is_some_and(Type::is_int) && m.source.is_some_and(Type::is_float);
    let idle = |part: &[u8]| match part {
        b"ftz" => m.source == Some(Type::F16) && m.ty == Some(Type::F32),
        b"sat" => to_int || unsaturated,
        _ => false,
    };
    let parts = opcode.parts().filter(|&part| !idle(part)).enumerate();
    // a difference is the sum with what is negated
    let whole = matches!(m.ty, Some(Type::F32 | Type::F64));
    parts.for_each(|(n, part)| {
        if n == 0 && whole && part == b"sub" { b"add".as_slice() } else { part }.hash(&mut hasher)
    });
    hasher.finish()
}

fn kind(m: &Meaning, opcode: &Opcode<'_>) -> u64 {
    let named = || named(m, opcode, false);
    // of halves the sign is seen everywhere
    let plain_bits = |ty: Type| matches!(ty, Type::B32 | Type::B64);
    let halves = m.ty.is_some_and(|ty| ty.bits() == 16) && m.action != Action::Cvt;
    let Some(ty) = m.ty.filter(|&ty| (ty.is_int() && !halves || plain_bits(ty)) && !m.sat && !m.pack) else {
        return named();
    };
    let low = opcode.parts().count() == 3 && opcode.parts().nth(1) == Some(b"lo");
    match (m.action, m.source) {
        (Action::Add | Action::Sub, _) if m.plain => integer_kind(Action::Add, ty.bits()),
        (Action::Neg | Action::Shl, _) if m.plain => integer_kind(m.action, ty.bits()),
        (Action::Shr, _) if m.plain && !ty.is_signed() => integer_kind(m.action, ty.bits()),
        (Action::Mul | Action::Mad, _) if low => integer_kind(m.action, ty.bits()),
        (Action::Cvt, Some(from)) if from.is_int() && from.bits() < ty.bits() && ty.bits() >= 32 => {
            extension_kind(from)
        }
        (Action::Cvt, Some(from)) if from.is_int() && from.bits() > ty.bits() => {
            // the sign of a byte is extended in its register
            integer_kind(m.action, 2 * ty.bits() + u32::from(ty.is_signed() && ty.bits() < 16))
        }
        _ => named(),
    }
}
