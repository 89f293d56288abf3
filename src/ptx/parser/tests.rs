//! What real files have in them, and what broken ones do.

use proptest::prelude::*;

use super::parse;
use crate::ptx::lines::LineIndex;
use crate::ptx::{FunctionKind, Module, Operand, OperandKind, Span, Statement, StatementKind, SyntaxError, Type};

fn clean(source: &str) -> Module<'_> {
    let (module, errors) = parse(source.as_bytes());
    assert_eq!(errors, [], "{source}");
    check(&module);
    module
}

/// A module with these statements in a kernel.
pub(super) fn kernel(statements: &str) -> String {
    format!(".version 9.1\n.target sm_89\n.address_size 64\n.entry k(.param .u64 p)\n{{\n{statements}\n}}\n")
}

/// The findings of statements in a kernel, as ptxas prints them.
fn findings(statements: &str) -> Vec<String> {
    let source = kernel(statements);
    let (module, errors) = parse(source.as_bytes());
    check(&module);
    errors
        .iter()
        .map(|error| error.ptxas(source.as_bytes(), &LineIndex::new(source.as_bytes())).unwrap_or_default())
        .collect()
}

fn text<'s>(module: &Module<'s>, span: Span) -> &'s str {
    std::str::from_utf8(span.of(module.source)).unwrap()
}

fn opcodes<'m>(module: &'m Module) -> Vec<&'m str> {
    let instructions = module.statements.iter().filter(|statement| statement.kind == StatementKind::Instruction);
    instructions.map(|s| std::str::from_utf8(&module.opcodes[s.opcode.0 as usize].text).unwrap()).collect()
}

fn operands<'m>(module: &'m Module, statement: &Statement) -> &'m [Operand] {
    let start = statement.operands as usize;
    &module.operands[start..start + statement.operand_count as usize]
}

/// The operands of the last statement.
fn last<'m>(module: &'m Module) -> Vec<(OperandKind, &'m str)> {
    let statement = module.statements.last().unwrap();
    operands(module, statement).iter().map(|operand| (operand.kind, text(module, operand.span))).collect()
}

/// The type of the register that is the first operand of the last statement.
fn last_type(module: &Module) -> Option<Type> {
    match last(module).first() {
        Some((OperandKind::Register(id), _)) => module.registers[id.0 as usize].ty,
        other => panic!("{other:?} is no register"),
    }
}

/// What holds of every tree, however broken the text.
fn check(module: &Module) {
    let length = module.source.len() as u32;
    let inside = |span: Span| assert!(span.start <= span.end && span.end <= length, "{span:?} of {length}");
    let mut end = 0;
    for statement in &module.statements {
        inside(statement.span);
        inside(statement.opcode_span);
        assert!(statement.span.start >= end, "{statement:?} begins before {end}");
        end = statement.span.end;
        if matches!(statement.kind, StatementKind::Instruction | StatementKind::Directive) {
            assert!((statement.opcode.0 as usize) < module.opcodes.len());
        }
        let mut rest = operands(module, statement);
        while let Some(after) = subtree(rest) {
            rest = after;
        }
        assert!(rest.is_empty());
        for operand in operands(module, statement) {
            inside(operand.span);
            match operand.kind {
                OperandKind::Register(id) => assert!((id.0 as usize) < module.registers.len()),
                OperandKind::Symbol(id) | OperandKind::Special(id) => {
                    assert!((id.0 as usize) < module.names.len())
                }
                _ => {}
            }
        }
    }
    let (mut statements, mut registers) = (0, 0);
    for function in &module.functions {
        inside(function.name);
        assert!(function.statements.start >= statements && function.registers.start >= registers);
        (statements, registers) = (function.statements.end, function.registers.end);
    }
    assert!(statements as usize <= module.statements.len() && registers as usize <= module.registers.len());
}

/// What follows the first operand and its children, which must all be there.
fn subtree(operands: &[Operand]) -> Option<&[Operand]> {
    let (_, mut rest) = operands.split_first()?;
    let mut open = operands[0].kind.children();
    while open > 0 {
        let (child, after) = rest.split_first().expect("a child is missing");
        open = open - 1 + child.kind.children();
        rest = after;
    }
    Some(rest)
}

