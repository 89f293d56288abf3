//! The parts of the opcode from left to right, and the modifiers of other instructions.

use super::Case;
use crate::cvt::decode::Part;
use crate::cvt::foreign::{self, CarryFault, Foreign, Remark, Stage};
use crate::cvt::signature::{Class, class};
use crate::cvt::violation::{Fault, ForeignFault, Lack, Modifier, OperandFault, Place, Subject};
use crate::ptx::Type;
use crate::target::{Feature, Target};

/// What the name of a type by itself needs.
struct TypeNeeds {
    types: &'static [Type],
    features: &'static [Feature],
    version: (u32, u32),
}

const TYPE_NEEDS: &[TypeNeeds] = &[
    TypeNeeds { types: &[Type::U2, Type::S2], features: &[Feature::SubByte], version: (6, 5) },
    TypeNeeds { types: &[Type::U4, Type::S4, Type::B1], features: &[Feature::SubByte], version: (6, 3) },
    TypeNeeds { types: &[Type::Bf16, Type::Tf32], features: &[Feature::Bf16], version: (7, 0) },
    TypeNeeds { types: &[Type::Bf16x2], features: &[Feature::Bf16x2Name, Feature::Bf16], version: (7, 0) },
];

impl Case<'_> {
    /// What is wrong with a part by itself or with those before it.
    pub(super) fn parts(&mut self) {
        let (mut rounding, mut ftz, mut sat, mut relu, mut satfinite, mut scaled) = (false, false, false, false, false, false);
        let mut seen: Vec<&'static str> = Vec::new();
        let decoded = self.decoded;
        for (i, part) in decoded.parts.iter().enumerate() {
            let place = Place::Part(u8::try_from(i).unwrap_or(u8::MAX));
            match part {
                Part::Unknown(text) => self.tell(Fault::UnknownModifier(text.clone()), place),
                Part::Rounding(r) => {
                    if std::mem::replace(&mut rounding, true) {
                        self.tell(Fault::Repeated(Modifier::Rounding(Some(*r))), place);
                    }
                }
                Part::Ftz => {
                    if std::mem::replace(&mut ftz, true) {
                        self.tell(Fault::Repeated(Modifier::Ftz), place);
                    }
                }
                Part::Scaled => {
                    if std::mem::replace(&mut scaled, true) {
                        self.tell(Fault::Repeated(Modifier::Scaled), place);
                    }
                }
                Part::Sat if satfinite => self.tell(Fault::Conflict(Modifier::Satfinite, Modifier::Sat), place),
                Part::Sat if relu => self.tell(Fault::Conflict(Modifier::Relu, Modifier::Sat), place),
                Part::Sat => sat = true,
                Part::Relu => {
                    self.modifier_name(Modifier::Relu, (7, 0), None, place);
                    if sat {
                        self.tell(Fault::Conflict(Modifier::Relu, Modifier::Sat), place);
                    } else {
                        relu = true;
                    }
                }
                Part::Satfinite => {
                    self.modifier_name(Modifier::Satfinite, (6, 0), Some(Feature::Satfinite), place);
                    if sat {
                        self.tell(Fault::Conflict(Modifier::Satfinite, Modifier::Sat), place);
                    }
                    satfinite = true;
                }
                Part::Type(Some(ty)) => self.type_name(*ty, place),
                Part::Foreign(f, name) => {
                    self.foreign_name(f, name, place);
                    if let Some(text) = f.repeated {
                        if seen.contains(&text) {
                            self.tell(Fault::Foreign(ForeignFault::Repeated(text)), place);
                        }
                        seen.push(text);
                    }
                }
                Part::Base | Part::Type(None) => {}
            }
        }
    }

    fn modifier_name(&mut self, modifier: Modifier, version: (u32, u32), feature: Option<Feature>, place: Place) {
        if self.before(version) {
            self.tell(Fault::Lacking(Subject::Modifier(modifier), Lack::Version(version)), place);
        }
        if let Some(feature) = feature {
            self.need(feature, Subject::Modifier(modifier), place);
        }
    }

    /// Tells where the target lacks a feature that every target from some number on has.
    pub(super) fn need(&mut self, feature: Feature, subject: Subject, place: Place) {
        if !self.has(feature) {
            let lack = match feature.availability() {
                crate::target::Availability::From(sm) => Lack::Target(sm),
                _ => Lack::Support,
            };
            self.tell(Fault::Lacking(subject, lack), place);
        }
    }

    fn type_name(&mut self, ty: Type, place: Place) {
        for needs in TYPE_NEEDS.iter().filter(|n| n.types.contains(&ty)) {
            for &feature in needs.features {
                self.need(feature, Subject::Type(ty), place);
            }
            if self.before(needs.version) {
                self.tell(Fault::Lacking(Subject::Type(ty), Lack::Version(needs.version)), place);
            }
        }
    }

    fn foreign_name(&mut self, group: &'static Foreign, name: &str, place: Place) {
        let Some(since) = group.since else { return };
        let subject = Subject::Foreign(format!("{} {name}", since.word).into());
        if self.judge.target < Target::plain(since.sm) && since.sm > 0 {
            self.tell(Fault::Lacking(subject.clone(), Lack::Target(since.sm)), place);
        }
        if self.before(since.version) {
            self.tell(Fault::Lacking(subject, Lack::Version(since.version)), place);
        }
    }

    /// A modifier that hides everything else of the instruction.
    pub(super) fn gate(&mut self) -> bool {
        let decoded = self.decoded;
        let gates = || decoded.foreign().filter(|(_, f, _)| f.remarks.iter().any(|r| r.0 == Stage::Gate));
        let Some((i, _, name)) = gates().find(|g| g.2 == "sync").or_else(|| gates().last()) else { return false };
        self.tell(Fault::Foreign(ForeignFault::Illegal(format!(".{name}").into())), Place::Part(i));
        true
    }

    /// What is said of foreign modifiers at this point of the order.
    pub(super) fn foreign(&mut self, stage: Stage) {
        let decoded = self.decoded;
        let mut here: Vec<_> = decoded.foreign().filter(|(_, f, _)| f.remarks.iter().any(|r| r.0 == stage)).collect();
        // of several of a group the last counts
        here.reverse();
        here.sort_by_key(|(_, f, _)| foreign::order(f));
        here.dedup_by_key(|(_, f, _)| foreign::order(f));
        for (i, group, name) in here {
            for &(_, remark) in group.remarks.iter().filter(|r| r.0 == stage) {
                self.remark(remark, name, Place::Part(i));
            }
        }
    }

    fn remark(&mut self, remark: Remark, name: &str, place: Place) {
        let with = |wanted: &str| self.decoded.foreign().any(|(_, _, n)| n == wanted);
        let fault = match remark {
            Remark::Illegal => ForeignFault::Illegal(format!(".{name}").into()),
            Remark::IllegalAs(text) => ForeignFault::Illegal(text.into()),
            Remark::StateSpace => ForeignFault::StateSpace,
            Remark::Comparison => ForeignFault::Comparison,
            Remark::ComparisonMismatch(fits) if fits.holds(self.src) => return,
            Remark::ComparisonMismatch(_) => ForeignFault::ComparisonMismatch,
            Remark::Vector => ForeignFault::Vector,
            Remark::VectorTooLarge => ForeignFault::VectorTooLarge,
            Remark::VectorOperands(_) => {
                if !self.operands.list.first().is_some_and(super::operands::is_vector) {
                    self.tell(Fault::Operand(OperandFault::VectorResult), Place::Operand(0));
                }
                self.tell(Fault::Operand(OperandFault::VectorSize), Place::Operands);
                return;
            }
            Remark::Reduction => ForeignFault::Reduction,
            Remark::Query => ForeignFault::Query,
            Remark::Needs(other) if with(other) => return,
            Remark::Needs(other) => ForeignFault::Needs(name.into(), other.into()),
            Remark::CarryOut => match self.carry_out() {
                None => return,
                Some(CarryFault::Saturates) => ForeignFault::Conflict(name.into(), "sat".into()),
                Some(CarryFault::NotInteger) => ForeignFault::CarryOut,
            },
            Remark::NoSpace => {
                let space = self.decoded.foreign().any(|(_, f, _)| f.remarks.iter().any(|r| r.1 == Remark::StateSpace));
                if space {
                    return;
                }
                ForeignFault::NoSpace(name.into())
            }
            Remark::NotWithFtz if !self.decoded.ftz => return,
            Remark::NotWithFtz => ForeignFault::Conflict("ftz".into(), name.into()),
        };
        self.tell(Fault::Foreign(fault), place);
    }

    fn carry_out(&self) -> Option<CarryFault> {
        let integer = |t| class(t) == Class::Integer;
        match (integer(self.dst), integer(self.src)) {
            (true, false) => Some(CarryFault::Saturates),
            (true, true) => self.decoded.sat.then_some(CarryFault::Saturates),
            (false, _) => Some(CarryFault::NotInteger),
        }
    }
}
