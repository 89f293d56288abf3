//! Backward: what the reads of a register want of it.

use smallvec::SmallVec;

use crate::ptx::{OperandKind, Statement, Type};

use super::facts::{self, How};
use super::flow::{Flow, UseSite, Value, after};
use super::meaning::{Action, Memory};

/// As many readers are asked what they read: a value that a whole file reads is asked for by each of them.
pub const READERS: usize = 256;

/// How many values are followed for one of which the high word is wanted.
const FOLLOWED: usize = 64;

/// How one place uses a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A store of so many bits.
    Store {
        /// Width of the stored element in bits.
        bits: u32,
        /// Which element of a vector it is; 0 for one that is stored by itself.
        element: u16,
    },
    /// A conversion to a wider integer, from the type named.
    Extend {
        /// The source type of that conversion.
        from: Type,
        /// Its destination type.
        to: Type,
    },
    /// A conversion to a narrower or equally wide integer.
    Narrow {
        /// Its destination type.
        to: Type,
    },
    /// A saturating integer conversion.
    Saturate {
        /// The source type of that conversion.
        from: Type,
        /// Its destination type.
        to: Type,
    },
    /// A conversion from integer to float.
    ToFloat {
        /// The source type of that conversion.
        from: Type,
        /// Its destination type.
        to: Type,
    },
    /// A conversion from float to integer.
    FloatToInt {
        /// The statement.
        statement: u32,
        /// It rounds towards zero.
        truncates: bool,
    },
    /// A conversion from float to float.
    FloatToFloat {
        /// Its destination type.
        to: Type,
        /// Its source type.
        from: Type,
        /// `.sat`
        sat: bool,
    },
    /// An element of `mov.bN d, {a, b}`.
    Pack {
        /// The statement.
        statement: u32,
        /// Which element: 0 is the low one.
        element: u16,
        /// How many elements.
        of: u16,
    },
    /// A source of `cvt.pack`.
    PackIntegers {
        /// The statement.
        statement: u32,
    },
    /// `mov.bN {a, b}, s`
    Unpack,
    /// A plain copy.
    Copy,
    /// Shifted left, by a constant if it is one.
    ShiftLeft(Option<u64>),
    /// Shifted left in a word and added to something, which one instruction does: it reads all of the register.
    ShiftLeftAdded,
    /// Masked by a constant.
    Mask(u64),
    /// Masked by a constant that does not take an earlier mask in: in 32 bits and then shifted left, the mask comes behind
    /// the shift; compared with zero and needed for something else too, it is done twice.
    MaskApart,
    /// A logic operation.
    Logic,
    /// So many of its low bits are inserted into a word.
    Insert(u32),
    /// Added to something, in so many bits.
    Add(u32),
    /// Added in a way that both words of it are needed: to a product, to another sum, in a loop.
    AddWide,
    /// A factor, in so many bits.
    Multiply(u32),
    /// A factor of a widening multiplication.
    MultiplyWide,
    /// Shifted, compared for the greater or multiplied in 16 bits (with a sum too), which is done in a word.
    Half {
        /// With its sign.
        signed: bool,
    },
    /// Compared.
    Compare(Type),
    /// An address of a memory access.
    Address,
    /// Floating-point arithmetic of that type, and whether it flushes.
    Float(Type, bool),
    /// A factor of a product of tf32 matrices.
    Tf32,
    /// Taken away, negated or made positive in 16 bits.
    Subtract,
    /// Integer arithmetic or anything else.
    Other,
}

/// What a place wants of the high word of a pair that it reads.
enum High {
    Wanted,
    Unwanted,
    /// What is wanted of a result's.
    OfResult(Value),
}

/// The high word of a bitwise operation's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HighResult {
    /// It is known whatever the high word is that is read.
    Known,
    /// It is that which is read.
    Same,
}

