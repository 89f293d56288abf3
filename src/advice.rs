//! What would be cheaper than a conversion: asked of the rules, form by form.
//!
//! A form has neighbours: another rounding, one modifier less, 32 bits in place of 64, a later target. Each is judged
//! and lowered like any other conversion, and those that cost less are told.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::cvt::forms::ROUNDINGS;
use crate::cvt::{self, Form, Judge, Rounding, Spelling, decode};
use crate::ptx::Type;
use crate::sass::cost::{Cost, Path};
use crate::target::{Flavour, NEWEST_VERSION, Target};
use crate::translate::{Context, Options, translate};

/// The opcodes that a form gives somewhere; `None` where it is illegal there.
type Answer = Option<Vec<String>>;

/// Asks about neighbours for one architecture, and remembers the answers.
#[derive(Debug)]
pub struct Adviser {
    arch: Target,
    judge: Judge,
    known: Mutex<HashMap<(Form, Target), Answer>>,
}

/// Whether a conversion takes a slow path: F2F, 64 bits, or several instructions.
pub fn is_slow(opcodes: &[String]) -> bool {
    let path = Cost::of_opcodes(opcodes).path;
    path > Path::Conversion || opcodes.iter().any(|opcode| opcode.starts_with("F2F."))
}

impl Adviser {
    /// An adviser for code that is generated for `arch` and judged by `judge`.
    pub fn new(arch: Target, judge: Judge) -> Self {
        Self { arch, judge, known: Mutex::default() }
    }

    /// What can be done about a conversion that costs what `opcodes` do; nothing when nothing is cheaper.
    pub fn advice(&self, form: &Form, opcodes: &[String]) -> Vec<String> {
        let mut advice = Vec::new();
        let forced = principal(opcodes);
        let now = Cost::of_opcodes(opcodes);
        self.about_rounding(form, now, &forced, &mut advice);
        self.about_modifiers(form, now, &forced, &mut advice);
        if now.path == Path::Wide {
            self.about_width(form, now, &mut advice);
        }
        self.about_targets(form, now, &mut advice);
        advice
    }

    /// Whether another rounding or one modifier less would be cheaper.
    pub fn is_avoidable(&self, form: &Form, opcodes: &[String]) -> bool {
        let mut advice = Vec::new();
        let now = Cost::of_opcodes(opcodes);
        self.about_rounding(form, now, "", &mut advice);
        self.about_modifiers(form, now, "", &mut advice);
        !advice.is_empty()
    }

    fn about_rounding(&self, form: &Form, now: Cost, forced: &str, advice: &mut Vec<String>) {
        let Some(rounding) = form.rounding else { return };
        let mut better: Vec<(String, Vec<String>)> = Vec::new();
        for other in ROUNDINGS.iter().flatten().filter(|&&r| r != rounding && integral(r) == integral(rounding)) {
            let neighbour = Form { rounding: Some(*other), ..*form };
            let Some(opcodes) = self.cheaper(&neighbour, self.arch, now) else { continue };
            let (name, would) = (format!("`.{}`", decode::rounding_name(*other)), principal(&opcodes));
            match better.iter_mut().find(|(known, _)| *known == would) {
                Some((_, names)) => names.push(name),
                None => better.push((would, vec![name])),
            }
        }
        for (would, names) in better {
            let name = decode::rounding_name(rounding);
            advice.push(format!("`.{name}` forces {forced} here; {} would be {would}", names.join(" or ")));
        }
    }

    fn about_modifiers(&self, form: &Form, now: Cost, forced: &str, advice: &mut Vec<String>) {
        let without = [
            (".ftz", form.ftz, Form { ftz: false, ..*form }),
            (".sat", form.sat && !form.pack, Form { sat: false, ..*form }),
            (".relu", form.relu, Form { relu: false, ..*form }),
            (".satfinite", form.satfinite, Form { satfinite: false, ..*form }),
        ];
        for (name, _, neighbour) in without.iter().filter(|(_, set, _)| *set) {
            if let Some(opcodes) = self.cheaper(neighbour, self.arch, now) {
                advice.push(format!("`{name}` forces {forced} here; without it {}", principal(&opcodes)));
            }
        }
    }

    /// 64 bits on either side.
    fn about_width(&self, form: &Form, now: Cost, advice: &mut Vec<String>) {
        let (dst, src) = (half(form.dst), half(form.src));
        let name = decode::type_name;
        let narrowed = [
            (form.src != src, Form { src, ..*form }, "from", form.src, src),
            (form.dst != dst, Form { dst, ..*form }, "to", form.dst, dst),
        ];
        for (_, neighbour, word, wide, narrow) in narrowed.iter().filter(|(changed, ..)| *changed) {
            // The narrower form may need another rounding, or none.
            let roundings = [form.rounding, None, Some(Rounding::Rn)].into_iter();
            let found = roundings
                .map(|rounding| Form { rounding, ..*neighbour })
                .find_map(|f| self.cheaper(&f, self.arch, now));
            if let Some(opcodes) = found {
                advice.push(format!(
                    "64 bits are slow; {word} `.{}` in place of `.{}`, where its range is enough, it would be {}",
                    name(*narrow),
                    name(*wide),
                    principal(&opcodes)
                ));
            }
        }
    }

