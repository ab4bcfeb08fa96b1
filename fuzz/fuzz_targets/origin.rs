//! One line of a URL list: the splitter and the slow path against the `url` crate.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/verdicts/properties/as_fetched.rs"]
mod as_fetched;
#[path = "../../tests/verdicts/properties/urls.rs"]
mod urls;

fuzz_target!(|line: &[u8]| {
    // A line of a list contains no LF.
    if !line.contains(&b'\n') {
        urls::agree(line);
    }
});
