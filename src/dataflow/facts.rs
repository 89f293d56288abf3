//! Forward: which bits of a register are known, and from where.

use crate::bits::{sign_extend, truncate};
use crate::cvt::constant as conversions;
use crate::ptx::{Module, OperandKind, Statement, Type, literal};

use super::flow::{Value, Work, after, constant};
use super::half::{self, Half};
use super::meaning::{Action, Meaning, Space};

/// What made the upper bits known. ptxas does not use every source of knowledge for every purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Nothing is known.
    Unknown,
    /// A load of a narrower type extends.
    Load,
    /// A parameter is read again with the width that is wanted.
    Param,
    /// A logical and with a constant.
    Mask,
    /// A logical right shift by a constant.
    Shift,
    /// Arithmetic, which ptxas takes as known only where a half or byte becomes a word.
    Half,
    /// A limit by a constant in 16 bits, which is none for what is signed.
    Limit,
    /// A limit from above by a constant in a word, of what zero limits from below: none for what is signed, and none where
    /// a float is made of it.
    Clamp,
    /// An earlier conversion.
    Convert,
    /// A float conversion to a half, which ptxas takes as extended only where it becomes a word.
    Rounded,
    /// One of two constants.
    Choice,
    /// The value is a constant.
    Constant,
    /// Anything else.
    Other,
}

/// What is known of a register's bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// This bit and all above it are zero; 64 where nothing is known.
    pub zero_from: u8,
    /// This bit and all above it equal the one below: the value is sign-extended from so many bits; 64 where
    /// nothing is known.
    pub sign_from: u8,
    /// The same as 16-bit arithmetic sees it, without signs.
    pub half: Half,
    /// How it came to be known.
    pub how: How,
    /// It is a byte of a loaded vector, of which arithmetic knows nothing.
    pub part: bool,
    /// The value itself.
    pub constant: Option<u64>,
}

impl Known {
    /// Nothing.
    pub const NOTHING: Known =
        Known { zero_from: 64, sign_from: 64, half: Half::NOTHING, how: How::Unknown, part: false, constant: None };

    /// Zero from a bit on.
    pub const fn zeros(from: u32, how: How) -> Known {
        let sign_from = if from < 63 { from as u8 + 1 } else { 64 };
        Known { zero_from: from as u8, sign_from, half: Half::of(from, how), how, part: false, constant: None }
    }

    /// Sign-extended from so many bits.
    pub const fn signs(from: u32, how: How) -> Known {
        Known { zero_from: 64, sign_from: from as u8, half: Half::NOTHING, how, part: false, constant: None }
    }

    /// A constant.
    pub fn value(v: u64) -> Known {
        let zero_from = 64 - v.leading_zeros() as u8;
        let sign_from = 65 - (v.leading_zeros().max(v.leading_ones())) as u8;
        let half = Half::of(zero_from.into(), How::Constant);
        Known { zero_from, sign_from: sign_from.min(64), half, how: How::Constant, part: false, constant: Some(v) }
    }

    /// As arithmetic in 16 bits makes it known.
    fn of_half(self, how: How) -> Known {
        match self.how {
            How::Other | How::Shift if how == How::Limit => Known { how, half: Half::NOTHING, ..self },
            How::Other | How::Shift => Known { how, ..self },
            _ => self,
        }
    }

    /// The same with another look of 16-bit arithmetic.
    const fn seen(self, term: u8, factor: u8) -> Known {
        Known { half: Half { term, factor }, ..self }
    }

    /// Whether the value fits `bits` without sign.
    pub const fn fits_unsigned(self, bits: u32) -> bool {
        self.zero_from as u32 <= bits
    }

    /// Whether the value is sign-extended from `bits`.
    pub const fn fits_signed(self, bits: u32) -> bool {
        self.sign_from as u32 <= bits
    }

