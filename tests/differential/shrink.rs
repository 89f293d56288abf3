//! Cutting a kernel down while one of its conversions stays as different as it was.

use super::kernel::{Answers, Judged, Kernel, opcode};
use super::registers::{Class, Reg, named};

/// A conversion that is not as ptxas has it.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Its kernel.
    pub kernel: Kernel,
    /// Which statement.
    pub at: usize,
    /// What was said.
    pub answers: Answers,
}

/// A change of a kernel: statements that go or are replaced.
type Change = Vec<(usize, Option<String>)>;

/// So many kernels are tried at once.
const AT_ONCE: usize = 600;

const ROUNDS: usize = 12;

/// Shrink all differences together, so that the reference tools are run a few times only.
pub fn shrink(mut differences: Vec<Difference>, compare: impl Fn(&[Kernel]) -> Vec<Option<Judged>>) -> Vec<Difference> {
    let persist = |tries: &[(usize, Kernel, usize)], all: &[Difference]| -> Vec<bool> {
        let mut kept = Vec::with_capacity(tries.len());
        for tries in tries.chunks(AT_ONCE) {
            let kernels: Vec<Kernel> = tries.iter().map(|(_, kernel, _)| kernel.clone()).collect();
            let judged = compare(&kernels);
            kept.extend(tries.iter().zip(judged).map(|((i, _, at), judged)| {
                judged.and_then(|j| j.get(at).cloned()).is_some_and(|answers| answers == all[*i].answers)
            }));
        }
        kept
    };
    let mut active: Vec<usize> = (0..differences.len()).collect();
    for _ in 0..ROUNDS {
        let (mut tries, mut changes) = (Vec::new(), Vec::new());
        for &i in &active {
            for change in candidates(&differences[i]) {
                let (kernel, at) = apply(&differences[i], [&change]);
                tries.push((i, kernel, at));
                changes.push(change);
            }
        }
        let kept = persist(&tries, &differences);
        let mut pending: Vec<(usize, Vec<Change>)> = active.iter().map(|&i| (i, Vec::new())).collect();
        for (((i, _, _), change), kept) in tries.iter().zip(changes).zip(kept) {
            if let Some((_, good)) = pending.iter_mut().find(|(j, _)| j == i).filter(|_| kept) {
                good.push(change);
            }
        }
        pending.retain(|(_, good)| !good.is_empty());
        active.clear();
        // What persists under each change alone mostly does under all of them; else under half of them.
        while !pending.is_empty() {
            let tries: Vec<_> = pending
                .iter()
                .map(|(i, good)| {
                    let (kernel, at) = apply(&differences[*i], good);
                    (*i, kernel, at)
                })
                .collect();
            let kept = persist(&tries, &differences);
            let mut rest = Vec::new();
            for (((i, kernel, at), (_, mut good)), kept) in tries.into_iter().zip(pending).zip(kept) {
                if kept {
                    differences[i] = Difference { kernel, at, ..differences[i].clone() };
                    active.push(i);
                } else if good.len() > 1 {
                    good.truncate(good.len() / 2);
                    rest.push((i, good));
                }
            }
            pending = rest;
        }
    }
    differences
}

/// The registers that a statement writes, and those that it reads.
fn operands(statement: &str) -> (Vec<Reg>, Vec<Reg>) {
    let all = named(statement);
    let code = opcode(statement);
    let guard = if statement.starts_with('@') { statement.find(' ').unwrap_or(0) } else { 0 };
    let writes = !(code.starts_with("st.") || code.starts_with("bra") || code.ends_with(':'));
    let operands_start = statement.find(code).unwrap_or(0) + code.len();
    let tail = &statement[operands_start..];
    let end = match tail.trim_start().starts_with('{') {
        true => tail.find('}'),
        false => tail.find(','),
    };
    let end = operands_start + end.unwrap_or(tail.len());
    let is_result = |start: usize| writes && start >= guard && start < end;
    let results = all.iter().filter(|(range, _)| is_result(range.start)).map(|(_, r)| *r).collect();
    let sources = all.iter().filter(|(range, _)| !is_result(range.start)).map(|(_, r)| *r).collect();
    (results, sources)
}

