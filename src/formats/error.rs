//! Errors in reading files, and in giving them names. What libraries say of JSON and TOML names types of
//! the program; here it is told in the words of the author of the text.

use serde_json::error::Category;
use std::io;

/// What a system's error says, without the number that Rust adds to it.
pub(crate) fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    let number = error.raw_os_error().map(|number| format!(" (os error {number})"));
    number.and_then(|number| text.strip_suffix(&number).map(str::to_owned)).unwrap_or(text)
}

/// The error for a file that another program cut short while it was read.
#[derive(Debug, thiserror::Error)]
#[error("it was cut short while it was read, at byte {at} of {had}")]
pub(crate) struct CutShort {
    pub at: u64,
    pub had: u64,
}

/// The error for a file that is not [replaced](super::replace), because it is not of the kind that is written.
#[derive(Debug, thiserror::Error)]
#[error("it exists and is not {kind}; move it, or choose another name")]
pub(crate) struct NotReplaced {
    pub kind: &'static str,
}

/// A sentence about what is wrong with a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Malformed(pub String);

/// The end of a message about pages for which there is no room, by which a problem is known to be about memory.
pub(crate) const NO_ROOM: &str = "which is more than the memory limit has room for";

/// What is wrong with a JSON text, and where.
pub(crate) fn json_problem(error: &serde_json::Error) -> String {
    match (error.line(), error.column()) {
        (0, _) => json_words(error),
        (line, column) => format!("{} (line {line}, column {column})", json_words(error)),
    }
}

/// What is wrong with a JSON text, without its place, which the message around it has.
pub(crate) fn json_words(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let is_of_syntax = matches!(error.classify(), Category::Syntax | Category::Eof);
    match message {
        _ if !is_of_syntax => words(message, "an object"),
        _ if message.starts_with("EOF ") => "the JSON ends too early".to_owned(),
        _ if message.starts_with("control character") => "a text in JSON has a control character, or no end".to_owned(),
        "expected value" | "expected ident" => "JSON is expected".to_owned(),
        "trailing characters" => "more follows the end of the JSON".to_owned(),
        "trailing comma" => "nothing follows a comma".to_owned(),
        "key must be a string" => "a key in JSON has no double quotes".to_owned(),
        "invalid unicode code point" => "a text in JSON is not UTF-8".to_owned(),
        "recursion limit exceeded" => "the JSON is nested too deeply".to_owned(),
        other => format!("the JSON is wrong: {}", other.replace('`', "\"")),
    }
}

/// The words of a deserializer, as those of the author of the text, who calls keys with values so.
pub(super) fn words(message: &str, keyed: &'static str) -> String {
    let of_key = |rest: &str| rest.replace('`', "\"");
    if let Some((found, wanted)) = ["invalid type: ", "invalid value: ", "invalid length "]
        .iter()
        .find_map(|kind| message.strip_prefix(kind)?.split_once(", expected "))
    {
        return format!("{} where {} is expected", found_value(found, keyed), wanted_value(wanted, keyed));
    }
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("the key {} is missing", of_key(key));
    }
    if let Some(key) = message.strip_prefix("duplicate field ") {
        return format!("the key {} occurs twice", of_key(key));
    }
    let unknown = [("unknown field ", "the key "), ("unknown variant ", "")];
    for (kind, is) in unknown {
        if let Some((name, known)) = message.strip_prefix(kind).and_then(|rest| rest.split_once(", expected ")) {
            let known = known.strip_prefix("one of ").unwrap_or(known);
            return format!("{is}{} is unknown; expected {}", of_key(name), known.replace('`', ""));
        }
    }
    match message.strip_prefix("wanted ") {
        Some(wanted) => format!("{} is expected", wanted_value(wanted, keyed)),
        None => message.replace('`', "\"").replace('\n', "; "),
    }
}

