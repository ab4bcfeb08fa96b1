//! A file of overrides.
//!
//! It is TOML, and has a table for each origin:
//!
//! ```toml
//! ["https://shop.example"]
//! crawl-delay = 10                        # seconds; or "500ms", "2h"
//!
//! ["http://archive.example:8080"]
//! verdict = "allow-all"                   # or "forbid-all"
//!
//! ["https://broken.example"]
//! robots-txt = """
//! User-agent: *
//! Disallow: /private
//! """
//!
//! ["https://busy.example"]
//! robots-txt-file = "busy.robots.txt"     # beside this file
//! paused-until = 2026-12-01T08:00:00Z
//! ```
//!
//! Ignoring an invalid entry could do the opposite of its intent, so nothing is ignored: unknown keys, contradictory
//! keys, and two tables for one origin are errors.

use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use toml::value::Datetime;

use super::overrides::{Override, Overrides, PAUSED_UNTIL, ROBOTS_TXT, SECONDS, VERDICT};
use crate::dialect::Dialect;
use crate::error::Problem;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::time::LAST_YEAR;
use crate::formats::toml::toml_words;
use crate::formats::{line_of, shortened, shown, text_file, time_text};
use crate::policy::source::{FieldNames, Robots, SourceKind, bare_origin};
use crate::policy::state::Ruling;
use crate::robots::{self, body_limit};

/// The most bytes of a file: more than a million tables have.
const LONGEST_FILE: u64 = 256 << 20;

/// The position of a problem in the file, in bytes from its start, and the problem.
type ProblemAt = (usize, String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table such as [\"https://example.com\"]")]
struct OverrideTable {
    verdict: Option<Spanned<FixedVerdict>>,
    robots_txt: Option<Spanned<String>>,
    robots_txt_file: Option<Spanned<String>>,
    crawl_delay: Option<Spanned<Delay>>,
    paused_until: Option<Spanned<Datetime>>,
}

/// A number of seconds, or a duration such as "500ms".
#[derive(Deserialize)]
#[serde(untagged, expecting = "wanted a number of seconds, or a duration such as \"10s\",")]
enum Delay {
    Seconds(f64),
    Text(String),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FixedVerdict {
    AllowAll,
    ForbidAll,
}

impl Overrides {
    /// Reads a file and the replacements that it names; their paths are relative to its folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or anything in this one is not understood.
    pub fn read(path: &Path) -> Result<Overrides, Error> {
        let bytes = text_file::read(path, LONGEST_FILE).map_err(ErrorKind::File.with_file("read", path))?;
        parse(&bytes, path.parent().unwrap_or(Path::new(""))).map_err(|(at, problem)| {
            let line = line_of(&bytes, at);
            let (path, problem) = (shown(path), shortened(problem));
            ErrorKind::Overrides.of(format!("{path}, line {line} (byte {at}): {problem}"))
        })
    }
}

/// Parses the bytes of a file in `folder`.
fn parse(bytes: &[u8], folder: &Path) -> Result<Overrides, ProblemAt> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| (error.valid_up_to(), "it is not UTF-8, as TOML must be".to_owned()))?;
    let tables: BTreeMap<Spanned<String>, OverrideTable> = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, toml_words(&error))
    })?;
    // In file order, so that the first error is reported.
    let mut tables: Vec<_> = tables.into_iter().collect();
    tables.sort_by_key(|(name, _)| name.span().start);
    let mut overrides = Overrides::default();
    let mut first_at: BTreeMap<String, usize> = BTreeMap::new();
    for (name, table) in tables {
        let at = name.span().start;
        // A wildcard would match nothing.
        let origin = bare_origin(name.get_ref()).ok().filter(|_| !name.get_ref().contains('*'));
        let Some(origin) = origin else {
            let problem = format!(
                "{:?} is not an origin; name a table like [\"https://www.example.com\"]: quoted, with a scheme, and \
                 without a path or a wildcard",
                name.get_ref()
            );
            return Err((at, problem));
        };
        if let Some(&first) = first_at.get(&origin) {
            let first = line_of(bytes, first);
            return Err((at, format!("{origin} already has a table at line {first}; put everything into one table")));
        }
        let empty = || format!("the table of {origin} is empty; its keys are {}", KEYS.join(", "));
        let operator_override = override_in(table, folder)?.ok_or_else(|| (at, empty()))?;
        first_at.insert(origin.clone(), at);
        overrides.by_origin.insert(origin, operator_override);
    }
    Ok(overrides)
}

