//! Logic operations that ptxas puts together: an instruction (`LOP3`) does any function of three inputs.
//!
//! Going over the operations in their order, ptxas takes what makes an input in where nothing else reads it and there are
//! three inputs at most then, the last operand's maker first. Of the inputs one may be a constant. The mask of a
//! zero-extension is such an operation too, so that one of two things may become of it: it takes the operation before
//! in, or the one that reads its result takes the mask in.

use smallvec::{SmallVec, smallvec};

use super::facts::How;
use super::flow::{Flow, Value};
use super::meaning::Action;
use crate::ptx::{RegId, Statement, Type};

/// How far makers are looked through; each step may ask for two.
const DEPTH: u32 = 3;

/// Copies, cuts and negations in a row that are looked through.
const COPIES: u32 = 8;

/// The bits of a three-input function that an input has, by its place.
const PLACES: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// An input of a logic instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// A register.
    Register {
        /// Its name in PTX.
        register: RegId,
        /// Which of its values it is, where that is known.
        value: Option<Value>,
    },
    /// A constant.
    Constant(u64),
    /// A place in the constant bank: a kernel parameter, where instructions read those.
    Parameter(Value),
}

impl Input {
    fn is_constant(self) -> bool {
        !matches!(self, Input::Register { .. })
    }
}

/// A function of at most three inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logic {
    /// The inputs; the first one's bits in `table` are 0xf0, the next ones' 0xcc and 0xaa.
    pub inputs: SmallVec<[Input; 3]>,
    /// The result for each combination of the inputs.
    pub table: u8,
}

impl Logic {
    fn of(input: Input) -> Self {
        Logic { inputs: smallvec![input], table: PLACES[0] }
    }

    /// The place of each input, were these joined by others.
    fn places(&self, among: &[Input]) -> Option<SmallVec<[usize; 3]>> {
        self.inputs.iter().map(|input| among.iter().position(|other| other == input)).collect()
    }

    /// The function of other inputs that does the same.
    fn among(&self, inputs: &[Input]) -> Option<u8> {
        let places = self.places(inputs)?;
        let value = |combination: usize| {
            let own = places.iter().zip(PLACES).fold(0_u8, |own, (&place, bits)| {
                let set = PLACES[place] >> combination & 1 != 0;
                // of the combinations those remain where this input is as it is
                own | if set { !bits } else { bits }
            });
            // what no input excludes; inputs that are not there exclude nothing
            self.table & !own != 0
        };
        Some((0..8).fold(0, |table, combination| table | u8::from(value(combination)) << combination))
    }

    /// Both under an operation, if one instruction does it.
    fn joined(&self, other: &Self, operation: impl Fn(u8, u8) -> u8) -> Option<Self> {
        let mut inputs = self.inputs.clone();
        inputs.extend(other.inputs.iter().copied().filter(|input| !self.inputs.contains(input)));
        let constants = inputs.iter().filter(|input| input.is_constant()).count();
        if inputs.len() > PLACES.len() || constants > 1 {
            return None;
        }
        let table = operation(self.among(&inputs)?, other.among(&inputs)?);
        Some(Logic { inputs, table })
    }
}

/// What an operation makes of the combinations of its inputs.
type Operation = fn(u8, u8) -> u8;

/// What an operand is, copies and negations looked through.
#[derive(Debug, Clone, Copy)]
struct Source {
    operand: u32,
    negated: bool,
    /// Nothing else reads it on the way.
    alone: bool,
}

/// How masks and logic operations are put together on an architecture.
#[derive(Debug, Clone, Copy)]
pub struct Merging<'a> {
    /// The function.
    pub flow: &'a Flow<'a>,
    /// Instructions read kernel parameters as constants.
    pub constant_operands: bool,
}

