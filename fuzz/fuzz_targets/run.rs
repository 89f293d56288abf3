//! Any bytes are translated and printed.
#![no_main]

mod common;

use cvtlower::target::Target;
use cvtlower::translate::Context;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    common::everything(bytes, Context::Kernel, Target::parse("sm_89").ok());
});
