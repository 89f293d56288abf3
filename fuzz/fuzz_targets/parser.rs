//! Any bytes give a tree whose parts are where it says, and the same one in the general way.
#![no_main]

use cvtlower::ptx::StatementKind;
use cvtlower::ptx::parser::{parse, parse_in_general};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // what is read without the lexer is far from the end
    let mut text = bytes.to_vec();
    text.extend_from_slice(b"\n//");
    text.resize(text.len() + 512, b' ');
    let bytes = text.as_slice();
    let (module, errors) = parse(bytes);
    let inside = |start: u32, end: u32| assert!(start <= end && end as usize <= bytes.len());
    errors.iter().map(|e| e.span()).for_each(|span| inside(span.start, span.end));
    let mut last = 0;
    for f in &module.functions {
        assert!(f.statements.start == last && f.statements.end as usize <= module.statements.len());
        last = f.statements.end;
        for s in &module.statements[f.statements.start as usize..f.statements.end as usize] {
            inside(s.span.start, s.span.end);
            let operands = s.operands as usize..(s.operands + s.operand_count) as usize;
            let operands = &module.operands[operands];
            let children: u32 = operands.iter().map(|o| o.kind.children()).sum();
            assert!(children as usize <= operands.len());
            operands.iter().for_each(|o| inside(o.span.start, o.span.end));
            assert!(s.kind != StatementKind::Instruction || (s.opcode.0 as usize) < module.opcodes.len());
        }
    }
    assert!(format!("{module:?}{errors:?}") == {
        let (module, errors) = parse_in_general(bytes);
        format!("{module:?}{errors:?}")
    });
});