impl Merging<'_> {
    /// The function of a conversion that keeps the low bits that a mask names, where more goes into it than the mask and
    /// the source, at the operand `source` of the statement `at`.
    pub fn mask(&self, source: u32, mask: u64, at: u32) -> Option<Logic> {
        if self.keeps_one(source, mask) {
            return None;
        }
        let logic = self.masked(source, mask, at, DEPTH);
        (logic.inputs.len() == PLACES.len()).then_some(logic)
    }

    /// Whether of two values that are put together a mask keeps one alone, as the other is shifted left past it.
    fn keeps_one(&self, source: u32, mask: u64) -> bool {
        let flow = self.flow;
        let Some(s) = flow.value(source).map(|v| flow.maker(v).0) else { return false };
        let above = |at: u32| {
            let shift = flow.value(at).map(|v| flow.maker(v).0).filter(|s| s.guard.is_none());
            shift.filter(|s| flow.meaning(s).action == Action::Shl).is_some_and(|s| {
                let by = flow.arguments(s).nth(2).and_then(|at| flow.constant(at));
                by.is_some_and(|by| by < 64 && mask >> by == 0)
            })
        };
        s.guard.is_none()
            && matches!(flow.meaning(s).action, Action::Or | Action::Xor)
            && flow.arguments(s).skip(1).any(above)
    }

    /// The statement that takes the mask in which makes a value, where one does.
    pub fn taker(&self, v: Value) -> Option<u32> {
        let flow = self.flow;
        let module = flow.module();
        let (_, made, _) = flow.maker(v);
        let mut value = v;
        for _ in 0..COPIES {
            let mut uses = flow.uses(value);
            let (Some(site), None) = (uses.next(), uses.next()) else { return None };
            if site.operand == u32::MAX || flow.escapes(value) {
                return None;
            }
            let s = &module.statements[site.statement as usize];
            if s.guard.is_some() {
                return None;
            }
            if let Some((a, b, operation)) = operands(flow, s) {
                // two masks are put together before
                let masks = flow.meaning(s).action == Action::And;
                if masks && (flow.constant(a).is_some() || flow.constant(b).is_some()) {
                    return None;
                }
                let (_, taken) = self.gather(a, b, operation, site.statement, DEPTH);
                let takes = taken.iter().any(|&source| flow.value(source).is_some_and(|v| flow.maker(v).1 == made));
                return takes.then_some(site.statement);
            }
            copied(flow, s)?;
            value = flow.value(s.operands)?;
        }
        None
    }

    /// A function of two operands, and those whose makers it takes in.
    fn gather(&self, a: u32, b: u32, operation: Operation, at: u32, depth: u32) -> (Option<Logic>, SmallVec<[u32; 2]>) {
        let first = self.leaf(a);
        let mut second = self.leaf(b);
        let mut all = first.joined(&second, operation);
        let mut taken = SmallVec::new();
        if depth > 0 {
            // the last operand first
            if let Some((logic, source)) = self.maker(b, at, depth - 1)
                && let Some(joined) = first.joined(&logic, operation)
            {
                (all, second) = (Some(joined), logic);
                taken.push(source);
            }
            if let Some((logic, source)) = self.maker(a, at, depth - 1)
                && let Some(joined) = logic.joined(&second, operation)
            {
                all = Some(joined);
                taken.push(source);
            }
        }
        (all, taken)
    }

    /// The function of a mask.
    fn masked(&self, source: u32, mask: u64, at: u32, depth: u32) -> Logic {
        let constant = Logic::of(Input::Constant(mask));
        let and = |a: u8, b: u8| a & b;
        // a negation is not put together with a mask
        let fit = depth > 0 && !self.source(source).negated;
        let maker = if fit { self.maker(source, at, depth - 1) } else { None };
        // the mask stands second
        let joined = maker.and_then(|(logic, _)| {
            let joined = logic.joined(&constant, and)?;
            let mut inputs = joined.inputs.clone();
            inputs.sort_by_key(|input| usize::from(input.is_constant()));
            inputs[1..].rotate_right(1);
            let table = joined.among(&inputs)?;
            Some(Logic { inputs, table })
        });
        let leaf = self.leaf(source);
        joined.or_else(|| leaf.joined(&constant, and)).unwrap_or(leaf)
    }

    /// The function that makes an operand, if it may be taken in at a statement, and the operand that it is there.
    fn maker(&self, operand: u32, at: u32, depth: u32) -> Option<(Logic, u32)> {
        let flow = self.flow;
        let source = self.source(operand);
        let v = flow.value(source.operand)?;
        let (s, made, _) = flow.maker(v);
        if !source.alone || flow.uses(v).nth(1).is_some() || flow.escapes(v) || s.guard.is_some() {
            return None;
        }
        // what is computed before a loop is not computed again within it
        if flow.loops_around(at, made) {
            return None;
        }
        let mut logic = match operands(flow, s) {
            Some((a, b, operation)) => self.gather(a, b, operation, made, depth).0?,
            None if flow.meaning(s).action == Action::Lop3 => self.function(s)?,
            None => match self.byte(s) {
                Some(logic) => logic,
                None => {
                    let (from, mask) = self.extension(s)?;
                    self.masked(from, mask, made, depth)
                }
            },
        };
        if source.negated {
            logic.table = !logic.table;
        }
        Some((logic, source.operand))
    }

    /// `lop3`
    fn function(&self, s: &Statement) -> Option<Logic> {
        let arguments: SmallVec<[u32; 5]> = self.flow.arguments(s).skip(1).collect();
        let [a, b, c, table] = *arguments.as_slice() else { return None };
        let table = self.flow.constant(table)? as u8;
        let parts = [a, b, c].map(|operand| self.leaf(operand));
        let apart = |_: u8, _: u8| 0;
        let inputs = parts[0].joined(&parts[1], apart)?.joined(&parts[2], apart)?.inputs;
        let bits: SmallVec<[u8; 3]> = parts.iter().filter_map(|part| part.among(&inputs)).collect();
        let [a, b, c] = *bits.as_slice() else { return None };
        let chosen = |combination: u8| {
            let of = |bits: u8, place: u8| if combination & place != 0 { bits } else { !bits };
            of(a, 4) & of(b, 2) & of(c, 1)
        };
        let table = (0..8).filter(|n| table >> n & 1 != 0).fold(0, |all, n| all | chosen(n));
        Some(Logic { inputs, table })
    }

    /// The source and the mask of a conversion between integers that needs one.
    fn extension(&self, s: &Statement) -> Option<(u32, u64)> {
        let flow = self.flow;
        let m = flow.meaning(s);
        let (to, from) = (m.ty?, m.source?);
        let wide = to.bits() > from.bits();
        let bits = if wide { from.bits() } else { to.bits() };
        let word = flow.register(s.operands).and_then(|r| flow.module().registers[r.0 as usize].ty);
        let cut = to == Type::U8 || to == Type::U16 && word.is_some_and(|t| t.bits() >= 32);
        let masks = m.action == Action::Cvt
            && !m.sat
            && !m.pack
            && to.is_int()
            && from.is_int()
            && if wide { from.is_unsigned() && bits < 32 } else { cut };
        let source = flow.arguments(s).nth(1).filter(|_| masks)?;
        (flow.register(source).is_some() && !flow.known(source).fits_unsigned(bits))
            .then_some((source, (1 << bits) - 1))
    }

    /// The mask behind a float that was made a byte.
    fn byte(&self, s: &Statement) -> Option<Logic> {
        let m = self.flow.meaning(s);
        let byte = m.action == Action::Cvt && m.ty == Some(Type::U8) && m.source.is_some_and(Type::is_float);
        let register = self.flow.register(s.operands).filter(|_| byte)?;
        let whole = Logic::of(Input::Register { register, value: None });
        whole.joined(&Logic::of(Input::Constant(0xff)), |a, b| a & b)
    }

    /// An operand as an input.
    fn leaf(&self, operand: u32) -> Logic {
        let flow = self.flow;
        if let Some(bits) = flow.constant(operand) {
            return Logic::of(Input::Constant(bits));
        }
        let source = self.source(operand);
        let Some(register) = flow.register(source.operand) else {
            // what it is does not matter: it is an input of its own
            return Logic::of(Input::Constant(u64::MAX - u64::from(operand)));
        };
        let value = flow.value(source.operand);
        // less than a word is loaded into a register
        let whole = |s: &Statement| flow.meaning(s).ty.is_none_or(|ty| ty.bits() >= 32);
        let parameter = value.filter(|&v| {
            let s = flow.maker(v).0;
            self.constant_operands && whole(s) && flow.loads_parameter(s)
        });
        let mut logic = Logic::of(match parameter {
            Some(v) => Input::Parameter(v),
            None => Input::Register { register, value },
        });
        if source.negated {
            logic.table = !logic.table;
        }
        logic
    }

    /// What an operand is behind copies, cuts and negations.
    fn source(&self, operand: u32) -> Source {
        let flow = self.flow;
        let mut source = Source { operand, negated: false, alone: true };
        for _ in 0..COPIES {
            let Some(v) = flow.value(source.operand) else { break };
            let (s, _, element) = flow.maker(v);
            if s.guard.is_some() || element != 0 {
                break;
            }
            let Some((next, negated)) = copied(flow, s) else { break };
            source.alone &= flow.uses(v).nth(1).is_none() && !flow.escapes(v);
            source.negated ^= negated;
            source.operand = next;
        }
        source
    }
}

