//! Times as text.

/// A Unix time in seconds, in RFC 3339; as a plain number if it is beyond the years that RFC 3339 has. JSON Lines may have
/// either.
pub fn time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(|_| seconds.to_string(), |time| time.to_string())
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
