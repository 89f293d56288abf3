//! A conversion with the facts that the rules read.

use smallvec::SmallVec;

use crate::cvt::Form;
use crate::dataflow::facts::How;
use crate::dataflow::meaning::extension_in_word;
use crate::dataflow::{Flow, Known, Pair, Single, Use};
use crate::ptx::{Module, OperandKind, Statement, Type};
use crate::sass::{Operand, Reg, Selector};

use super::machine::Machine;
use super::registers::Registers;

mod context;
mod extended;
mod look;
mod merged;
mod operands;
mod passed;
mod source;

use operands::{first_register, immediate, number, places};
pub use passed::{Passed, saturates_at_once};
pub use source::{Field, Origin, Permutation, Source};

/// The function of three inputs that a mask and the operation before it are together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joined {
    /// The inputs.
    pub inputs: [Operand; 3],
    /// What `LOP3` makes of them.
    pub table: u8,
}

/// How ptxas carries out a conversion under a guard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guarded {
    /// It is done where the predicate is false.
    pub negated: bool,
    /// It is always computed, and what the register held before, a constant or nothing in particular, is selected
    /// where the guard fails; `None` where the instruction itself is guarded.
    pub old: Option<Operand>,
}

/// What is known around the conversions of a function.
#[derive(Clone, Copy)]
pub struct Surroundings<'a, 's> {
    /// The architecture's abilities.
    pub machine: &'static Machine,
    /// The module.
    pub module: &'a Module<'s>,
    /// Tables of the function.
    pub flow: &'a Flow<'a>,
    /// SASS registers assigned so far.
    pub registers: &'a Registers,
    /// What earlier conversions left to their readers.
    pub passed: &'a Passed,
}

/// A legal conversion and the facts about it.
#[derive(Debug)]
pub struct Case {
    /// What its opcode says.
    pub form: Form,
    /// The architecture's abilities.
    pub machine: &'static Machine,
    /// The first source.
    pub source: Source,
    /// All sources in order, vector elements one by one.
    pub sources: SmallVec<[Operand; 5]>,
    /// Of the sources of a packing conversion those that no register holds yet, as a change of sign makes them: which, what
    /// they are, and whether that is of a parameter.
    pub signed: SmallVec<[(usize, Operand, bool); 2]>,
    /// The second of two floats that are packed, where parameters are loaded into uniform registers.
    pub second: Option<Source>,
    /// The destination.
    pub dst: Reg,
    /// Width of the destination register in bits.
    pub dst_bits: u32,
    /// What the readers want; empty in a snippet where nothing reads it: then all of it is wanted.
    pub uses: SmallVec<[Use; 4]>,
    /// Its guard.
    pub guard: Option<Guarded>,
    /// This extension does the conversion whose result it extends.
    pub takes_over: bool,
    /// An earlier like conversion has the result already: its statement.
    pub twin: Option<u32>,
    /// An earlier conversion has made what this one saturates, or what this one makes and saturates it: its statement, and
    /// what it made.
    pub begun: Option<(u32, Operand)>,
    /// A `cvt.pack` that takes two float conversions in: the floats, and whether they are truncated.
    pub packs_floats: Option<(Operand, Operand, bool)>,
    /// The `cvt.pack` that takes this conversion in.
    pub packed_at: Option<u32>,
    /// The pair of halves that the result goes into.
    pub pair: Option<Pair>,
    /// The source of the other half of that pair.
    pub partner: Option<Operand>,
    /// The upper half of a word of two bf16 is needed in a register of its own; whether the whole word is needed too.
    pub taken_apart: Option<bool>,
    /// The result is a low part of a word put together there: the statement, and the register of what is above it, if that
    /// is not zero.
    pub low_of: Option<(u32, Option<Operand>)>,
    /// Something reads the source after this conversion.
    pub read_later: bool,
    /// An extension to a word was left to this conversion.
    pub widened: bool,
    /// The statement that made the source, where it is one that is seen.
    pub maker: Option<u32>,
    /// The first statement that reads the result.
    pub reader: Option<u32>,
    /// Bit n is set where source n is made by a statement that is seen.
    pub made: u8,
    /// Nothing wants more than the low word of a 64-bit result.
    pub low_only: bool,
    /// Nothing wants more than the high word of a 64-bit result.
    pub high_only: bool,
    /// Whether the result is not read although it could be.
    pub dead: bool,
    /// The mask of the conversion takes the operation before it in.
    pub joined: Option<Joined>,
    /// The logic operation that takes the mask of the conversion in.
    pub taken_at: Option<u32>,
    /// A reader of the half may find another one that was written before it instead, and the block ends here.
    pub joins: bool,
    /// The conversion is done under the predicate of the choice that alone reads it.
    pub predicated: bool,
    /// Of a parameter: all that reads the result puts it together with another register.
    pub beside: bool,
    /// It is the same for all threads, and all that reads it can read a uniform register.
    pub uniform: bool,
    /// A choice puts the half into a register with something else.
    pub merged: bool,
    /// A half of a float that is read as a word with zeros above.
    pub read_as_word: bool,
    /// The source is one word of a pair that one instruction writes, which the half unit does not read.
    pub word_of_pair: bool,
    /// What arithmetic does of the conversion between f16 and f32.
    pub single: Option<Single>,
    /// Of an unsigned byte in a half all readers take some bits away.
    pub only_masked: bool,
}

