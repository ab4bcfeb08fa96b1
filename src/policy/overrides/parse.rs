//! Reads overrides: TOML with the position of each item, so that errors can name it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{CRAWL_DELAY, KEYS, PAUSED_UNTIL, ROBOTS_TXT, ROBOTS_TXT_FILE, VERDICT};
use super::{Override, OverrideProblem, Overrides, OverridesError};
use crate::origin;
use crate::policy::source::bare_origin;
use crate::policy::state::Ruling;

/// A crawl delay of more than a year is a mistake.
const LONGEST_DELAY: f64 = 365.0 * 86_400.0;

/// A problem and its byte offset.
type ProblemAt = (usize, OverrideProblem);

impl Overrides {
    /// Reads a file and the replacements that it names; their paths are relative to its folder.
    ///
    /// # Errors
    ///
    /// [`OverridesError`] if a file cannot be read, or anything in this one is not understood.
    pub fn read(path: &Path) -> Result<Overrides, OverridesError> {
        let bytes = fs::read(path).map_err(|error| OverridesError::Unreadable { path: path.to_owned(), error })?;
        parse(&bytes, path.parent().unwrap_or(Path::new(""))).map_err(|(at, problem)| {
            let line = line_of(&bytes, at);
            OverridesError::Wrong { path: path.to_owned(), line, offset: at, problem }
        })
    }
}

/// The line, counted from 1, that contains a byte of a text.
fn line_of(text: &[u8], at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count()
}

/// Parses the bytes of a file in `folder`.
fn parse(bytes: &[u8], folder: &Path) -> Result<Overrides, ProblemAt> {
    let text = std::str::from_utf8(bytes).map_err(|error| (error.valid_up_to(), OverrideProblem::NotUtf8))?;
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, OverrideProblem::NotToml(error.message().replace('\n', "; ")))
    })?;
    // In file order, so that the first error is reported.
    let mut tables: Vec<_> = document.get_ref().iter().collect();
    tables.sort_by_key(|(name, _)| name.span().start);
    let mut overrides = Overrides::default();
    let mut first_at: BTreeMap<String, usize> = BTreeMap::new();
    for (name, value) in tables {
        let at = name.span().start;
        let given = name.get_ref();
        let origin = origin_of(given).map_err(|problem| (at, problem))?;
        if let Some(&first) = first_at.get(&origin) {
            return Err((at, OverrideProblem::Repeated { origin, first: line_of(bytes, first) }));
        }
        let Some(table) = value.get_ref().as_table() else {
            let found = value.get_ref().type_str();
            return Err((value.span().start, OverrideProblem::NotTable { origin: given.clone().into_owned(), found }));
        };
        let operator_override =
            override_in(table, folder)?.ok_or_else(|| (at, OverrideProblem::Empty { origin: origin.clone() }))?;
        first_at.insert(origin.clone(), at);
        overrides.by_origin.insert(origin, operator_override);
    }
    Ok(overrides)
}

/// The origin that the name of a table stands for.
fn origin_of(given: &str) -> Result<String, OverrideProblem> {
    let named = given.to_owned();
    let host = given.split_once("://").map_or(given, |(_, rest)| rest);
    if host.split(['/', '?', '#']).next().is_some_and(|host| host.contains('*')) {
        return Err(OverrideProblem::Wildcard { given: named });
    }
    bare_origin(given).map_err(|reason| match origin::canonical(origin::trimmed(given.as_bytes())) {
        Ok((origin, _)) => OverrideProblem::Path { given: named, origin },
        Err(_) => OverrideProblem::NotOrigin { given: named, reason },
    })
}

/// Refuses a table with an unknown key; the error is at the first one.
fn refuse_unknown(table: &DeTable<'_>) -> Result<(), ProblemAt> {
    let unknown = table.keys().filter(|key| !KEYS.contains(&&**key.get_ref()));
    unknown.min_by_key(|key| key.span().start).map_or(Ok(()), |key| {
        let (given, proposal) = (key.get_ref().clone().into_owned(), nearest(key.get_ref()));
        Err((key.span().start, OverrideProblem::UnknownKey { given, proposal }))
    })
}

/// Refuses two keys that exclude each other; the error is at the later one.
fn refuse_both(table: &DeTable<'_>, one: &'static str, other: &'static str) -> Result<(), ProblemAt> {
    table.get(one).zip(table.get(other)).map_or(Ok(()), |(a, b)| {
        Err((a.span().start.max(b.span().start), OverrideProblem::Contradiction { one, other }))
    })
}