/// The override in a table; `None` if it has no keys.
fn override_in(table: OverrideTable, folder: &Path) -> Result<Option<Override>, ProblemAt> {
    let OverrideTable { verdict, robots_txt, robots_txt_file, crawl_delay, paused_until } = &table;
    let ruling = verdict.as_ref().map(|value| match value.get_ref() {
        FixedVerdict::AllowAll => Ruling::AllowAll,
        FixedVerdict::ForbidAll => Ruling::ForbidAll,
    });
    let fixed = start(verdict);
    // If everything is forbidden, a delay or the end of a pause makes no sense.
    let forbidden = fixed.filter(|_| ruling == Some(Ruling::ForbidAll));
    let (text, file) = (start(robots_txt), start(robots_txt_file));
    for (one, at_one, other, at_other) in [
        (VERDICT, fixed, ROBOTS_TXT, text),
        (VERDICT, fixed, ROBOTS_TXT_FILE, file),
        (ROBOTS_TXT, text, ROBOTS_TXT_FILE, file),
        (VERDICT, forbidden, CRAWL_DELAY, start(crawl_delay)),
        (VERDICT, forbidden, PAUSED_UNTIL, start(paused_until)),
    ] {
        if let (Some(one_at), Some(other_at)) = (at_one, at_other) {
            let problem = format!("{one} and {other} contradict each other; remove one of them");
            return Err((one_at.max(other_at), problem));
        }
    }
    let body = match (robots_txt, robots_txt_file) {
        (Some(text), _) => Some(written(text)?),
        (None, Some(file)) => Some(replacement(file, folder)?),
        (None, None) => None,
    };
    let operator_override = Override {
        ruling: ruling.or(body.is_some().then_some(Ruling::RobotsTxt)),
        robots_txt: body,
        crawl_delay: crawl_delay.as_ref().map(delay).transpose()?,
        paused_until: paused_until.as_ref().map(seconds).transpose()?,
    };
    Ok(Some(operator_override).filter(|found| *found != Override::default()))
}

fn start<T>(value: &Option<Spanned<T>>) -> Option<usize> {
    value.as_ref().map(|value| value.span().start)
}

fn replacement(value: &Spanned<String>, folder: &Path) -> Result<Arc<[u8]>, ProblemAt> {
    let path = folder.join(value.get_ref());
    // The dialect is that of a policy, which is not known here.
    let at = value.span().start;
    let robots = Robots::open(&path, body_limit(Dialect::ALL));
    let robots = robots.map_err(|error| (at, Problem::with_file("read", &path)(error).to_string()))?;
    let text = robots.text.map_err(|problem| (at, format!("{} is no robots.txt: {problem}", shown(&path))))?;
    let looks = match SourceKind::of_file(&text, &FieldNames::default()) {
        Ok(SourceKind::RobotsTxt) => return Ok(text),
        Ok(kind) => kind.name(),
        Err(form) => form.name(),
    };
    Err((at, format!("{} looks like {looks}, not like a robots.txt", shown(&path))))
}

/// The robots.txt that is written in the file itself.
fn written(value: &Spanned<String>) -> Result<Arc<[u8]>, ProblemAt> {
    let text = robots::body_text(Cow::Borrowed(value.get_ref().as_bytes()), &[], body_limit(Dialect::ALL));
    text.map(Arc::from)
        .map_err(|problem| (value.span().start, format!("the value of {ROBOTS_TXT} is no robots.txt: {problem}")))
}

