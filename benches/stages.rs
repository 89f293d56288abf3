//! Throughput of each station of the data: `cargo bench --bench stages`.
//!
//! Every figure is in bytes of source text, so that the stations can be compared with each other.

mod inputs;

use cvtlower::cvt::{self, Form};
use cvtlower::dataflow::Tables;
use cvtlower::lower::case::{Passed, Surroundings};
use cvtlower::lower::registers::Registers;
use cvtlower::lower::{Case, Machine, lower};
use cvtlower::ptx::lexer::Token;
use cvtlower::ptx::lines::LineIndex;
use cvtlower::ptx::parser::{Reader, parse};
use cvtlower::ptx::{Module, Renumbered, StatementKind};
use cvtlower::report::listing::Listing;
use cvtlower::report::{Format, Unit};
use cvtlower::target::Target;
use cvtlower::translate::{Context, Options, Translation, translate};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use logos::Logos;

const OPTIONS: Options = Options { arch: None, retarget: false, context: Context::Kernel };

fn main() {
    divan::main();
}

#[derive(Debug, Clone, Copy)]
enum Input {
    Sparse,
    Dense,
}

const INPUTS: [Input; 2] = [Input::Sparse, Input::Dense];

impl Input {
    fn text(self) -> String {
        match self {
            Self::Sparse => inputs::sparse(inputs::SIZE),
            Self::Dense => inputs::dense(inputs::SIZE),
        }
    }
}

#[divan::bench(args = INPUTS, sample_count = 20)]
fn lex(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.text();
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| Token::lexer(black_box(text.as_bytes())).count());
}

#[divan::bench(args = INPUTS, sample_count = 20, name = "parse (with lex)")]
fn parsing(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.text();
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        let (mut reader, mut renumbered) = (Reader::new(black_box(text.as_bytes())), Renumbered::default());
        // as in a translation, the tables of a function are used again for the next
        while reader.next_function() {
            black_box(reader.module());
            reader.retain(&[], &mut renumbered);
        }
        reader.finish()
    });
}

/// The legal conversions of each function that has one, each judged anew.
fn check_all(module: &Module<'_>) -> Vec<(usize, Vec<(u32, Form)>)> {
    let by = cvt::Judge { target: Target::parse("sm_89").expect("a target"), version: (9, 1) };
    let decoded: Vec<_> = module
        .opcodes
        .iter()
        .map(|o| o.parts().next().is_some_and(|base| base == b"cvt").then(|| cvt::decode(o.parts())))
        .collect();
    let legal = |index: &u32| {
        let s = &module.statements[*index as usize];
        let decoded = decoded.get(s.opcode.0 as usize)?.as_ref().filter(|_| s.kind == StatementKind::Instruction)?;
        cvt::check(decoded, &cvt::shapes(module, s), by).ok().map(|form| (*index, form))
    };
    let functions = module.functions.iter().enumerate();
    let all = functions.map(|(n, f)| (n, f.statements.clone().filter_map(|index| legal(&index)).collect::<Vec<_>>()));
    all.filter(|(_, conversions)| !conversions.is_empty()).collect()
}

#[divan::bench(args = INPUTS, sample_count = 20, name = "check (nothing remembered)")]
fn check(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.text();
    let (module, _) = parse(text.as_bytes());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| check_all(black_box(&module)));
}

#[divan::bench(args = INPUTS, sample_count = 20)]
fn dataflow(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.text();
    let (module, _) = parse(text.as_bytes());
    let functions = check_all(&module);
    let abilities = Machine::of(Target::parse("sm_89").expect("a target")).abilities();
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        let mut tables = Tables::default();
        functions.iter().for_each(|(function, _)| {
            black_box(tables.analyse(&module, *function, abilities));
        });
    });
}

#[divan::bench(args = INPUTS, sample_count = 20, name = "lower (with dataflow)")]
fn lowering(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.text();
    let (module, _) = parse(text.as_bytes());
    let functions = check_all(&module);
    let machine = Machine::of(Target::parse("sm_89").expect("a target"));
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        let mut tables = Tables::default();
        let mut registers = Registers::new();
        let passed = Passed::default();
        for (function, conversions) in &functions {
            let flow = tables.analyse(&module, *function, machine.abilities());
            registers.clear();
            for (index, form) in conversions {
                registers.visit(&module, &flow, *index);
                let s = &module.statements[*index as usize];
                let around =
                    Surroundings { machine, module: &module, flow: &flow, registers: &registers, passed: &passed };
                let case = Case::in_context(form, s, &around);
                black_box(lower(&case, &registers, *index));
            }
        }
    });
}

#[divan::bench(args = INPUTS, sample_count = 20)]
fn print(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.text();
    let translation = translate(text.as_bytes(), &OPTIONS);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| listing(&text, black_box(&translation)));
}

#[divan::bench(args = INPUTS, sample_count = 20, name = "whole, on one core")]
fn whole_on_one_core(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.text();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| pool.install(|| listing(&text, &translate(black_box(text.as_bytes()), &OPTIONS))));
}

#[divan::bench(args = INPUTS, sample_count = 20)]
fn whole(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.text();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| listing(&text, &translate(black_box(text.as_bytes()), &OPTIONS)));
}

fn listing(text: &str, translation: &Translation<'_>) -> Vec<u8> {
    let lines = LineIndex::new(text.as_bytes());
    Listing::new(false, false).part(&Unit { path: "k.ptx", translation, lines: &lines }).expect("memory")
}