#[test]
fn line_ends_and_the_end_of_the_file_do_not_matter() {
    for source in
        [kernel("cvt.u32.u16 a, b;\nret;").replace('\n', "\r\n"), kernel("cvt.u32.u16 a, b; ret;").trim().to_owned()]
    {
        assert_eq!(opcodes(&clean(&source)), ["cvt.u32.u16", "ret"]);
    }
}

#[test]
fn a_byte_order_mark_is_a_warning() {
    let (module, errors) = parse(b"\xEF\xBB\xBFcvt.u32.u16 a, b;");
    assert_eq!(errors, [SyntaxError::ByteOrderMark { mark: Span::new(0, 3) }]);
    assert!(errors[0].is_warning());
    assert_eq!(opcodes(&module), ["cvt.u32.u16"]);
    assert_eq!(module.statements[0].span.start, 3);
}

#[test]
fn comments_stand_anywhere() {
    let module = clean("// é \u{1F600}\ncvt /* é; */ .rn// x;\n .f32/**/.s32 a/* , */, /*\n;*/ b;cvt.rn.f32.s32 a,b;");
    assert_eq!(opcodes(&module), ["cvt.rn.f32.s32", "cvt.rn.f32.s32"]);
    // both spellings are one opcode
    assert_eq!(module.opcodes.len(), 1);
    assert!(parse(b"ret; // \xff\xfe").1.is_empty());
}

#[test]
fn a_statement_begins_at_its_guard() {
    let source = "{ cvt.u32.u16 a, b; @!%p cvt.u32.u16 a, b; L: @p cvt.u32.u16 a, b; }";
    let module = clean(source);
    let spans: Vec<&str> = module.statements.iter().map(|statement| text(&module, statement.span)).collect();
    let plain = "cvt.u32.u16 a, b;";
    assert_eq!(spans, ["{", plain, &format!("@!%p {plain}"), "L:", &format!("@p {plain}"), "}"]);
    assert!(module.statements[2].guard.unwrap().negated && !module.statements[4].guard.unwrap().negated);
}

#[test]
fn blocks_have_scopes() {
    let source = kernel(
        ".reg .b32 r<3>, t;\n{ .reg .f32 t; { .reg .f64 t; mov.f64 t, 0d0; } mov.f32 t, 0f00000000; }\nmov.b32 t, r2;",
    );
    let (module, errors) = parse(source.replace("0d0;", "0d0000000000000000;").leak().as_bytes());
    assert_eq!(errors, []);
    let types: Vec<_> = module.registers.iter().map(|register| register.ty).collect();
    assert_eq!(types, [Some(Type::F64), Some(Type::F32), Some(Type::B32), Some(Type::B32)]);
    // a variable hides a register, too
    let module = clean(kernel(".reg .b32 x; { .param .b32 x; ld.param.b32 x, [x]; }").leak());
    assert!(module.registers.is_empty());
}

#[test]
fn declarations_of_every_kind() {
    let module = clean(
        kernel(".reg .b32 %r<5>, a, b<3>; .reg .v4 .u32 v, w<2>; .reg.pred p; .reg .align 4 .f16x2 h; .reg .b32;\nst %r4, a, b2, v.x, w1, p, h;")
            .leak(),
    );
    let seen: Vec<_> = module.registers.iter().map(|r| (text(&module, r.name), r.ty.unwrap(), r.vector)).collect();
    assert_eq!(
        seen,
        [
            ("%r4", Type::B32, 1),
            ("a", Type::B32, 1),
            ("b2", Type::B32, 1),
            ("v", Type::U32, 4),
            ("w1", Type::U32, 4),
            ("p", Type::Pred, 1),
            ("h", Type::F16x2, 1)
        ]
    );
    let module = clean(kernel("mov.b32 a, b; .reg .b32 a; mov.b32 a, a;").leak());
    assert_eq!(module.registers.len(), 1, "a register is known from its declaration on");
}