/// The known key nearest to an unknown one, within one edit per three letters of the key.
fn nearest(given: &str) -> Option<&'static str> {
    let distance = |key: &str| strsim::osa_distance(&given.to_ascii_lowercase().replace('_', "-"), key);
    let near = KEYS.into_iter().filter(|key| given.len() < 2 * key.len()).map(|key| (distance(key), key));
    near.filter(|(distance, key)| *distance <= key.len() / 3).min().map(|(_, key)| key)
}

/// The override in a table; `None` if it has no keys.
fn override_in(table: &DeTable<'_>, folder: &Path) -> Result<Option<Override>, ProblemAt> {
    refuse_unknown(table)?;
    refuse_both(table, VERDICT, ROBOTS_TXT)?;
    refuse_both(table, VERDICT, ROBOTS_TXT_FILE)?;
    refuse_both(table, ROBOTS_TXT, ROBOTS_TXT_FILE)?;
    let verdict = table.get(VERDICT).map(verdict).transpose()?;
    if verdict == Some(Ruling::ForbidAll) {
        // If nothing is ever fetched, neither a delay nor a resumption makes sense.
        refuse_both(table, VERDICT, CRAWL_DELAY)?;
        refuse_both(table, VERDICT, PAUSED_UNTIL)?;
    }
    let inline = table.get(ROBOTS_TXT).map(|value| text(value, ROBOTS_TXT)).transpose()?;
    let file = table.get(ROBOTS_TXT_FILE).map(|value| replacement(value, folder)).transpose()?;
    let body = inline.map(|text| Arc::from(text.as_bytes())).or(file);
    let operator_override = Override {
        ruling: verdict.or(body.is_some().then_some(Ruling::RobotsTxt)),
        robots_txt: body,
        crawl_delay: table.get(CRAWL_DELAY).map(crawl_delay).transpose()?,
        paused_until: table.get(PAUSED_UNTIL).map(paused_until).transpose()?,
    };
    Ok(Some(operator_override).filter(|found| *found != Override::default()))
}

/// The error for an unacceptable value: its position, and the value found.
fn invalid_value(value: &Spanned<DeValue<'_>>, key: &'static str, wanted: &'static str) -> ProblemAt {
    let found = match value.get_ref() {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        other => other.type_str().to_owned(),
    };
    (value.span().start, OverrideProblem::Value { key, wanted, found })
}

fn text<'t>(value: &'t Spanned<DeValue<'_>>, key: &'static str) -> Result<&'t str, ProblemAt> {
    value.get_ref().as_str().ok_or_else(|| invalid_value(value, key, "a string in quotes"))
}

fn verdict(value: &Spanned<DeValue<'_>>) -> Result<Ruling, ProblemAt> {
    let given = value.get_ref().as_str();
    let verdict = [Ruling::AllowAll, Ruling::ForbidAll].into_iter().find(|ruling| given == Some(ruling.name()));
    verdict.ok_or_else(|| invalid_value(value, VERDICT, "\"allow-all\" or \"forbid-all\""))
}

fn replacement(value: &Spanned<DeValue<'_>>, folder: &Path) -> Result<Arc<[u8]>, ProblemAt> {
    let path = folder.join(text(value, ROBOTS_TXT_FILE)?);
    let body = fs::read(&path);
    body.map(Arc::from).map_err(|error| (value.span().start, OverrideProblem::Unreadable { path, error }))
}

fn crawl_delay(value: &Spanned<DeValue<'_>>) -> Result<String, ProblemAt> {
    let seconds: Option<f64> = match value.get_ref() {
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number as f64)
        }
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    };
    let within = seconds.filter(|seconds| (0.0..=LONGEST_DELAY).contains(seconds));
    let wanted = "a number of seconds, from 0 to a year";
    // `abs` drops the sign of a negative zero.
    within.map(|seconds| seconds.abs().to_string()).ok_or_else(|| invalid_value(value, CRAWL_DELAY, wanted))
}

