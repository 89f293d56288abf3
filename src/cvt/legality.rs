//! Is a conversion legal? ptxas's checks, in its order, each a small function.
//!
//! ptxas looks at a statement in six rounds: the guard, the parts of the opcode from left to right, the operands as
//! written, the pattern of types and operands, the rules of conversions, and what is left of the operands. A statement
//! that matches no pattern goes no further; otherwise every violated rule is told. What a target or version has is
//! asked of [`crate::target`]; it is that of the module, never the architecture generated for.

mod availability;
mod matching;
mod modifiers;
mod operands;
mod parts;

use super::decode::{Decoded, Part};
use super::foreign::Stage;
use super::form::{Form, Rounding};
use super::operand::Operands;
use super::signature::{self, Class, Signature, class};
use super::violation::{About, Fault, Misfit, Modifier, Place, Violation};
use crate::ptx::Type;
use crate::target::{Feature, Target, Version};

pub use modifiers::{RoundingRule, holds_all, rounding_rule};

/// What a module is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Judge {
    /// The module's `.target`.
    pub target: Target,
    /// The module's `.version`.
    pub version: Version,
}

/// The rules of conversions in ptxas's order.
const RULES: &[fn(&mut Case<'_>)] = &[
    availability::packed_half,
    availability::bf16_widening,
    availability::tf32,
    modifiers::relu_conflicts,
    availability::saturating,
    modifiers::satfinite_illegal_for_pair,
    modifiers::satfinite_conflicts,
    matching::untyped_registers,
    matching::random_bits,
    modifiers::stochastic_only_packed,
    matching::scale_factor,
    matching::spare_operand,
    availability::pack,
    availability::fp8,
    availability::narrow,
    availability::scale_pair,
    availability::fixed_pair,
    matching::pair_not_yet,
    matching::fixed_factor,
    modifiers::relu_on_scale_pair,
    matching::scaled,
    availability::bf16_scalar,
    |c| c.foreign(Stage::BeforeFtz),
    modifiers::sat_early,
    |c| c.foreign(Stage::AfterEarlySat),
    modifiers::ftz_illegal,
    |c| c.foreign(Stage::WithFtz),
    modifiers::ftz_nothing,
    modifiers::satfinite_required,
    |c| c.foreign(Stage::AfterFtz),
    operands::result,
    operands::read_only,
    |c| c.foreign(Stage::BeforeSat),
    availability::tf32_rounding,
    modifiers::sat_late,
    modifiers::sat_required,
    |c| c.foreign(Stage::BeforeRounding),
    operands::special_registers,
    modifiers::rounding,
    availability::stochastic,
    modifiers::rounding_again,
    |c| c.foreign(Stage::AfterRounding),
    modifiers::scale_pair_source,
    modifiers::rounding_away,
    availability::relu,
    operands::each,
    |c| c.foreign(Stage::Last),
];

/// One statement under judgement.
struct Case<'a> {
    decoded: &'a Decoded,
    operands: &'a Operands,
    judge: Judge,
    dst: Type,
    src: Type,
    found: Vec<Violation>,
}

/// Judges a statement: its form, or all that is wrong with it in ptxas's order.
pub fn check(decoded: &Decoded, operands: &Operands, judge: Judge) -> Result<Form, Vec<Violation>> {
    let (dst, src) = match decoded.types.as_slice() {
        [Some(d), Some(s), ..] => (*d, *s),
        _ => (Type::B1, Type::B1),
    };
    let mut case = Case { decoded, operands, judge, dst, src, found: Vec::new() };
    case.run();
    if case.found.is_empty() { Ok(decoded.form(dst, src)) } else { Err(case.found) }
}

