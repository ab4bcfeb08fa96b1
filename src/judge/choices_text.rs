//! Choices as operators write them: durations, and files of statuses.
//!
//! A TOML file has a line for each status, or for all of a hundred:
//!
//! ```toml
//! 403 = "defer"     # or "allow", "block"
//! 429 = "defer"
//! "4xx" = "allow"   # all others from 400 to 499
//! "5xx" = "defer"
//! ```
//!
//! Ignoring an invalid line could allow what it was meant to block, so it is an error.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::str::FromStr;
use toml::Spanned;

use super::choices::{Fallback, MaxAge, Statuses, no_meaning};
use crate::error::{ValueError, ValueErrorKind};
use crate::formats::toml::toml_words;
use crate::formats::{line_of, shortened, shown, text_file, time_text};
use crate::policy::LONGEST_UNREACHABLE;

impl FromStr for MaxAge {
    type Err = ValueError;

    /// Parses `dialect`, or a duration such as `2h`, `7d` or `3600`, which are seconds. Ages are whole seconds, so a fraction is
    /// without effect.
    fn from_str(given: &str) -> Result<MaxAge, ValueError> {
        if given == "dialect" {
            return Ok(MaxAge::Dialect);
        }
        let not_age = |problem| ValueErrorKind::Age.of(format!("{problem}; or `dialect`"));
        time_text::duration(given).map(|age| MaxAge::Seconds(age.as_secs())).map_err(not_age)
    }
}

/// Parses how long an origin must have been unreachable to count as without a robots.txt, to seconds.
///
/// # Errors
///
/// A sentence that says what is expected.
pub fn unreachable_for(given: &str) -> Result<u64, String> {
    let age = time_text::duration(given)?;
    // Ages are whole seconds: a fraction of one more is not over before the next.
    known_unreachable(age.as_secs() + u64::from(age.subsec_nanos() > 0))
}

/// Checks that policies know of failures that began so long ago.
///
/// # Errors
///
/// A sentence that says what is expected.
pub fn known_unreachable(seconds: u64) -> Result<u64, String> {
    let days = LONGEST_UNREACHABLE / 86_400;
    let known = Some(seconds).filter(|&seconds| seconds <= LONGEST_UNREACHABLE);
    known.ok_or_else(|| format!("a policy knows failures of the last {days} days only, so at most {days}d"))
}

/// The most bytes of a file; a line for each status takes fewer.
const LONGEST_FILE: u64 = 1 << 20;

impl Statuses {
    /// The statuses with this name or, if there is none, of the file with this path.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if it is neither, or the file cannot be read, or anything in it is not understood.
    pub fn named_or_read(name_or_path: &Path) -> Result<Statuses, ValueError> {
        let named = name_or_path.to_str().and_then(Statuses::named);
        named.map_or_else(|| Statuses::read(name_or_path), Ok)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// As [`Statuses::named_or_read`].
    fn read(path: &Path) -> Result<Statuses, ValueError> {
        let bytes = match text_file::read(path, LONGEST_FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let known = Statuses::names().collect::<Vec<_>>().join(", ");
                return Err(ValueErrorKind::Statuses.of(format!("{path:?} is no file, and none of the names {known}")));
            }
            read => read.map_err(ValueErrorKind::Statuses.with_file("read", path))?,
        };
        Statuses::of_text(&bytes, Some(path))
    }

    /// The statuses of the text of a file.
    fn of_text(text: &[u8], path: Option<&Path>) -> Result<Statuses, ValueError> {
        parse(text).map_err(|(at, problem)| {
            let file = path.map(|path| format!("{}: ", shown(path))).unwrap_or_default();
            let message = format!("{file}line {}: {}", line_of(text, at), shortened(problem));
            ValueErrorKind::Statuses.of(message)
        })
    }
}

/// Parses the bytes of a file; a problem comes with its byte offset.
fn parse(bytes: &[u8]) -> Result<Statuses, (usize, String)> {
    let text = std::str::from_utf8(bytes).map_err(|error| (error.valid_up_to(), "it is not UTF-8".to_owned()))?;
    let lines: BTreeMap<Spanned<String>, Spanned<String>> = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, toml_words(&error))
    })?;
    // In file order, so that the first error is reported.
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by_key(|(name, _)| name.span().start);
    let mut statuses = Statuses::default();
    for (name, word) in lines {
        let meaning = Fallback::from_name(word.get_ref().as_bytes());
        let meaning = meaning.ok_or_else(|| (word.span().start, no_meaning(word.get_ref())))?;
        statuses.add_one(name.get_ref(), meaning).map_err(|problem| (name.span().start, problem))?;
    }
    match statuses.is_empty() {
        true => Err((0, "it gives no status a meaning; expected a line such as 403 = \"defer\"".to_owned())),
        false => Ok(statuses),
    }
}

