//! Numbers and durations, for people.

/// A duration in its two largest units, such as `1 d 12 h`.
pub(super) fn duration(seconds: u64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds;
    let parts = units.iter().map(|&(length, unit)| {
        let count = rest / length;
        rest %= length;
        (count, unit)
    });
    let parts: Vec<String> = parts
        .skip_while(|(count, _)| *count == 0)
        .take(2)
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// A number with at most two decimals.
pub(super) fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_numbers_are_short() {
        let expected = ["0 s", "59 s", "1 min", "1 h", "1 d 12 h", "365 d"];
        assert_eq!([0, 59, 60, 3600, 129_600, 31_536_000].map(duration), expected);
        assert_eq!(duration(86_401), "1 d");
        assert_eq!([8640.0, 0.5, 100.0, 1.234].map(number), ["8640", "0.5", "100", "1.23"]);
    }
}
