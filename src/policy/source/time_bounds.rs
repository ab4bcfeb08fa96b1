//! The times that answers may have. A time in the wrong unit would be newer than all others, and never too old.

use super::field::Field;
use crate::formats::time::time;
use crate::policy::Answered;

/// The end of the year 5000, in seconds of Unix time. The present in milliseconds is in the year 58,000.
const LAST: i64 = 95_649_119_999;

/// How far the clock of a crawler may be ahead, in seconds.
const AHEAD: i64 = 86_400;

/// The bounds of the times in sources that are read now.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeBounds {
    now: i64,
}

impl TimeBounds {
    /// The bounds at a time, in seconds of Unix time.
    pub fn at(now: i64) -> TimeBounds {
        TimeBounds { now }
    }

    /// Whether a time can be meant: it is not beyond the year 5000.
    pub fn is_possible(time: i64) -> bool {
        time <= LAST
    }

    /// Checks when a file was fetched.
    pub fn check_fetched(self, fetched_at: Option<i64>) -> Result<(), String> {
        self.check(&Answered { fetched_at, ..Answered::default() })
    }

    /// Checks the times of an answer; an error says which one is wrong.
    pub fn check(self, answered: &Answered) -> Result<(), String> {
        let Answered { fetched_at, expires, unreachable_since, .. } = *answered;
        let times =
            [(Field::FetchedAt, fetched_at), (Field::Expires, expires), (Field::UnreachableSince, unreachable_since)];
        for (field, found) in times {
            if let Some(found) = found.filter(|&found| !TimeBounds::is_possible(found)) {
                return Err(format!("{} is {}, beyond the year 5000{}", field.name(), time(found), unit(found)));
            }
        }
        match fetched_at.filter(|at| *at > self.now.saturating_add(AHEAD)) {
            Some(at) => Err(format!("fetched_at is {}, more than a day after now, {}", time(at), time(self.now))),
            None => Ok(()),
        }
    }
}

/// The unit that a number too large for seconds looks like.
fn unit(found: i64) -> &'static str {
    let in_units = [
        (1_000, "; it looks like milliseconds, but numbers are seconds"),
        (1_000_000, "; it looks like microseconds, but numbers are seconds"),
        (1_000_000_000, "; it looks like nanoseconds, but numbers are seconds"),
    ];
    // Numbers of the calendar's years were written as text.
    let is_number = jiff::Timestamp::from_second(found).is_err();
    let fits = in_units.into_iter().find(|(units, _)| is_number && TimeBounds::is_possible(found / units));
    fits.map_or("", |(_, hint)| hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_768_219_200;

    fn problem(answered: Answered) -> String {
        TimeBounds::at(NOW).check(&answered).unwrap_err()
    }

    #[test]
    fn times_of_this_age_are_possible() {
        let fetched = |fetched_at| TimeBounds::at(NOW).check_fetched(fetched_at);
        for at in [None, Some(0), Some(NOW), Some(NOW + AHEAD), Some(i64::MIN)] {
            assert_eq!(fetched(at), Ok(()), "{at:?}");
        }
        let last = "5000-12-31T23:59:59Z".parse::<jiff::Timestamp>().unwrap().as_second();
        assert_eq!(last, LAST);
        let others = Answered { expires: Some(LAST), unreachable_since: Some(LAST), ..Answered::default() };
        assert_eq!(TimeBounds::at(NOW).check(&others), Ok(()));
    }

    #[test]
    fn a_time_in_another_unit_is_told_by_its_field() {
        let [fetched, expires, since] = [1_000, 1_000_000, 1_000_000_000].map(|units| Some(NOW * units));
        let text = problem(Answered { fetched_at: fetched, ..Answered::default() });
        assert!(
            text.starts_with("fetched_at is 1768219200000, beyond the year 5000; ") && text.contains("milli"),
            "{text}"
        );
        let text = problem(Answered { expires, ..Answered::default() });
        assert!(text.starts_with("expires is ") && text.contains("micro"), "{text}");
        let text = problem(Answered { unreachable_since: since, ..Answered::default() });
        assert!(text.starts_with("unreachable_since is ") && text.contains("nano"), "{text}");
        let text = problem(Answered { expires: Some(LAST + 1), ..Answered::default() });
        assert_eq!(text, "expires is 5001-01-01T00:00:00Z, beyond the year 5000");
        problem(Answered { fetched_at: Some(i64::MAX), ..Answered::default() });
    }

    #[test]
    fn no_answer_comes_from_tomorrow() {
        let text = problem(Answered { fetched_at: Some(NOW + AHEAD + 1), ..Answered::default() });
        assert_eq!(text, "fetched_at is 2026-01-13T12:00:01Z, more than a day after now, 2026-01-12T12:00:00Z");
    }
}
