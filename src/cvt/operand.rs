//! Operands as legality sees them: what kind of thing stands there, apart from how it was written.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ptx::parser::parse;
use crate::ptx::{Module, NameId, Operand, OperandKind, Statement, StatementKind, Type};

/// The operands of one statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Operands {
    /// What stands behind the guard's `@`.
    pub guard: Guard,
    /// The guard's name, where it is of use in a message.
    pub guard_name: Option<Box<str>>,
    /// The operands, result first.
    pub list: SmallVec<[OperandShape; 5]>,
}

/// What stands behind `@`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guard {
    /// No guard, or a predicate.
    #[default]
    Fine,
    /// A register of another type.
    NoPredicate,
    /// A name that nothing declares.
    Undeclared,
}

/// One operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperandShape {
    /// What it is.
    pub value: Value,
    /// `-a`
    pub negated: bool,
    /// `!a`
    pub inverted: bool,
    /// `a|p`
    pub paired: bool,
    /// `a.b0`
    pub selector: Option<Selector>,
    /// The selector's name, where it is of use in a message.
    pub selector_name: Option<Box<str>>,
    /// The operand's name, where it is of use in a message.
    pub name: Option<Box<str>>,
}

/// What an operand is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A register. `None` takes whatever type is needed: nothing declares it, in a snippet.
    Register(Option<Type>),
    /// A special register.
    Special(Special),
    /// An integer constant, or an expression of such.
    Integer,
    /// A float constant.
    Float {
        /// `0f3F800000`, which has 32 bits whatever the instruction.
        bits32: bool,
    },
    /// An expression with a register of this type in it, such as `r2+1`.
    RegisterSum(Option<Type>),
    /// A variable of this type; `None` where that is not known.
    Variable(Option<Type>),
    /// A variable and an offset.
    VariableSum,
    /// The name of a function, or a label.
    Code,
    /// A name that nothing declares.
    Undeclared,
    /// `[a]` of a variable of this type.
    Address(Option<Type>),
    /// `[r]` of a register of this type.
    RegisterAddress(Option<Type>),
    /// `{a, b}`
    Vector(SmallVec<[Box<OperandShape>; 4]>),
    /// A register declared `.v2` or `.v4`.
    VectorRegister(Option<Type>, u8),
    /// `_`
    Sink,
    /// Anything else; the parser has said so.
    Other,
}

/// A special register by width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// 32 bits, as `%laneid`.
    Word,
    /// 16 or 32 bits, as needed: `%tid.x` and its like, which had 16 bits once.
    Index,
    /// 64 bits, as `%clock64`.
    Double,
    /// 16, 32 or 64 bits, as needed: `%gridid`.
    Either,
    /// All of `%tid`.
    Vector,
}

/// The selector of `a.b0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selector {
    /// `.b0` to `.b3`, `.h0`, `.h1`: those of video instructions.
    Video,
    /// Any other, on a 32-bit register.
    Unknown,
    /// Any other, on another operand.
    Field,
}

impl OperandShape {
    /// An operand of which nothing more is to be said.
    pub fn of(value: Value) -> OperandShape {
        OperandShape {
            value,
            negated: false,
            inverted: false,
            paired: false,
            selector: None,
            selector_name: None,
            name: None,
        }
    }

    /// A register of this type.
    pub fn register(ty: Type) -> OperandShape {
        OperandShape::of(Value::Register(Some(ty)))
    }
}

impl Special {
    /// The special register of this name, `%` included.
    pub fn named(name: &str) -> Special {
        let vectors =
            ["%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"];
        match name {
            "%clock64" | "%globaltimer" | "%current_graph_exec" => Special::Double,
            "%gridid" => Special::Either,
            _ if name.starts_with("%pm") && name.ends_with("_64") => Special::Double,
            _ if vectors.contains(&name) => Special::Vector,
            _ if ["%tid.", "%ntid.", "%ctaid.", "%nctaid."].iter().any(|p| name.starts_with(p)) => Special::Index,
            _ => Special::Word,
        }
    }
}