    /// Whether the value is sign-extended from `bits` and may be negative, as far as is known.
    pub const fn has_sign_of(self, bits: u32) -> bool {
        self.fits_signed(bits) && !self.fits_unsigned(bits)
    }
}

/// Whether what is known of a result may depend on what is known of the sources.
pub(super) fn follows(m: &Meaning) -> bool {
    match m.action {
        Action::Mov => true,
        Action::Cvt => m.computed.is_some() || m.ty.is_some_and(Type::is_int) && m.source.is_some_and(Type::is_int),
        Action::And | Action::Or | Action::Xor | Action::Selp | Action::Add | Action::Sub | Action::Mul => {
            m.ty.is_some_and(|t| !t.is_float())
        }
        Action::MulHi => half::is_half(m),
        Action::Mad => m.ty.is_some_and(|t| !t.is_float()),
        Action::Shl | Action::Shr | Action::Min | Action::Max | Action::Bfe => m.ty.is_some_and(|t| !t.is_float()),
        _ => false,
    }
}

/// What the statement that makes a value makes known of it; under a guard the old one may stay.
pub(super) fn of_value(work: &mut Work<'_>, v: Value) -> Known {
    let (module, made) = (work.module, work.made(v));
    let (statement, operand) = (made.statement, made.operand);
    let s = work.statement(statement);
    let m = work.meaning(s);
    if !m.writes || s.guard.is_some() || s.operand_count == 0 {
        return Known::NOTHING;
    }
    let end = s.operands + s.operand_count;
    let second = after(module, s.operands, end);
    let third = after(module, second, end);
    if half::loses_term(work, s, m) {
        return Known::NOTHING;
    }
    let half_of_its_own = m.ty.is_some_and(|t| t.is_int() && t.bits() == 16) && register_bits(module, s) == 16;
    if m.action == Action::Cvt && half_of_its_own && is_raw(work, m, second) {
        return Known::NOTHING;
    }
    let alone = m.action == Action::Shr && half::is_half(m) && work.uses(v).len() == 1;
    let known = match m.action {
        // two halves share a word, of which each is a part
        Action::Load(_)
            if m.ty.is_some_and(|t| t.bits() == 16)
                && matches!(module.operands[s.operands as usize].kind, OperandKind::Vector(count) if count > 1) =>
        {
            None
        }
        Action::Load(space) => {
            let how = if work.loads_parameter(s) { How::Param } else { How::Load };
            let vector = matches!(module.operands[s.operands as usize].kind, OperandKind::Vector(count) if count > 1);
            // a half of the constant bank is loaded without its sign, where there is no room for that
            let half = register_bits(module, s) == 16 && (how == How::Param || space == Space::Const);
            let ty = m.ty.map(|ty| if half && ty == Type::S16 { Type::U16 } else { ty });
            ty.map(|ty| match how {
                How::Param => extension(ty, how),
                _ => Known { half: half::of_load(space, vector, ty), part: vector, ..extension(ty, how) },
            })
        }
        // bytes that a word is unpacked into
        Action::Mov if module.operands[s.operands as usize].kind == OperandKind::Vector(4) => {
            m.ty.filter(|t| t.bits() == 32).map(|_| Known::zeros(8, How::Other).seen(64, 64))
        }
        _ if operand == s.operands => {
            // a choice of two constants is known for every purpose
            let literal = |at| constant(module, at, |_| None).is_some();
            let how = match m.action {
                _ if m.ty.is_none_or(|t| t.bits() != 16) || m.action == Action::Mov => None,
                Action::Min if literal(third) => Some(How::Limit),
                Action::Selp if literal(second) && literal(third) => None,
                _ => Some(How::Half),
            };
            // a limit from below tells nothing
            let below = m.action == Action::Max && how.is_some() && literal(third);
            let known = if below { None } else { result(work, statement, second, third, alone) };
            let known = known.or_else(|| limit_of_positive(work, m, second, third));
            known.map(|known| how.map_or(known, |how| known.of_half(how)))
        }
        _ => None,
    };
    known.unwrap_or(Known::NOTHING)
}

