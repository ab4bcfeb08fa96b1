//! The time for answers that have none: one time for the whole run, or each file's own.

use std::path::Path;
use std::time::UNIX_EPOCH;
use std::{fs, io};

use super::answer::TimeBounds;
use super::error::wrong;
use crate::error::policy::Error;
#[cfg(feature = "batch")]
use crate::formats::time_text;
use crate::policy::source::error::unreadable;

/// The time of fetching for a source's answers that have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchedAt {
    /// One time for all answers, in seconds of Unix time.
    At(i64),
    /// For each answer, the last modification of its file.
    Modified,
}

/// The times for answers that have none.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceTimes {
    pub given: Option<FetchedAt>,
    pub bounds: TimeBounds,
}

impl SourceTimes {
    /// The time for the answers in a file, in seconds of Unix time, if one is given.
    pub fn of_file(self, path: &Path) -> Result<Option<i64>, Error> {
        let time = match self.given {
            None => return Ok(None),
            Some(FetchedAt::At(time)) => time,
            Some(FetchedAt::Modified) => modified(path).map_err(unreadable(path))?,
        };
        self.checked(path, time)
    }

    /// The time of answers in memory, for which `name` stands.
    pub fn of_memory(self, name: &Path) -> Result<Option<i64>, Error> {
        match self.given {
            None => Ok(None),
            Some(FetchedAt::At(time)) => self.checked(name, time),
            Some(FetchedAt::Modified) => {
                Err(wrong(name, "no file has them, so there is no time of modification; give a time"))
            }
        }
    }

    fn checked(self, path: &Path, time: i64) -> Result<Option<i64>, Error> {
        self.bounds.check_fetched(Some(time)).map_err(|problem| wrong(path, problem))?;
        Ok(Some(time))
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

#[cfg(feature = "batch")]
impl std::str::FromStr for FetchedAt {
    type Err = String;

    /// Parses a time in RFC 3339, or `mtime`.
    fn from_str(text: &str) -> Result<FetchedAt, String> {
        match text {
            "mtime" => Ok(FetchedAt::Modified),
            time => time_text::parse(time)
                .map(FetchedAt::At)
                .map_err(|problem| format!("{problem}; expected one, or mtime")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[cfg(feature = "batch")]
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