impl Case {
    /// The case of a statement by itself: nothing is known, everything is wanted.
    pub fn alone(
        form: &Form,
        machine: &'static Machine,
        module: &Module<'_>,
        registers: &Registers,
        statement: &Statement,
    ) -> Case {
        let width = |at: u32| match module.operands.get(at as usize).map(|o| o.kind) {
            Some(OperandKind::Register(r)) => module.registers[r.0 as usize].ty.map_or(32, Type::bits),
            _ => 32,
        };
        let dst_bits = width(statement.operands);
        let form = &in_register(form, dst_bits);
        let dst = first_register(module, statement.operands).map_or(Reg::RZ, |r| registers.get(r));
        let mut sources = SmallVec::new();
        for at in places(module, statement) {
            match module.operands[at as usize].kind {
                OperandKind::Register(r) => sources.push(Operand::reg(registers.get(r))),
                // The destination stands for what a special register is read into.
                OperandKind::Special(name) if module.names[name.0 as usize] != b"WARP_SZ" => {
                    sources.push(Operand::reg(dst));
                }
                _ => sources.push(immediate(form, module, at)),
            }
        }
        let plain = sources.first().copied().unwrap_or(Operand::RZ);
        let constant = match plain {
            Operand::Bits(_) | Operand::Signed(_) => {
                places(module, statement).next().map(|at| number(form, module, at))
            }
            Operand::F32(v, _) => Some(u64::from(v.to_bits())),
            Operand::F64(v) => Some(v.to_bits()),
            Operand::RZ => Some(0),
            _ => None,
        };
        let source = Source {
            operand: plain,
            plain,
            known: Known { constant, ..constant.filter(|_| form.src.is_int()).map_or(Known::NOTHING, Known::value) },
            origin: Origin::Unknown,
            bits: width(statement.operands + 1),
            only_reader: false,
            first_reader: false,
            load: None,
            uniform: false,
            shared_byte: false,
            high: false,
            cut: false,
            taken: false,
            byte: None,
            chosen: false,
            extended_before: None,
            bank: false,
            constant: None,
            permuted: None,
            field: None,
            clamped: false,
            positive: false,
            product: false,
            factors: None,
            flushed: false,
        };
        Case {
            form: *form,
            machine,
            source,
            sources,
            signed: SmallVec::new(),
            dst,
            dst_bits,
            uses: SmallVec::new(),
            guard: None,
            takes_over: false,
            second: None,
            twin: None,
            begun: None,
            packs_floats: None,
            packed_at: None,
            pair: None,
            partner: None,
            low_of: None,
            taken_apart: None,
            read_later: false,
            widened: false,
            maker: None,
            reader: None,
            made: 0,
            low_only: false,
            high_only: false,
            dead: false,
            joined: None,
            taken_at: None,
            joins: false,
            predicated: false,
            beside: false,
            uniform: false,
            merged: false,
            read_as_word: false,
            word_of_pair: false,
            single: None,
            only_masked: false,
        }
    }