/// The operands of a logic operation of two, and what it does.
fn operands(flow: &Flow<'_>, s: &Statement) -> Option<(u32, u32, Operation)> {
    let m = flow.meaning(s);
    let operation: Operation = match m.action {
        Action::And => |a, b| a & b,
        Action::Or => |a, b| a | b,
        Action::Xor => |a, b| a ^ b,
        _ => return None,
    };
    let mut arguments = flow.arguments(s).skip(1);
    let (a, b) = (arguments.next()?, arguments.next()?);
    let negates = m.action == Action::Xor && flow.constant(b).is_some_and(|bits| is_all(bits, m.ty));
    // what has no bit in common is added, by an instruction that shifts too
    let added = m.action != Action::And && (is_above(flow, a, b) || is_above(flow, b, a));
    (m.ty.is_some_and(|t| t.bits() >= 16) && !negates && !added).then_some((a, b, operation))
}

/// Whether an operand is shifted left past all bits of another, which no mask takes away.
fn is_above(flow: &Flow<'_>, shifted: u32, other: u32) -> bool {
    let Some(s) = flow.value(shifted).map(|v| flow.maker(v).0).filter(|s| s.guard.is_none()) else { return false };
    let by = flow.arguments(s).nth(2).and_then(|at| flow.constant(at));
    let by = match flow.meaning(s).action {
        Action::Shl => by,
        Action::Mul => by.filter(|by| by.is_power_of_two()).map(|by| by.trailing_zeros().into()),
        _ => None,
    };
    let known = flow.known(other);
    let masked = matches!(known.how, How::Mask | How::Convert | How::Rounded);
    !masked && by.is_some_and(|by| (1..32).contains(&by) && known.fits_unsigned(by as u32))
}