/// Of a limit from above of what was limited by zero from below, both in a word and by constants.
fn limit_of_positive(work: &mut Work<'_>, m: &Meaning, value: u32, limit: u32) -> Option<Known> {
    let literal = |work: &Work<'_>, at: u32| {
        constant(work.module, at, |_| None).and_then(|v| i32::try_from(v).ok()).filter(|&v| v >= 0)
    };
    let signed_word = |m: &Meaning| m.ty == Some(Type::S32);
    let limit = literal(work, limit).filter(|_| m.action == Action::Min && signed_word(m))?;
    let v = work.value(value)?;
    let s = work.statement(work.made(v).statement);
    let below = work.meaning(s);
    let third = s.operands + 2;
    let positive = below.action == Action::Max && signed_word(below) && s.guard.is_none();
    let from = literal(work, third).filter(|_| positive && s.operand_count == 3)?;
    // as the last of two limits ptxas takes it for known, but of zero not where a float is made
    let how = if from == 0 { How::Clamp } else { How::Limit };
    Some(Known::zeros(32 - limit.leading_zeros(), how))
}

/// Whether F2I leaves something above a half: from f64, where it flushes, itself or what it takes in, and where it limits to a
/// signed half.
fn is_raw(work: &mut Work<'_>, m: &Meaning, source: u32) -> bool {
    let flushes = |m: &Meaning| m.ftz && m.source == Some(Type::F32);
    if m.source == Some(Type::F64) || flushes(m) {
        return true;
    }
    let limits = m.sat && m.ty == Some(Type::S16) && m.source == Some(Type::S32);
    if m.source != Some(Type::F32) && !limits {
        return false;
    }
    let maker = work.value(source).map(|v| work.statement(work.made(v).statement)).map(|s| work.meaning(s));
    // a limit of what a float became is an F2I of its own
    maker.is_some_and(|made| {
        made.action == Action::Cvt
            && if limits { made.source == Some(Type::F32) } else { made.ty == made.source && flushes(made) }
    })
}

/// The width of the register that a statement writes, in bits.
fn register_bits(module: &Module<'_>, s: &Statement) -> u32 {
    match module.operands[s.operands as usize].kind {
        OperandKind::Register(r) => module.registers[r.0 as usize].ty.map_or(32, Type::bits),
        _ => 32,
    }
}

fn extension(ty: Type, how: How) -> Known {
    match ty.bits() {
        8 | 16 | 32 if ty.is_signed() => Known::signs(ty.bits(), how),
        8 | 16 | 32 => Known::zeros(ty.bits(), how),
        _ => Known::NOTHING,
    }
}

