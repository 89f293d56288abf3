//! The syntax tree: flat tables that borrow the source.
//!
//! Statements and operands stand in vectors in source order; a function is a range of statements. Names are
//! interned, opcodes too (a file has a few hundred distinct ones), so that what depends on an opcode is worked
//! out once per spelling and a statement that is no conversion costs no allocation.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::span::Span;
use super::ty::Type;

/// An interned identifier: index into [`Module::names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// An interned opcode with its modifiers: index into [`Module::opcodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpcodeId(pub u32);

/// A virtual register in use: index into [`Module::registers`].
///
/// Ids are given in the order of first appearance, so those of one function are consecutive
/// ([`Function::registers`]) and tables indexed by them stay small however many registers are declared.
/// A shadowing declaration in an inner block is another register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegId(pub u32);

/// One used virtual register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// Where it is first named; its text is the register's name.
    pub name: Span,
    /// The declared type; `None` for a register that no `.reg` declares (snippets, errors).
    pub ty: Option<Type>,
    /// Elements of a `.v2`/`.v4` declaration, else 1.
    pub vector: u8,
}

/// A translation unit, or a bare snippet.
#[derive(Debug)]
pub struct Module<'s> {
    /// The whole text, as read.
    pub source: &'s [u8],
    /// Set when the file is a bare list of statements without `.version`, `.target` or a function.
    pub snippet: bool,
    /// `.version`, as (major, minor), and its place.
    pub version: Option<((u32, u32), Span)>,
    /// The first name of `.target` (`sm_89`).
    pub target: Option<Span>,
    /// The further names of `.target` (`debug`, `texmode_unified`, `map_f64_to_f32`).
    pub target_options: Vec<Span>,
    /// `.address_size` in bits.
    pub address_size: Option<u32>,
    /// Functions with a body, in source order; a snippet is one function.
    pub functions: Vec<Function>,
    /// The statements of the bodies, in source order: all of them, or those that [`Module::retain`] kept.
    pub statements: Vec<Statement>,
    /// All operands, in pre-order: an operand with children is followed by them.
    pub operands: Vec<Operand>,
    /// The distinct opcodes.
    pub opcodes: Vec<Opcode<'s>>,
    /// The distinct identifiers that are no registers.
    pub names: Vec<&'s [u8]>,
    /// Registers in use, grouped by function.
    pub registers: Vec<Register>,
    /// Parameters of functions, grouped by function.
    pub parameters: Vec<Parameter>,
    /// Where the variables of `.const`, in functions and outside, stand in their bank, in bytes.
    pub constants: FxHashMap<&'s [u8], u32>,
    /// The variables of `.shared` outside of functions.
    pub shared: FxHashMap<&'s [u8], Shared>,
    /// Those of the last function; they hide the module's of their name.
    pub own_shared: FxHashMap<&'s [u8], Shared>,
    /// Names that statements use, each once a function, grouped by function.
    pub mentioned: Vec<NameId>,
}

/// A variable in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// Where its name stands where it is declared.
    pub name: Span,
    /// Its size in bytes; 0 where it has none.
    pub size: u32,
    /// What it is aligned to, in bytes.
    pub align: u32,
}

impl Module<'_> {
    /// Forgets the statements of the last function but these, given in ascending order, and the registers that
    /// none of these names. The others move together and have new numbers.
    pub fn retain(&mut self, kept: &[u32], renumbered: &mut Renumbered) {
        let Some(function) = self.functions.last_mut() else { return };
        let first = function.statements.start;
        let mut operands = match self.statements.get(first as usize) {
            Some(statement) => statement.operands,
            None => return,
        };
        renumbered.first = function.registers.start;
        renumbered.numbers.clear();
        renumbered.numbers.resize(function.registers.len(), u32::MAX);
        renumbered.registers.clear();
        for (&from, to) in kept.iter().zip(first..) {
            let mut statement = self.statements[from as usize];
            if let Some(guard) = &mut statement.guard {
                guard.register = renumbered.number(guard.register, &self.registers);
            }
            let from = statement.operands as usize;
            statement.operands = operands;
            for at in from..from + statement.operand_count as usize {
                let mut operand = self.operands[at];
                if let OperandKind::Register(register) = &mut operand.kind {
                    *register = renumbered.number(*register, &self.registers);
                }
                self.operands[operands as usize] = operand;
                operands += 1;
            }
            self.statements[to as usize] = statement;
        }
        function.statements.end = first + kept.len() as u32;
        function.registers.end = function.registers.start + renumbered.registers.len() as u32;
        self.statements.truncate(function.statements.end as usize);
        self.operands.truncate(operands as usize);
        self.registers.truncate(function.registers.start as usize);
        self.registers.append(&mut renumbered.registers);
    }
}

/// The new numbers of the registers that [`Module::retain`] kept.
#[derive(Debug, Default)]
pub struct Renumbered {
    first: u32,
    numbers: Vec<u32>,
    registers: Vec<Register>,
}