/// Every change that keeps the kernel well-typed.
fn candidates(difference: &Difference) -> Vec<Change> {
    let body = &difference.kernel.body;
    let operands: Vec<_> = body.iter().map(|s| operands(s)).collect();
    let is_read = |r: Reg| operands.iter().any(|(_, sources)| sources.contains(&r));
    let mut changes: Vec<Change> = Vec::new();
    for (i, statement) in body.iter().enumerate().filter(|(i, _)| *i != difference.at) {
        let code = opcode(statement);
        let (results, sources) = &operands[i];
        if let Some(label) = statement.strip_suffix(':') {
            if !body.iter().any(|s| s.ends_with(&format!(" {label};"))) {
                changes.push(vec![(i, None)]);
            }
            continue;
        }
        let live: Vec<Reg> = results.iter().copied().filter(|&r| is_read(r)).collect();
        if live.is_empty() {
            changes.push(vec![(i, None)]);
            continue;
        }
        if statement.starts_with('@') {
            changes.push(vec![(i, statement.split_once(' ').map(|(_, rest)| rest.to_owned()))]);
        }
        // What is computed may come from memory instead.
        let [result] = live[..] else { continue };
        let ty = result.0.names().1;
        if result.0 == Class::P {
            if !statement.ends_with(" %pn, 0;") {
                changes.push(vec![(i, Some(format!("setp.ne.b32 {result}, %pn, 0;")))]);
            }
            continue;
        }
        if code != format!("ld.global.{ty}") && !code.starts_with("ld.param") {
            changes.push(vec![(i, Some(format!("ld.global.{ty} {result}, [%pa+{}];", 4096 + 16 * i)))]);
        }
        // Or its readers may read what it is computed from.
        if let Some(source) = sources.iter().find(|s| s.0 == result.0 && **s != result) {
            let mut change: Change = vec![(i, None)];
            for (j, later) in body.iter().enumerate().skip(i + 1) {
                if operands[j].1.contains(&result) {
                    change.push((j, Some(rename(later, |r| if r == result { *source } else { r }))));
                }
            }
            // An operation of a value with itself is another matter.
            if change.iter().all(|(j, _)| !operands[*j].1.contains(source) || *j == i) {
                changes.push(change);
            }
        }
    }
    changes
}

/// The kernel after some changes, and where its conversion is then.
fn apply<'a>(difference: &Difference, changes: impl IntoIterator<Item = &'a Change>) -> (Kernel, usize) {
    let mut body: Vec<Option<String>> = difference.kernel.body.iter().cloned().map(Some).collect();
    for (i, with) in changes.into_iter().flatten() {
        if body[*i].is_some() {
            body[*i].clone_from(with);
        }
    }
    let at = body[..difference.at].iter().flatten().count();
    (Kernel { body: body.into_iter().flatten().collect() }, at)
}

fn rename(statement: &str, mut name: impl FnMut(Reg) -> Reg) -> String {
    let (mut out, mut from) = (String::new(), 0);
    for (range, register) in named(statement) {
        out.push_str(&statement[from..range.start]);
        out.push_str(&name(register).to_string());
        from = range.end;
    }
    out + &statement[from..]
}

/// The body with registers and places numbered anew, so that equal kernels look alike.
pub fn tidy(body: &[String]) -> Vec<String> {
    let mut names: Vec<(Reg, Reg)> = Vec::new();
    let mut places: Vec<String> = Vec::new();
    body.iter()
        .map(|statement| {
            let text = rename(statement, |r| {
                if let Some((_, new)) = names.iter().find(|(old, _)| *old == r) {
                    return *new;
                }
                let count = names.iter().filter(|(old, _)| old.0 == r.0).count() as u32;
                names.push((r, Reg(r.0, count + 1)));
                Reg(r.0, count + 1)
            });
            let Some((start, end)) = text.find("[%p").and_then(|s| Some((s, s + text[s..].find(']')? + 1))) else {
                return text;
            };
            let place = text[start..end].to_owned();
            let index = places.iter().position(|p| *p == place).unwrap_or_else(|| {
                places.push(place.clone());
                places.len() - 1
            });
            text.replace(&place, &format!("{}+{}]", &place[..4], 16 * index))
        })
        .collect()
}

#[test]
fn finds_operands() {
    let r = |n| Reg(Class::R, n);
    assert_eq!(operands("@!%p1 add.s32 %r1, %r2, %r3;"), (vec![r(1)], vec![Reg(Class::P, 1), r(2), r(3)]));
    assert_eq!(operands("st.global.v2.b32 [%pb+16], {%r1, %r2};"), (vec![], vec![r(1), r(2)]));
    assert_eq!(operands("mov.b32 {%rs1, %rs2}, %r7;"), (vec![Reg(Class::Rs, 1), Reg(Class::Rs, 2)], vec![r(7)]));
}
