//! The whole process against `wc -w` on the same files: `cargo bench --bench process`.
//!
//! The two run in turns, so that what else the machine does troubles both alike; medians are compared. `wc` has one core;
//! where `taskset` is found, cvtlower is measured on one core too.

mod inputs;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 21;

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    println!("{:<16} {:>9} {:>12} {:>12} {:>7} {:>9}", "input", "bytes", "cvtlower", "wc -w", "ratio", "MB/s");
    for (name, text) in [("sparse", inputs::sparse(inputs::SIZE)), ("dense", inputs::dense(inputs::SIZE))] {
        let path = folder.join(format!("{name}.ptx"));
        fs::write(&path, &text).expect("the input is written");
        let mut own = Command::new(env!("CARGO_BIN_EXE_cvtlower"));
        let mut words = Command::new("wc");
        words.arg("-w").arg(&path);
        row(name, text.len(), medians(own.arg(&path), &mut words));
        if Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_ok() {
            let mut own = Command::new("taskset");
            own.args(["-c", "0", env!("CARGO_BIN_EXE_cvtlower")]).arg(&path);
            row(&format!("{name}, one core"), text.len(), medians(&mut own, &mut words));
        }
    }
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kernels/quantize.ptx");
    let bytes = fs::read(&kernel).expect("the kernel is read").len();
    let times = medians(Command::new(env!("CARGO_BIN_EXE_cvtlower")).arg(&kernel), &mut Command::new("true"));
    println!("one kernel ({bytes} bytes): {:?} more than `true` ({:?})", times.0.saturating_sub(times.1), times.1);
}

fn row(name: &str, bytes: usize, (own, words): (Duration, Duration)) {
    let ratio = own.as_secs_f64() / words.as_secs_f64();
    let rate = bytes as f64 / own.as_secs_f64() / 1e6;
    println!("{name:<16} {bytes:>9} {own:>12.3?} {words:>12.3?} {ratio:>7.3} {rate:>9.0}");
}

/// The medians of two commands that run in turns.
fn medians(a: &mut Command, b: &mut Command) -> (Duration, Duration) {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        first.push(time(a));
        second.push(time(b));
    }
    (median(first), median(second))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn time(command: &mut Command) -> Duration {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    command.status().expect("the command runs");
    start.elapsed()
}
