//! Any bytes as a line of CDXJ: nothing panics, and any URL found is the one that serde_json finds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::Reason;
use robosieve::internals::input::Layout;
use serde_json::Value;

/// The URL that serde_json finds in the object after key and time; `None` where the two may differ: text that is not
/// UTF-8, control characters, or an object that has its URL twice.
fn found_by_serde(line: &[u8]) -> Option<Result<String, Reason>> {
    let text = std::str::from_utf8(line).ok()?;
    let json = text.splitn(3, ' ').nth(2)?;
    if json.chars().any(char::is_control) || json.matches("rl\"").count() > 1 || json.contains("\\u") {
        return None;
    }
    Some(match serde_json::from_str::<Value>(json) {
        Ok(Value::Object(members)) => match members.get("url") {
            Some(Value::String(url)) => Ok(url.clone()),
            _ => Err(Reason::NoUrl),
        },
        _ => Err(Reason::Json),
    })
}

fuzz_target!(|line: &[u8]| {
    let found = Layout::Cdxj.url(line);
    let Some(expected) = found_by_serde(line) else { return };
    match (found, expected) {
        (Ok(url), Ok(expected)) => assert_eq!(url, expected.as_bytes()),
        (Ok(url), Err(reason)) => panic!("{} where there is none: {reason:?}", url.escape_ascii()),
        // The time may be missing, numbers too large or values too deep: then no URL is found, which is safe.
        (Err(_), _) => {}
    }
});
