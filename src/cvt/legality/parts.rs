//! The parts of the opcode from left to right, and the modifiers of other instructions.

use smallvec::SmallVec;

use super::Case;
use crate::cvt::decode::Part;
use crate::cvt::foreign::{self, Foreign, Remark, Stage};
use crate::cvt::signature::{Class, class, width};
use crate::cvt::violation::{Fault, ForeignFault, Lack, Modifier, OperandFault, Place, Subject};
use crate::ptx::Type;
use crate::target::Feature;

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
        let (mut rounding, mut ftz, mut sat, mut relu, mut satfinite, mut scaled) =
            (false, false, false, false, false, false);
        let mut seen: SmallVec<[u8; 2]> = SmallVec::new();
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
                    if let Some((kind, text)) = f.repeated {
                        if seen.contains(&kind) {
                            self.tell(Fault::Foreign(ForeignFault::Repeated(text)), place);
                        }
                        seen.push(kind);
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
        for &(word, lack) in group.since {
            let missing = match lack {
                Lack::Target(sm) => self.judge.target.sm < sm,
                Lack::Version(version) => self.before(version),
                Lack::Support => false,
            };
            if missing {
                self.tell(Fault::Lacking(Subject::Foreign(format!("{word} {name}").into()), lack), place);
            }
        }
    }

    /// A modifier that hides everything else of the instruction.
    pub(super) fn gate(&mut self, stage: Stage) -> bool {
        let decoded = self.decoded;
        let gates = || decoded.foreign().filter(|(_, f, _)| f.remarks.iter().any(|r| r.0 == stage));
        let Some((i, _, name)) = gates().find(|g| g.2 == "sync").or_else(|| gates().next()) else { return false };
        self.tell(Fault::Foreign(ForeignFault::Illegal(format!(".{name}").into())), Place::Part(i));
        true
    }

    /// `.relu` and `.satfinite` on `cvt.pack`, which knows neither: nothing else is looked at.
    pub(super) fn clamping_pack(&mut self) -> bool {
        let modifier = match self.decoded {
            d if !d.pack => return false,
            d if d.relu => Modifier::Relu,
            d if d.satfinite => Modifier::Satfinite,
            _ => return false,
        };
        self.tell_modifier(Fault::Illegal(modifier), modifier);
        true
    }

    /// What is said of foreign modifiers at this point of the order.
    pub(super) fn foreign(&mut self, stage: Stage) {
        let decoded = self.decoded;
        let mut here: SmallVec<[_; 2]> =
            decoded.foreign().filter(|(_, f, _)| f.remarks.iter().any(|r| r.0 == stage)).collect();
        if here.is_empty() {
            return;
        }
        // of several of a kind the last counts
        here.reverse();
        let mut kinds: SmallVec<[u8; 2]> = SmallVec::new();
        here.retain(|(_, f, _)| match f.repeated {
            Some((kind, _)) if kinds.contains(&kind) => false,
            Some((kind, _)) => {
                kinds.push(kind);
                true
            }
            None => true,
        });
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
            Remark::VectorTooLarge(n) if n * u16::from(width(self.dst)) <= 128 => return,
            Remark::VectorTooLarge(_) => ForeignFault::VectorTooLarge,
            Remark::VectorOperands => {
                if matches!(
                    class(self.dst),
                    Class::NarrowPair | Class::ScalePair | Class::FixedPair | Class::NarrowFour
                ) {
                    return;
                }
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
            Remark::CarryOut => {
                let integer = |t| class(t) == Class::Integer;
                if !(integer(self.dst) && matches!(width(self.dst), 32 | 64)) {
                    self.tell(Fault::Foreign(ForeignFault::CarryOut), place);
                }
                if !(self.decoded.sat || (integer(self.dst) && !integer(self.src))) {
                    return;
                }
                ForeignFault::Conflict(name.into(), "sat".into())
            }
            Remark::NoSpace => {
                let space = self.decoded.foreign().any(|(_, f, _)| f.remarks.iter().any(|r| r.1 == Remark::StateSpace));
                if space {
                    return;
                }
                ForeignFault::NoSpace(name.into())
            }
            Remark::Since(word, lack) => {
                let missing = match lack {
                    Lack::Target(sm) => self.judge.target.sm < sm,
                    Lack::Version(version) => self.before(version),
                    Lack::Support => false,
                };
                if missing {
                    self.tell(Fault::Lacking(Subject::Foreign(format!("{word} {name}").into()), lack), place);
                }
                return;
            }
            Remark::NotWithFtz if !self.decoded.ftz => return,
            Remark::NotWithFtz => ForeignFault::Conflict("ftz".into(), name.into()),
        };
        self.tell(Fault::Foreign(fault), place);
    }
}