#[test]
fn names_like_words_of_the_language() {
    let module = clean(
        kernel(".reg .f32 f, t, s, cvt, mov, $a, _b, %tid; cvt.f32.f32 f, t; mov.f32 cvt, mov; st s, $a, _b, %tid;")
            .leak(),
    );
    assert_eq!(module.registers.len(), 8);
}

#[test]
fn undeclared_names_are_symbols_in_a_module() {
    let module = clean(kernel("@q mov.b32 nosuch, %tid.x, %r1, WARP_SZ, %envreg31, %envreg32;").leak());
    let kinds: Vec<bool> = last(&module).iter().map(|(kind, _)| matches!(kind, OperandKind::Symbol(_))).collect();
    assert_eq!(kinds, [true, false, true, false, false, true]);
    assert_eq!(module.registers.len(), 1, "a guard is a register even so");
}

#[test]
fn undeclared_names_are_registers_in_a_snippet() {
    let module = clean("@p bra L; .reg .f32 f; add.f32 f, g, %clock; L: call (r), fn, (a, L); bra M;");
    assert!(module.snippet);
    let function = &module.functions[0];
    assert_eq!((function.kind, function.statements.clone()), (FunctionKind::Snippet, 0..6));
    let names: Vec<_> = module.registers.iter().map(|r| (text(&module, r.name), r.ty)).collect();
    assert_eq!(names, [("p", None), ("f", Some(Type::F32)), ("g", None), ("r", None), ("a", None)]);
    assert!(!clean(".version 9.1\n.target sm_89").snippet);
    assert!(!clean(".entry k { ret; }").snippet);
    assert_eq!(clean(".shared .b32 x; .reg .b32 r; mov.b32 r, x;").registers.len(), 1);
}

#[test]
fn operands_of_every_kind() {
    use OperandKind::*;
    let kinds = |operand: &str| -> Vec<&'static str> {
        let source = format!(".reg .b32 r<9>, v, _; .reg .pred p; op r1, {operand};").replace(", _;", ";");
        let module = clean(source.leak());
        let name = |kind: &OperandKind| match kind {
            Register(_) => "register",
            Special(_) => "special",
            Symbol(_) => "symbol",
            Integer => "integer",
            Float => "float",
            Text => "text",
            Sink => "sink",
            Vector(_) => "vector",
            Address(_) => "address",
            Group(_) => "group",
            Negated => "negated",
            Not => "not",
            Pair => "pair",
            Selected => "selected",
            Expression(_) => "expression",
            Error => "error",
        };
        last(&module).iter().skip(1).map(|(kind, _)| name(kind)).collect()
    };
    assert_eq!(kinds("7"), ["integer"]);
    assert_eq!(kinds("-7"), ["negated", "integer"]);
    for float in ["1.5", ".5", "5.", "1e5", "0f3F800000", "0F3f800000", "0D3ff8000000000000"] {
        assert_eq!(kinds(float), ["float"], "{float}");
    }
    for integer in ["0x1fU", "0377", "0b101", "0", "18446744073709551616"] {
        assert_eq!(kinds(integer), ["integer"], "{integer}");
    }
    assert_eq!(kinds("-r2"), ["negated", "register"]);
    assert_eq!(kinds("!p"), ["not", "register"]);
    assert_eq!(kinds("-r2.h1"), ["negated", "selected", "register"]);
    assert_eq!(kinds("r2.b0"), ["selected", "register"]);
    assert_eq!(kinds("v .x"), ["selected", "register"]);
    assert_eq!(kinds("%tid.x"), ["special"]);
    assert_eq!(kinds("r2|p"), ["pair", "register", "register"]);
    assert_eq!(kinds("r2|_"), ["pair", "register", "sink"]);
    assert_eq!(kinds("_|p"), ["pair", "sink", "register"]);
    assert_eq!(kinds("{r2, _, 5}"), ["vector", "register", "sink", "integer"]);
    assert_eq!(kinds("[r2]"), ["address", "register"]);
    assert_eq!(kinds("[ r2 + 8 ]"), ["address", "register", "integer"]);
    assert_eq!(kinds("[r2+-8].unified"), ["selected", "address", "register", "negated", "integer"]);
    assert_eq!(kinds("[r2+8+(4*2)]"), ["address", "register", "expression", "integer", "integer", "integer"]);
    assert_eq!(kinds("[r2, {r3, r4}]"), ["address", "register", "vector", "register", "register"]);
    assert_eq!(kinds("r2[4]"), ["address", "register", "integer"]);
    assert_eq!(kinds("r2+8"), ["expression", "register", "integer"]);
    assert_eq!(kinds("r2+-8"), ["expression", "register", "integer"]);
    assert_eq!(kinds("(0xffffffff << 32)"), ["expression", "integer", "integer"]);
    assert_eq!(kinds("(.s64)5"), ["expression", "integer"]);
    assert_eq!(kinds("1?2:(3)"), ["expression", "integer", "integer", "integer"]);
    assert_eq!(kinds("- -5"), ["expression", "integer"]);
    assert_eq!(kinds("WARP_SZ*2"), ["expression", "special", "integer"]);
    assert_eq!(kinds("-WARP_SZ"), ["negated", "special"]);
    assert_eq!(kinds("1|2"), ["expression", "integer", "integer"]);
}

