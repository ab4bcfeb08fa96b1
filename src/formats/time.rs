//! Unix times and durations in seconds as text.

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

/// The time of a text in RFC 3339.
pub(crate) fn timestamp(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| format!("{text:?} is not an RFC 3339 time, such as 2026-01-12T08:00:00Z"))
}

/// The Unix time in seconds of a text in RFC 3339.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    Ok(timestamp(text)?.as_second())
}

/// The seconds of a duration: `90s`, `30m`, `36h`, `7d`, `2w`, or several of these, `1d12h`; or in ISO 8601, `P7D`.
pub(crate) fn duration(given: &str) -> Result<u64, String> {
    let span = given.parse::<jiff::Span>();
    let duration = span.and_then(|span| span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()));
    let whole = duration.ok().filter(|duration| duration.subsec_nanos() == 0);
    let seconds = whole.and_then(|duration| u64::try_from(duration.as_secs()).ok());
    seconds.ok_or_else(|| "expected a duration: a number with s, m, h, d or w, such as 36h or 7d".to_owned())
}

/// System times as RFC 3339, to the nanosecond, so that a changed file is noticed.
pub(crate) mod system {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::time::SystemTime;

    pub(crate) fn serialize<S: Serializer>(time: &Option<SystemTime>, serializer: S) -> Result<S::Ok, S::Error> {
        // A time beyond the year 9999 is useless.
        let time = time.and_then(|time| Timestamp::try_from(time).ok());
        time.map(|time| time.to_string()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SystemTime>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let time = text.map(|text| text.parse::<Timestamp>().map_err(serde::de::Error::custom)).transpose()?;
        Ok(time.map(SystemTime::from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        let of = [("90s", 90), ("30m", 1800), ("36h", 129_600), ("7d", 604_800), ("1d12h", 129_600), ("P7D", 604_800)];
        for (given, expected) in of {
            assert_eq!(duration(given), Ok(expected), "{given}");
        }
        for given in ["", "7", "d", "-7d", "7 days ago", "7y", "yesterday", "99999999999999999w", "P-1D"] {
            assert!(duration(given).unwrap_err().contains("36h"), "{given}");
        }
    }

    #[test]
    fn times_beyond_the_calendar_are_numbers() {
        assert_eq!(time(1_768_219_200), "2026-01-12T12:00:00Z");
        assert_eq!(time(-1), "1969-12-31T23:59:59Z");
        assert_eq!(time(1 << 47), "140737488355328");
    }
}
