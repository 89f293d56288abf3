//! Where rules put their instructions.

use smallvec::SmallVec;

use crate::sass::{Alu, Compare, Guard, Instruction, Op, Operand, Pred, Reg};

use super::case::{Case, Joined, Origin, Permutation};
use super::machine::{Machine, Zero};
use super::registers::Registers;

/// What is still to be done to a narrow integer result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrow {
    /// Nothing: the bits are where they belong.
    Done,
    /// The conversion unit wrote it extended to 32 bits; a 16-bit register wants it cut again.
    Extended,
    /// The bits above are not those of the type.
    Raw,
}

/// The instructions of one conversion under construction.
#[derive(Debug)]
pub struct Emit<'a> {
    /// The instructions so far.
    pub out: SmallVec<[Instruction; 1]>,
    /// Where the value is now: a source at first, then what the rules put it into.
    pub value: Operand,
    /// The destination.
    pub dst: Reg,
    /// What the result rules have to do about a narrow integer.
    pub narrow: Narrow,
    /// `.sat` has been taken care of.
    pub saturated: bool,
    /// Set by a rule that finds the conversion to be done by another statement: why.
    pub folded: Option<&'static str>,
    /// The reader of the result does the conversion, or extends the result itself.
    pub passed: bool,
    /// The statement that does a folded conversion's work, where it is one.
    pub into: Option<u32>,
    /// The instruction there, where it is known here.
    pub carried: Option<Instruction>,
    /// Said where nothing is emitted in the end.
    pub note: Option<&'static str>,
    registers: &'a Registers,
    statement: u32,
    scratch: usize,
}

impl<'a> Emit<'a> {
    /// An empty list for a statement.
    pub fn new(registers: &'a Registers, statement: u32, dst: Reg, value: Operand) -> Self {
        Emit {
            out: SmallVec::new(),
            value,
            dst,
            narrow: Narrow::Done,
            saturated: false,
            folded: None,
            passed: false,
            into: None,
            carried: None,
            note: None,
            registers,
            statement,
            scratch: 0,
        }
    }

    /// Leave the conversion to the reader of its result.
    pub fn pass(&mut self, why: &'static str) {
        self.folded = Some(why);
        self.passed = true;
    }

    /// A register for an intermediate value.
    pub fn scratch(&mut self) -> Reg {
        self.scratch += 1;
        self.registers.scratch(self.statement, self.scratch - 1)
    }

    /// A register that is not assigned yet, for a later statement makes it, gets a number of its own.
    pub fn named(&mut self, register: Operand) -> Operand {
        if register == Operand::RZ { Operand::reg(self.scratch()) } else { register }
    }

    /// Add an instruction that writes the destination; the value is there from now on.
    pub fn result(&mut self, op: impl Into<Op>, sources: &[Operand]) {
        let dst = self.dst;
        self.to(dst, op, sources);
        self.value = Operand::reg(dst);
    }

    /// Add a flushing product that takes the sum with zero behind it in.
    pub fn product(&mut self, a: Operand, b: Operand, sat: bool) {
        let (a, b) = if matches!(a, Operand::F32(..)) { (b, a) } else { (a, b) };
        let (a, b) = (self.named(a), self.named(b));
        let zero = if sat { Operand::RZ } else { Operand::NEG_RZ };
        self.result(Alu::Ffma { ftz: true, sat }, &[a, b, zero]);
    }

    /// Add an instruction that writes a register.
    pub fn to(&mut self, dst: Reg, op: impl Into<Op>, sources: &[Operand]) {
        self.guarded(None, dst, op, sources);
    }

    /// Add an instruction under a predicate.
    pub fn guarded(&mut self, guard: Option<(Pred, bool)>, dst: Reg, op: impl Into<Op>, sources: &[Operand]) {
        let mut operands = SmallVec::new();
        operands.push(Operand::reg(dst));
        operands.extend_from_slice(sources);
        self.out.push(Instruction {
            guard: guard.map(|(pred, negated)| Guard { pred, negated }),
            op: op.into(),
            operands,
        });
    }

