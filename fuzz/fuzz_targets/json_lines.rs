//! Any bytes as JSON Lines: nothing panics, and the order of lines does not matter.

#![no_main]

use libfuzzer_sys::fuzz_target;

mod sources;

fuzz_target!(|input: &[u8]| {
    // Other kinds of file have their own targets.
    if [&b"WARC/"[..], b"PAR1", b"\x1f\x8b", b"\x28\xb5"].iter().any(|start| input.starts_with(start)) {
        return;
    }
    let read = sources::read(input);
    let mut lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    lines.reverse();
    let reversed = sources::policy(&lines.join(&b'\n'));
    if let (Ok(read), Ok(reversed)) = (read, reversed) {
        assert_eq!(sources::origins(&read), sources::origins(&reversed));
    }
});