/// A delay as a decimal number of seconds.
fn delay(value: &Spanned<Delay>) -> Result<String, ProblemAt> {
    let at = value.span().start;
    let seconds = match value.get_ref() {
        Delay::Seconds(seconds) => *seconds,
        Delay::Text(text) => {
            let duration = time_text::duration(text);
            duration.map_err(|problem| (at, format!("{CRAWL_DELAY} is {text:?}; {problem}")))?.as_secs_f64()
        }
    };
    if !SECONDS.contains(&seconds) {
        let problem = format!("{CRAWL_DELAY} must be a number of seconds, from 0 to a year; this is {seconds}");
        return Err((at, problem));
    }
    // `abs` drops the sign of a negative zero.
    Ok(seconds.abs().to_string())
}

/// A time in seconds of Unix time.
fn seconds(value: &Spanned<Datetime>) -> Result<i64, ProblemAt> {
    let found = value.get_ref().to_string();
    let problem = || match time_text::is_too_late(&found) {
        true => {
            format!("{PAUSED_UNTIL} is {found}, beyond the year {}; a time that late is never meant", LAST_YEAR)
        }
        false => {
            format!("{PAUSED_UNTIL} must be a time with its offset, such as 2026-12-01T08:00:00Z; this is {found}")
        }
    };
    time_text::parse(&found).map_err(|_| (value.span().start, problem()))
}

