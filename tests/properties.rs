//! What holds for every input.

use std::fmt::Write;

use cvtlower::ptx::lines::LineIndex;
use cvtlower::ptx::parser::parse;
use cvtlower::ptx::{Module, OperandKind, Statement, StatementKind};
use cvtlower::report::listing::Listing;
use cvtlower::report::{Format, Unit};
use cvtlower::target::Target;
use cvtlower::translate::{Context, Fate, Options, Translation, translate, translate_whole};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// Prints an instruction from the tree alone; of names and literals the tree keeps the places.
fn instruction(module: &Module<'_>, s: &Statement, text: &mut String) {
    if let Some(guard) = s.guard {
        let register = module.registers[guard.register.0 as usize].name.of(module.source);
        write!(text, "@{}{} ", if guard.negated { "!" } else { "" }, String::from_utf8_lossy(register))
            .expect("memory");
    }
    text.push_str(&String::from_utf8_lossy(&module.opcodes[s.opcode.0 as usize].text));
    let end = s.operands + s.operand_count;
    let (mut at, mut separator) = (s.operands, "\t");
    while at < end {
        text.push_str(separator);
        separator = ",";
        at = operand(module, at, text);
    }
    text.push(';');
}

/// Prints the operand at an index, and returns the index past it and its children.
fn operand(module: &Module<'_>, at: u32, text: &mut String) -> u32 {
    let o = module.operands[at as usize];
    let own = String::from_utf8_lossy(o.span.of(module.source));
    let mut next = at + 1;
    let mut list = |open: &str, separators: &dyn Fn(u16, OperandKind) -> &'static str, count: u16, close: &str| {
        text.push_str(open);
        for n in 0..count {
            text.push_str(separators(n, module.operands[next as usize].kind));
            next = operand(module, next, text);
        }
        text.push_str(close);
    };
    let comma = |n: u16, _| if n == 0 { "" } else { ", " };
    match o.kind {
        OperandKind::Vector(n) => list("{", &comma, n, "}"),
        OperandKind::Group(n) => list("(", &comma, n, ")"),
        OperandKind::Address(n) => list(
            "[ ",
            &|n, kind| match kind {
                _ if n == 0 => "",
                OperandKind::Vector(_) => ", ",
                _ => " + ",
            },
            n,
            "]",
        ),
        OperandKind::Negated => list("-", &comma, 1, ""),
        OperandKind::Not => list("!", &comma, 1, ""),
        OperandKind::Pair => list("", &|n, _| if n == 0 { "" } else { "|" }, 2, ""),
        OperandKind::Selected => {
            let selector = own.rsplit('.').next().unwrap_or_default().to_string();
            list("", &comma, 1, &format!(".{selector}"));
        }
        OperandKind::Expression(n) => {
            text.push_str(&own);
            for _ in 0..n {
                next = operand(module, next, &mut String::new());
            }
        }
        _ => text.push_str(&own),
    }
    next
}

/// The module's text with every instruction printed anew.
fn reprint(module: &Module<'_>) -> String {
    let (mut text, mut at) = (String::new(), 0);
    for s in module.statements.iter().filter(|s| s.kind == StatementKind::Instruction) {
        text.push_str(&String::from_utf8_lossy(&module.source[at..s.span.start as usize]));
        instruction(module, s, &mut text);
        at = s.span.end as usize;
    }
    text + &String::from_utf8_lossy(&module.source[at..])
}

/// The tree without its places.
fn tree(module: &Module<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for s in &module.statements {
        let opcode = module.opcodes.get(s.opcode.0 as usize).filter(|_| s.kind == StatementKind::Instruction);
        lines.push(format!("{:?} {:?} {:?}", s.kind, s.guard, opcode));
        for o in &module.operands[s.operands as usize..(s.operands + s.operand_count) as usize] {
            let leaf = o.kind.children() == 0;
            let text = if leaf { String::from_utf8_lossy(o.span.of(module.source)) } else { "".into() };
            lines.push(format!("  {:?} {text}", o.kind));
        }
    }
    lines.extend(module.registers.iter().map(|r| format!("{:?} {:?} {}", r.name.of(module.source), r.ty, r.vector)));
    lines
}