fn result(work: &Work<'_>, statement: u32, second: u32, third: u32, alone: bool) -> Option<Known> {
    let (module, s) = (work.module, work.statement(statement));
    let m = work.meaning(s);
    let operand = |at: u32| module.operands.get(at as usize).filter(|_| at < s.operands + s.operand_count);
    let constant = |at: u32| constant(module, at, |at| work.known_before(at, statement).constant);
    let known = |at: u32| match operand(at)?.kind {
        OperandKind::Register(_) => Some(work.known_before(at, statement)),
        OperandKind::Integer | OperandKind::Negated => {
            constant(at).map(|v| Known::value(truncate(v, m.ty.map_or(64, Type::bits))))
        }
        _ => None,
    };
    let half = half::is_half(m);
    // as many bits as a term or a factor has
    let word = |k: Known| if k.part { 64 } else { k.zero_from };
    let term = |at: u32| known(at).map(|k| u32::from(if half { k.half.term } else { word(k) }));
    let factor = |at: u32| known(at).map(|k| u32::from(if half { k.half.factor } else { word(k) }));
    // what a limit of halves leaves above is not known
    if work.abilities.limits_halves && half && matches!(m.action, Action::Min | Action::Max) {
        return None;
    }
    if let Some(v) = computed(m.action, m.ty, || Some((known(second)?.constant?, known(third)?.constant?))) {
        return Some(v);
    }
    match m.action {
        Action::Mov => {
            let o = operand(second)?;
            if o.kind == OperandKind::Vector(2) && constant(second + 2) == Some(0) {
                match m.ty?.bits() {
                    64 => return Some(Known::zeros(32, How::Other)),
                    16 => return Some(Known::zeros(8, How::Convert)),
                    _ => {}
                }
            }
            if o.kind == OperandKind::Float {
                let bits = float_bits(o.span.of(module.source), m.ty?.bits())?;
                return Some(Known { how: How::Constant, constant: Some(bits), ..Known::NOTHING });
            }
            known(second)
        }
        Action::And => {
            let Some(mask) = [second, third].into_iter().find_map(constant) else {
                return bounded(term(second)?.min(term(third)?), m.ty?);
            };
            let mask = truncate(mask, m.ty?.bits());
            let top = 64 - mask.leading_zeros();
            // A mask of what is zero already changes nothing.
            let source = known(second).unwrap_or(Known::NOTHING);
            let shifted = half && matches!(source.how, How::Shift | How::Half);
            if !shifted && source.fits_unsigned(top) && mask == truncate(u64::MAX, top) {
                return Some(source);
            }
            (top < m.ty?.bits()).then(|| Known::zeros(top, How::Mask))
        }
        // The sums and products of small unsigned values are known to be small.
        Action::Or | Action::Xor => bounded(term(second)?.max(term(third)?), m.ty?),
        Action::Selp => {
            let known = limited(term(second)?.max(term(third)?), m.ty?);
            let constants = constant(second).is_some() && constant(third).is_some();
            known.map(|k| if constants { Known { how: How::Choice, ..k.seen(k.zero_from, k.zero_from) } } else { k })
        }
        Action::Add => bounded(term(second)?.max(term(third)?) + 1, m.ty?),
        Action::Mul if !m.ty?.is_float() => bounded(factor(second)? + factor(third)?, m.ty?),
        Action::Mad if !m.ty?.is_float() => {
            let fourth = after(module, third, s.operands + s.operand_count);
            bounded((factor(second)? + factor(third)?).max(factor(fourth)?) + 1, m.ty?)
        }
        Action::MulHi if half => bounded((term(second)? + term(third)?).saturating_sub(16), m.ty?),
        Action::Shl => bounded(term(second)? + constant(third)?.min(64) as u32, m.ty?),
        Action::Min if half && m.ty?.is_unsigned() && (constant(second).is_some() || constant(third).is_some()) => {
            limited(term(second).unwrap_or(64).min(term(third).unwrap_or(64)), m.ty?)
        }
        Action::Min if half && m.ty?.is_unsigned() => limited(term(second)?.max(term(third)?), m.ty?),
        // a limit of a pair is two choices
        Action::Min if m.ty?.bits() == 64 => None,
        Action::Min if m.ty?.is_unsigned() => {
            let of = |at| known(at).map_or(64, |k| k.zero_from);
            limited(of(second).min(of(third)).into(), m.ty?).map(|k| k.seen(64, 64))
        }
        Action::Max if m.ty?.is_unsigned() => bounded(term(second)?.max(term(third)?), m.ty?),
        Action::Shr if m.ty?.is_unsigned() || !m.ty?.is_signed() => {
            let by = constant(third)?;
            let width = m.ty?.bits();
            let source = known(second).map(|k| if k.part && !half { Known::NOTHING } else { k });
            // what a half is extended by before it is shifted, ptxas does not see
            if half && term(second).is_none_or(|bits| bits > 16) {
                return None;
            }
            let from = source.map_or(width, |k| width.min(k.zero_from.into()));
            // what a word is known by besides is seen where it becomes a word again
            let how = if width == 32 && from < width && width - by as u32 > 16 { How::Half } else { How::Shift };
            (by > 0 && by < u64::from(width)).then(|| Known {
                half: half::of_shift(source.unwrap_or(Known::NOTHING), by as u32, width, alone),
                ..Known::zeros(from.saturating_sub(by as u32), how)
            })
        }
        Action::Shr if m.ty?.is_signed() => {
            let by = constant(third)?;
            let width = m.ty?.bits();
            // in a half the sign reaches no further than it
            (width > 16 && by > 0 && by < u64::from(width)).then(|| Known::signs(width - by as u32, How::Other))
        }
        Action::Bfe => {
            let fourth = after(module, third, s.operands + s.operand_count);
            let (from, bits) = (constant(third)?, constant(fourth)?);
            // a sign in a pair is not seen
            if bits == 0 || from + bits > u64::from(m.ty?.bits()) || m.ty == Some(Type::S64) {
                return None;
            }
            let bits = bits as u32;
            let known = if m.ty?.is_signed() { Known::signs(bits, How::Other) } else { Known::zeros(bits, How::Other) };
            Some(known.seen(64, 64))
        }
        Action::Cvt => {
            let width = register_bits(module, s);
            let folded = |form| conversions::fold(form, known(second)?.constant?);
            match m.computed.as_ref().and_then(folded) {
                Some(bits) => Some(Known { how: How::Constant, constant: Some(bits), ..Known::NOTHING }),
                None => {
                    let source = known(second).unwrap_or(Known::NOTHING);
                    let (dst, src) = (m.ty?, m.source?);
                    // through a word of their own ptxas extends them for good
                    let how = if m.ftz || src == Type::F64 { How::Convert } else { How::Rounded };
                    let part = source.part && source.fits_unsigned(dst.bits().min(src.bits()));
                    converted(dst, src, m.sat, width, source).map(|k| {
                        let rounded = !src.is_int() && width == 32 && k.how == How::Convert;
                        let how = if rounded { how } else { k.how };
                        Known { how, part, half: half::of_conversion(dst, src, source.half), ..k }
                    })
                }
            }
        }
        _ => None,
    }
}