const ROBOTS_TXT_FILE: &str = "robots-txt-file";
const CRAWL_DELAY: &str = "crawl-delay";
const KEYS: [&str; 5] = [VERDICT, ROBOTS_TXT, ROBOTS_TXT_FILE, CRAWL_DELAY, PAUSED_UNTIL];

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Overrides, ProblemAt> {
        parse(text.as_bytes(), Path::new("nowhere"))
    }

    /// The error in a file: its line, the text at its position, and the problem.
    fn wrong(text: &str) -> (usize, &str, String) {
        let (at, problem) = parsed(text).expect_err(text);
        (line_of(text.as_bytes(), at), text[at..].lines().next().unwrap_or(""), problem.to_string())
    }

    #[test]
    fn every_key_is_understood() {
        let text = "
            # The operator's word
            ['HTTPS://Shop.example:443']
            crawl-delay = 2.50
            [\"http://b\u{fc}cher.example/\"]
            verdict = 'allow-all'
            crawl-delay = 1_0
            paused-until = 1970-01-01T01:00:10+01:00
            [\"http://a.example:8080\"]
            verdict = \"forbid-all\"
            [\"http://slow.example\"]
            crawl-delay = \"2h\"
            [\"http://quick.example\"]
            crawl-delay = \"1s500ms\"
            [\"http://r.example\"]
            robots-txt = \"\"\"\nUser-agent: *\nDisallow: /\n\"\"\"
        ";
        let overrides = parsed(text).unwrap();
        let origins: Vec<&str> = overrides.iter().map(|(origin, _)| origin).collect();
        let expected = [
            "http://a.example:8080",
            "http://quick.example",
            "http://r.example",
            "http://slow.example",
            "http://xn--bcher-kva.example",
            "https://shop.example",
        ];
        assert_eq!(origins, expected);
        let get = |origin| overrides.get(origin).unwrap().clone();
        let delay = |seconds: &str| Override { crawl_delay: Some(seconds.to_owned()), ..Override::default() };
        for (origin, seconds) in
            [("https://shop.example", "2.5"), ("http://slow.example", "7200"), ("http://quick.example", "1.5")]
        {
            assert_eq!(get(origin), delay(seconds));
        }
        let allowed = Override { ruling: Some(Ruling::AllowAll), paused_until: Some(10), ..delay("10") };
        assert_eq!(get("http://xn--bcher-kva.example"), allowed);
        assert_eq!(get("http://a.example:8080").ruling, Some(Ruling::ForbidAll));
        let body = b"User-agent: *\nDisallow: /\n".as_slice();
        let replaced =
            Override { ruling: Some(Ruling::RobotsTxt), robots_txt: Some(body.into()), ..Override::default() };
        assert_eq!(get("http://r.example"), replaced);
        assert_eq!(overrides.get("http://shop.example"), None);
        assert_eq!(parsed("").unwrap().iter().count(), 0);
    }

    #[test]
    fn a_replacement_is_read_from_the_folder_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("overrides.toml");
        std::fs::create_dir(folder.path().join("own")).unwrap();
        std::fs::write(folder.path().join("own/a.txt"), b"Disallow: /\xff").unwrap();
        std::fs::write(&path, "['http://a']\nrobots-txt-file = 'own/a.txt'\n").unwrap();
        let overrides = Overrides::read(&path).unwrap();
        let body = b"Disallow: /\xff".as_slice();
        assert_eq!(overrides.get("http://a").unwrap().robots_txt.as_deref(), Some(body));
        std::fs::write(&path, "# \u{fc}\n['http://a']\nrobots-txt-file = 'own/b.txt'\n").unwrap();
        let error = Overrides::read(&path).unwrap_err().to_string();
        for part in ["overrides.toml, line 3 (byte 36)", "b.txt"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        let error = Overrides::read(&folder.path().join("none.toml")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::File, "{error}");
    }

    #[test]
    fn each_origin_has_one_table_with_something_in_it() {
        let table = |name: &str| format!("# \n[{name}]\ncrawl-delay = 1\n");
        let two = table("'http://a'") + &table("'HTTP://A:80/'");
        assert_eq!(wrong(&two).0, 5);
        assert!(wrong(&two).2.starts_with("http://a already has a table at line 2"), "{}", wrong(&two).2);
        let (line, at, problem) = wrong("'http://a' = 'allow-all'\n");
        assert!((line, at) == (1, "'allow-all'") && problem.contains("where a table such as"), "{at} {problem}");
        assert!(wrong("['http://a']\n").2.contains("http://a is empty"));
    }

    #[test]
    fn delays_and_times_must_be_possible_and_complete() {
        for (line, parts) in [
            ("crawl-delay = -1", ["a number of seconds", "-1"]),
            ("crawl-delay = nan", ["a number of seconds", "NaN"]),
            ("crawl-delay = 'soon'", ["\"soon\"", "10s"]),
            ("crawl-delay = '-1s'", ["\"-1s\"", "or a number of seconds"]),
            ("crawl-delay = '60w'", ["a year", "36288000"]),
            ("crawl-delay = true", ["a number of seconds, or a duration", "is expected"]),
            ("crawl-delay = 1e9", ["a year", "1000000000"]),
            (
                "paused-until = '2026-12-01T08:00:00Z'",
                ["\"2026-12-01T08:00:00Z\"", "where a date and time, without quotes, is"],
            ),
            ("paused-until = 2026-12-01T08:00:00", ["with its offset", "is 2026-12-01T08:00:00"]),
            ("paused-until = 2026-12-01", ["with its offset", "2026-12-01"]),
        ] {
            let (_, _, problem) = wrong(&format!("['http://a']\n{line}\n"));
            assert!(parts.iter().all(|part| problem.contains(part)), "{line}: {problem}");
        }
    }

    #[test]
    fn what_cannot_both_be_meant_is_refused_at_the_later_one() {
        let lines = [
            "verdict = 'forbid-all'",
            "robots-txt = ''",
            "robots-txt-file = 'x'",
            "crawl-delay = 1",
            "paused-until = 2026-12-01T08:00:00Z",
        ];
        for (one, other) in [(0, 1), (0, 2), (1, 2), (0, 3), (0, 4)] {
            for (first, second) in [(one, other), (other, one)] {
                let text = format!("['http://a']\n{}\n{}\n", lines[first], lines[second]);
                let (line, _, problem) = wrong(&text);
                assert!(line == 3 && problem.contains("contradict"), "{text}: {line} {problem}");
            }
        }
        for (one, other) in [(1, 3), (1, 4), (3, 4)] {
            parsed(&format!("['http://a']\n{}\n{}\n", lines[one], lines[other])).unwrap();
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_where_they_are() {
        let (at, problem) = parse(b"# a\n\xff", Path::new("")).unwrap_err();
        assert_eq!(at, 4);
        assert_eq!(problem, "it is not UTF-8, as TOML must be");
        assert_eq!(wrong("['http://a']\ncrawl-delay = 1\ncrawl-delay = 2\n").0, 3, "TOML itself knows them");
    }
}
