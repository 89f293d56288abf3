//! Backward: what the reads of a register want of it.

use smallvec::SmallVec;

use crate::ptx::{OperandKind, Statement, Type};

use super::flow::{Flow, UseSite, Value, after};
use super::meaning::Action;

/// How many copies are followed.
const COPIES: u32 = 4;

/// How many constants are followed that an address has added.
const OFFSETS: u32 = 4;

/// How one place uses a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A store of so many bits.
    Store {
        /// Width of the stored element in bits.
        bits: u32,
        /// How many elements are stored.
        elements: u16,
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
    /// Masked by a constant.
    Mask(u64),
    /// Masked by a constant in 32 bits and then shifted left: the mask comes behind the shift.
    MaskAndShift,
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
    /// Integer arithmetic or anything else.
    Other,
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
                elements: match module.operands[top as usize].kind {
                    OperandKind::Vector(count) => count,
                    _ => 1,
                },
            },
            Action::Load(_) => Use::Address,
            Action::Cvt if m.pack => Use::PackIntegers { statement: site.statement },
            Action::Cvt => {
                let (Some(to), Some(from)) = (m.ty, m.source) else { return Use::Other };
                match (to.is_int(), from.is_int()) {
                    (true, true) if m.sat => Use::Saturate { to },
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
            Action::Min | Action::Max | Action::MulWide | Action::Mul | Action::Mad | Action::Div | Action::Rem
                if matches!(ty, Type::S16 | Type::U16) =>
            {
                Use::Half { signed: ty.is_signed() }
            }
            Action::Shl if position == 1 => Use::ShiftLeft(self.constant(after(module, top, end))),
            Action::And => {
                let other = if position == 1 { after(module, top, end) } else { after(module, s.operands, end) };
                match self.constant(other) {
                    Some(_) if ty.bits() == 32 && self.only_shifted(s) => Use::MaskAndShift,
                    Some(mask) => Use::Mask(crate::bits::truncate(mask, ty.bits())),
                    None => Use::Logic,
                }
            }
            Action::Bfi if position == 1 => {
                let length = self.arguments(s).nth(4).and_then(|at| self.constant(at));
                length.and_then(|bits| u32::try_from(bits).ok()).map_or(Use::Other, Use::Insert)
            }
            Action::Or | Action::Xor | Action::Not | Action::Lop3 | Action::Prmt => Use::Logic,
            Action::Setp | Action::Set => Use::Compare(ty),
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

    /// Whether one shift left by a constant, or a product that is one, is all that reads a result.
    fn only_shifted(&self, s: &Statement) -> bool {
        self.value(s.operands).is_some_and(|v| {
            let mut uses = self.uses(v);
            let (Some(site), None) = (uses.next(), uses.next()) else { return false };
            let reader = &self.module().statements[site.statement as usize];
            let by = self.arguments(reader).nth(2).and_then(|o| self.constant(o));
            !self.escapes(v)
                && by.is_some_and(|by| match self.meaning(reader).action {
                    Action::Shl => true,
                    Action::Mul => by.is_power_of_two(),
                    _ => false,
                })
        })
    }

    /// A 64-bit sum that takes the sign of its sign-extended addend itself (LEA.HI.X.SX32): a sum of two, in no loop
    /// that the addend is made outside of. Products and sums of three take a pair; an offset of an address is no addend.
    fn takes_sign(&self, s: &Statement, site: UseSite, position: u32, end: u32) -> bool {
        let module = self.module();
        let second = after(module, s.operands, end);
        let other = if position == 1 { after(module, second, end) } else { second };
        let result = self.value(s.operands);
        let is_address = result.is_some_and(|v| self.only_address(v, OFFSETS));
        let here = self.value(site.operand).map(|v| self.maker(v).1);
        let made_here = self.addend(other, is_address).is_some_and(|v| {
            let (w, made, _) = self.maker(v);
            let single = self.uses(v).nth(1).is_none() && !self.escapes(v);
            match self.meaning(w).action {
                Action::MulWide | Action::MadWide | Action::Mul | Action::Shl => single,
                Action::Add | Action::Sub => single && !self.is_fused(w, false),
                // what is taken away has no sign of its own to give
                Action::Cvt if self.meaning(s).action == Action::Sub => false,
                // of two that are extended with their sign the first one's is taken, unless it is needed as a pair too
                Action::Cvt if self.meaning(w).source == Some(Type::S32) => {
                    single && here.is_none_or(|here| made < here)
                }
                Action::Cvt => true,
                _ => false,
            }
        });
        if !is_address
            && self.constant(other).is_some()
            && let Some(v) = result
            && let Some(next) = self.uses(v).next()
        {
            // an offset too, if the sum that it is added to is an address
            let n = &module.statements[next.statement as usize];
            let end = n.operands + n.operand_count;
            let first = after(module, n.operands, end);
            let addends = [first, after(module, first, end)];
            let single = self.uses(v).nth(1).is_none() && !self.escapes(v);
            let sum = single && self.meaning(n).action == Action::Add && next.operand != u32::MAX;
            if !sum {
                return true;
            }
            if addends.iter().any(|&at| self.constant(at).is_some()) {
                return false;
            }
            if self.value(n.operands).is_some_and(|v| self.only_address(v, OFFSETS)) {
                return self.takes_sign(n, next, if next.operand == first { 1 } else { 2 }, end);
            }
            return addends.iter().any(|&at| self.is_fixed(at));
        }
        let summed_again = self.summed_again(s, site.statement, self.is_fixed(other));
        let looped = self.value(site.operand).is_some_and(|v| {
            let (_, made, _) = self.maker(v);
            self.loops_around(site.statement, made)
        });
        !made_here && !summed_again && !looped
    }

    /// A constant or a parameter, of which an instruction reads one at most.
    fn is_fixed(&self, at: u32) -> bool {
        let mut at = at;
        for _ in 0..OFFSETS {
            let Some(v) = self.value(at) else { break };
            let (w, _, _) = self.maker(v);
            match self.meaning(w).action {
                Action::Load(_) => return self.loads_parameter(w),
                Action::Mov | Action::Cvta => match self.arguments(w).nth(1) {
                    Some(next) => at = next,
                    None => break,
                },
                _ => break,
            }
        }
        self.constant(at).is_some()
    }

    /// Whether nothing but one other sum reads a 64-bit sum: the two are one of three.
    fn summed_again(&self, s: &Statement, statement: u32, fixed: bool) -> bool {
        let module = self.module();
        self.value(s.operands).is_some_and(|v| {
            let mut uses = self.uses(v);
            let (Some(next), None) = (uses.next(), uses.next()) else { return false };
            let n = &module.statements[next.statement as usize];
            let offset = || self.arguments(n).skip(1).any(|o| self.constant(o).is_some());
            let sum = match self.meaning(n).action {
                Action::Add | Action::Sub => true,
                // a product and a sum in one statement are two, of which the sum is put together with others
                Action::MadWide => self.arguments(n).nth(3) == Some(next.operand),
                _ => false,
            };
            sum && next.operand != u32::MAX
                // a sum before a loop is not put together with one in it
                && !self.loops_around(next.statement, statement)
                && !(fixed && self.arguments(n).skip(1).any(|o| self.is_fixed(o)))
                && !self.is_fused(n, true)
                && !(offset() && self.value(n.operands).is_some_and(|v| self.only_address(v, OFFSETS)))
        })
    }

    /// What is added; of an address without its constant offset.
    fn addend(&self, at: u32, is_address: bool) -> Option<Value> {
        let mut v = self.value(at)?;
        for _ in 0..OFFSETS {
            let (w, _, _) = self.maker(v);
            let mut arguments = self.arguments(w).skip(1);
            let (Some(a), Some(b)) = (arguments.next(), arguments.next()) else { break };
            if !is_address || w.guard.is_some() || self.meaning(w).action != Action::Add || self.constant(b).is_none() {
                break;
            }
            v = self.value(a)?;
        }
        Some(v)
    }

    /// A sum that is one instruction with the product or shift in it (IMAD.WIDE, LEA); a 64-bit product is several, the last
    /// of which takes an addend too.
    fn is_fused(&self, s: &Statement, with_product: bool) -> bool {
        self.meaning(s).action == Action::Add
            && self.arguments(s).skip(1).any(|at| {
                self.value(at).is_some_and(|v| {
                    let (w, _, _) = self.maker(v);
                    let by_constant = || self.arguments(w).nth(2).is_some_and(|by| self.constant(by).is_some());
                    let fuses = match self.meaning(w).action {
                        Action::MulWide => true,
                        Action::Mul => with_product,
                        Action::Shl => by_constant(),
                        _ => false,
                    };
                    fuses && self.uses(v).nth(1).is_none() && !self.escapes(v)
                })
            })
    }

    /// Whether a 64-bit value is an address and nothing else, constant offsets added.
    fn only_address(&self, v: Value, depth: u32) -> bool {
        let module = self.module();
        let mut uses = self.uses(v).peekable();
        uses.peek().is_some()
            && !self.escapes(v)
            && uses.all(|site| {
                let s = &module.statements[site.statement as usize];
                let m = self.meaning(s);
                match m.action {
                    Action::Load(_) => true,
                    Action::Store => site.operand < after(module, s.operands, s.operands + s.operand_count),
                    Action::Add => {
                        depth > 0
                            && self.arguments(s).nth(2).is_some_and(|o| self.constant(o).is_some())
                            && self.value(s.operands).is_some_and(|v| self.only_address(v, depth - 1))
                    }
                    _ => false,
                }
            })
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
    /// sums and products that go nowhere else.
    pub fn low_only(&self, v: Value, depth: u32) -> bool {
        let module = self.module();
        let mut uses = self.uses(v).peekable();
        if uses.peek().is_none() || self.escapes(v) {
            return false;
        }
        uses.all(|site| match self.classify(site) {
            Use::Store { bits, .. } => bits <= 32,
            Use::Narrow { to } => to.bits() <= 32,
            Use::Address => self.meaning(&module.statements[site.statement as usize]).shared,
            Use::Mask(mask) => mask >> 32 == 0,
            // taken apart, and of the parts only the low one read
            Use::Unpack => {
                let vector = module.statements[site.statement as usize].operands;
                let read = |at: u32| self.value(at).is_some_and(|v| self.uses(v).next().is_some() || self.escapes(v));
                module.operands[vector as usize].kind == OperandKind::Vector(2) && !read(vector + 2)
            }
            Use::Add(64) | Use::AddWide | Use::Multiply(64) | Use::ShiftLeft(Some(_)) | Use::Copy => {
                let result = self.value(module.statements[site.statement as usize].operands);
                depth > 0 && result.is_some_and(|r| self.low_only(r, depth - 1))
            }
            _ => false,
        })
    }

    /// Whether all that reads a value of so many bits takes away some of them by a mask or a shift.
    pub fn only_masked(&self, v: Value, bits: u32) -> bool {
        let own = (1 << bits) - 1;
        let mut uses = self.uses(v).peekable();
        uses.peek().is_some()
            && !self.escapes(v)
            && uses.all(|site| match self.classify(site) {
                Use::Mask(mask) => mask & own != own,
                // what extends it again is nothing
                Use::Extend { from, .. } if from.is_unsigned() && from.bits() == bits => {
                    let s = &self.module().statements[site.statement as usize];
                    s.guard.is_none()
                        && self.value(s.operands).is_some_and(|result| {
                            !self.escapes(result)
                                && self.uses(result).next().is_some()
                                && self.uses(result).all(|site| match self.classify(site) {
                                    Use::Mask(mask) => mask & own != own,
                                    Use::ShiftLeft(_) => true,
                                    _ => false,
                                })
                        })
                }
                _ => false,
            })
    }

    /// The element that a word was packed of, as operand.
    pub fn packed_element(&self, word: u32, element: u16, count: u16) -> Option<u32> {
        let (w, _, _) = self.maker(self.value(word)?);
        let vector = self.arguments(w).nth(1)?;
        let same = self.meaning(w).action == Action::Mov
            && w.guard.is_none()
            && self.module().operands[vector as usize].kind == OperandKind::Vector(count);
        let at = vector + 1 + u32::from(element);
        (same && self.value(at).is_some()).then_some(at)
    }

    /// The operand whose copy an operand is; what was packed and unpacked again is a copy too.
    pub fn copied(&self, mut at: u32) -> u32 {
        for _ in 0..COPIES {
            let Some(v) = self.value(at) else { break };
            let (w, _, element) = self.maker(v);
            if w.guard.is_some() || self.meaning(w).action != Action::Mov {
                break;
            }
            let Some(source) = self.arguments(w).nth(1).filter(|&o| self.register(o).is_some()) else { break };
            at = match self.module().operands[w.operands as usize].kind {
                OperandKind::Register(_) => source,
                OperandKind::Vector(count) => match self.packed_element(source, element, count) {
                    Some(part) => part,
                    None => break,
                },
                _ => break,
            };
        }
        at
    }

    /// What the places that read a value, or a copy of it, use it for.
    pub fn wants(&self, v: Value) -> SmallVec<[Use; 4]> {
        let mut found = SmallVec::new();
        self.add_wants(v, COPIES, &mut found);
        found
    }

    fn add_wants(&self, v: Value, depth: u32, found: &mut SmallVec<[Use; 4]>) {
        let statements = &self.module().statements;
        for site in self.uses(v) {
            let usage = self.classify(site);
            let s = &statements[site.statement as usize];
            let copy = match usage {
                _ if s.guard.is_some() || depth == 0 => None,
                Use::Copy => self.value(s.operands),
                // what is put into a word that is only taken apart again
                Use::Pack { element, of, .. } => self.value(s.operands).and_then(|word| {
                    let mut readers = self.uses(word);
                    let (Some(reader), None) = (readers.next(), readers.next()) else { return None };
                    let unpack = &statements[reader.statement as usize];
                    let apart = !self.escapes(word)
                        && unpack.guard.is_none()
                        && self.classify(reader) == Use::Unpack
                        && self.module().operands[unpack.operands as usize].kind == OperandKind::Vector(of);
                    if apart { self.value(unpack.operands + 1 + u32::from(element)) } else { None }
                }),
                _ => None,
            };
            match copy.filter(|&copy| !self.escapes(copy)) {
                Some(copy) => self.add_wants(copy, depth - 1, found),
                None => found.push(usage),
            }
        }
        if self.escapes(v) {
            found.push(Use::Other);
        }
    }

    /// How every live place uses a value, in source order; an escaping value has an unknown use besides.
    pub fn uses_of(&self, v: Value) -> impl Iterator<Item = Use> + use<'_> {
        let unknown = self.escapes(v).then_some(Use::Other);
        self.uses(v).map(move |site| self.classify(site)).chain(unknown)
    }
}