    /// Add an integer comparison: `ISETP.c.AND p, PT, a, b, PT`.
    pub fn isetp(&mut self, p: Pred, compare: Compare, unsigned: bool, a: Operand, b: Operand) {
        self.compare(Alu::Isetp { compare, unsigned }, p, Pred::PT, a, b);
    }

    /// Add a comparison of two operands that sets two predicates.
    pub fn compare(&mut self, op: Alu, p: Pred, q: Pred, a: Operand, b: Operand) {
        let operands = SmallVec::from_slice(&[Operand::Pred(p, false), Operand::Pred(q, false), a, b, Operand::PT]);
        self.out.push(Instruction { guard: None, op: op.into(), operands });
    }

    /// Add a two-operand logic operation: `LOP3.LUT d, a, b, RZ, table, !PT`.
    pub fn lop(&mut self, dst: Reg, a: Operand, b: Operand, table: u32) {
        self.to(dst, Alu::Lop3, &[a, b, Operand::RZ, Operand::Bits(table), Operand::NOT_PT]);
    }

    /// Keep the low bits that a mask names.
    pub fn mask(&mut self, mask: u32) {
        let (dst, value) = (self.dst, self.value);
        self.lop(dst, value, Operand::Bits(mask), 0xc0);
        self.value = Operand::reg(dst);
    }

    /// Keep the low bits of a conversion's source that a mask names: of a permutation's bytes fewer are taken, and the logic
    /// operation that reads the result may do it.
    pub fn mask_source(&mut self, c: &Case, mask: u32) {
        if self.out.is_empty()
            && let Some(Permutation { words: [a, b], selector }) = c.permuted(mask.trailing_ones())
        {
            self.result(Alu::Prmt, &[a, Operand::Bits(selector.into()), b]);
            return;
        }
        if let Some(at) = c.taken_at {
            if self.out.is_empty() {
                self.into = Some(at);
                self.folded = Some("the logic operation that reads it takes the mask in");
            }
            return;
        }
        match c.joined {
            Some(Joined { inputs, table }) if self.out.is_empty() => {
                let [a, b, third] = inputs.map(|input| self.named(input));
                self.result(Alu::Lop3, &[a, b, third, Operand::Bits(u32::from(table)), Operand::NOT_PT]);
            }
            // of two masks what both keep
            _ => match c.source.origin {
                Origin::Masked { of, mask: before }
                    if self.out.is_empty() && self.value == c.source.plain && before as u32 & mask != 0 =>
                {
                    self.value = of;
                    self.mask(before as u32 & mask);
                }
                _ => self.mask(mask),
            },
        }
    }

    /// Put the low half of the value into the result's register, below what that holds.
    pub fn merge(&mut self) {
        let (value, dst) = (self.value, Operand::reg(self.dst));
        self.result(Alu::Prmt, &[value, Operand::Bits(0x7610), dst]);
    }

    /// Permute the bytes of the value with zeros.
    pub fn permute(&mut self, selector: u32) {
        let value = self.value;
        self.result(Alu::Prmt, &[value, Operand::Bits(selector), Operand::RZ]);
    }

    /// Clear a register, as the architecture does it.
    pub fn clear(&mut self, machine: &Machine, dst: Reg) {
        let zeros = [Operand::NEG_RZ, Operand::RZ, Operand::Bare(0), Operand::Bare(0)];
        match machine.zero {
            Zero::Mov => self.to(dst, Alu::Mov, &[Operand::RZ]),
            Zero::HalfMma => self.to(dst, Alu::Hfma2 { mma: true }, &zeros),
            Zero::Half => self.to(dst, Alu::Hfma2 { mma: false }, &zeros),
        }
    }

    /// Shift a source left by 16 into a register, as the architecture does it.
    pub fn shift_half(&mut self, machine: &Machine, dst: Reg, source: Operand) {
        if machine.shift_on_multiplier {
            self.to(dst, Alu::ImadU32, &[source, Operand::Bits(0x10000), Operand::RZ]);
        } else {
            self.to(dst, Alu::ShiftLeft, &[source, Operand::Bits(0x10), Operand::RZ]);
        }
    }
}