#[test]
fn operand_spans_are_their_texts() {
    let module = clean("op {a, b}, [c + 8], - d, e|p, (1 + 2)*3, f.x, g + 4;");
    let tops: Vec<&str> = last(&module)
        .iter()
        .filter(|(kind, _)| !matches!(kind, OperandKind::Register(_) | OperandKind::Integer))
        .map(|&(_, text)| text)
        .collect();
    assert_eq!(tops, ["{a, b}", "[c + 8]", "- d", "e|p", "(1 + 2)*3", "f.x", "g + 4"]);
}

#[test]
fn calls_and_indirect_branches() {
    let source = kernel(
        "call (r1), fn, (r2, 7);\ncall.uni fn;\ncall (), fn, ();\ncall fn, (a), P;\n\
         P: .callprototype (.param .b32 _) _ (.param .b32 _,\n.param .b64 _);\n\
         T: .branchtargets L1, L2;\nbrx.idx r1, T; C: .calltargets fn, gn;",
    );
    assert_eq!(opcodes(&clean(&source)), ["call", "call.uni", "call", "call", "brx.idx"]);
}

#[test]
fn line_directives_have_no_semicolon() {
    let source = kernel(
        ".loc 1 2 3 cvt.u32.u16 a, b; .loc\t1 2 3, function_name $L__info0+5, inlined_at 1 2 3 // x\n\
         .loc 1 2 3, function_name L, inlined_at 1 2 3\nret; .pragma \"nounroll\"; .pragma \"a\", \"b\";",
    );
    assert_eq!(opcodes(&clean(&source)), ["cvt.u32.u16", "ret"]);
}

#[test]
fn module_level_of_every_kind() {
    let module = clean(include_str!("../../../fixtures/syntax/module.ptx"));
    let names: Vec<_> = module.functions.iter().map(|f| (f.kind, text(&module, f.name))).collect();
    use FunctionKind::{Entry, Func};
    assert_eq!(names, [(Func, "helper"), (Entry, "kernel"), (Entry, "bare"), (Func, "old_style")]);
    assert_eq!(module.version.unwrap().0, (9, 1));
    assert_eq!(text(&module, module.target.unwrap()), "sm_89");
    assert_eq!(module.target_options.iter().map(|&s| text(&module, s)).collect::<Vec<_>>(), ["texmode_independent"]);
    assert_eq!(module.address_size, Some(64));
    assert_eq!(opcodes(&module).iter().filter(|opcode| opcode.starts_with("cvt")).count(), 4);
}

#[test]
fn very_old_modules() {
    let source = ".version 1.3\n.target sm_10, map_f64_to_f32\n@@DWARF .section .debug_info, \"\", @progbits\n\
                  @@DWARF .byte 0x33\n.file 1 \"C:\\dir\\\"\n.entry foo { .reg .u32 $r<4>; .reg .f32 $f<2>;\n.param .u32 p;\n\
                  cvt.rzi.u32.f32 $r1, $f1; exit; }\n";
    let module = clean(source);
    assert_eq!(opcodes(&module), ["cvt.rzi.u32.f32", "exit"]);
    assert_eq!(module.registers.len(), 2);
}

