//! Random kernels around conversions, given to cvtlower and to the reference tools: are the instructions the same?
//!
//! An optional lane: it runs where `ptxas` and `nvdisasm` are found, by `CVTLOWER_PTXAS` and `CVTLOWER_NVDISASM` or
//! on the `PATH`, and is said to be skipped elsewhere. Further variables:
//!
//! - `CVTLOWER_FUZZ_ARCH`: the target, `sm_89` unless set;
//! - `CVTLOWER_FUZZ_SEED`: which kernels, 1 unless set;
//! - `CVTLOWER_FUZZ_COUNT`: how many kernels, 60 unless set;
//! - `CVTLOWER_FUZZ_SHRINK`: so many differences are cut down to small kernels and printed, none unless set;
//! - `CVTLOWER_FUZZ_FLOOR`: the least agreement in per cent that passes, 80 unless set.

mod control;
mod conversions;
mod generate;
mod idioms;
mod kernel;
mod operations;
mod random;
mod reference;
mod registers;
mod shape;
mod shrink;
mod subject;

use std::collections::BTreeMap;
use std::env;
use std::str::FromStr;

use generate::Generator;
use kernel::{Judged, Kernel};
use reference::Reference;

/// Kernels of one run of the reference tools.
const BATCH: usize = 300;

fn setting<T: FromStr>(name: &str, otherwise: T) -> T {
    env::var(format!("CVTLOWER_FUZZ_{name}")).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn differential() {
    let Some(reference) = Reference::find() else {
        eprintln!("differential: skipped: no ptxas and nvdisasm (CVTLOWER_PTXAS, CVTLOWER_NVDISASM or PATH)");
        return;
    };
    let arch: String = setting("ARCH", "sm_89".to_owned());
    let (seed, count): (u64, usize) = (setting("SEED", 1), setting("COUNT", 60));
    let kernels: Vec<Kernel> =
        (0..count).map(|i| Generator::new(seed.wrapping_mul(1_000_003) + i as u64, &arch).kernel()).collect();

    let (mut same, mut all, mut taken) = (0, 0, 0);
    let mut differences = Vec::new();
    for batch in kernels.chunks(BATCH) {
        for (kernel, judged) in batch.iter().zip(compare(&reference, batch, &arch)) {
            let Some(judged) = judged else { continue };
            taken += 1;
            for (at, answers) in judged {
                all += 1;
                if answers.same() {
                    same += 1;
                } else {
                    differences.push(shrink::Difference { kernel: kernel.clone(), at, answers });
                }
            }
        }
    }
    let share = 100.0 * f64::from(same) / f64::from(all.max(1));
    println!("differential: {same} of {all} conversions as ptxas ({share:.1} %) in {taken} kernels, {arch}");

    // Spread what is looked at over the run.
    let wanted: usize = setting("SHRINK", 0);
    let step = differences.len().div_ceil(wanted.max(1)).max(1);
    let some: Vec<_> = differences.into_iter().step_by(step).take(wanted).collect();
    if !some.is_empty() {
        report(shrink::shrink(some, |kernels| compare(&reference, kernels, &arch)));
    }
    let floor: f64 = setting("FLOOR", 80.0);
    assert!(share >= floor, "agreement {share:.1} % is below {floor} %");
}

/// What both say to each conversion of each kernel; none where ptxas refuses the kernel.
fn compare(reference: &Reference, kernels: &[Kernel], arch: &str) -> Vec<Option<Judged>> {
    let wanted = reference.listings(kernels, arch);
    let mut given = subject::listings(kernels, arch).into_iter();
    kernels
        .iter()
        .zip(wanted)
        .map(|(kernel, wanted)| {
            let given = given.next().expect("an answer for each kernel");
            Some(kernel.judge(&wanted?, &given))
        })
        .collect()
}

/// Prints the differences, those of a kind together, the most frequent first.
fn report(differences: Vec<shrink::Difference>) {
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for d in differences {
        let kind = format!(
            "{}\n  ptxas    {}\n  cvtlower {}",
            kernel::opcode(&d.kernel.body[d.at]),
            d.answers.wanted(),
            d.answers.given()
        );
        let text = shrink::tidy(&d.kernel.body)
            .iter()
            .enumerate()
            .map(|(i, s)| format!("    {} {s}\n", if i == d.at { '>' } else { ' ' }))
            .collect();
        kinds.entry(kind).or_default().push(text);
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, kernels)| std::cmp::Reverse(kernels.len()));
    for (kind, mut kernels) in kinds {
        println!("\n{} × {kind}", kernels.len());
        kernels.sort_by_key(|k| (k.lines().count(), k.clone()));
        kernels.dedup();
        for kernel in kernels.iter().take(2) {
            println!("    --\n{kernel}");
        }
    }
}