impl Renumbered {
    /// The number that the register of a kept statement has now.
    pub fn get(&self, register: RegId) -> Option<RegId> {
        let number = *self.numbers.get(register.0.checked_sub(self.first)? as usize)?;
        (number != u32::MAX).then_some(RegId(number))
    }

    fn number(&mut self, register: RegId, registers: &[Register]) -> RegId {
        let number = &mut self.numbers[(register.0 - self.first) as usize];
        if *number == u32::MAX {
            *number = self.first + self.registers.len() as u32;
            self.registers.push(registers[register.0 as usize]);
        }
        RegId(*number)
    }
}

/// One `.param` of a function's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Span,
    /// Offset in bytes from the first parameter, each one aligned to its type or its `.align`.
    pub offset: u32,
}

/// How a function came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionKind {
    /// `.entry`
    Entry,
    /// `.func`
    Func,
    /// The statements of a snippet.
    Snippet,
}

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Entry, device function or snippet.
    pub kind: FunctionKind,
    /// Its name; empty for a snippet.
    pub name: Span,
    /// Its statements: indices into [`Module::statements`].
    pub statements: Range<u32>,
    /// Its registers: indices into [`Module::registers`].
    pub registers: Range<u32>,
    /// Its parameters: indices into [`Module::parameters`].
    pub parameters: Range<u32>,
    /// The names that its statements use, of labels, variables and functions: indices into [`Module::mentioned`].
    pub mentioned: Range<u32>,
}

/// What a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StatementKind {
    /// An instruction.
    Instruction,
    /// `name:`; the one operand is the name ([`OperandKind::Symbol`]).
    Label,
    /// `{`
    Open,
    /// `}`
    Close,
    /// A directive within a body (`.reg`, `.loc`, `.pragma`, `.branchtargets`, …), kept by its span only;
    /// [`Statement::opcode`] is the directive's name.
    Directive,
}

/// One statement of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// The guard predicate of `@%p` or `@!%p`.
    pub guard: Option<Guard>,
    /// The opcode with all modifiers; meaningless for labels and braces.
    pub opcode: OpcodeId,
    /// Index of its first operand in [`Module::operands`].
    pub operands: u32,
    /// Number of operands *including* nested ones.
    pub operand_count: u32,
    /// From the first byte (the guard's `@`, if any) past the `;`.
    pub span: Span,
    /// Place of the opcode with its modifiers.
    pub opcode_span: Span,
}

/// `@%p` or `@!%p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: RegId,
    /// `@!`
    pub negated: bool,
}

/// One distinct opcode spelling, such as `cvt.rzi.s32.f32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opcode<'s> {
    /// The text of the first statement that has it, blanks and comments taken out (borrowed where there were none).
    pub text: std::borrow::Cow<'s, [u8]>,
}

impl Opcode<'_> {
    /// The dotted parts: the base name first, then each modifier or type without its dot.
    ///
    /// `ld.global.L1::evict_last.b32` has four parts.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split(|&b| b == b'.')
    }
}

/// What an operand is.
///
/// A parent carries the number of its direct children, which follow it in pre-order. Literals are kept by their
/// span and read on demand ([`super::literal`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandKind {
    /// A virtual register.
    Register(RegId),
    /// A special register, such as `%tid.x`, and also `WARP_SZ`.
    Special(NameId),
    /// Any other identifier: a variable, parameter, function or label, or one that nothing declares.
    Symbol(NameId),
    /// An integer literal.
    Integer,
    /// A floating-point literal: `1.5`, `0f3F800000`, `0d3FF0000000000000`.
    Float,
    /// A string literal.
    Text,
    /// `_`
    Sink,
    /// `{a, b}` with this many elements.
    Vector(u16),
    /// `[a]`, `[a+8]`, `[name, {x, y}]`: this many children (base, offset, coordinates).
    Address(u16),
    /// `(a, b)` of a call.
    Group(u16),
    /// `-a`; one child.
    Negated,
    /// `!p`; one child.
    Not,
    /// `a|p`; two children.
    Pair,
    /// `r.x`, `r.b0`, `r.h1`: a selector on one child; the selector is the end of the span.
    Selected,
    /// An expression of constants and names (`1+1`, `r2+8`, `a*4`), with this many leaves.
    Expression(u16),
    /// What could not be understood; an error says so.
    Error,
}

impl OperandKind {
    /// The number of direct children that follow it in pre-order.
    #[inline]
    pub const fn children(self) -> u32 {
        match self {
            OperandKind::Vector(n) | OperandKind::Address(n) | OperandKind::Group(n) | OperandKind::Expression(n) => {
                n as u32
            }
            OperandKind::Negated | OperandKind::Not | OperandKind::Selected => 1,
            OperandKind::Pair => 2,
            _ => 0,
        }
    }
}

/// One operand with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Where it stands.
    pub span: Span,
}
