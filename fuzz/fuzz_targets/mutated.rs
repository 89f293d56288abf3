//! Real files with pieces changed, cut out, doubled and swapped, one or several of them, in one piece and in parts.
#![no_main]

mod common;

use arbitrary::Arbitrary;
use cvtlower::target::Target;
use cvtlower::translate::{Context, Options, translate, translate_in_parts};
use libfuzzer_sys::fuzz_target;

const FILES: [&[u8]; 8] = [
    include_bytes!("../../fixtures/kernels/quantize.ptx"),
    include_bytes!("../../fixtures/syntax/module.ptx"),
    include_bytes!("../../fixtures/bench/dense-dequant.ptx"),
    include_bytes!("../../fixtures/bench/dense-gelu.ptx"),
    include_bytes!("../../fixtures/bench/dense-image.ptx"),
    include_bytes!("../../fixtures/bench/dense-quant.ptx"),
    include_bytes!("../../fixtures/bench/sparse-matmul.ptx"),
    include_bytes!("../../fixtures/bench/sparse-stage.ptx"),
];

const PIECES: [&[u8]; 24] = [
    b";", b"{", b"}", b",", b"[", b"]", b"(", b"-", b"!", b"@%p1 ", b"\n", b"/*", b"*/", b"\"", b"\0", b"\xff", b".v4", b"cvt.rn.f16.f32 ",
    b"mov.b32 ", b"%r1", b"L:", b"bra L;", b"0f7fc00000", b".sat",
];

#[derive(Debug, Arbitrary)]
enum Change {
    Piece { at: u16, piece: u8 },
    Byte { at: u16, byte: u8 },
    Cut { at: u16, length: u8 },
    Double { at: u16, length: u8 },
    SwapLines { at: u16, other: u16 },
}

#[derive(Debug, Arbitrary)]
struct Input {
    file: u8,
    more: [u8; 3],
    parts: u8,
    isolated: bool,
    arch: u8,
    changes: Vec<Change>,
}

/// The line that the byte at `at` is in, with its end.
fn line(text: &[u8], at: usize) -> std::ops::Range<usize> {
    let start = text[..at].iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
    start..text[at..].iter().position(|&b| b == b'\n').map_or(text.len(), |n| at + n + 1)
}

fuzz_target!(|input: Input| {
    let mut text = FILES[usize::from(input.file) % FILES.len()].to_vec();
    for &file in input.more.iter().take(usize::from(input.parts) % 4) {
        let lines = FILES[usize::from(file) % FILES.len()].split_inclusive(|&byte| byte == b'\n');
        let heads: [&[u8]; 3] = [b".version", b".target", b".address_size"];
        lines.filter(|line| !heads.iter().any(|head| line.starts_with(head))).for_each(|line| text.extend_from_slice(line));
    }
    for change in input.changes.iter().take(40) {
        if text.is_empty() {
            return;
        }
        let place = |at: u16| usize::from(at) % text.len();
        match *change {
            Change::Piece { at, piece } => {
                let at = place(at);
                text.splice(at..at, PIECES[usize::from(piece) % PIECES.len()].iter().copied());
            }
            Change::Byte { at, byte } => {
                let at = place(at);
                text[at] = byte;
            }
            Change::Cut { at, length } => {
                let at = place(at);
                text.drain(at..(at + usize::from(length)).min(text.len()));
            }
            Change::Double { at, length } => {
                let at = place(at);
                let piece = text[at..(at + usize::from(length)).min(text.len())].to_vec();
                text.splice(at..at, piece);
            }
            Change::SwapLines { at, other } => {
                let (a, b) = (line(&text, place(at.min(other))), line(&text, place(at.max(other))));
                if a.end <= b.start {
                    let lines = [&text[b.clone()], &text[a.end..b.start], &text[a.clone()]].concat();
                    text.splice(a.start..b.end, lines);
                }
            }
        }
    }
    let context = if input.isolated { Context::Isolated } else { Context::Kernel };
    let targets: Vec<Target> = Target::all().collect();
    let arch = Some(targets[usize::from(input.arch) % targets.len()]);
    common::everything(&text, context, arch);
    let options = Options { arch, retarget: false, context };
    if let Some(parts) = translate_in_parts(&text, &options, 2 + usize::from(input.parts) % 4) {
        let whole = translate(&text, &options);
        assert!(format!("{parts:?}") == format!("{whole:?}"), "{}", String::from_utf8_lossy(&text));
    }
});