#[test]
fn parameters_in_registers() {
    let module = clean(
        ".func (.reg .u32 rv) foo (.reg .f32 a, .reg .f64 b) { cvt.rzi.u32.f32 rv, a; ret; }\n.func bar (.reg .f32 a)\n.func gnu { mov.f32 a, a; }",
    );
    assert_eq!(module.registers.len(), 2);
    assert_eq!(module.functions.len(), 2);
}

#[test]
fn registers_outside_of_functions_have_ids_in_each() {
    let function = "{ mov.b32 %r1, a; mov.b32 %r1, %r1; }";
    let source = format!(".version 2.0\n.target sm_20\n.reg .b32 %r<3>, a;\n.entry f {function} .entry g {function}");
    let module = clean(&source);
    assert_eq!(module.functions.iter().map(|f| f.registers.clone()).collect::<Vec<_>>(), [0..2, 2..4]);
    assert_eq!(last(&module)[0].0, OperandKind::Register(crate::ptx::RegId(2)));
}

#[test]
fn syntax_errors_as_ptxas_tells_them() {
    for (statement, near) in [
        ("cvt.rn.f16.f32 h1 f1;", "f1"),
        ("cvt.rn.f16.f32 h1, ;", ";"),
        ("cvt..f32.s32 f1, r1;", "."),
        ("cvt. rn.f32.s32 f1, r1;", "."),
        ("cvt._rn.f32.s32 f1, r1;", "."),
        ("cvt.rn.f32.s32 f1, r1\nret;", "ret"),
        ("cvt.rn.f32.s32 f1, r1\n mov.u32 r1, 2;", "mov"),
        ("cvt.rn.f16x2.f32 r1, _, f2;", "_"),
        ("cvt.rn.f32.s32, f1, r1;", ","),
        ("cvt.rn.f32.s32 f1, r1 }", "}"),
        ("cvt.rn.f32.s32 f1, r1)", ")"),
        ("cvt.rn.f32.s32 (f1), r1;", "f1"),
        ("@!!p cvt.rn.f32.s32 f1, r1;", "!"),
        ("@p L1: ret;", ":"),
        ("@p { ret; }", "{"),
        (";", ";"),
        ("mov.u32 r1, 5u;", "u"),
        ("mov.u32 r1, 0f3f8;", "f3f8"),
        ("mov.u32 r1, 09;", "9"),
        ("mov.u32 r1, r2-1;", "-"),
        ("mov.u32 r1, 7%3;", "%3"),
        ("mov.u32 r1, 1.2.3;", ".3"),
        ("mov.u32 r1, %tid. x;", "."),
        ("mov.u32 r1, r2.b0.b1;", ".b1"),
        ("ld.u32 r1, [d1-8];", "-"),
        ("ld.u32 r1, [];", "]"),
        ("mov.b64 {r1,}, d1;", "}"),
        ("mov.b64 {{r1,r2}}, d1;", "{"),
        ("mov.b32 r1, (5;", ";"),
        ("mov.b32 r1, #5;", "#"),
        ("mov.b32 r1, \"abc\";", "\"abc\""),
        (".reg .bf16 x;", ".bf16"),
        (".reg .b32 .v2 x;", ".v2"),
        (".reg .b32 a b;", "b"),
        (".reg .b32 a,;", ";"),
        (".foo 5;", ".foo"),
        (".loc 1 2 3; ret;", ";"),
        (".loc 1 2\nret;", "ret"),
        (".local .align .b8 x;", ".b8"),
        (".local .b8 x[2;", ";"),
        (".shared .b8 x y;", "y"),
    ] {
        let source = kernel(statement);
        let (module, errors) = parse(source.as_bytes());
        check(&module);
        let first = errors.first().unwrap_or_else(|| panic!("{statement} is accepted"));
        let expected = format!("Parsing error near '{near}': syntax error");
        assert_eq!(
            first.ptxas(source.as_bytes(), &LineIndex::new(source.as_bytes())),
            Some(expected),
            "{statement}: {errors:?}"
        );
        assert!(first.fatal());
    }
}

