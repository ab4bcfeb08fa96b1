//! Parsers for sizes, durations, numbers of workers, and choices.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::time::Duration;

use crate::error::{About, ValueError};
use crate::formats::time_text::duration;
use crate::robots::Agents;

/// Parses a number of bytes: `500`, `64k`, `1G` and `1GiB` (powers of 1024), `1GB` (powers of 1000).
pub fn bytes(given: &str) -> Result<u64, String> {
    let wanted = || "expected a number of bytes, such as 500, 64k, 1GiB (2^30) or 1GB (10^9)".to_owned();
    let (digits, unit) = match given.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => given.split_at(at),
        None => (given, ""),
    };
    let number: u64 = digits.parse().map_err(|_| wanted())?;
    let power = |letters: &str| ["", "k", "m", "g", "t"].iter().position(|known| *known == letters);
    let unit = unit.trim_start().to_ascii_lowercase();
    let (letters, base) = match unit.strip_suffix("ib") {
        Some(letters) if !letters.is_empty() => (letters, 1024_u64),
        Some(_) => return Err(wanted()),
        None => unit.strip_suffix('b').map_or((&*unit, 1024), |letters| (letters, 1000)),
    };
    let factor = power(letters).and_then(|power| base.checked_pow(power as u32)).ok_or_else(wanted)?;
    let bytes = number.checked_mul(factor).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| "the size is out of range".to_owned())
}

/// Parses a crawler that a policy was compiled for: its product tokens, or another name as its owner publishes it.
pub fn published(given: &str) -> Result<Agents, ValueError> {
    let is_published = |error: &ValueError| error.is_about(About::WholeUserAgent) || error.is_about(About::Character);
    match given.parse() {
        Err(error) if is_published(&error) => Ok(Agents::verbatim(given)),
        agents => agents,
    }
}

/// Parses the time between two checkpoints. A longer one than a day is a mistake, such as milliseconds.
pub fn checkpoint(given: &str) -> Result<Duration, String> {
    let interval = Some(duration(given)?).filter(|&interval| interval <= Duration::from_secs(86_400));
    interval.ok_or_else(|| "at most a day, 1d".to_owned())
}

const MOST_WORKERS: usize = 4096;

/// Parses the number of workers. Each has its own buffers, so far more workers than processors would only take memory.
pub fn workers(given: &str) -> Result<usize, String> {
    let number = number(given).ok().filter(|&number| number <= MOST_WORKERS);
    number.ok_or_else(|| format!("expected a whole number up to {MOST_WORKERS}"))
}

pub fn number(given: &str) -> Result<usize, String> {
    given.parse().map_err(|_| "expected a whole number".to_owned())
}

/// A parser for one of these values, given by its name.
pub fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (impl Into<PossibleValue>, T)>,
) -> impl TypedValueParser<Value = T> {
    let (names, values): (Vec<PossibleValue>, Vec<T>) =
        choices.into_iter().map(|(name, value)| (name.into(), value)).unzip();
    PossibleValuesParser::new(names.clone()).try_map(move |given| {
        let place = names.iter().position(|name| name.matches(&given, false));
        place.map(|place| values[place].clone()).ok_or("it is none of them")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_and_within_bounds() {
        assert_eq!((number("7"), workers("4096")), (Ok(7), Ok(4096)));
        for given in ["", "x", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(number(given), Err("expected a whole number".to_owned()), "{given}");
            assert_eq!(workers(given), Err("expected a whole number up to 4096".to_owned()), "{given}");
        }
        assert!(workers("4097").is_err());
    }

    #[test]
    fn sizes_have_units_of_both_kinds() {
        for (given, expected) in [
            ("500", 500),
            ("64k", 64 << 10),
            ("64K", 64 << 10),
            ("1M", 1 << 20),
            ("1G", 1 << 30),
            ("1GiB", 1 << 30),
            ("1GB", 1_000_000_000),
            ("2 MB", 2_000_000),
            ("7b", 7),
        ] {
            assert_eq!(bytes(given), Ok(expected), "{given}");
        }
        for given in ["", "k", "1.5G", "0", "-1", "1X", "1iB", "1GiBs", "99999999999G", "1 2"] {
            assert!(bytes(given).is_err(), "{given}");
        }
    }
}