    /// The permutation that takes the low bits of the source, if that is one.
    pub fn permuted(&self, bits: u32) -> Option<Permutation> {
        self.source.permuted.and_then(|p| p.low(bits / 8))
    }

    /// Whether a pair is a signed word that a conversion or load extended.
    pub fn extended_word(&self) -> bool {
        let known = self.source.known;
        let made = match known.how {
            How::Convert => self.source.origin == Origin::Converted,
            How::Load => true,
            _ => false,
        };
        made && known.sign_from == 32
    }

    /// Whether a source is made by a statement that is seen.
    pub fn made(&self, n: usize) -> bool {
        n < 8 && self.made >> n & 1 != 0
    }

    /// Whether every reader is of a kind; not so where there is none.
    pub fn only(&self, kind: impl Fn(&Use) -> bool) -> bool {
        !self.uses.is_empty() && self.uses.iter().all(kind)
    }

    /// Whether some reader is of a kind.
    pub fn any(&self, kind: impl Fn(&Use) -> bool) -> bool {
        self.uses.iter().any(kind)
    }

    /// Whether the low part of a parameter, or of a named constant, is read that fills its register (of a word at least, where
    /// that is a pair): it is loaded by itself.
    pub fn reads_part_of_parameter(&self) -> bool {
        let own = self.form.src.bits();
        matches!(self.source.origin, Origin::Param { bits, .. } if bits > own && bits >= self.source.bits.min(32))
    }

    /// Whether a saturation compares its source where the bank or a uniform register has it. What ptxas makes of pairs in
    /// uniform registers throughout is not that, and words are in registers where no instruction reads the bank.
    pub fn compares_in_bank(&self) -> bool {
        let (dst, src) = (self.form.dst, self.form.src);
        let whole = matches!(self.source.origin, Origin::Param { bits, .. } if bits >= src.bits() || src.bits() == 64);
        let throughout = dst.bits() == 64
            || src.bits() == 64
                && dst.is_signed()
                && src.is_signed()
                && (dst.bits() < 32 || !self.machine.constant_operands);
        let at_least = if self.machine.constant_operands { 32 } else { 64 };
        self.form.sat && self.from_int() && self.to_int() && whole && src.bits() >= at_least && !throughout
    }

    /// The place of a 16-bit parameter in the bank as the half ALU reads it, which selects either half of a word.
    pub fn half_parameter(&self) -> Option<Operand> {
        match self.source.origin {
            Origin::Param { offset: Some(offset), bits: 16 } if self.machine.constant_operands => {
                let half = if offset % 4 == 0 { Selector::H0H0 } else { Selector::H1H1 };
                let place = Operand::half_constant(0, self.machine.parameters + (offset & !3));
                Some(place.select(half).with_signs(self.source.operand.signs()))
            }
            _ => None,
        }
    }

    /// The place of a parameter that is an f32 in the bank as the half ALU reads it.
    pub fn single_parameter(&self) -> Option<Operand> {
        match self.source.origin {
            Origin::Param { offset: Some(offset), bits: 32 } if self.machine.constant_operands => {
                let place = Operand::half_constant(0, self.machine.parameters + offset);
                Some(place.select(Selector::F32).with_signs(self.source.operand.signs()))
            }
            _ => None,
        }
    }

    /// The source is of an integer type.
    pub fn from_int(&self) -> bool {
        self.form.src.is_int()
    }

    /// The destination is of an integer type.
    pub fn to_int(&self) -> bool {
        self.form.dst.is_int()
    }
}

/// What a conversion is in a register of so many bits.
fn in_register(form: &Form, bits: u32) -> Form {
    if bits != 32 || form.sat || form.pack {
        return *form;
    }
    extension_in_word(form.dst, form.src).map_or(*form, |(dst, src)| Form { dst, src, ..*form })
}