const KERNELS: [&str; 9] = [
    include_str!("../fixtures/kernels/quantize.ptx"),
    include_str!("../fixtures/syntax/module.ptx"),
    include_str!("../fixtures/bench/dense-dequant.ptx"),
    include_str!("../fixtures/bench/dense-gelu.ptx"),
    include_str!("../fixtures/bench/dense-image.ptx"),
    include_str!("../fixtures/bench/dense-quant.ptx"),
    include_str!("../fixtures/bench/sparse-dropout.ptx"),
    include_str!("../fixtures/bench/sparse-matmul.ptx"),
    include_str!("../fixtures/bench/sparse-stage.ptx"),
];

#[test]
fn real_kernels_survive_printing() {
    for kernel in KERNELS {
        let (module, errors) = parse(kernel.as_bytes());
        assert_eq!(errors, []);
        let printed = reprint(&module);
        let (again, errors) = parse(printed.as_bytes());
        assert_eq!(errors, [], "{printed}");
        assert_eq!(tree(&module), tree(&again));
    }
}

/// Operands as compilers and people write them; `#` is a number of a register.
fn operand_text() -> impl Strategy<Value = String> {
    let forms = [
        "%r#",
        "%f#",
        "%rd#",
        "%h#",
        "%x",
        "-%f#",
        "!%p#",
        "%p#|%p1",
        "7",
        "-12",
        "0x1F",
        "0b101",
        "017",
        "8U",
        "1.5",
        "-2e3",
        "0f3F800000",
        "0d3FF0000000000000",
        "%tid.x",
        "%clock64",
        "WARP_SZ",
        "var",
        "var+4",
        "{%r#, %r1}",
        "{ %h#,%h1 ,%h2, _ }",
        "[%rd#]",
        "[ %rd# + 16 ]",
        "[%rd#+-4]",
        "[var]",
        "[var+8]",
        "[tex, {%r#, %r1}]",
        "%v.x",
        "%r#.b0",
        "1+2*3",
        "(4 - 1) << 2",
    ];
    (select(forms.to_vec()), 0..40_u32).prop_map(|(form, n)| form.replace('#', &n.to_string()))
}

fn statement_text() -> impl Strategy<Value = String> {
    let opcodes =
        ["mov.b32", "cvt.rn.f16.f32", "ld.global.v4.f32", "fma.rn.f32", "tex.2d.v4.f32.s32", "ret", "setp.lt.and.s32"];
    let blank = select(&[" ", "\t", " \t", "\n\t", " /* c */ ", " // c\n "][..]);
    let guard = select(&["", "", "@%p1 ", "@!%p2 "][..]);
    (guard, select(opcodes.to_vec()), blank.clone(), prop::collection::vec(operand_text(), 0..5), blank).prop_map(
        |(guard, opcode, blank, operands, last)| {
            format!("{guard}{opcode}{blank}{}{last};\n", operands.join(&format!(",{blank}")))
        },
    )
}

fn body_text() -> impl Strategy<Value = String> {
    prop::collection::vec(statement_text(), 0..20).prop_map(|statements| statements.concat())
}

fn module_text(body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_89\n.address_size 64\n.global .b32 var;\n.visible .entry k() {{\n.reg .pred %p<40>;\n\
         .reg .b32 %r<40>;\n.reg .f32 %f<40>;\n.reg .b64 %rd<40>;\n.reg .b16 %h<40>;\n.reg .b32 %x;\n.reg .v4 .f32 %v;\n{body}}}\n"
    )
}

proptest! {
    #[test]
    fn statements_survive_printing(body in body_text()) {
        let text = module_text(&body);
        let (module, errors) = parse(text.as_bytes());
        // a sink or a name in a place where the grammar has none
        prop_assume!(errors.is_empty());
        let printed = reprint(&module);
        let (again, errors) = parse(printed.as_bytes());
        prop_assert_eq!(errors.len(), 0, "{}", &printed);
        prop_assert_eq!(tree(&module), tree(&again));
    }

    /// Blanks that the quick way does not read make no difference.
    #[test]
    fn comments_change_no_tree(body in body_text()) {
        let plain = module_text(&body);
        let spaced = plain.replace(',', "/**/,\n");
        let (a, errors) = parse(plain.as_bytes());
        let (b, _) = parse(spaced.as_bytes());
        prop_assume!(errors.is_empty());
        let leaves = |module: &Module<'_>| -> Vec<OperandKind> { module.operands.iter().map(|o| o.kind).collect() };
        prop_assert_eq!(leaves(&a), leaves(&b));
        prop_assert_eq!(a.registers.len(), b.registers.len());
    }
}

