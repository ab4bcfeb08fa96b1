//! Unix times in seconds, written as text.

use serde::Serializer;
use std::ops::RangeInclusive;
use std::time::{SystemTime, UNIX_EPOCH};

/// The present, in seconds of Unix time.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// The last year of which sources may have times. The present in milliseconds is in the year 58,000.
pub(crate) const LAST_YEAR: i16 = 5000;

/// The times that RFC 3339 can write, in seconds of Unix time: the calendar ends with the year 9999, in some zones a day earlier.
const CALENDAR: RangeInclusive<i64> = -377_705_023_201..=253_402_207_200;

const DAY: i64 = 86_400;

/// A Unix time in seconds, in RFC 3339; as a plain number if it is beyond the years that RFC 3339 has. JSON Lines may have
/// either.
pub fn time(seconds: i64) -> String {
    if !is_of_calendar(seconds) {
        return seconds.to_string();
    }
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let year = if year < 0 { format!("-{:06}", -year) } else { format!("{year:04}") };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Whether RFC 3339 can write a time.
pub(crate) fn is_of_calendar(seconds: i64) -> bool {
    CALENDAR.contains(&seconds)
}

/// The year, month and day of the Gregorian calendar, by days since 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_IN_400_YEARS: i64 = 146_097;
    const DAYS_TO_1970: i64 = 719_468;

    // Years begin with March, so that a leap day is their last, and 400 of them have always the same days.
    let days = days + DAYS_TO_1970;
    let (period, day) = (days.div_euclid(DAYS_IN_400_YEARS), days.rem_euclid(DAYS_IN_400_YEARS));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let is_next_year = month >= 10;
    (400 * period + year + i64::from(is_next_year), if is_next_year { month - 9 } else { month + 3 }, day)
}

pub(crate) fn serialize<S: Serializer>(seconds: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time(*seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_beyond_the_calendar_are_numbers() {
        for (seconds, expected) in [
            (1_768_219_200, "2026-01-12T12:00:00Z"),
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (-62_167_219_201, "-000001-12-31T23:59:59Z"),
            (*CALENDAR.start(), "-009999-01-02T01:59:59Z"),
            (CALENDAR.start() - 1, "-377705023202"),
            (*CALENDAR.end(), "9999-12-30T22:00:00Z"),
            (CALENDAR.end() + 1, "253402207201"),
            (1 << 47, "140737488355328"),
        ] {
            assert_eq!(time(seconds), expected);
        }
    }

    #[cfg(feature = "batch")]
    #[test]
    fn every_day_has_its_date() {
        let mut seconds = *CALENDAR.start();
        while seconds <= *CALENDAR.end() {
            let expected = jiff::Timestamp::from_second(seconds).unwrap().to_string();
            assert_eq!(time(seconds), expected);
            seconds += if cfg!(miri) { 10_000_000_019 } else { DAY * 29 + 4517 };
        }
        for beyond in [CALENDAR.start() - 1, CALENDAR.end() + 1] {
            assert!(jiff::Timestamp::from_second(beyond).is_err());
        }
    }
}