    fn about_targets(&self, form: &Form, now: Cost, advice: &mut Vec<String>) {
        let later = Target::all().filter(|t| t.flavour == Flavour::Plain && t.sm > self.arch.sm);
        for target in later {
            if let Some(opcodes) = self.cheaper(form, target, now) {
                advice.push(format!("{target} does it with {}", principal(&opcodes)));
                return;
            }
        }
    }

    /// What a form gives where that is cheaper than `now` and takes a better path.
    fn cheaper(&self, form: &Form, arch: Target, now: Cost) -> Answer {
        let opcodes = self.ask(form, arch)?;
        let cost = Cost::of_opcodes(&opcodes);
        (cost.weight < now.weight && cost.path < now.path).then_some(opcodes)
    }

    fn ask(&self, form: &Form, arch: Target) -> Answer {
        let known = || self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(answer) = known().get(&(*form, arch)) {
            return answer.clone();
        }
        let answer = self.lower(form, arch);
        known().insert((*form, arch), answer.clone());
        answer
    }

    fn lower(&self, form: &Form, arch: Target) -> Answer {
        let statement = Spelling::from(*form).statement();
        let options = Options { arch: Some(arch), retarget: true, context: Context::Isolated };
        let translation = translate(statement.as_bytes(), &options);
        let conversion = translation.functions.iter().flat_map(|f| &f.conversions).next()?;
        if arch == self.arch {
            // The file may be for an older target or version than it is generated for.
            let module = &translation.module;
            let s = &module.statements[conversion.statement as usize];
            let decoded = cvt::decode(module.opcodes[s.opcode.0 as usize].parts());
            cvt::check(&decoded, &cvt::shapes(module, s), self.judge).ok()?;
        }
        Some(conversion.sass.iter().map(|i| i.opcode().to_string()).collect())
    }
}

/// What a module is judged by.
pub fn judge_of(translation: &crate::translate::Translation<'_>, retarget: bool) -> Judge {
    let arch = translation.arch;
    if retarget {
        return Judge { target: arch, version: NEWEST_VERSION };
    }
    let module = &translation.module;
    let name = module.target.and_then(|span| std::str::from_utf8(span.of(module.source)).ok());
    Judge {
        target: name.and_then(Target::parse_declared).unwrap_or(arch),
        version: module.version.map_or(NEWEST_VERSION, |(version, _)| version),
    }
}

fn integral(rounding: Rounding) -> bool {
    matches!(rounding, Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi)
}

/// The type of 32 bits that goes with one of 64.
fn half(ty: Type) -> Type {
    match ty {
        Type::U64 => Type::U32,
        Type::S64 => Type::S32,
        Type::F64 => Type::F32,
        other => other,
    }
}

/// The operation that says most, by its name: the dearest, or for many their number.
pub fn principal(opcodes: &[String]) -> String {
    let name = |opcode: &String| opcode.split('.').next().unwrap_or_default().to_owned();
    let dearest = opcodes.iter().max_by_key(|opcode| {
        let conversion = ["F2", "I2", "FRND"].iter().any(|start| opcode.starts_with(start));
        (crate::sass::cost::Unit::of(opcode), conversion)
    });
    match (dearest, opcodes.len()) {
        (None, _) => "no instruction".to_owned(),
        (Some(opcode), 1) => name(opcode),
        (Some(opcode), count) => format!("{count} instructions with {}", name(opcode)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(text: &str, arch: &str) -> Vec<String> {
        let arch = Target::parse(arch).expect("a target");
        let options = Options { arch: Some(arch), retarget: true, context: Context::Isolated };
        let translation = translate(text.as_bytes(), &options);
        let conversion = &translation.functions[0].conversions[0];
        let opcodes: Vec<String> = conversion.sass.iter().map(|i| i.opcode().to_string()).collect();
        Adviser::new(arch, judge_of(&translation, true)).advice(&conversion.form, &opcodes)
    }

    #[test]
    fn roundings_and_modifiers_are_asked() {
        let told = advice("cvt.rm.bf16.f32 d, a;", "sm_89");
        assert_eq!(told, ["`.rm` forces F2F here; `.rn` or `.rz` would be F2FP"]);
        assert_eq!(advice("cvt.rn.ftz.bf16.f32 d, a;", "sm_89"), ["`.ftz` forces F2F here; without it F2FP"]);
    }

    #[test]
    fn widths_and_targets_are_asked() {
        let told = advice("cvt.rn.f32.u64 d, a;", "sm_89");
        assert_eq!(
            told,
            ["64 bits are slow; from `.u32` in place of `.u64`, where its range is enough, it would be I2FP"]
        );
        assert_eq!(advice("cvt.rn.f32.s32 d, a;", "sm_80"), ["sm_86 does it with I2FP"]);
    }

    #[test]
    fn what_is_cheap_needs_no_advice() {
        assert!(advice("cvt.rn.f16.f32 d, a;", "sm_89").is_empty());
    }
}