fn paused_until(value: &Spanned<DeValue<'_>>) -> Result<i64, ProblemAt> {
    let time = value.get_ref().as_datetime().and_then(|time| time.to_string().parse::<jiff::Timestamp>().ok());
    let wanted = "a time with its offset and without quotes, such as 2026-12-01T08:00:00Z";
    time.map(jiff::Timestamp::as_second).ok_or_else(|| invalid_value(value, PAUSED_UNTIL, wanted))
}

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
            [\"http://r.example\"]
            robots-txt = \"\"\"\nUser-agent: *\nDisallow: /\n\"\"\"
        ";
        let overrides = parsed(text).unwrap();
        let origins: Vec<&str> = overrides.iter().map(|(origin, _)| origin).collect();
        let expected =
            ["http://a.example:8080", "http://r.example", "http://xn--bcher-kva.example", "https://shop.example"];
        assert_eq!(origins, expected);
        let get = |origin| overrides.get(origin).unwrap().clone();
        let delay = |seconds: &str| Override { crawl_delay: Some(seconds.to_owned()), ..Override::default() };
        assert_eq!(get("https://shop.example"), delay("2.5"));
        let allowed = Override { ruling: Some(Ruling::AllowAll), paused_until: Some(10), ..delay("10") };
        assert_eq!(get("http://xn--bcher-kva.example"), allowed);
        assert_eq!(get("http://a.example:8080").ruling, Some(Ruling::ForbidAll));
        let body = b"User-agent: *\nDisallow: /\n".as_slice();
        let replaced =
            Override { ruling: Some(Ruling::RobotsTxt), robots_txt: Some(body.into()), ..Override::default() };
        assert_eq!(get("http://r.example"), replaced);
        assert_eq!(overrides.get("http://shop.example"), None);
        assert!(parsed("").unwrap().is_empty());
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
        assert!(matches!(error, OverridesError::Unreadable { .. }), "{error}");
    }

    #[test]
    fn names_must_be_origins_and_each_once() {
        let table = |name: &str| format!("# \n[{name}]\ncrawl-delay = 1\n");
        let names = [
            ("'a.example'", "not an origin"),
            ("'http://a/x'", "has a path"),
            ("'ftp://a'", "not an origin"),
            ("'http://a?'", "has a path"),
            ("''", "not an origin"),
            ("a", "not an origin"),
            ("'https://*.a.example'", "has a wildcard"),
        ];
        for (name, expected) in names {
            let (line, _, problem) = wrong(&table(name));
            assert!(line == 2 && problem.contains(expected), "{name}: {line} {problem}");
        }
        let two = table("'http://a'") + &table("'HTTP://A:80/'");
        assert_eq!(wrong(&two).0, 5);
        assert!(wrong(&two).2.starts_with("http://a already has a table at line 2"), "{}", wrong(&two).2);
        let (line, at, problem) = wrong("'http://a' = 'allow-all'\n");
        assert!((line, at) == (1, "'allow-all'") && problem.contains("a table"), "{at} {problem}");
        assert!(wrong("['http://a']\n[['http://b']]\n").2.contains("http://a is empty"));
    }

    #[test]
    fn keys_must_be_known_and_their_values_right() {
        let of = |line: &str| wrong(&format!("['http://a']\n{line}\n")).2;
        for (line, parts) in [
            ("crawl_delay = 1", ["crawl_delay", "probably crawl-delay"]),
            ("paused-untill = 1", ["paused-untill", "probably paused-until"]),
            ("nonsense = 1", ["unknown key", "the keys are verdict"]),
            ("verdict = 'allow'", ["verdict must be", "\"allow\""]),
            ("verdict = true", ["\"allow-all\" or \"forbid-all\"", "boolean"]),
            ("crawl-delay = '10'", ["a number of seconds", "\"10\""]),
            ("crawl-delay = -1", ["a number of seconds", "-1"]),
            ("crawl-delay = nan", ["a number of seconds", "nan"]),
            ("crawl-delay = 1e9", ["a year", "1e9"]),
            ("paused-until = '2026-12-01T08:00:00Z'", ["without quotes", "2026"]),
            ("paused-until = 2026-12-01T08:00:00", ["with its offset", "2026-12-01T08:00:00"]),
            ("paused-until = 2026-12-01", ["with its offset", "2026-12-01"]),
            ("robots-txt = 1", ["robots-txt must be a string", "1"]),
            ("robots-txt-file = 'x'", ["cannot read", "nowhere"]),
            ("crawl-delay = ", ["not TOML", ""]),
        ] {
            let problem = of(line);
            assert!(parts.iter().all(|part| problem.contains(part)), "{line}: {problem}");
            assert!(!problem.contains('\n'), "{problem}");
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
        assert!(matches!(problem, OverrideProblem::NotUtf8));
        assert_eq!(wrong("['http://a']\ncrawl-delay = 1\ncrawl-delay = 2\n").0, 3, "TOML itself knows them");
    }
}