/// What the identifiers of a module that are no registers name. The syntax tree keeps no table of variables, and
/// conversions name one hardly ever, so the whole text is read again for it when the first one comes.
#[derive(Debug, Default)]
pub struct Names<'s> {
    /// Where a variable is first named; `None` for a name of code.
    variables: OnceCell<FxHashMap<&'s [u8], Option<usize>>>,
}

impl<'s> Names<'s> {
    fn value(&self, module: &Module<'s>, id: NameId) -> Value {
        let Some(&name) = module.names.get(id.0 as usize) else { return Value::Undeclared };
        match self.variables.get_or_init(|| Names::read(&parse(module.source).0)).get(name) {
            Some(None) => Value::Code,
            Some(Some(at)) => Value::Variable(declared_type(&module.source[..*at])),
            None if module.snippet => Value::Variable(None),
            None => Value::Undeclared,
        }
    }

    /// The words outside of instructions; the first place of a word says what it is.
    fn read(module: &Module<'s>) -> FxHashMap<&'s [u8], Option<usize>> {
        let mut names: FxHashMap<&[u8], Option<usize>> = FxHashMap::default();
        names.extend(module.functions.iter().map(|f| (f.name.of(module.source), None)));
        let mut add = |from: u32, to: u32, label: bool| {
            let mut at = from as usize;
            let text = module.source.get(at..to as usize).unwrap_or_default();
            let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%');
            for word in text.split(|b| !word(b)) {
                if !word.is_empty() {
                    names.entry(word).or_insert((!label).then_some(at));
                }
                at += word.len() + 1;
            }
        };
        let mut at = 0;
        for s in &module.statements {
            add(at, s.span.start, false);
            if s.kind != StatementKind::Instruction {
                add(s.span.start, s.span.end, s.kind == StatementKind::Label);
            }
            at = s.span.end;
        }
        add(at, module.source.len() as u32, false);
        names
    }
}

/// The operands of `statement` as legality sees them.
pub fn shapes(module: &Module<'_>, statement: &Statement) -> Operands {
    shapes_among(module, statement, &Names::default())
}

/// As [`shapes`], for many statements of a module.
pub fn shapes_among<'s>(module: &Module<'s>, statement: &Statement, names: &Names<'s>) -> Operands {
    let first = statement.operands as usize;
    let all = module.operands.get(first..first + statement.operand_count as usize).unwrap_or_default();
    let mut rest = all;
    let mut list = SmallVec::new();
    while !rest.is_empty() {
        let shape;
        (shape, rest) = shape_of(module, rest, names);
        list.push(shape);
    }
    let guard = match statement.guard.and_then(|g| module.registers.get(g.register.0 as usize)) {
        None => Guard::Fine,
        Some(r) if r.ty.is_none() && module.snippet => Guard::Fine,
        Some(r) if r.ty.is_none() => Guard::Undeclared,
        Some(r) if r.ty != Some(Type::Pred) => Guard::NoPredicate,
        Some(_) => Guard::Fine,
    };
    let guard_name = match (guard, statement.guard.and_then(|g| module.registers.get(g.register.0 as usize))) {
        (Guard::Undeclared, Some(r)) => Some(String::from_utf8_lossy(r.name.of(module.source)).into()),
        _ => None,
    };
    Operands { guard, guard_name, list }
}

