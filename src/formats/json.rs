//! JSON that can be shown on a terminal. The standard wants escapes for C0 only; other characters that a terminal obeys are written
//! as `\u....`, too, which every reader turns back into the same text.

use serde::Serialize;
use std::fmt::Write;

use super::visible::is_obeyed;

/// A value on one line.
///
/// # Errors
///
/// If it cannot be serialized.
pub(crate) fn to_string(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(escaped)
}

/// A value over several lines, indented.
///
/// # Errors
///
/// If it cannot be serialized.
pub(crate) fn to_string_pretty(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(escaped)
}

/// Escapes the text of a JSON value. C0 is escaped already, except the line feeds between its parts.
fn escaped(text: String) -> String {
    let is_escaped = |character: char| character > ' ' && is_obeyed(character);
    if text.bytes().all(|byte| byte < 0x7f) || !text.contains(is_escaped) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_escaped(character) {
            // All of them have four digits. Writing to a string cannot fail.
            true => drop(write!(out, "\\u{:04x}", u32::from(character))),
            false => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed_and_nothing_is_lost() {
        let all: String = (0..0x3000).filter_map(char::from_u32).collect();
        for text in [to_string(&all).unwrap(), to_string_pretty(&[&all]).unwrap()] {
            assert!(!text.contains(|character| character != '\n' && is_obeyed(character)));
            assert!(text.contains("\\u009b") && text.contains("\\u202e") && text.contains("\\u007f"));
            let read: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read.as_str().or(read[0].as_str()), Some(&*all));
        }
    }
}
