//! What to write instead.

use super::{conversion, newer, pair_of_9_2};
use crate::cvt::decode::{self, rounding_name, type_name};
use crate::cvt::form::Rounding;
use crate::cvt::legality::{holds_all, rounding_rule};
use crate::cvt::signature::{self, Class, class};
use crate::cvt::violation::{About, Fault, ForeignFault, Lack, Misfit, Modifier, OperandFault, Subject, Violation};
use crate::ptx::Type;
use crate::target::{Availability, Feature};

/// "`.rn`, `.rz` or `.rm`"
fn list(roundings: &[Rounding]) -> String {
    let names: Vec<String> = roundings.iter().map(|&r| format!("`.{}`", rounding_name(r))).collect();
    match names.split_last() {
        None => "none".into(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// The opcode of `about`'s types with these modifiers before them.
fn opcode(about: &About, modifiers: &str) -> String {
    format!("`{}{modifiers}{}`", about.name(), about.pair())
}

/// How to spell a rounding of the same direction that the types take, else the first that they take.
fn instead(about: &About, takes: &[Rounding]) -> Option<Rounding> {
    use Rounding::*;
    let alike = match about.rounding? {
        Rn | Rna | Rs => [Rn, Rni],
        Rni => [Rn, Rni],
        Rz | Rzi => [Rz, Rzi],
        Rm | Rmi => [Rm, Rmi],
        Rp | Rpi => [Rp, Rpi],
    };
    alike.into_iter().find(|r| takes.contains(r)).or_else(|| takes.first().copied())
}

fn lack_help(lack: Lack, feature: Option<Feature>, about: &About) -> Option<String> {
    match lack {
        Lack::Version((x, y)) => Some(format!("write `.version {x}.{y}` or newer at the start of the file")),
        Lack::Target(sm) => Some(format!("write `.target sm_{sm}` or newer")),
        Lack::Support => {
            let feature = feature?;
            let names = feature.availability().describe();
            Some(match feature.availability() {
                Availability::ExactOf(_) | Availability::ExactFrom(_) => {
                    format!("only {names} have it: their `a` names, not {}", about.target)
                }
                _ => format!("only names with `a` or `f` have it: {names}"),
            })
        }
    }
}

fn unknown_help(name: &str) -> Option<String> {
    if newer(name).is_some() {
        return None;
    }
    let known = ["ftz", "sat", "relu", "satfinite", "scaled::n2::ue8m0"];
    let lower = name.to_ascii_lowercase();
    let is_known = |n: &str| known.contains(&n) || decode::names().any(|k| k == n);
    if is_known(&lower) {
        return Some(format!("modifiers are written in lower case: `.{lower}`"));
    }
    match lower.as_str() {
        "pack" => return Some("`pack` stands directly after `cvt`: `cvt.pack.sat.u16.s32`".into()),
        "f8" | "fp8" | "e4m3fn" => return Some("the 8-bit floats are `.e4m3x2` and `.e5m2x2`, in pairs".into()),
        "f4" | "fp4" => return Some("the 4-bit float is `.e2m1x2`, in pairs".into()),
        "e8m0" | "e8m0x2" => return Some("the type of scale factors is `.ue8m0x2`".into()),
        _ => {}
    }
    let all = known.into_iter().chain(decode::names());
    let near = all.map(|n| (strsim::damerau_levenshtein(&lower, n), n)).min()?;
    (near.0 <= 1 || (near.0 == 2 && name.len() > 4)).then(|| format!("did you mean `.{}`?", near.1))
}

fn conflict_help(x: Modifier, y: Modifier, about: &About) -> Option<String> {
    Some(match (x, y) {
        (Modifier::Satfinite | Modifier::Relu, Modifier::Rounding(_)) => {
            let pair = conversion(about);
            let takes = match about.dst {
                Some(Type::Tf32) if x == Modifier::Satfinite => "`.rn`, `.rz` or `.rna`",
                _ => "`.rn` or `.rz`",
            };
            format!("with `{}`, {pair} takes {takes}: write {}", x.text(), opcode(about, &format!(".rn{}", x.text())))
        }
        (Modifier::Satfinite, Modifier::Sat) => {
            "`.sat` clamps to [0, 1], `.satfinite` to the finite values: keep one".into()
        }
        (Modifier::Relu, Modifier::Sat) => "`.sat` already makes negative values 0: leave `.relu` out".into(),
        (_, Modifier::Ftz) => format!("leave `.ftz` or `{}` out", x.text()),
        _ => return None,
    })
}

fn rounding_help(about: &About) -> Option<String> {
    if about.pack {
        return Some("leave the rounding modifier out: integers are packed as they are".into());
    }
    let (d, s) = (about.dst?, about.src?);
    let rule = rounding_rule(d, s, false);
    let pair = conversion(about);
    if rule.takes.is_empty() {
        let why = if class(d) == Class::Integer { "between integers nothing is rounded" } else { "widening is exact" };
        return Some(format!("{why}: write {}", opcode(about, "")));
    }
    let usual = if class(d) == Class::Integer { Rounding::Rzi } else { rule.takes[0] };
    let write = instead(about, rule.takes).unwrap_or(usual);
    let choice = if rule.required { "takes" } else { "takes none, or" };
    Some(format!(
        "{pair} {choice} {}: write {}",
        list(rule.takes),
        opcode(about, &format!(".{}", rounding_name(write)))
    ))
}

fn illegal_help(modifier: Modifier, about: &About) -> Option<String> {
    let (d, s) = (about.dst?, about.src?);
    Some(match modifier {
        Modifier::Sat if holds_all(d, s) => {
            format!("{} holds every value of {}: leave `.sat` out", type_name(d), type_name(s))
        }
        Modifier::Sat if class(d) == Class::Integer => {
            "a conversion to an integer clamps by itself: leave `.sat` out".into()
        }
        Modifier::Sat => {
            "`.sat` is for f16, f32 and f64 destinations; to clamp to finite values write `.satfinite`".into()
        }
        Modifier::Ftz => "leave `.ftz` out".into(),
        Modifier::Relu if about.pack => "leave `.relu` out; `.sat` clamps to the destination's range".into(),
        Modifier::Relu => "ue8m0 holds no negative value: leave `.relu` out".into(),
        Modifier::Satfinite if about.pack => "write `.sat`".into(),
        Modifier::Satfinite => "the result holds every value of the source: leave `.satfinite` out".into(),
        Modifier::Scaled => "`.scaled::n2::ue8m0` is for `s2f6x2`, with a factor as the last operand".into(),
        Modifier::Rounding(_) => return rounding_help(about),
    })
}

/// The operands of a form.
fn usage(about: &About) -> Option<String> {
    if about.pack {
        let sub = matches!(about.dst?, Type::U16 | Type::S16);
        return Some(if sub { "d, a, b" } else { "d, a, b, c" }.into());
    }
    let signature = signature::of_cvt(about.dst?, about.src?)?;
    let stochastic = about.rounding == Some(Rounding::Rs);
    let names: &[&str] = match (class(about.dst?), signature.slots.len()) {
        (Class::NarrowFour, _) => &["d", "{a, b, e, f}", "rbits"],
        (_, 3) if stochastic => &["d", "a", "b", "rbits"],
        (_, 3) => &["d", "a", "b"],
        _ => &["d", "a"],
    };
    Some(names.join(", "))
}

fn operand_help(fault: &OperandFault, about: &About) -> Option<String> {
    Some(match fault {
        OperandFault::Minus | OperandFault::NegationLimited | OperandFault::Negation => {
            "use `neg` before the conversion".into()
        }
        OperandFault::Not => "use `not` before the conversion".into(),
        OperandFault::Special => "`mov.u32` it into a register first".into(),
        OperandFault::NoRegister(_) => "load the value with `ld`, or take the address with `mov`".into(),
        OperandFault::SelectedResult | OperandFault::SelectedSource => {
            "take the part out with `mov.b32 {lo, hi}, r`, `bfe` or `prmt`".into()
        }
        OperandFault::Vector => "convert the elements one by one".into(),
        OperandFault::VectorLength(_) if about.dst.map(class) == Some(Class::NarrowFour) => {
            "four values belong in the braces".into()
        }
        OperandFault::Unknown(_) => "declare it with `.reg`".into(),
        OperandFault::Discard => "leave the statement out: a conversion has no other effect".into(),
        OperandFault::Guard => "make one with `setp`".into(),
        _ => return None,
    })
}

fn foreign_help(fault: &ForeignFault) -> Option<String> {
    Some(match fault {
        ForeignFault::Illegal(text) if &**text == ".abs" => "use `abs` before the conversion".into(),
        ForeignFault::StateSpace => "to convert an address write `cvta`; to load a value write `ld`".into(),
        ForeignFault::Vector => "write one conversion for each element".into(),
        ForeignFault::Illegal(text) if text.starts_with('.') => format!("leave `{text}` out"),
        _ => return None,
    })
}

impl Violation {
    /// What to write instead.
    pub fn help(&self) -> Option<String> {
        let a = &self.about;
        match &self.fault {
            Fault::UnknownModifier(name) => unknown_help(name),
            Fault::Repeated(Modifier::Rounding(_)) => Some("keep one; ptxas would take the last".into()),
            Fault::Repeated(_) | Fault::Foreign(ForeignFault::Repeated(_)) => Some("write it once".into()),
            Fault::Conflict(x, y) => conflict_help(*x, *y, a),
            Fault::RoundingRequired | Fault::RoundingIllegal => rounding_help(a),
            Fault::SatfiniteRequired => Some(format!(
                "values out of range become the largest finite one; write {}",
                opcode(a, &format!("{}.satfinite", Modifier::Rounding(a.rounding).text()))
            )),
            Fault::SatRequired => Some(format!("write {}", opcode(a, ".sat"))),
            Fault::NothingToFlush => Some("leave `.ftz` out: only f32 has a flush mode".into()),
            Fault::Illegal(m) | Fault::IllegalWith(m, _) | Fault::IllegalWithPair(m) | Fault::IllegalForPair(m) => {
                illegal_help(*m, a)
            }
            Fault::IllegalHere(_) => Some(format!("{} have it", Feature::S2f6.availability().describe())),
            Fault::Types => self.types_help(),
            Fault::Arguments(misfit) => self.arguments_help(*misfit),
            Fault::Lacking(subject, lack) => self.lacking_help(subject, *lack),
            Fault::LackingOn(_, lack) => lack_help(*lack, Some(Feature::Tf32Saturation), a),
            Fault::Operand(fault) => operand_help(fault, a),
            Fault::Foreign(fault) => foreign_help(fault),
        }
    }

    fn types_help(&self) -> Option<String> {
        let a = &self.about;
        let (d, s) = match (a.dst, a.src) {
            _ if a.pack => {
                return Some(
                    "it takes `.u16.s32` and `.s16.s32`, and `.u8 .s8 .u4 .s4 .u2 .s2` with `.s32.b32`".to_owned(),
                );
            }
            (Some(d), Some(s)) => (d, s),
            _ => return Some("write `cvt.DESTINATION.SOURCE`, as in `cvt.u32.u16`".into()),
        };
        if pair_of_9_2(a) {
            let middle = "go through f16x2: `cvt.rn.f16x2";
            return Some(format!(
                "{middle}.{}`, then convert each half to f32 and pack with `cvt.rn.bf16x2.f32`",
                type_name(s)
            ));
        }
        if signature::of_cvt(d, s).is_some() {
            return Some(format!(
                "`.relu` and `.satfinite` belong to conversions from f32 to f16, bf16 and tf32, and to packed types; {}",
                "integers and f16 and f32 destinations saturate with `.sat`"
            ));
        }
        let bits = |t: Type| match t {
            Type::B8 => Some("u8"),
            Type::B16 => Some("u16"),
            Type::B32 => Some("u32"),
            Type::B64 => Some("u64"),
            _ => None,
        };
        if let Some(t) = bits(d).or_else(|| bits(s)) {
            return Some(format!("an untyped value is not converted: name its meaning, as in `.{t}`, or use `mov`"));
        }
        if matches!(d, Type::E4m3 | Type::E5m2 | Type::E2m3 | Type::E3m2 | Type::E2m1 | Type::Ue8m0) {
            return Some(format!("narrow floats are converted in pairs: `.{}x2`", type_name(d)));
        }
        if s == Type::Tf32 {
            return Some("a tf32 value is an f32 value already: use the register as it is".into());
        }
        match (class(d), class(s)) {
            (Class::NarrowPair | Class::FixedPair | Class::ScalePair, _) => {
                Some("narrow pairs come from two f32, or from `f16x2` or `bf16x2`".into())
            }
            (_, Class::NarrowPair) => Some("narrow pairs go to `f16x2`".into()),
            (_, Class::ScalePair | Class::FixedPair) => Some("`ue8m0x2` and `s2f6x2` go to `bf16x2`".into()),
            _ => None,
        }
    }

    fn arguments_help(&self, misfit: Misfit) -> Option<String> {
        let a = &self.about;
        match misfit {
            Misfit::Count(..) => {
                let shape = usage(a)?;
                Some(format!("write `{} {shape};`", opcode(a, "").trim_matches('`')))
            }
            Misfit::Operand(i) => {
                let does = if i == 0 { "writes" } else { "reads" };
                self.wanted(i).map(|wanted| format!("{} {does} {wanted}", conversion(a)))
            }
            Misfit::NoRandom => Some("`.rs` belongs to f16x2 and bf16x2 from f32 and to the `x4` types".into()),
            Misfit::RandomBits => {
                Some("with `.rs` a `.b32` register of random bits comes last; without it, nothing".into())
            }
            Misfit::NoFactor => Some("the factor is a pair of ue8m0 in a `.b16` register, as the last operand".into()),
            Misfit::Spare => Some("leave the last operand out".into()),
            Misfit::NoFour => Some("write `{a, b, e, f}`: the first goes to the highest element".into()),
        }
    }

    fn lacking_help(&self, subject: &Subject, lack: Lack) -> Option<String> {
        let a = &self.about;
        if let Lack::Version(_) = lack {
            return lack_help(lack, None, a);
        }
        let feature = match subject {
            Subject::With(Type::S2f6x2) => Some(Feature::S2f6),
            Subject::Modifier(Modifier::Rounding(_)) => Some(Feature::Stochastic),
            Subject::Pair | Subject::With(_) if lack == Lack::Support => Some(Feature::Narrow),
            _ => None,
        };
        let who = lack_help(lack, feature, a);
        match (self.detour(subject), who) {
            (Some(detour), Some(who)) => Some(format!("{who}; {detour}")),
            (detour, who) => detour.or(who),
        }
    }

    /// How to get the same values where the conversion is not there.
    fn detour(&self, subject: &Subject) -> Option<String> {
        let a = &self.about;
        let (d, s) = (a.dst?, a.src?);
        let on = format!("on {} go through f32", a.target);
        let bf16 = Feature::Bf16.availability().includes(a.target);
        match subject {
            Subject::WithPair if d == Type::Bf16 && bf16 => {
                let first = match class(s) {
                    Class::Integer => format!("cvt.rn.f32.{}", type_name(s)),
                    _ if s == Type::F64 => "cvt.rn.f32.f64".into(),
                    _ => "cvt.f32.f16".into(),
                };
                Some(format!("{on}: `{first}`, then `cvt.rn.bf16.f32`"))
            }
            Subject::WithPair if s == Type::Bf16 && bf16 => {
                let second = match class(d) {
                    Class::Integer => format!("cvt.rzi.{}.f32", type_name(d)),
                    _ if d == Type::F64 => "cvt.f64.f32".into(),
                    _ => "cvt.rn.f16.f32".into(),
                };
                Some(format!("{on}: `cvt.f32.bf16`, then `{second}`"))
            }
            Subject::WithPairFtz => Some(format!("on {} leave `.ftz` out", a.target)),
            Subject::WithPairRounding if d == Type::Tf32 => Some(format!("on {} write `cvt.rna.tf32.f32`", a.target)),
            Subject::Pair if d == Type::F16x2 && s == Type::F32 => {
                Some("pack two `cvt.rn.f16.f32` with `mov.b32 d, {lo, hi}`".into())
            }
            Subject::Pair if s == Type::Bf16x2 => Some("go through f32: unpack, then convert from two f32".into()),
            Subject::Modifier(Modifier::Relu) => Some("use `max` with zero on the result".into()),
            Subject::Modifier(Modifier::Rounding(_)) => Some("use `.rn`, or add the random bits yourself".into()),
            _ => None,
        }
    }
}