#[test]
fn a_register_in_a_dimension_outside_of_bodies_has_no_number() {
    for head in
        [".reg .b32 WARP_SZ; .global .b32 x[WARP_SZ]; .entry k()", ".func f(.reg .b32 WARP_SZ, .param .b8 q[WARP_SZ])"]
    {
        let source = format!(".version 9.1\n.target sm_89\n{head} {{ mov.b32 WARP_SZ, WARP_SZ; }}");
        let module = clean(&source);
        check(&module);
        assert_eq!(module.functions[0].registers, 0..1);
    }
}

#[test]
fn types_of_instructions_only_are_not_fatal() {
    let source = kernel(".reg .e4m3x2 x; cvt.rn.satfinite.e4m3x2.f32 x, f1, f2;");
    let (module, errors) = parse(source.as_bytes());
    assert!(matches!(errors[..], [SyntaxError::InstructionTypeOnly { .. }]) && !errors[0].fatal());
    assert_eq!(last_type(&module), Some(Type::E4m3x2));
    assert_eq!(findings(".reg .b32 %r<5>; .reg .b32 %r<7>;"), ["Duplicate definition of variable '%r<'"]);
    assert_eq!(findings(".reg .b32 %r<5>; .reg .b32 %r3;"), ["Duplicate definition of variable '%r3'"]);
    assert!(findings(".reg .b32 %r<5>, %r; { .reg .b32 %r<5>; }").is_empty());
}

#[test]
fn each_error_is_one_and_the_rest_is_read() {
    let source = kernel(
        "cvt.u32.u16 a b;\ncvt.u16.u32 a, b\ncvt.u8.u32 a, {b c}, d;\n@ cvt.s8.s32 a, b;\ncvt.u64.u32 a, b\n@p ret;\ncvt.s16.s32 a, b",
    );
    let (module, errors) = parse(source.as_bytes());
    check(&module);
    assert_eq!(errors.len(), 6, "{errors:?}");
    assert_eq!(opcodes(&module), ["cvt.u32.u16", "cvt.u16.u32", "cvt.u8.u32", "cvt.u64.u32", "ret", "cvt.s16.s32"]);
    let understood = module
        .statements
        .iter()
        .filter(|s| operands(&module, s).iter().all(|operand| operand.kind != OperandKind::Error))
        .count();
    assert_eq!(understood, 4, "a missing semicolon spoils no statement");
}

#[test]
fn a_function_without_an_end_does_not_swallow_the_next() {
    let source = ".entry a() { { cvt.u32.u16 a, b;\n.visible .entry b() { cvt.u32.u8 a, b; }";
    let (module, errors) = parse(source.as_bytes());
    assert!(matches!(errors[..], [SyntaxError::UnterminatedBlock { .. }]), "{errors:?}");
    assert_eq!(module.functions.len(), 2);
}

#[test]
fn nothing_before_the_end_of_a_truncated_file_is_lost() {
    let source = kernel("cvt.u32.u16 a, b; /* x */ cvt.u32.u16 {a, b}, [c+(8*2)]; .pragma \"x\"; { ret; }");
    let whole = opcodes(&clean(&source)).len();
    let first = source.find("cvt").unwrap() + 17;
    for cut in 0..source.len() - 2 {
        let (module, errors) = parse(&source.as_bytes()[..cut]);
        check(&module);
        if cut > source.find(".entry").unwrap() {
            assert!(matches!(errors.len(), 1 | 2), "{errors:?} after {}", &source[..cut]);
        }
        assert!(cut < first || !opcodes(&module).is_empty());
        assert!(opcodes(&module).len() <= whole);
    }
}

#[test]
fn unterminated_things_say_where_they_begin() {
    let (_, errors) = parse(b"ret; /* x");
    assert_eq!(errors, [SyntaxError::UnterminatedComment { open: Span::new(5, 7) }]);
    let (_, errors) = parse(b"ret; .pragma \"x");
    assert_eq!(errors, [SyntaxError::UnterminatedString { text: Span::new(13, 15) }]);
    let (_, errors) = parse(b"{ ret;");
    assert!(matches!(errors[..], [SyntaxError::UnterminatedBlock { open: Span { start: 0, end: 1 }, .. }]));
}