/// The shape of the first operand of `operands` and what follows it.
fn shape_of<'a, 's>(module: &Module<'s>, operands: &'a [Operand], names: &Names<'s>) -> (OperandShape, &'a [Operand]) {
    let Some((head, mut rest)) = operands.split_first() else {
        return (OperandShape::of(Value::Other), &[]);
    };
    let mut child = |count: u16| {
        let mut children: SmallVec<[Box<OperandShape>; 4]> = SmallVec::new();
        for _ in 0..count {
            let shape;
            (shape, rest) = shape_of(module, rest, names);
            children.push(Box::new(shape));
        }
        children
    };
    let mut single = |count: u16| child(count).into_iter().next().map_or(OperandShape::of(Value::Other), |b| *b);
    let text = || std::str::from_utf8(head.span.of(module.source)).unwrap_or_default();
    let shape = match head.kind {
        OperandKind::Register(id) => OperandShape::of(match module.registers.get(id.0 as usize) {
            Some(r) if r.ty.is_none() && !module.snippet => Value::Undeclared,
            Some(r) if r.vector > 1 => Value::VectorRegister(r.ty, r.vector),
            Some(r) => Value::Register(r.ty),
            None => Value::Other,
        }),
        OperandKind::Special(_) if text() == "WARP_SZ" => OperandShape::of(Value::Integer),
        OperandKind::Special(_) => OperandShape::of(Value::Special(Special::named(text()))),
        OperandKind::Symbol(id) => OperandShape::of(names.value(module, id)),
        OperandKind::Integer => OperandShape::of(Value::Integer),
        OperandKind::Float => {
            OperandShape::of(Value::Float { bits32: text().starts_with("0f") || text().starts_with("0F") })
        }
        OperandKind::Sink => OperandShape::of(Value::Sink),
        OperandKind::Text | OperandKind::Error => OperandShape::of(Value::Other),
        OperandKind::Vector(n) => OperandShape::of(Value::Vector(child(n))),
        OperandKind::Address(n) => OperandShape::of(match child(n).first().map(|base| &base.value) {
            Some(Value::Register(ty)) => Value::RegisterAddress(*ty),
            Some(Value::Variable(ty)) => Value::Address(*ty),
            _ => Value::Address(None),
        }),
        OperandKind::Group(n) => {
            child(n);
            OperandShape::of(Value::Other)
        }
        OperandKind::Expression(n) => OperandShape::of(sum(&child(n))),
        OperandKind::Negated => {
            let inner = single(1);
            let constant = matches!(inner.value, Value::Integer | Value::Float { .. });
            OperandShape { negated: !constant, ..inner }
        }
        OperandKind::Not => OperandShape { inverted: true, ..single(1) },
        OperandKind::Pair => OperandShape { paired: true, ..single(2) },
        OperandKind::Selected => {
            let inner = single(1);
            let name = text().rsplit('.').next().unwrap_or_default().trim();
            if let Value::VectorRegister(ty, count) = inner.value
                && field(name).is_some_and(|n| n < count)
            {
                return (OperandShape { value: Value::Register(ty), ..inner }, rest);
            }
            let selector = selector(name, &inner.value);
            let selector_name = (selector != Selector::Video).then(|| name.into());
            OperandShape { selector: Some(selector), selector_name, ..inner }
        }
    };
    let shape = match shape.value {
        Value::Undeclared if shape.name.is_none() => OperandShape { name: Some(text().into()), ..shape },
        _ => shape,
    };
    (shape, rest)
}

/// Which element of a vector register a field names: `.x .y .z .w`, `.r .g .b .a`.
pub fn field(name: &str) -> Option<u8> {
    Some(match name {
        "x" | "r" => 0,
        "y" | "g" => 1,
        "z" | "b" => 2,
        "w" | "a" => 3,
        _ => return None,
    })
}

/// What a selector of this name is on `value`.
pub fn selector(name: &str, value: &Value) -> Selector {
    let word =
        matches!(value, Value::Register(None | Some(Type::B32 | Type::U32 | Type::S32 | Type::F32 | Type::F16x2)));
    match name {
        "b0" | "b1" | "b2" | "b3" | "h0" | "h1" => Selector::Video,
        _ if word => Selector::Unknown,
        _ => Selector::Field,
    }
}

/// What a sum of these leaves is.
fn sum(leaves: &[Box<OperandShape>]) -> Value {
    let mut value = Value::Integer;
    for leaf in leaves {
        match &leaf.value {
            Value::Register(ty) => return Value::RegisterSum(*ty),
            Value::Undeclared => return Value::Undeclared,
            Value::Variable(_) | Value::Code => value = Value::VariableSum,
            Value::Float { bits32 } if value == Value::Integer => value = Value::Float { bits32: *bits32 },
            _ => {}
        }
    }
    value
}

/// The type in a declaration whose text up to the name is `before`, as in `.global .align 4 .u32`.
fn declared_type(before: &[u8]) -> Option<Type> {
    let text = before.trim_ascii_end();
    // no type is longer
    let text = &text[text.len().saturating_sub(16)..];
    let dot = text.iter().rposition(|&b| b == b'.')?;
    Type::from_name(&text[dot + 1..])
}
