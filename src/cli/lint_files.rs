//! The robots.txt files to lint: files, those of folders, and the newest of each origin in a file of answers.
//!
//! A crawler takes any bytes for a robots.txt (RFC 9309 2.3.1.5), and so do all sources of rules: a server may answer with anything.
//! Whoever lints a file wrote it, or took the wrong one, and findings in a table or an archive help nobody. So a file is refused that
//! begins as one of another form does, as no line of a robots.txt can; in JSON, no line must be a record either.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::Failure;
use super::sources;
use crate::dialect::Dialect;
use crate::formats::error::FileError;
use crate::origin;
use crate::policy::source::{self, Field, FieldNames, Newest, Options, SourceError, SourceKind};
use crate::robots::{NoteKind, Robots};

/// Gives each robots.txt at a path to `lint`, with its name: its path, or its URL if it is one of several in a file, whose fields may
/// have other names. Returns the files that could not be read, or are something else.
///
/// # Errors
///
/// What `lint` returns.
pub fn each(
    path: &Path,
    dialects: &[&'static Dialect],
    names: Option<&FieldNames>,
    mut lint: impl FnMut(&Path, &[u8]) -> Result<(), Failure>,
) -> Result<Vec<Failure>, Failure> {
    let files = match files(path) {
        Ok(files) => files,
        Err(failure) => return Ok(vec![failure]),
    };
    let mut failures = Vec::new();
    for path in files {
        let robots = match sources::robots_txt(&path, dialects.iter().copied()) {
            Ok(robots) => robots,
            Err(failure) => {
                failures.push(failure);
                continue;
            }
        };
        let known = robots.kind;
        let text = match (known, sources::text_of(&path, robots)) {
            (_, Ok(text)) => text,
            (SourceKind::RobotsTxt, Err(failure)) => {
                failures.push(failure);
                continue;
            }
            // A table or an archive of answers is no text.
            (_, Err(_)) => Arc::default(),
        };
        match kind(known, &text, names) {
            Err(form) => {
                failures.push(Failure::NotRobots { path, looks: form.name(), help: form.help() });
            }
            Ok(SourceKind::RobotsTxt) => lint(&path, &text)?,
            Ok(kind) => match newest(&path, kind, dialects, names) {
                Ok(newest) => {
                    for (origin, body) in &newest.bodies {
                        lint(Path::new(&origin::robots_url(origin)), body)?;
                    }
                }
                Err(failure) => failures.push(failure),
            },
        }
    }
    Ok(failures)
}

/// The kind of a file that is `known`, and begins so; its form, if it cannot be linted. To fields that are named, any objects may be answers.
fn kind(known: SourceKind, start: &[u8], names: Option<&FieldNames>) -> Result<SourceKind, Form> {
    match known {
        SourceKind::RobotsTxt => match Form::of(start) {
            None => Ok(SourceKind::RobotsTxt),
            Some(Form::JsonLines) if names.is_some() => Ok(SourceKind::JsonLines),
            Some(form) => Err(form),
        },
        kind => Ok(kind),
    }
}

/// The newest robots.txt of each origin in a file of answers.
fn newest(
    path: &Path,
    kind: SourceKind,
    dialects: &[&'static Dialect],
    names: Option<&FieldNames>,
) -> Result<Newest, Failure> {
    if kind == SourceKind::Policy {
        return Err(SourceError::Policy { path: path.to_owned() }.into());
    }
    if kind.is_not_read() {
        return Err(SourceError::NotRead { path: path.to_owned(), kind }.into());
    }
    // The bytes that a pipe has given cannot be read again.
    if !path.is_file() {
        return Err(Failure::NotLinted { path: path.to_owned(), kind });
    }
    let longest = dialects.iter().max_by_key(|dialect| dialect.file_limit).expect("a dialect is asked for");
    let options = Options { names: names.cloned().unwrap_or_default(), ..Options::default() };
    let newest = source::newest(&[path], &options, longest)?;
    newest.passed_over.iter().for_each(sources::say_passed_over);
    Ok(newest)
}

/// The files of a folder, sorted by name, without hidden ones; any other path as it is.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let list = || {
        let entries = std::fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        let is_hidden = |entry: &std::fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
        let paths = entries.into_iter().filter(|entry| !is_hidden(entry)).map(|entry| entry.path());
        let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        files.sort();
        Ok(files)
    };
    Ok(list().map_err(FileError::of("read", path))?)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A JSON object on the first line.
    JsonLines,
    /// Other JSON.
    Json,
    /// Fields between commas, tabs, semicolons or bars.
    Table,
}

const NAME: usize = 64;

impl Form {
    /// The form of a decompressed file, given all of it or its beginning; `None` if it may be a robots.txt.
    fn of(file: &[u8]) -> Option<Form> {
        let text = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file).trim_ascii_start();
        match json(text) {
            Some(form) if !has_record(text) => Some(form),
            _ => is_table(text).then_some(Form::Table),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Form::JsonLines => "JSON Lines",
            Form::Json => "JSON",
            Form::Table => "a table, such as CSV or TSV",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Form::JsonLines => {
                "if its lines are answers, name their keys: --columns url=KEY,status=KEY,body=KEY,fetched_at=KEY"
            }
            Form::Json => "of answers, lint reads JSON Lines, with one object a line",
            Form::Table => "of answers, lint reads JSON Lines, WARC and Parquet",
        }
    }
}

