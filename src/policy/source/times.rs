//! The times that answers may have, and those of files that say nothing of it themselves. A time in the wrong unit would be newer than
//! all others, and never too old.

use std::path::Path;
use std::str::FromStr;
use std::time::UNIX_EPOCH;
use std::{fs, io};

use super::SourceError;
use super::fields::Field;
use crate::formats::time::{self, time};
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

/// When the files of a folder were fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchedAt {
    /// All at one time, in seconds of Unix time.
    At(i64),
    /// Each when it was last modified.
    Modified,
}

impl FetchedAt {
    /// The time of a file, in seconds of Unix time, if one is given.
    pub(super) fn time(given: Option<FetchedAt>, path: &Path, bounds: TimeBounds) -> Result<Option<i64>, SourceError> {
        let time = match given {
            None => return Ok(None),
            Some(FetchedAt::At(time)) => time,
            Some(FetchedAt::Modified) => modified(path).map_err(SourceError::unreadable(path))?,
        };
        let fetched_at = Some(time);
        let wrong = |problem| SourceError::Time { path: path.to_owned(), problem };
        bounds.check_fetched(fetched_at).map_err(wrong)?;
        Ok(fetched_at)
    }
}

/// When a file was last modified, in seconds of Unix time.
fn modified(path: &Path) -> io::Result<i64> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        let problem = "it is no regular file, so it has no time of modification that counts";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    // Before 1970, too, it is the second that began.
    Ok(match metadata.modified()?.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => {
            let (seconds, rest) = (before.duration().as_secs(), before.duration().subsec_nanos());
            i64::try_from(seconds).map_or(i64::MIN, |seconds| -seconds - i64::from(rest > 0))
        }
    })
}

impl FromStr for FetchedAt {
    type Err = String;

    /// Parses a time in RFC 3339, or `mtime`.
    fn from_str(text: &str) -> Result<FetchedAt, String> {
        match text {
            "mtime" => Ok(FetchedAt::Modified),
            time => {
                time::parse(time).map(FetchedAt::At).map_err(|problem| format!("{problem}; expected one, or mtime"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

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

    #[test]
    fn it_is_a_time_or_that_of_the_file() {
        assert_eq!("mtime".parse(), Ok(FetchedAt::Modified));
        assert_eq!("2026-01-12T13:00:00+01:00".parse(), Ok(FetchedAt::At(1_768_219_200)));
        for wrong in ["", "MTIME", "2026-01-12", "1768219200"] {
            assert!(wrong.parse::<FetchedAt>().unwrap_err().ends_with("expected one, or mtime"), "{wrong}");
        }
    }

    #[test]
    fn the_time_of_a_file_is_the_second_that_began() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (time, seconds) in [
            (UNIX_EPOCH + Duration::from_millis(7900), 7),
            (UNIX_EPOCH, 0),
            (UNIX_EPOCH - Duration::from_millis(1500), -2),
            (UNIX_EPOCH - Duration::from_secs(2), -2),
        ] {
            file.as_file().set_modified(time).unwrap();
            assert_eq!(modified(file.path()).unwrap(), seconds, "{time:?}");
        }
    }
}