/// What was found, such as ``integer `5` ``.
fn found_value(found: &str, keyed: &str) -> String {
    match found {
        "map" => keyed.to_owned(),
        "sequence" => "a list".to_owned(),
        "unit value" | "Option value" => "null".to_owned(),
        _ => {
            let kinds = ["string ", "integer ", "floating point ", "boolean ", "character "];
            let value = kinds.iter().find_map(|kind| found.strip_prefix(kind)).unwrap_or(found);
            value.trim_matches('`').to_owned()
        }
    }
}

/// What was expected, such as `u64` or `struct Receipt`.
fn wanted_value<'w>(wanted: &'w str, keyed: &'w str) -> &'w str {
    let first = wanted.split([' ', '<']).next().unwrap_or_default();
    match wanted {
        "a string" | "a borrowed string" | "string" | "str" | "string or table" | "string or map" => "a text",
        "a boolean" | "bool" => "true or false",
        "a map" | "map" => keyed,
        "a sequence" => "a list",
        "a TOML datetime" => "a date and time, without quotes,",
        _ => match first {
            "struct" => keyed,
            "tuple" | "array" => "a list",
            "enum" => "a text",
            "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" | "f32"
            | "f64" => "a number",
            _ => wanted,
        },
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde::Deserialize;
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    pub(in crate::formats) struct Wanted {
        name: String,
        #[serde(default)]
        count: u64,
        #[serde(default)]
        list: Vec<bool>,
        #[serde(default)]
        one: Option<One>,
        #[serde(default)]
        inner: BTreeMap<String, f64>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum One {
        First,
        Last,
    }

    #[test]
    fn json_is_told_in_words_of_its_author() {
        for (text, expected) in [
            ("", "the JSON ends too early (line 1, column 0)"),
            ("{\"name\": \"", "the JSON ends too early (line 1, column 10)"),
            ("hello", "JSON is expected (line 1, column 1)"),
            ("{} {}", "the key \"name\" is missing (line 1, column 2)"),
            ("{\"name\": \"a\"} x", "more follows the end of the JSON (line 1, column 15)"),
            ("{\n  name: 1}", "a key in JSON has no double quotes (line 2, column 3)"),
            ("{\"name\": \"a\",}", "nothing follows a comma (line 1, column 14)"),
            ("{\"name\": \"a\n\"}", "a text in JSON has a control character, or no end (line 2, column 0)"),
            ("{\"name\" \"a\"}", "the JSON is wrong: expected \":\" (line 1, column 9)"),
            ("{\"name\": 5}", "5 where a text is expected (line 1, column 10)"),
            ("{\"name\": {}}", "an object where a text is expected (line 1, column 9)"),
            ("{\"name\": null}", "null where a text is expected (line 1, column 13)"),
            ("{\"name\": \"a\", \"count\": \"7\"}", "\"7\" where a number is expected (line 1, column 26)"),
            ("{\"name\": \"a\", \"count\": -7}", "-7 where a number is expected (line 1, column 25)"),
            ("{\"name\": \"a\", \"list\": [1.5]}", "1.5 where true or false is expected (line 1, column 26)"),
            ("{\"name\": \"a\", \"list\": 7}", "7 where a list is expected (line 1, column 23)"),
            ("[1]", "1 where a text is expected (line 1, column 2)"),
            ("{\"name\": \"a\", \"name\": \"b\"}", "the key \"name\" occurs twice (line 1, column 20)"),
            ("7", "7 where an object is expected (line 1, column 1)"),
            ("{\"one\": \"x\"}", "\"x\" is unknown; expected first or last (line 1, column 11)"),
            ("{\"inner\": []}", "a list where an object is expected (line 1, column 10)"),
        ] {
            let error = serde_json::from_str::<Wanted>(text).unwrap_err();
            assert_eq!(json_problem(&error), expected, "{text}: {error}");
        }
        let unknown = serde_json::from_str::<Wanted>("{\"x\": 1}").unwrap_err();
        assert_eq!(json_words(&unknown), "the key \"x\" is unknown; expected name, count, list, one, inner");
    }
}
