//! Any octets as a Parquet file: nothing aborts, hangs or takes more memory than the fuzzer allows.
//!
//! The library has assertions that a malformed file breaks; the program takes these for errors, so they are not told.

#![no_main]

use libfuzzer_sys::fuzz_target;

mod sources;

fuzz_target!(init: { std::panic::set_hook(Box::new(|_| {})) }, |input: &[u8]| {
    let _ = sources::policy(&[b"PAR1", input].concat());
});