impl Flow<'_> {
    /// How a place uses the register it reads.
    pub fn classify(&self, site: UseSite) -> Use {
        let module = self.module();
        let s = &module.statements[site.statement as usize];
        let m = self.meaning(s);
        // a call may have very many operands, which are all alike
        if site.operand == u32::MAX || m.action == Action::Call {
            return Use::Other;
        }
        let end = s.operands + s.operand_count;
        let (mut top, mut position) = (s.operands, 0u32);
        // The direct operand that the place belongs to.
        loop {
            let next = after(module, top, end);
            if site.operand < next || next >= end {
                break;
            }
            top = next;
            position += 1;
        }
        let ty = m.ty.unwrap_or(Type::B32);
        match m.action {
            Action::Store if position == 0 => Use::Address,
            Action::Store => Use::Store {
                bits: ty.bits(),
                element: match module.operands[top as usize].kind {
                    OperandKind::Vector(_) => (site.operand - top - 1) as u16,
                    _ => 0,
                },
            },
            Action::Load(_) => Use::Address,
            Action::Cvt if m.pack => Use::PackIntegers { statement: site.statement },
            Action::Cvt => {
                let (Some(to), Some(from)) = (m.ty, m.source) else { return Use::Other };
                match (to.is_int(), from.is_int()) {
                    (true, true) if m.sat => Use::Saturate { from, to },
                    (true, true) if to.bits() > from.bits() => Use::Extend { from, to },
                    (true, true) => Use::Narrow { to },
                    (false, true) => Use::ToFloat { from, to },
                    (true, false) => Use::FloatToInt { statement: site.statement, truncates: m.truncates },
                    (false, false) => Use::FloatToFloat { to, from, sat: m.sat },
                }
            }
            Action::Mov => match module.operands[top as usize].kind {
                OperandKind::Vector(of) => {
                    Use::Pack { statement: site.statement, element: (site.operand - top - 1) as u16, of }
                }
                _ if matches!(module.operands[s.operands as usize].kind, OperandKind::Vector(_)) => Use::Unpack,
                _ => Use::Copy,
            },
            Action::Shr if position == 1 && ty.bits() == 16 && !ty.is_float() => Use::Half { signed: ty.is_signed() },
            Action::MadWide if position < 3 && matches!(ty, Type::S16 | Type::U16) => {
                Use::Half { signed: ty.is_signed() }
            }
            Action::Min | Action::Max if matches!(ty, Type::S16 | Type::U16) => {
                if self.abilities().limits_halves {
                    Use::Other
                } else {
                    Use::Half { signed: ty.is_signed() }
                }
            }
            Action::MulWide | Action::MulHi | Action::Mul | Action::Mad | Action::Div | Action::Rem
                if matches!(ty, Type::S16 | Type::U16) =>
            {
                Use::Half { signed: ty.is_signed() }
            }
            Action::Shl if position == 1 => {
                let by = self.constant(after(module, top, end));
                if by.is_some_and(|by| ty.bits() == 32 && self.is_added(s, by)) {
                    Use::ShiftLeftAdded
                } else {
                    Use::ShiftLeft(by)
                }
            }
            Action::And => {
                let other = if position == 1 { after(module, top, end) } else { after(module, s.operands, end) };
                match self.constant(other) {
                    Some(mask) if ty.bits() == 32 && (self.only_shifted(s, mask) || self.is_tested(s)) => {
                        Use::MaskApart
                    }
                    Some(mask) => Use::Mask(crate::bits::truncate(mask, ty.bits())),
                    None => Use::Logic,
                }
            }
            Action::Bfi if position == 1 => {
                let length = self.arguments(s).nth(4).and_then(|at| self.constant(at));
                length.and_then(|bits| u32::try_from(bits).ok()).map_or(Use::Other, Use::Insert)
            }
            Action::Or | Action::Xor | Action::Not | Action::Lop3 | Action::Prmt => Use::Logic,
            Action::Effect if m.multiplies_tf32 && matches!(position, 1 | 2) => Use::Tf32,
            Action::Setp => Use::Compare(ty),
            Action::Set => Use::Compare(m.source.unwrap_or(ty)),
            Action::Add
            | Action::Sub
            | Action::Mul
            | Action::Fma
            | Action::Min
            | Action::Max
            | Action::Neg
            | Action::Abs
                if ty.is_float() || matches!(ty, Type::F16x2 | Type::Bf16x2) =>
            {
                Use::Float(ty, m.ftz)
            }
            Action::Add if ty.bits() == 64 && !self.takes_sign(s, site, position, end) => Use::AddWide,
            // so does a difference of what is taken away from
            Action::Sub if ty.bits() == 64 && position == 1 => {
                if self.takes_sign(s, site, position, end) {
                    Use::Add(64)
                } else {
                    Use::AddWide
                }
            }
            Action::Sub if ty.bits() == 16 && position == 1 => Use::Add(16),
            Action::Sub | Action::Neg | Action::Abs if ty.bits() == 16 => Use::Subtract,
            Action::Add => Use::Add(ty.bits()),
            Action::Mul => Use::Multiply(ty.bits()),
            Action::MulWide => Use::MultiplyWide,
            Action::MadWide if position < 3 => Use::MultiplyWide,
            Action::Mad if position < 3 => Use::Multiply(ty.bits()),
            Action::Mad if ty.bits() == 64 => Use::AddWide,
            // a product by a constant is one instruction with the sum, one of two registers is not
            Action::MadWide if ty.bits() == 32 => {
                let constant = self.arguments(s).skip(1).take(2).any(|o| self.constant(o).is_some());
                if constant { Use::AddWide } else { Use::Add(64) }
            }
            Action::Mad | Action::MadWide => Use::Add(ty.bits()),
            _ => Use::Other,
        }
    }

    /// Whether what a shift by so many bits makes is added to something: in a sum or a difference, or put above what has
    /// none of its bits.
    fn is_added(&self, shift: &Statement, by: u64) -> bool {
        let added = |site: UseSite| {
            let reader = &self.module().statements[site.statement as usize];
            let m = self.meaning(reader);
            let word = m.ty.is_some_and(|ty| ty.bits() == 32 && !ty.is_float());
            match m.action {
                Action::Add | Action::Sub => word,
                Action::Or | Action::Xor => {
                    let mut others = self.arguments(reader).skip(1).filter(|&at| at != site.operand);
                    let below = |at: u32| {
                        if let Some(bits) = self.constant(at) {
                            return bits >> by == 0;
                        }
                        // what was converted and is put next to it is permuted
                        let known = self.known(at);
                        let next = matches!(known.how, How::Convert | How::Rounded) && u64::from(known.zero_from) == by;
                        !next && known.fits_unsigned(by as u32)
                    };
                    word && by < 32 && others.next().is_some_and(below)
                }
                _ => false,
            }
        };
        self.value(shift.operands).is_some_and(|v| self.uses(v).take(READERS).any(added))
    }

    /// Whether one shift left by a constant, or a product that is one, is all that reads a masked word, and keeps all of it.
    fn only_shifted(&self, s: &Statement, mask: u64) -> bool {
        self.value(s.operands).is_some_and(|v| {
            let mut uses = self.uses(v);
            let (Some(site), None) = (uses.next(), uses.next()) else { return false };
            let reader = &self.module().statements[site.statement as usize];
            let by = self.arguments(reader).nth(2).and_then(|o| self.constant(o));
            !self.escapes(v)
                && by.is_some_and(|by| match self.meaning(reader).action {
                    Action::Shl => by < 32 && crate::bits::truncate(mask, 32) << by >> 32 == 0,
                    Action::Mul => by.is_power_of_two(),
                    _ => false,
                })
        })
    }

    /// Whether a result is compared with zero and has other readers.
    fn is_tested(&self, s: &Statement) -> bool {
        self.value(s.operands).is_some_and(|v| {
            self.uses(v).nth(1).is_some()
                && self
                    .uses(v)
                    .take(READERS)
                    .any(|site| self.is_tested_for_zero(&self.module().statements[site.statement as usize]))
        })
    }

    /// Whether a statement compares for equality with zero.
    pub(super) fn is_tested_for_zero(&self, s: &Statement) -> bool {
        self.meaning(s).tests_equality && self.arguments(s).skip(1).any(|at| self.constant(at) == Some(0))
    }

    /// The round mode of two float-to-integer conversions that a `cvt.pack` takes together with its packing:
    /// whether it truncates.
    pub fn packs_floats(&self, statement: u32) -> Option<bool> {
        let module = self.module();
        let s = &module.statements[statement as usize];
        if !self.meaning(s).pack_bytes {
            return None;
        }
        let mut arguments = self.arguments(s).skip(1);
        let mut mode = || {
            let (w, _, _) = self.maker(self.value(arguments.next()?)?);
            let signed = self
                .arguments(w)
                .nth(1)
                .and_then(|o| self.value(o))
                .is_some_and(|v| matches!(self.meaning(self.maker(v).0).action, Action::Neg | Action::Abs));
            self.meaning(w).word_rounding.filter(|_| w.guard.is_none() && !signed)
        };
        let (a, b) = (mode()?, mode()?);
        (a == b).then_some(a)
    }

    /// Whether nothing wants more than the low word of a 64-bit value: stores, cuts, addresses of shared memory, and
    /// what computes nothing of the high word but a high word that nothing wants.
    pub fn low_only(&self, v: Value) -> bool {
        let mut values = SmallVec::<[Value; 8]>::from_slice(&[v]);
        let mut next = 0;
        while let Some(&v) = values.get(next) {
            next += 1;
            let mut uses = self.uses(v).peekable();
            if uses.peek().is_none() || self.escapes(v) || values.len() > FOLLOWED {
                return false;
            }
            for site in uses {
                match self.wants_high(site) {
                    High::Unwanted => {}
                    High::OfResult(result) if values.contains(&result) => {}
                    High::OfResult(result) => values.push(result),
                    High::Wanted => return false,
                }
            }
        }
        true
    }

    /// Whether a place that reads a 64-bit value wants its high word.
    fn wants_high(&self, site: UseSite) -> High {
        let module = self.module();
        let s = &module.statements[site.statement as usize];
        let unwanted = |unwanted: bool| if unwanted { High::Unwanted } else { High::Wanted };
        let result = || self.value(s.operands).map_or(High::Wanted, High::OfResult);
        match self.classify(site) {
            Use::Store { bits, .. } => unwanted(bits <= 32),
            Use::Narrow { to } => unwanted(to.bits() <= 32),
            Use::Extend { from, .. } | Use::Saturate { from, .. } => unwanted(from.bits() <= 32),
            Use::Address => unwanted(self.meaning(s).shared || self.meaning(s).memory == Memory::Local),
            Use::Mask(_) | Use::Logic if self.high_result(site) == Some(HighResult::Known) => High::Unwanted,
            // the low word becomes the high one
            Use::ShiftLeft(Some(by)) if by >= 32 => High::Unwanted,
            // taken apart, and of the parts only the low one read
            Use::Unpack => {
                let read = |at: u32| self.value(at).is_some_and(|v| self.uses(v).next().is_some() || self.escapes(v));
                let two = module.operands[s.operands as usize].kind == OperandKind::Vector(2);
                unwanted(two && !read(s.operands + 2))
            }
            Use::Mask(_)
            | Use::Add(64)
            | Use::AddWide
            | Use::Multiply(64)
            | Use::ShiftLeft(_)
            | Use::Logic
            | Use::Copy => result(),
            _ => match self.meaning(s).action {
                Action::Sub | Action::Neg | Action::Selp | Action::Cvta => result(),
                _ => High::Wanted,
            },
        }
    }

    /// Whether of the result of what computes with a pair nothing wants the high word.
    pub(super) fn goes_on_low(&self, site: UseSite) -> bool {
        let m = self.meaning(&self.module().statements[site.statement as usize]);
        m.ty.is_some_and(|ty| ty.bits() == 64)
            && matches!(self.wants_high(site), High::OfResult(result) if self.low_only(result))
    }

    /// What a bitwise operation of two operands makes of the high word of a pair that it reads, where the other operand's
    /// is known.
    pub(super) fn high_result(&self, site: UseSite) -> Option<HighResult> {
        let s = &self.module().statements[site.statement as usize];
        let m = self.meaning(s);
        let other = self.arguments(s).skip(1).find(|&at| at != site.operand)?;
        if m.ty?.bits() != 64 || self.arguments(s).nth(3).is_some() {
            return None;
        }
        let zero = match self.constant(other).map(|bits| bits >> 32) {
            Some(0) => true,
            Some(0xffff_ffff) => false,
            None if self.known(other).zero_from <= 32 => true,
            _ => return None,
        };
        match (m.action, zero) {
            (Action::And, true) | (Action::Or, false) => Some(HighResult::Known),
            (Action::And, false) | (Action::Or | Action::Xor, true) => Some(HighResult::Same),
            _ => None,
        }
    }

    /// Whether all that reads a 64-bit value wants its high word: shifts right, and what takes it apart and reads that one.
    pub fn high_only(&self, v: Value) -> bool {
        let module = self.module();
        let read = |at: u32| self.value(at).is_some_and(|v| self.uses(v).next().is_some() || self.escapes(v));
        let mut uses = self.uses(v).peekable();
        uses.peek().is_some()
            && !self.escapes(v)
            && uses.all(|site| {
                let s = &module.statements[site.statement as usize];
                match self.meaning(s).action {
                    Action::Shr => self.arguments(s).nth(2).and_then(|at| self.constant(at)).is_some_and(|by| by >= 32),
                    Action::Mov => {
                        module.operands[s.operands as usize].kind == OperandKind::Vector(2) && !read(s.operands + 1)
                    }
                    _ => false,
                }
            })
    }

    /// Whether all that reads a value of so many bits takes away some of them by a mask or a shift, or inserts them (where
    /// they are of a `word`) somewhere.
    pub fn only_masked(&self, v: Value, bits: u32, word: bool) -> bool {
        let own = (1 << bits) - 1;
        let mut uses = self.uses(v).peekable();
        uses.peek().is_some()
            && !self.escapes(v)
            && uses.all(|site| match self.classify(site) {
                Use::Mask(mask) => mask & own != own,
                // a product by a power of two is a shift
                Use::Half { signed: false } => {
                    let s = &self.module().statements[site.statement as usize];
                    let factor = || self.arguments(s).skip(1).find_map(|at| self.constant(at));
                    s.guard.is_none()
                        && self.meaning(s).action == Action::MulWide
                        && factor()
                            .is_some_and(|by| by.is_power_of_two() && !self.is_added(s, by.trailing_zeros().into()))
                }
                // what extends it again is nothing
                Use::Extend { from, .. } if from.is_unsigned() && from.bits() >= bits => {
                    let s = &self.module().statements[site.statement as usize];
                    s.guard.is_none()
                        && self.value(s.operands).is_some_and(|result| {
                            !self.escapes(result)
                                && self.uses(result).next().is_some()
                                && self.uses(result).all(|site| match self.classify(site) {
                                    Use::Mask(mask) => mask & own != own,
                                    Use::ShiftLeft(_) => true,
                                    Use::Insert(inserted) => word && inserted <= bits,
                                    _ => false,
                                })
                        })
                }
                _ => false,
            })
    }

    /// Where a word of two bf16 is taken apart and its upper half made an f32, which is read from a register of its own:
    /// whether anything reads the whole word besides. Arithmetic of pairs reads the two halves.
    pub fn taken_apart(&self, word: Value) -> Option<bool> {
        let (mut upper, mut whole) = (false, self.escapes(word));
        for site in self.uses(word).take(READERS) {
            match self.classify(site) {
                Use::Unpack => {
                    let vector = self.module().statements[site.statement as usize].operands;
                    let pair = self.module().operands[vector as usize].kind == OperandKind::Vector(2);
                    let widened = |u: Use| matches!(u, Use::FloatToFloat { from: Type::Bf16, .. });
                    upper |= pair
                        && self.value(vector + 2).is_some_and(|half| self.uses_of(half).take(READERS).any(widened));
                }
                Use::Float(..) => {}
                _ => whole = true,
            }
        }
        upper.then_some(whole)
    }

    /// The one place that reads what a statement makes, with its statement.
    pub(super) fn only_reader(&self, s: &Statement) -> Option<(UseSite, &Statement)> {
        let mut uses = self.uses(self.value(s.operands)?);
        let site = uses.next().filter(|site| site.operand != u32::MAX)?;
        uses.next().is_none().then(|| (site, &self.module().statements[site.statement as usize]))
    }

    /// A constant that is written into the instruction: zero is read from RZ.
    pub(super) fn is_immediate(&self, at: u32) -> bool {
        let module = self.module();
        let float = || facts::float_bits(module.operands[at as usize].span.of(module.source), 64);
        let float = || if module.operands[at as usize].kind == OperandKind::Float { float() } else { None };
        self.constant(at).or_else(float).is_some_and(|bits| bits != 0)
    }

    /// How every live place uses a value, in source order; an escaping value has an unknown use besides.
    pub fn uses_of(&self, v: Value) -> impl Iterator<Item = Use> + use<'_> {
        let unknown = self.escapes(v).then_some(Use::Other);
        self.uses(v).map(move |site| self.classify(site)).chain(unknown)
    }
}
