//! Unix times and durations in seconds, as texts and numbers have them.

use jiff::fmt::temporal::Pieces;
use jiff::{Span, SpanRelativeTo, Timestamp};
use serde::{Deserialize, Deserializer};
use std::time::Duration;

use super::time::LAST_YEAR;

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    written(&text).map_err(serde::de::Error::custom)
}

/// The Unix time in seconds that [`time`](super::time()) wrote.
pub(crate) fn written(text: &str) -> Result<i64, String> {
    // Times beyond the years of RFC 3339 were written as numbers.
    text.parse().or_else(|_| parse(text))
}

/// The time of a text in RFC 3339.
pub(crate) fn timestamp(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| match is_too_late(text) {
        true => format!("{text:?} is beyond the year {LAST_YEAR}; a time that late is never meant"),
        false => format!("{text:?} is not an RFC 3339 time, such as 2026-01-12T08:00:00Z"),
    })
}

/// Whether a text is a time in RFC 3339 that is too late to be one here: the calendar ends with the year 9999, in some zones a day
/// earlier.
pub(crate) fn is_too_late(text: &str) -> bool {
    let pieces = Pieces::parse(text).ok().filter(|pieces| pieces.time().is_some() && pieces.offset().is_some());
    pieces.is_some_and(|pieces| pieces.date().year() > LAST_YEAR)
}

/// The Unix time in seconds of a text in RFC 3339: the second that began.
///
/// # Errors
///
/// A sentence that says why it is none.
pub fn parse(text: &str) -> Result<i64, String> {
    Ok(second(timestamp(text)?))
}

/// The second that a time is in. Before 1970, too, it is the one that began.
pub(crate) fn second(time: Timestamp) -> i64 {
    time.as_second() - i64::from(time.subsec_nanosecond() < 0)
}

/// The Unix time in seconds of a number of JSON, which may have a fraction.
pub(crate) fn number(text: &str) -> Result<i64, String> {
    // As a floating-point number, a second that is nearly over would be the next.
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if let Ok(whole) = whole.parse::<i64>()
        && fraction.bytes().all(|digit| digit.is_ascii_digit())
    {
        let began_earlier = text.starts_with('-') && fraction.bytes().any(|digit| digit != b'0');
        return Ok(whole.saturating_sub(began_earlier.into()));
    }
    text.parse().map_err(|_| no_time(text)).and_then(float)
}

/// The Unix time in seconds of a floating-point number of seconds: the second that began.
///
/// # Errors
///
/// A sentence that says why it is none.
pub fn float(seconds: f64) -> Result<i64, String> {
    // Both are exact, and the greater one is the first that is no i64.
    let range = -2_f64.powi(63)..2_f64.powi(63);
    let second = seconds.floor();
    if range.contains(&second) { Ok(second as i64) } else { Err(no_time(&seconds.to_string())) }
}

fn no_time(given: &str) -> String {
    format!("{given} is no time; expected seconds of Unix time, or text in RFC 3339, such as \"2026-01-12T08:00:00Z\"")
}

/// A duration: `100ms`, `10s`, `30m`, `2h`, `7d`, `2w`, or several of these, `1d12h`; a number of seconds, `10` or `0.5`; or in ISO 8601,
/// `P7D`.
pub(crate) fn duration(given: &str) -> Result<Duration, String> {
    // jiff reads a number only with its unit.
    let is_number =
        given.ends_with(|last: char| last.is_ascii_digit()) && given.chars().all(|c| c.is_ascii_digit() || c == '.');
    let span = if is_number { format!("{given}s").parse::<Span>() } else { given.parse() };
    let duration = span.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()));
    let duration = duration.ok().and_then(|duration| Duration::try_from(duration).ok());
    duration.ok_or_else(|| {
        "expected a duration: numbers with ms, s, m, h, d or w, such as 100ms, 10s, 2h or 7d, or a number of seconds".to_owned()
    })
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
    fn durations_are_seconds_or_have_units() {
        for (given, milliseconds) in [
            ("0", 0),
            ("10", 10_000),
            ("0.5", 500),
            ("86400", 86_400_000),
            ("100ms", 100),
            ("0.5s", 500),
            ("10s", 10_000),
            ("90s", 90_000),
            ("30m", 1_800_000),
            ("2h", 7_200_000),
            ("36h", 129_600_000),
            ("7d", 604_800_000),
            ("2w", 1_209_600_000),
            ("1d12h", 129_600_000),
            ("1s100ms", 1100),
            ("7 days", 604_800_000),
            ("P7D", 604_800_000),
            ("PT10S", 10_000),
        ] {
            assert_eq!(duration(given), Ok(Duration::from_millis(milliseconds)), "{given}");
        }
        for given in [
            "",
            " ",
            "d",
            "s",
            "ms",
            "-7",
            "-7d",
            ".5",
            "5.",
            "1e3",
            "0x10",
            "7 days ago",
            "7y",
            "7mo",
            "P1M",
            "P-1D",
            "1:30",
            "7d7",
            "1,5",
            "dialect",
            "yesterday",
            "99999999999999999",
            "99999999999999999w",
        ] {
            let problem = duration(given).expect_err(given);
            assert!(
                problem.contains("ms, s, m, h, d or w") && problem.contains("number of seconds"),
                "{given}: {problem}"
            );
        }
    }

    #[test]
    fn a_time_is_the_second_that_began() {
        for (text, seconds) in [
            ("1795852800", 1_795_852_800),
            ("1795852800.25", 1_795_852_800),
            ("1795852800.999999999999", 1_795_852_800),
            ("1.79585280025e9", 1_795_852_800),
            ("17958528e2", 1_795_852_800),
            ("1E3", 1000),
            ("0.9", 0),
            ("-0.0", 0),
            ("-0.5", -1),
            ("-1.000", -1),
            ("-1.001", -2),
            ("-15e-1", -2),
            ("1e-400", 0),
            ("9223372036854775807.9", i64::MAX),
            ("-9223372036854775808.9", i64::MIN),
        ] {
            assert_eq!(number(text), Ok(seconds), "{text}");
        }
        for wrong in ["1e400", "-1e400", "1e19", "99999999999999999999", "true", "[1]", "{}", ""] {
            assert!(number(wrong).unwrap_err().contains("RFC 3339"), "{wrong}");
        }
        assert_eq!((float(-1.5), float(7.9)), (Ok(-2), Ok(7)));
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 9.3e18, -9.3e18] {
            assert!(float(wrong).is_err(), "{wrong}");
        }
        for (text, seconds) in
            [("1969-12-31T23:59:58.5Z", -2), ("1970-01-01T00:00:00.9Z", 0), ("1969-12-31T23:59:59Z", -1)]
        {
            assert_eq!(parse(text), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn a_time_at_the_end_of_the_calendar_is_too_late() {
        for late in ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.5-05:00", "9999-12-31t00:00:00z"] {
            assert!(parse(late).unwrap_err().contains("beyond the year 5000"), "{late}");
        }
        for none in ["9999-12-31", "9999-12-31T23:59:59", "9999-13-31T23:59:59Z", "1795852800.25", "year 9999"] {
            assert!(parse(none).unwrap_err().contains("not an RFC 3339 time"), "{none}");
        }
    }
}