/// Arithmetic of two constants.
fn computed(action: Action, ty: Option<Type>, constants: impl Fn() -> Option<(u64, u64)>) -> Option<Known> {
    let ty = ty.filter(|t| !t.is_float() && t.bits() >= 16)?;
    let of: fn(u64, u64) -> u64 = match action {
        Action::Add => u64::wrapping_add,
        Action::Sub => u64::wrapping_sub,
        Action::Mul => u64::wrapping_mul,
        Action::And => |a, b| a & b,
        Action::Or => |a, b| a | b,
        Action::Xor => |a, b| a ^ b,
        Action::Shl => |a, b| a.checked_shl(b.min(64) as u32).unwrap_or(0),
        _ => return None,
    };
    let (a, b) = constants()?;
    let v = truncate(of(a, b), ty.bits());
    Some(Known::value(if ty.is_signed() { sign_extend(v, ty.bits()) } else { v }))
}

/// Zeros from a bit on, where that bit is within the register that holds the type, as arithmetic makes them known.
fn bounded(bits: u32, ty: Type) -> Option<Known> {
    limited(bits, ty).map(|known| Known { how: How::Half, ..known })
}

/// As [`bounded`], of a limit or a choice.
fn limited(bits: u32, ty: Type) -> Option<Known> {
    (bits < ty.bits().max(32)).then(|| Known::zeros(bits, How::Other))
}

