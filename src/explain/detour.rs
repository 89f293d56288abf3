//! What gives the same value where a form is missing.

use super::catalogue::{name, pair};
use crate::cvt::{Form, Judge, Rounding};
use crate::ptx::Type;
use crate::target::{NEWEST_VERSION, Target};

/// Lines that say what to write on a target that does not have the form; empty where nothing short is exact.
pub fn detour(form: &Form, target: Target) -> Vec<String> {
    if let Some(lines) = halves(form, target) {
        return lines;
    }
    if let Some((first, second)) = two_steps(form, target) {
        let text = format!("{};  then  {};  (the first step is exact)", name(&first), name(&second));
        return vec![format!("instead:  {text}")];
    }
    let near = same_types(form, target);
    if near.is_empty() { Vec::new() } else { vec![format!("legal there:  {}", near.join(" "))] }
}

fn legal(form: &Form, target: Target) -> bool {
    let mut all = Vec::new();
    pair(form.pack, form.dst, form.src, Judge { target, version: NEWEST_VERSION }, &mut all);
    all.contains(form)
}

/// A pair of halves is two conversions and a move.
fn halves(form: &Form, target: Target) -> Option<Vec<String>> {
    let half = match form.dst {
        Type::F16x2 => Type::F16,
        Type::Bf16x2 => Type::Bf16,
        _ => return None,
    };
    let scalar = Form { dst: half, ..*form };
    if form.src != Type::F32 || !legal(&scalar, target) {
        return None;
    }
    let opcode = name(&scalar);
    Some(vec![format!("instead:  {opcode} h1, f2;  {opcode} h2, f3;  mov.b32 r1, {{h2, h1}};")])
}

/// Through a format that holds every value of the source, where both steps are legal.
fn two_steps(form: &Form, target: Target) -> Option<(Form, Form)> {
    if form.ftz || form.pack {
        return None;
    }
    let candidates = [Type::F32, Type::F64, Type::F16, Type::S32, Type::S64];
    candidates.into_iter().filter(|&by| by != form.src && by != form.dst && holds(by, form.src)).find_map(|by| {
        let rounding = (form.src.is_int() && by.is_float()).then_some(Rounding::Rn);
        let first = Form { rounding, sat: false, relu: false, satfinite: false, dst: by, ..*form };
        let second = Form { src: by, ..*form };
        (legal(&first, target) && legal(&second, target)).then_some((first, second))
    })
}

/// Whether every value of `inner` is one of `outer`.
fn holds(outer: Type, inner: Type) -> bool {
    // Significant bits and exponent range of the floats.
    let float = |t: Type| match t {
        Type::F16 => Some((11, 5)),
        Type::Bf16 => Some((8, 8)),
        Type::F32 => Some((24, 8)),
        Type::F64 => Some((53, 11)),
        _ => None,
    };
    match (float(outer), float(inner)) {
        (Some((digits, range)), Some((d, r))) => digits >= d && range >= r,
        // An integer of b bits needs b digits (its sign is apart), and a range beyond 2^b.
        (Some((digits, range)), None) if inner.is_int() => {
            inner.bits() <= digits + u32::from(inner.is_signed()) && inner.bits() < 1 << (range - 1)
        }
        (None, None) if outer.is_int() && inner.is_int() => {
            outer.is_signed() && outer.bits() > inner.bits()
                || outer.is_signed() == inner.is_signed() && outer.bits() >= inner.bits()
        }
        _ => false,
    }
}

/// Other forms of the same types that the target has, the likest first.
fn same_types(form: &Form, target: Target) -> Vec<String> {
    let mut all = Vec::new();
    pair(form.pack, form.dst, form.src, Judge { target, version: NEWEST_VERSION }, &mut all);
    let unlike = |other: &Form| {
        u32::from(other.rounding != form.rounding)
            + [other.ftz != form.ftz, other.sat != form.sat, other.relu != form.relu]
                .into_iter()
                .chain([other.satfinite != form.satfinite, other.scaled != form.scaled])
                .map(u32::from)
                .sum::<u32>()
    };
    all.sort_by_key(unlike);
    all.iter().take(3).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dst: Type, src: Type, rounding: Rounding) -> Form {
        Form {
            pack: false,
            rounding: Some(rounding),
            ftz: false,
            sat: false,
            relu: false,
            satfinite: false,
            scaled: false,
            dst,
            src,
        }
    }

    #[test]
    fn a_format_holds_what_it_can_write_exactly() {
        assert!(holds(Type::F32, Type::Bf16) && holds(Type::F32, Type::U16) && holds(Type::F64, Type::S32));
        assert!(holds(Type::F64, Type::U32) && holds(Type::S32, Type::U16) && holds(Type::F16, Type::U8));
        assert!(!holds(Type::F32, Type::S32) && !holds(Type::Bf16, Type::F16) && !holds(Type::F16, Type::U16));
        assert!(!holds(Type::S32, Type::U32) && !holds(Type::S32, Type::F16));
    }

    #[test]
    fn a_pair_of_halves_is_moved_together() {
        let lines = detour(&of(Type::F16x2, Type::F32, Rounding::Rn), Target::plain(75));
        assert_eq!(lines, ["instead:  cvt.rn.f16.f32 h1, f2;  cvt.rn.f16.f32 h2, f3;  mov.b32 r1, {h2, h1};"]);
    }

    #[test]
    fn a_step_between_is_legal_itself() {
        let lines = detour(&of(Type::Bf16, Type::F16, Rounding::Rz), Target::plain(89));
        assert_eq!(lines, ["instead:  cvt.f32.f16;  then  cvt.rz.bf16.f32;  (the first step is exact)"]);
    }
}
