//! Unix times in seconds as text.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serializer};

/// A Unix time in seconds, in RFC 3339; as a plain number if it is beyond the years that RFC 3339 has. JSON Lines may have
/// either.
pub fn time(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |time| time.to_string())
}

pub(crate) fn serialize<S: Serializer>(seconds: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time(*seconds))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    // Times beyond the years of RFC 3339 were written as numbers.
    text.parse().or_else(|_| parse(&text)).map_err(serde::de::Error::custom)
}

/// The Unix time in seconds of a text in RFC 3339; an error says what is wrong.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    let time = text.parse::<Timestamp>().map_err(|error| format!("{text:?} is not an RFC 3339 time: {error}"))?;
    Ok(time.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_beyond_the_calendar_are_numbers() {
        assert_eq!(time(1_768_219_200), "2026-01-12T12:00:00Z");
        assert_eq!(time(-1), "1969-12-31T23:59:59Z");
        assert_eq!(time(1 << 47), "140737488355328");
    }
}