fn options(context: Context) -> Options {
    Options { arch: None, retarget: false, context }
}

fn sass(translation: &Translation<'_>) -> Vec<Vec<String>> {
    let conversions = translation.functions.iter().flat_map(|f| &f.conversions);
    conversions.map(|c| c.sass.iter().map(ToString::to_string).collect()).collect()
}

proptest! {
    /// The text at a conversion's line and column is the conversion.
    #[test]
    fn places_point_at_the_text(before in "[ -~é\u{10000}\t]{0,40}", lines in 0..5_usize, blank in "[ \t]{0,9}") {
        let comment = format!("/*{}*/", before.replace("*/", ""));
        let statement = "cvt.rzi.s32.f32 %r1, %f1;";
        let text = module_text(&format!("{}{comment}{blank}{statement} st.global.u32 [%rd1], %r1;", "\n".repeat(lines)));
        let translation = translate(text.as_bytes(), &options(Context::Kernel));
        let conversion = &translation.functions[0].conversions[0];
        let start = translation.module.statements[conversion.statement as usize].span.start;
        let (line, column) = LineIndex::new(text.as_bytes()).place(start);
        let found: String = text.split('\n').nth(line as usize - 1).expect("the line").chars().skip(column as usize - 1).collect();
        prop_assert!(found.starts_with(statement), "{}", found);
    }

    /// Modifiers come in any order, and among the types; only the types keep theirs.
    #[test]
    fn the_order_of_suffixes_is_free(
        rounding in select(&["", "rn", "rz", "rm", "rni", "rzi", "rna"][..]),
        others in subsequence(vec!["ftz", "satfinite", "relu"], 0..=3),
        sat in any::<bool>(),
        types in select(&[("s32", "f32", "%r1", "%f1"), ("f16", "f32", "%h1", "%f1"), ("tf32", "f32", "%r1", "%f1"),
            ("f32", "s32", "%f1", "%r1"), ("s8", "s32", "%r1", "%r2"), ("f32", "f32", "%f1", "%f2"), ("f64", "f32", "%rd1", "%f2")][..]),
        places in prop::collection::vec(0..6_usize, 4),
    ) {
        let mut modifiers: Vec<&str> = others;
        if !rounding.is_empty() {
            modifiers.push(rounding);
        }
        // of these two the first one counts
        if sat && !modifiers.contains(&"relu") && !modifiers.contains(&"satfinite") {
            modifiers.push("sat");
        }
        let (to, from, result, source) = types;
        let mut shuffled = vec![to, from];
        for (modifier, place) in modifiers.iter().zip(places) {
            shuffled.insert(place.min(shuffled.len()), modifier);
        }
        let ordered: Vec<&str> = modifiers.iter().copied().chain([to, from]).collect();
        let outcome = |parts: &[&str]| {
            let text = module_text(&format!("cvt.{} {result}, {source}; st.global.b32 [%rd2], {result};", parts.join(".")));
            let translation = translate(text.as_bytes(), &options(Context::Isolated));
            (translation.diagnostics.is_empty(), sass(&translation))
        };
        prop_assert_eq!(outcome(&ordered), outcome(&shuffled), "{:?}", shuffled);
    }

    /// A statement about other registers changes no conversion.
    #[test]
    fn what_is_unrelated_changes_nothing(kernel in select(&KERNELS[..]), place in 0..500_usize, which in 0..4_usize) {
        let unrelated = ["mov.u32 %other1, 7;", "add.s32 %other2, %other3, 1;", "st.global.u32 [%other4], %other2;", "{ }"][which];
        let before = translate(kernel.as_bytes(), &options(Context::Kernel));
        let module = &before.module;
        let body = module.functions[0].statements.start as usize..module.functions[0].statements.end as usize;
        let all = module.statements[body].iter().filter(|s| s.kind == StatementKind::Instruction);
        let spots: Vec<usize> = all.map(|s| s.span.start as usize).collect();
        prop_assume!(spots.len() > 20);
        let (open, spot) = (kernel.find('{').expect("a body"), spots[place % spots.len()]);
        let text = format!(
            "{}.reg .b32 %other<4>; .reg .b64 %other4; {}{unrelated} {}",
            &kernel[..=open],
            &kernel[open + 1..spot],
            &kernel[spot..]
        );
        let after = translate(text.as_bytes(), &options(Context::Kernel));
        prop_assert_eq!(after.diagnostics.len(), before.diagnostics.len());
        let opcodes = |t: &Translation<'_>| -> Vec<Vec<String>> {
            sass(t).iter().map(|all| all.iter().map(|i| i.split(' ').next().unwrap_or_default().to_string()).collect()).collect()
        };
        prop_assert_eq!(opcodes(&before), opcodes(&after), "{}", &text[spot..(spot + 80).min(text.len())]);
    }
}