/// Of a conversion, into a register of so many bits.
fn converted(dst: Type, src: Type, sat: bool, width: u32, known: Known) -> Option<Known> {
    if matches!(dst, Type::F16 | Type::Bf16) && width == 16 && !sat {
        // a half of its own has zeros above
        return Some(Known::zeros(16, How::Convert));
    }
    if !dst.is_int() {
        return None;
    }
    let (bits, half) = (dst.bits(), width == 16);
    // a register of 8 bits has no room to extend in
    if width == 8 && known.constant.is_none() && !(dst.is_signed() && matches!(src, Type::F32 | Type::F16)) {
        return Some(match known.how {
            How::Load if src.bits() == 8 => known,
            // read again with 8 bits
            How::Param if dst.is_unsigned() => Known::zeros(8, How::Param),
            _ => Known::NOTHING,
        });
    }
    if !src.is_int() {
        return Some(if bits >= 32 {
            Known::NOTHING
        } else if bits == 16 && half {
            if dst.is_signed() { Known::signs(16, How::Rounded) } else { Known::zeros(16, How::Rounded) }
        } else if dst == Type::S8 && half {
            // The unit extends it to a word; the register gets it with zeros above the half.
            Known { zero_from: 16, ..Known::signs(8, How::Other) }
        } else if dst.is_signed() {
            Known::signs(bits, How::Convert)
        } else {
            Known::zeros(bits, How::Convert)
        });
    }
    if sat {
        return Some(match dst {
            Type::S8 if half => Known::zeros(16, How::Convert),
            Type::S16 if half => Known::zeros(16, How::Convert),
            _ if half && dst.is_unsigned() => extension(dst, How::Limit),
            _ => extension(dst, How::Convert),
        });
    }
    if let Some(v) = known.constant {
        let v = truncate(v, src.bits());
        let v = if src.is_signed() { sign_extend(v, src.bits()) } else { v };
        let v = truncate(v, bits);
        return Some(Known::value(if dst.is_signed() && bits < 64 { sign_extend(v, bits) } else { v }));
    }
    // What the source is extended from: its own type, or narrower where that is known.
    let from = src.bits().min(bits);
    // A cut leaves what was masked as it is.
    let how = if known.how == How::Mask && bits <= src.bits() { How::Mask } else { How::Convert };
    let narrow = if src.is_signed() {
        if known.fits_signed(from) { Known { how, ..known } } else { Known::signs(from, How::Convert) }
    } else if known.fits_unsigned(from) {
        Known { how, ..known }
    } else {
        Known::zeros(from, How::Convert)
    };
    Some(match bits {
        8 if dst.is_signed() => {
            // A byte that is to be extended from fewer bits than a half keeps zeros above it.
            if known.fits_signed(8) {
                narrow
            } else if src != Type::S8 && narrow.fits_signed(8) {
                Known { zero_from: if half { 16 } else { 64 }, ..narrow }
            } else if half {
                // Extended to the half, zeros above.
                Known::zeros(16, How::Convert)
            } else {
                Known::signs(8, How::Convert)
            }
        }
        8 => {
            if narrow.fits_unsigned(8) {
                narrow
            } else {
                Known::zeros(8, How::Convert)
            }
        }
        // A parameter is read again with 16 bits.
        16 if src.bits() >= 16 && known.how == How::Param && !dst.is_signed() => Known::zeros(16, How::Param),
        16 if src == Type::S8 && half && !known.fits_signed(8) => Known::zeros(16, How::Convert),
        // A 16-bit register keeps whatever stood above: only a narrower source makes it known.
        16 if src.bits() >= 16 => {
            if known.fits_unsigned(16) || known.fits_signed(16) {
                Known { how, ..known }
            } else {
                Known::NOTHING
            }
        }
        _ => narrow,
    })
}

/// The bits of a floating-point literal in a format of so many bits.
pub fn float_bits(text: &[u8], bits: u32) -> Option<u64> {
    let v = literal::float(text)?;
    Some(match (v, bits) {
        (literal::Float::Single(b), 32) => u64::from(b),
        (_, 32) => u64::from((v.to_f64() as f32).to_bits()),
        (literal::Float::Double(b), _) => b,
        _ => v.to_f64().to_bits(),
    })
}