#[test]
fn characters_that_ptxas_refuses() {
    assert_eq!(findings("mov.b32 r1, \u{e9};"), ["Unexpected non-ASCII character encountered on line 6"]);
    assert_eq!(findings("mov.b32 r1\0, r2;"), ["Unexpected EOF encountered on line 6"]);
}

#[test]
fn enormous_things_are_small_matters() {
    let name = "a".repeat(1 << 20);
    let module = clean(format!("mov.b32 {name}, {};", "9".repeat(1000)).leak()).statements.len();
    assert_eq!(module, 1);
    clean(kernel(".reg .b32 %r<4294967296>, %s<99999999999999999999>; mov.b32 %r4294967294, %s7;").leak());
    let line = "cvt.u32.u16 a, b; ".repeat(6000);
    assert_eq!(clean(&line).statements.len(), 6000);
    let body = kernel(&"\tcvt.u32.u16 \t%r1, %rs1;\n".repeat(100_000));
    assert_eq!(clean(&body).statements.len(), 100_000);
}

#[test]
fn deep_nesting_costs_no_stack() {
    let deep = 200_000;
    clean(&kernel(&format!("{}{}", "{".repeat(deep), "}".repeat(deep))));
    clean(&format!("mov.b32 a, {}1{};", "(".repeat(deep), ")".repeat(deep)));
    for open in ["{", "(", "[", "@", "!", "-", "a,", ".", "mov {", "mov [a, {", ".func (", "1?"] {
        let source = open.repeat(deep);
        check(&parse(source.as_bytes()).0);
        check(&parse(kernel(&source).as_bytes()).0);
    }
}

#[test]
fn findings_are_capped() {
    let source = "; ".repeat(100_000);
    let (_, errors) = parse(kernel(&source).leak().as_bytes());
    assert_eq!(errors.len(), super::MAX_ERRORS + 1);
    assert!(matches!(errors.last(), Some(SyntaxError::TooManyErrors { more: 90_000, .. })));
}

#[test]
fn operands_that_the_tree_cannot_count() {
    let (module, errors) = parse(format!("mov {{a{}}}, b; ret;", ", a".repeat(70_000)).leak().as_bytes());
    assert!(matches!(errors[..], [SyntaxError::TooManyOperands { .. }]));
    assert_eq!(opcodes(&module), ["mov", "ret"]);
}

const PIECES: &[&str] = &[
    "cvt",
    ".rn",
    ".f32.s32",
    " ",
    "\n",
    ";",
    ",",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "@",
    "!",
    "-",
    "+",
    "%r1",
    "%tid.x",
    "r1",
    ":",
    "_",
    "|",
    ".reg",
    " .b32",
    "<",
    ">",
    "5",
    "0x",
    "1.5",
    ".loc 1 2 3",
    "\"",
    "/*",
    "*/",
    "//",
    ".entry k",
    ".func",
    ".section",
    ".version 9.1",
    ".target sm_89",
    "\0",
    "\u{e9}",
    "?",
    ".param",
    "call",
    "bra",
    "WARP_SZ",
    ".global",
    "=",
    "@@DWARF",
    "\\",
];

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(&parse(&bytes).0);
    }

    #[test]
    fn any_order_of_pieces_is_survived(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        let source = pieces.concat();
        let (module, errors) = parse(source.as_bytes());
        check(&module);
        let length = source.len() as u32;
        for error in &errors {
            prop_assert!(error.span().end <= length && error.anchor(source.as_bytes()).end <= length);
            let _ = error.ptxas(source.as_bytes(), &LineIndex::new(source.as_bytes()));
        }
    }

    #[test]
    fn mutated_modules_are_survived(at in any::<prop::sample::Index>(), cut in 0_usize..40, put in ".{0,6}") {
        let mut bytes = include_bytes!("../../../fixtures/syntax/module.ptx").to_vec();
        let at = at.index(bytes.len());
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, put.into_bytes());
        check(&parse(&bytes).0);
    }
}