/// From the text of a file.
impl FromStr for Statuses {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Statuses, ValueError> {
        Statuses::of_text(text.as_bytes(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("statuses.toml");
        std::fs::write(&path, text).unwrap();
        let error = Statuses::named_or_read(&path).unwrap_err().to_string();
        error.rsplit_once("statuses.toml: ").unwrap().1.to_owned()
    }

    #[test]
    fn what_is_not_understood_is_an_error_with_its_line() {
        for (text, expected) in [
            (&b""[..], "line 1: it gives no status a meaning"),
            (b"# nothing\n", "line 1: it gives no status a meaning"),
            (b"403 = 'defer'\n200 = 'allow'\n", "line 2: \"200\" is no status that"),
            (b"301 = 'allow'\n", "line 1: \"301\" is no status that"),
            (b"304 = 'allow'\n", "line 1: \"304\""),
            (b"600 = 'allow'\n", "line 1: \"600\""),
            (b"0403 = 'allow'\n", "line 1: \"0403\""),
            (b"'+403' = 'allow'\n", "line 1: \"+403\""),
            (b"'4XX' = 'allow'\n", "line 1: \"4XX\""),
            (b"2xx = 'allow'\n", "line 1: \"2xx\""),
            (b"'400-450' = 'block'\n", "line 1: \"400-450\""),
            (b"\n404 = 'allowed'\n", "line 2: \"allowed\" is unknown; expected allow, block or defer"),
            (b"404 = 'use'\n", "line 1: \"use\" is unknown; expected allow, block or defer"),
            (b"404 = 'Block'\n", "line 1: \"Block\""),
            (b"404 = true\n", "line 1: true where a text is expected"),
            (b"403 = 'defer'\n'403' = 'allow'\n", "line 2: duplicate key"),
            (b"4xx = 'defer'\n4xx = 'defer'\n", "line 2: duplicate key"),
            (b"403 = 'defer'\n429 = 'de", "line 2: "),
            (b"[403]\na = 'defer'\n", "line 1: a table where a text is expected"),
            (b"403 = 'defer' # \xff\n", "line 1: it is not UTF-8"),
        ] {
            let found = problem(text);
            assert!(found.starts_with(expected), "{}: {found}", text.escape_ascii());
        }
        let long = [&b"404 = 'allow' #"[..], &vec![b'x'; 1 << 20]].concat();
        assert!(problem(&long).contains("longer than 1048576 bytes"));
        let missing = Statuses::named_or_read(Path::new("no-such-crawl")).unwrap_err().to_string();
        assert_eq!(missing, "\"no-such-crawl\" is no file, and none of the names common-crawl, nutch");
        assert!(Statuses::named_or_read(Path::new("/")).unwrap_err().to_string().starts_with("cannot read /: "));
    }

    #[test]
    fn a_cut_or_altered_file_allows_nothing_that_the_whole_one_does_not() {
        let whole = "401 = \"block\"\n403 = \"defer\"\n\"4xx\" = \"block\"\n\"5xx\" = \"defer\"\n";
        let is_allowed =
            |statuses: &Statuses| (0..=999).any(|status| statuses.meaning(status) == Some(Fallback::Allow));
        for length in 0..whole.len() {
            // Some cuts between lines are whole files; none of the others is read.
            let is_between = whole[..length].ends_with(['\n', '"']) && !whole[..length].ends_with("\n\"");
            let cut = whole[..length].parse::<Statuses>();
            assert!(cut.is_err() || is_between, "{length}");
            for byte in [b'\0', b'a', b'4', b'"', b'\n', b'='] {
                let mut altered = whole.as_bytes().to_vec();
                altered[length] = byte;
                assert!(!parse(&altered).is_ok_and(|statuses| is_allowed(&statuses)), "{length} {byte}");
            }
        }
    }
}