impl Case<'_> {
    fn run(&mut self) {
        self.guard();
        self.parts();
        if self.discarded() {
            return;
        }
        self.operands_as_written();
        if !self.gate(Stage::Gate)
            && !self.clamping_pack()
            && !self.gate(Stage::LateGate)
            && let Some(signature) = self.pattern()
            && self.match_operands(&signature)
        {
            for rule in RULES {
                rule(self);
            }
        }
        self.unknown_symbols();
    }

    fn about(&self) -> About {
        About {
            pack: self.decoded.pack,
            rounding: self.decoded.rounding,
            dst: self.decoded.types.first().copied().flatten(),
            src: self.decoded.types.get(1).copied().flatten(),
            target: self.judge.target,
            version: self.judge.version,
        }
    }

    fn tell(&mut self, fault: Fault, place: Place) {
        let about = self.about();
        self.found.push(Violation { fault, place, about });
    }

    /// Marks a modifier.
    fn tell_modifier(&mut self, fault: Fault, modifier: Modifier) {
        let place = self.modifier_place(modifier);
        self.tell(fault, place);
    }

    fn modifier_place(&self, modifier: Modifier) -> Place {
        let part = self.decoded.place(|p| match modifier {
            Modifier::Ftz => *p == Part::Ftz,
            Modifier::Sat => *p == Part::Sat,
            Modifier::Relu => *p == Part::Relu,
            Modifier::Satfinite => *p == Part::Satfinite,
            Modifier::Scaled => *p == Part::Scaled,
            Modifier::Rounding(_) => matches!(p, Part::Rounding(_)),
        });
        part.map_or(Place::Opcode, Place::Part)
    }

    fn type_place(&self, ty: Type) -> Place {
        self.decoded.place(|p| *p == Part::Type(Some(ty))).map_or(Place::Types, Place::Part)
    }

    fn classes(&self) -> (Class, Class) {
        (class(self.dst), class(self.src))
    }

    fn has(&self, feature: Feature) -> bool {
        self.judge.target.has(feature)
    }

    fn before(&self, version: Version) -> bool {
        self.judge.version < version
    }

    fn rounds(&self, one_of: &[Rounding]) -> bool {
        self.decoded.rounding.is_some_and(|r| one_of.contains(&r))
    }

    /// Whether `.rs` stands on a pair that takes random bits.
    fn stochastic_pair(&self) -> bool {
        matches!(self.classes(), (Class::HalfPair | Class::NarrowFour, Class::Float)) && self.src == Type::F32
    }

    /// Whether a narrow, packed or tf32 type takes part.
    fn packed(&self) -> bool {
        let scalar = |c| matches!(c, Class::Integer | Class::Float | Class::Bf16);
        let (d, s) = self.classes();
        !scalar(d) || !scalar(s)
    }

    /// Whether ptxas has a pattern for the pair and refuses it all the same.
    fn not_yet(&self) -> bool {
        let (d, s) = self.classes();
        match (d, s) {
            (Class::HalfPair, Class::NarrowPair) => self.dst == Type::Bf16x2,
            (Class::HalfPair, Class::ScalePair | Class::FixedPair) => self.dst == Type::F16x2,
            (Class::ScalePair | Class::FixedPair, Class::HalfPair) => self.src == Type::F16x2,
            _ => false,
        }
    }

    fn signature(&self) -> Option<Signature> {
        if self.decoded.pack {
            signature::of_pack(&self.decoded.types)
        } else if self.decoded.types.len() == 2 && self.decoded.types.iter().all(Option::is_some) {
            signature::of_cvt(self.dst, self.src)
        } else {
            None
        }
    }

    fn mismatch(&mut self, misfit: Misfit) {
        let place = match misfit {
            Misfit::Operand(i) => Place::Operand(i),
            Misfit::NoRandom | Misfit::RandomBits => self.modifier_place(Modifier::Rounding(None)),
            Misfit::NoFactor => self.modifier_place(Modifier::Scaled),
            Misfit::Count(..) => Place::Operands,
            Misfit::Spare => {
                Place::Operand(u8::try_from(self.operands.list.len().saturating_sub(1)).unwrap_or(u8::MAX))
            }
            Misfit::NoFour => Place::Operand(1),
        };
        self.tell(Fault::Arguments(misfit), place);
    }
}
