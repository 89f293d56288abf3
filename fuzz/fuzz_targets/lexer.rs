//! Any bytes are cut into tokens that follow each other.
#![no_main]

use cvtlower::ptx::lexer::Token;
use libfuzzer_sys::fuzz_target;
use logos::Logos;

fuzz_target!(|bytes: &[u8]| {
    let mut end = 0;
    for (_, span) in Token::lexer(bytes).spanned() {
        assert!(span.start >= end && span.end > span.start && span.end <= bytes.len());
        end = span.end;
    }
});