/// The kind of JSON that a text begins as.
fn json(text: &[u8]) -> Option<Form> {
    let (first, rest) = text.split_first()?;
    let next = rest.trim_ascii_start().first();
    let is_json = match first {
        b'{' => matches!(next, Some(b'"' | b'}')),
        b'[' => matches!(next, Some(b'{' | b'[' | b'"' | b']')),
        _ => false,
    };
    let (line, after) = text.split_at(memchr::memchr(b'\n', text).unwrap_or(text.len()));
    let is_object = || match serde_json::from_slice::<serde::de::IgnoredAny>(line) {
        Ok(_) => true,
        // One that is damaged, before others; or so long that its end was not read.
        Err(error) => after.trim_ascii_start().starts_with(b"{") || after.is_empty() && error.is_eof(),
    };
    is_json.then(|| if *first == b'{' && is_object() { Form::JsonLines } else { Form::Json })
}

/// Whether a text has a line that crawlers know.
fn has_record(text: &[u8]) -> bool {
    let robots = Robots::parse(text, Dialect::DEFAULT);
    let is_record = |kind| matches!(kind, NoteKind::RuleOutsideGroup | NoteKind::MisspeltKey);
    !robots.agents.is_empty() || !robots.side_records.is_empty() || robots.notes.iter().any(|note| is_record(note.kind))
}

/// Whether a text begins as a table of answers: with the names of columns and a row that has a URL, or with a row that has a URL and
/// a status.
fn is_table(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_empty());
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    [b',', b'\t', b';', b'|'].into_iter().any(|delimiter| {
        let (head, row) = (fields(first, delimiter), fields(second, delimiter));
        let is_url = |field: &&[u8]| field.starts_with(b"http://") || field.starts_with(b"https://");
        let is_status = |field: &&[u8]| field.len() == 3 && field.iter().all(u8::is_ascii_digit);
        let is_head = head.len() > 1 && head.iter().all(|name| is_name(name));
        let known = || head.iter().filter_map(|name| Field::from_name(&name.to_ascii_lowercase()));
        let is_known = || known().any(|field| matches!(field, Field::Url | Field::Origin)) && known().nth(1).is_some();
        let has_url = || row.len() > 1 && row.iter().take(head.len()).any(is_url);
        is_head && (is_known() || has_url() && !has_record(second))
            || head.iter().any(is_url) && head.iter().any(is_status)
    })
}

/// The fields of a line, without quotes. A quoted one that has a delimiter in it is several.
fn fields(line: &[u8], delimiter: u8) -> Vec<&[u8]> {
    let bare = |field: &'_ [u8]| {
        let from = usize::from(field.starts_with(b"\""));
        from..field.len() - usize::from(field.len() > 1 && field.ends_with(b"\""))
    };
    line.split(|&byte| byte == delimiter).map(|field| field.trim_ascii()).map(|field| &field[bare(field)]).collect()
}

/// Whether text may be the name of a column.
fn is_name(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ');
    (1..=NAME).contains(&text.len()) && text[0].is_ascii_alphabetic() && text.iter().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_certainly_no_robots_txt_is_known() {
        let long = format!("{{\"target\": \"{}", "x".repeat(1 << 16));
        for (file, form) in [
            (
                "{\"target_uri\": \"https://a/robots.txt\", \"content\": \"User-agent: *\\nDisallow: /\"}\n{}\n",
                Form::JsonLines,
            ),
            ("\u{feff}{\"error\": \"not found\"}", Form::JsonLines),
            ("{\"a\": 1, \"b\n{\"a\": 1}\n", Form::JsonLines),
            (&long, Form::JsonLines),
            ("{\n  \"url\": \"https://a/robots.txt\",\n  \"body\": \"User-agent: *\"\n}\n", Form::Json),
            ("\n[\n  {\"url\": \"https://a/robots.txt\"}\n]", Form::Json),
            ("[]", Form::Json),
            ("url,status,body\n", Form::Table),
            (
                "\u{feff}\"url\",\"status\",\"body\"\r\nhttps://a/robots.txt,200,\"User-agent: *\nDisallow: /\n\"",
                Form::Table,
            ),
            ("Origin\tStatus\nhttps://a\t200\n", Form::Table),
            ("target uri;content\nhttps://a/robots.txt;\"User-agent: *; Disallow: /x\"\n", Form::Table),
            ("id|page\n1|http://a/robots.txt\n", Form::Table),
            ("https://a/robots.txt,200,\"User-agent: *\nDisallow: /\n\"", Form::Table),
            ("1\t404\thttps://a/robots.txt\t\n", Form::Table),
        ] {
            assert_eq!(Form::of(file.as_bytes()), Some(form), "{file:.60}");
        }
    }

    #[test]
    fn a_robots_txt_with_the_signs_of_others_is_one() {
        for file in [
            "",
            "{",
            "[robots]\nUser-agent: *\nDisallow: /\n",
            "{\"a\": 1}\nUser-agent: *\nDisallow: /\n",
            "{}\nSitemap: https://a/s.xml\n",
            "{{ robots }}",
            "{% include %}\nDisallow: /x\n",
            "User-agent: a, b\nDisallow: /x,y\n",
            "User-agent,*\nDisallow,/x\n",
            "All spiders are allowed, gentle ones\nSitemap: https://a/s.xml, https://a/t.xml\n",
            "Hello, robots\nSitemap: x,https://a/s.xml\n",
            "Hello, robots\nhttps://a/sitemap.xml\n",
            "https://a/s.xml, https://a/t.xml\n",
            "# url,status,body\nUser-agent: *\n",
            "Disallow: /x\0\n",
            "<!doctype html>\n<p>\n",
            "U\0s\0e\0r\0-\0",
        ] {
            assert_eq!(Form::of(file.as_bytes()), None, "{file:.60}");
        }
        assert_eq!(Form::of(b"\xff\xfeU\0\r\0\n\0"), None);
    }
}