fn is_all(bits: u64, ty: Option<Type>) -> bool {
    ty.is_some_and(|t| crate::bits::truncate(!bits, t.bits()) == 0)
}

/// What a copy, a cut or a negation reads, and whether it negates.
fn copied(flow: &Flow<'_>, s: &Statement) -> Option<(u32, bool)> {
    let m = flow.meaning(s);
    let mut arguments = flow.arguments(s).skip(1);
    let next = arguments.next().filter(|&at| flow.register(at).is_some())?;
    match m.action {
        Action::Mov => Some((next, false)),
        Action::Not if m.ty.is_some_and(|t| t.bits() >= 16) => Some((next, true)),
        Action::Xor => {
            arguments.next().and_then(|at| flow.constant(at)).filter(|&bits| is_all(bits, m.ty)).map(|_| (next, true))
        }
        Action::Cvt if !m.sat && !m.pack => {
            let (to, from) = m.ty.zip(m.source)?;
            let cut = to.is_int() && from.is_int() && to.bits() >= 16 && to.bits() <= from.bits();
            // a known zero-extension changes nothing
            let same = from.is_unsigned()
                && to.is_int()
                && to.bits() > from.bits()
                && flow.known(next).fits_unsigned(from.bits());
            (cut || same).then_some((next, false))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(n: u32) -> Input {
        Input::Register { register: RegId(n), value: None }
    }

    #[test]
    fn functions_are_joined() {
        let [a, b, c] = [0, 1, 2].map(|n| Logic::of(register(n)));
        let and = |a: u8, b: u8| a & b;
        let ab = a.joined(&b, |a, b| a ^ b).expect("two inputs");
        assert_eq!(ab.table, 0x3c);
        let abc = ab.joined(&c, and).expect("three inputs");
        assert_eq!((abc.inputs.len(), abc.table), (3, 0x28));
        assert_eq!(abc.joined(&a, and).map(|l| l.table), Some(0x20));
        assert_eq!(abc.joined(&Logic::of(register(3)), and), None);
        let constant = |n| Logic::of(Input::Constant(n));
        let masked = a.joined(&constant(255), and).expect("one constant");
        assert_eq!(masked.joined(&constant(1), and), None);
        assert_eq!(
            masked.joined(&b.joined(&constant(255), and).expect("one"), |a, b| a | b).map(|l| l.table),
            Some(0xc8)
        );
    }
}