/// Registers by any other name.
#[test]
fn renaming_registers_changes_nothing() {
    for kernel in KERNELS {
        let before = translate(kernel.as_bytes(), &options(Context::Kernel));
        for (from, to) in [("%r", "%a_long_name_"), ("%f", "$f"), ("%rd", "address"), ("%rs", "%x"), ("%h", "h_")] {
            // whole prefixes only: what follows is a number or a count
            let mut renamed = String::new();
            let mut rest = kernel;
            while let Some(at) = rest.find(from) {
                let (head, tail) = rest.split_at(at);
                let after = tail[from.len()..].starts_with(|c: char| c.is_ascii_digit() || c == '<');
                renamed.push_str(head);
                renamed.push_str(if after { to } else { from });
                rest = &tail[from.len()..];
            }
            renamed.push_str(rest);
            let after = translate(renamed.as_bytes(), &options(Context::Kernel));
            assert_eq!(after.diagnostics.len(), before.diagnostics.len());
            assert_eq!(sass(&before), sass(&after), "{from} to {to}");
        }
    }
}

#[test]
fn two_runs_give_the_same_bytes() {
    let list = |text: &str, arch: Target| {
        let translation = translate(text.as_bytes(), &Options { arch: Some(arch), ..options(Context::Kernel) });
        let lines = LineIndex::new(text.as_bytes());
        Listing::new(true, true)
            .part(&Unit { path: "k.ptx", translation: &translation, lines: &lines })
            .expect("memory")
    };
    for arch in ["sm_80", "sm_89", "sm_100a"] {
        let arch = Target::parse(arch).expect("a target");
        for kernel in KERNELS {
            assert!(list(kernel, arch) == list(kernel, arch));
        }
    }
}

/// Where statements are forgotten, what is said of the others stays.
#[test]
fn statements_that_are_forgotten_change_nothing() {
    let told = |translation: &Translation<'_>| -> Vec<String> {
        let module = &translation.module;
        let text = |statement: u32| {
            String::from_utf8_lossy(module.statements[statement as usize].span.of(module.source)).into_owned()
        };
        let name = |register: cvtlower::ptx::RegId| {
            String::from_utf8_lossy(module.registers[register.0 as usize].name.of(module.source)).into_owned()
        };
        let conversions = translation.functions.iter().flat_map(|f| &f.conversions);
        conversions
            .map(|c| {
                let into = match c.fate {
                    Fate::Folded { into: Some(into), .. } => text(into),
                    _ => String::new(),
                };
                let registers: Vec<_> = c.registers.iter().map(|&(r, reg)| (name(r), reg)).collect();
                let isolated = translation.isolated(c);
                format!("{} into {into:?}: {:?} {registers:?} {isolated:?}", text(c.statement), c.sass)
            })
            .collect()
    };
    for kernel in KERNELS {
        let (less, all) = (
            translate(kernel.as_bytes(), &options(Context::Kernel)),
            translate_whole(kernel.as_bytes(), &options(Context::Kernel)),
        );
        assert!(less.module.statements.len() <= all.module.statements.len());
        assert_eq!(told(&less), told(&all));
        assert_eq!(less.diagnostics, all.diagnostics);
    }
}
