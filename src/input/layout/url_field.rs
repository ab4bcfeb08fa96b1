//! Determines the layout of a list from the operator's options and the list's first lines.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

use super::delimited::{Column, Delimited, Separator};
use super::json::{Member, names};
use super::{Layout, cdxj};
use crate::error::{About, Problem, ValueError, ValueErrorKind};
use crate::formats::shortened;

/// Where the URL is in the lines of lists, as far as the operator specifies it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UrlField {
    /// The separator of fields. Without it, each line is a URL, unless the list is recognised as an index; one with a tab inside
    /// has fields, and is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) delimiter: Option<Delimiter>,
    /// Which field is the URL; the first by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<Column>,
    /// Whether the first line of each list is a head line. Choosing the column by name implies it.
    pub(crate) header: bool,
}

impl UrlField {
    /// Sets the separator of fields: one ASCII byte, not a line end or a quote, or `tab`; `whitespace` for runs of spaces and tabs; or
    /// `none`, if tabs belong to URLs. Without it, each line is a URL, unless the list is recognised as an index; one with a tab inside
    /// has fields, and is invalid.
    ///
    /// # Errors
    ///
    /// [`ValueError`] for any other text.
    pub fn delimiter(mut self, delimiter: &str) -> Result<UrlField, ValueError> {
        self.delimiter = Some(delimiter.parse()?);
        Ok(self)
    }

    /// Sets which field of a line, or column of a table, is the URL: its number, counted from 1, or its name in the head line.
    #[must_use]
    pub fn column(mut self, column: &str) -> UrlField {
        let Ok(column) = column.parse();
        self.column = Some(column);
        self
    }

    /// Sets whether the first line of each list is a head line. Choosing the column by name implies it.
    #[must_use]
    pub fn header(mut self, header: bool) -> UrlField {
        self.header = header;
        self
    }
}

/// A separator of fields: one ASCII byte, not a line end or a quote; `whitespace`; or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Delimiter(Option<Separator>);

/// The name of the delimiter of fields with runs of spaces and tabs between them.
const WHITESPACE: &str = "whitespace";

/// The name of the delimiter of lines without fields, in which tabs belong to URLs.
const NONE: &str = "none";

impl FromStr for Delimiter {
    type Err = ValueError;

    fn from_str(given: &str) -> Result<Delimiter, ValueError> {
        match (given, given.as_bytes()) {
            ("\\t" | "tab", _) => Ok(Delimiter(Some(Separator::Byte(b'\t')))),
            (WHITESPACE, _) => Ok(Delimiter(Some(Separator::Blanks))),
            (NONE, _) => Ok(Delimiter(None)),
            (_, &[byte]) if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | b'"') => {
                Ok(Delimiter(Some(Separator::Byte(byte))))
            }
            _ => Err(ValueErrorKind::List.of(format!(
                    "{given:?} is not a delimiter: expected one ASCII character, such as , or ; or `tab`, `whitespace` for blanks, \
                     or `none` for lines without fields"
                ),
            )),
        }
    }
}

impl TryFrom<String> for Delimiter {
    type Error = ValueError;

    fn try_from(given: String) -> Result<Delimiter, ValueError> {
        given.parse()
    }
}

impl From<Delimiter> for String {
    fn from(Delimiter(separator): Delimiter) -> String {
        match separator {
            Some(Separator::Byte(byte)) => char::from(byte).to_string(),
            Some(Separator::Blanks) => WHITESPACE.to_owned(),
            None => NONE.to_owned(),
        }
    }
}

/// The most bytes of a list read to determine its layout.
pub(crate) const LOOK: usize = 1 << 20;

/// The byte order mark. It may precede the first line of a text, and is not part of it.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// The first byte of an index line that is a remark, not an entry.
const REMARK: u8 = b'!';

impl UrlField {
    /// The layout of a list that begins with `start`, up to [`LOOK`] bytes of it, and its head line, empty if there is none. An
    /// empty list gets any layout.
    pub(crate) fn layout<'t>(&self, start: &'t [u8]) -> Result<(Layout, &'t [u8]), Problem> {
        if start.is_empty() {
            return Ok((self.whole(), b""));
        }
        let first = &start[..memchr::memchr(b'\n', start).map_or(start.len(), |at| at + 1)];
        let (layout, has_head) = match self.delimiter {
            Some(Delimiter(Some(separator))) => self.delimited(separator, first)?,
            Some(Delimiter(None)) | None => self.recognised(first, start)?,
        };
        match has_head {
            true if first.len() >= LOOK => Err("its head line is longer than 1 MiB".into()),
            true => Ok((layout, first)),
            false => Ok((layout, b"")),
        }
    }

    /// Whether the operator says that lists have a head line.
    pub(crate) fn has_head(&self) -> bool {
        self.header || matches!(self.column, Some(Column::Name(_)))
    }

    /// The layout of lines that are URLs.
    fn whole(&self) -> Layout {
        if self.delimiter == Some(Delimiter(None)) { Layout::Whole } else { Layout::OneField }
    }

    /// Whether it is known what separates fields.
    fn has_separator(&self) -> bool {
        matches!(self.delimiter, Some(Delimiter(Some(_))))
    }

    fn delimited(&self, separator: Separator, first: &[u8]) -> Result<(Layout, bool), Problem> {
        let column = self.column.as_ref().unwrap_or(&Column::Number(1));
        let has_head = self.has_head();
        let names = || {
            let head = first.strip_prefix(MARK).unwrap_or(first);
            let head = head.strip_suffix(b"\n").unwrap_or(head);
            Delimited { separator, column: 0 }
                .names(head)
                .map_err(|_| Problem::from("its head line has an unclosed or misplaced quote"))
        };
        let place = match column {
            Column::Number(number) if !has_head => Some(number - 1),
            Column::Number(number) => Some(number - 1).filter(|&place| names().is_ok_and(|names| place < names.len())),
            Column::Name(name) => names()?.iter().position(|other| other == name),
        };
        match place {
            Some(column) => Ok((Layout::Delimited(Delimited { separator, column }), has_head)),
            None => Err(no_column(column, &names()?)),
        }
    }

    /// The layout of a list without a given delimiter.
    fn recognised(&self, first: &[u8], start: &[u8]) -> Result<(Layout, bool), Problem> {
        if let Some((delimiter, names)) = cdx_head(first) {
            let wanted = self.column.clone().unwrap_or_else(|| Column::Name(CDX_URL.to_owned()));
            let place = match &wanted {
                Column::Number(number) => Some(number - 1).filter(|&place| place < names.len()),
                Column::Name(name) => names.iter().position(|other| other == name),
            };
            return match place {
                Some(place) => Ok((Layout::delimited(delimiter, place), true)),
                None => Err(no_column(&wanted, &names)),
            };
        }
        match self.column {
            _ if entries(start).next().is_some_and(cdxj::is_line) => match (&self.column, self.header) {
                (None, false) => Ok((Layout::Cdxj, false)),
                _ => {
                    let problem =
                        "it is an index (CDXJ), whose lines name the URL themselves; choose no column and no head line";
                    Err(Problem::from(problem).about(About::ColumnOrHead))
                }
            },
            _ if entries(start).next().is_some_and(|line| line.trim_ascii_start().starts_with(b"{")) => {
                self.json_lines(entries(start).next().unwrap_or_default()).map(|layout| (layout, false))
            }
            None => Ok((self.whole(), self.header)),
            Some(_) => {
                let problem = "its columns are unknown; give the delimiter that separates them";
                Err(Problem::from(problem).about(About::Delimiter))
            }
        }
    }

    /// The member of JSON objects that is the URL.
    fn member(&self) -> &str {
        match &self.column {
            Some(Column::Name(name)) => name,
            _ => "url",
        }
    }

    /// The layouts that lines may have which have one of these, in the order in which they are tried: those of other lists may follow.
    pub(crate) fn layouts_beside(&self, layout: Layout) -> Vec<Layout> {
        match layout {
            delimited @ Layout::Delimited(_) => vec![delimited],
            _ => vec![Layout::JsonLines(Box::new(Member::new(self.member()))), Layout::Cdxj, self.whole()],
        }
    }

    /// The layout of a list that begins with this line, which looks like JSON. If it is cut or damaged, the list is JSON Lines if a
    /// member is asked for.
    fn json_lines(&self, first: &[u8]) -> Result<Layout, Problem> {
        let wanted = self.member();
        match names(first) {
            _ if self.header || matches!(self.column, Some(Column::Number(_))) => {
                Err("its lines are JSON objects; choose the member that is the URL by its name, and no head line"
                    .into())
            }
            Some(names) if names.iter().all(|name| name != wanted) => {
                Err(no_column(&Column::Name(wanted.to_owned()), &names))
            }
            None if self.column.is_none() => Ok(self.whole()),
            _ => Ok(Layout::JsonLines(Box::new(Member::new(wanted)))),
        }
    }

    /// Whether a line, with those before it, determines the layout, whatever follows.
    pub(crate) fn is_determined_by(&self, line: &[u8]) -> bool {
        line.strip_suffix(b"\n").is_some_and(|line| self.has_separator() || entries(line).next().is_some())
    }
}

/// That a head line or a table lacks the wanted column.
pub(crate) fn no_column(wanted: &Column, names: &[String]) -> Problem {
    format!("it has no column {wanted}; its columns are {}", shortened(names.join(", "))).into()
}

/// The letter of the URL column in a CDX head line: the original URL.
const CDX_URL: &str = "a";

/// The letters of columns in a CDX head line that have keys: the massaged URL, and the canonised one.
const CDX_KEYS: [&str; 2] = ["N", "A"];

/// Delimiter and columns of a CDX head line (` CDX N b a m s k r M S V g`), if the line is one.
fn cdx_head(line: &[u8]) -> Option<(u8, Vec<String>)> {
    let line = line.strip_prefix(MARK).unwrap_or(line);
    let &delimiter = line.first().filter(|byte| matches!(byte, b' ' | b'\t'))?;
    let names = line[1..].strip_prefix(b"CDX")?.strip_prefix(&[delimiter])?;
    let name = |name: &[u8]| String::from_utf8_lossy(crate::origin::trimmed(name)).into_owned();
    Some((delimiter, names.split(|&byte| byte == delimiter).map(name).collect()))
}

/// Whether the lines of a list with this layout and head line begin with the keys of their URLs, as in an index of web archives.
pub(crate) fn has_keys(layout: &Layout, head: &[u8]) -> bool {
    match layout {
        Layout::OneField | Layout::Whole | Layout::JsonLines(_) => false,
        Layout::Cdxj => true,
        Layout::Delimited(delimited) => cdx_head(head).is_some_and(|(delimiter, names)| {
            delimited.separator == Separator::Byte(delimiter)
                && names.first().is_some_and(|name| CDX_KEYS.contains(&name.as_str()))
        }),
    }
}

/// The lines of a text that are neither empty nor remarks, which some indexes begin with.
fn entries(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.strip_prefix(MARK).unwrap_or(text).split(|&byte| byte == b'\n');
    lines.filter(|line| !matches!(line, [] | [b'\r'] | [REMARK, ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(delimiter: &str, column: &str, header: bool) -> UrlField {
        UrlField {
            delimiter: (!delimiter.is_empty()).then(|| delimiter.parse().unwrap()),
            column: (!column.is_empty()).then(|| column.parse().unwrap()),
            header,
        }
    }

    fn layout(field: &UrlField, text: &str) -> Result<(Layout, String), String> {
        let (layout, head) = field.layout(text.as_bytes()).map_err(|problem| problem.to_string())?;
        // Once the layout is determined, more text does not change it.
        let more = format!("{text}x\ty z\n{{");
        if field.is_determined_by(text.as_bytes()) {
            assert_eq!(field.layout(more.as_bytes()).unwrap(), (layout.clone(), head));
        }
        Ok((layout, String::from_utf8(head.to_vec()).unwrap()))
    }

    #[test]
    fn an_index_is_recognised_by_its_first_entry() {
        let entry = "com,example)/ 20240101000000 {\"url\":\"http://example.com/\"}\n";
        let none = UrlField::default();
        assert_eq!(layout(&none, entry), Ok((Layout::Cdxj, String::new())));
        assert_eq!(layout(&none, &format!("!meta {{}}\n!\n{entry}")), Ok((Layout::Cdxj, String::new())));
        for before in ["\n", "\r\n\n!meta\n\n", "\u{feff}", "\u{feff}!meta\n"] {
            assert_eq!(layout(&none, &format!("{before}{entry}")), Ok((Layout::Cdxj, String::new())), "{before:?}");
        }
        assert!(
            !none.is_determined_by(b"\n")
                && !none.is_determined_by(b"\r\n\ncom,exa")
                && none.is_determined_by(b"\nhttp://a/\n")
        );
        for given in [field("", "1", false), field("", "url", false), field("", "", true)] {
            assert!(layout(&given, entry).is_err_and(|problem| problem.starts_with("it is an index (CDXJ)")));
        }
        assert!(
            !none.is_determined_by(b"!meta\ncom,exa") && none.is_determined_by(format!("!meta\n{entry}").as_bytes())
        );
        let head = " CDX N b a m s k r M S V g\n";
        assert_eq!(layout(&none, head), Ok((Layout::delimited(b' ', 2), head.to_owned())));
        let no_column = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            Err(no_column(&Column::Name("a".to_owned()), &names).to_string())
        };
        for column in ["3", "a"] {
            let expected = Ok((Layout::delimited(b' ', 2), head.to_owned()));
            assert_eq!(layout(&field("", column, true), head), expected, "{column}");
        }
        assert_eq!(layout(&field("", "b", false), head), Ok((Layout::delimited(b' ', 1), head.to_owned())));
        assert!(layout(&field("", "12", false), head).is_err_and(|problem| problem.starts_with("it has no column 12")));
        let marked = format!("\u{feff}{head}");
        assert_eq!(layout(&none, &marked), Ok((Layout::delimited(b' ', 2), marked.clone())));
        assert_eq!(layout(&none, " CDX N b\r\n"), no_column(&["N", "b"]));
        for text in ["http://example.com/\n", "", "\n", "!meta\n", "a b {}\n", " CDXN\n", "http://a/ 2024 x\n"] {
            assert_eq!(layout(&none, text), Ok((Layout::OneField, String::new())), "{text}");
        }
    }

    #[test]
    fn indexes_have_keys() {
        let keyed = |field: &UrlField, text: &str| {
            let (layout, head) = layout(field, text).unwrap();
            has_keys(&layout, head.as_bytes())
        };
        let none = UrlField::default();
        for (text, expected) in [
            ("com,a)/ 20240101000000 {\"url\":\"http://a.com/\"}\n", true),
            (" CDX N b a m s\n", true),
            ("\tCDX\tA\tb\ta\r\n", true),
            (" CDX a b\n", false),
            (" CDX b a N\n", false),
            ("http://a.com/\n", false),
        ] {
            assert_eq!(keyed(&none, text), expected, "{text}");
        }
        assert!(!keyed(&field(" ", "3", false), "N b a\n"));
        assert!(!keyed(&field(",", "1", true), " CDX N b a\n"), "the fields are others");
    }

    #[test]
    fn a_column_is_given_by_number_or_by_name() {
        let csv = "\u{feff}id,\"the url\",x\r\n1,http://a/,x\r\n";
        let head = "\u{feff}id,\"the url\",x\r\n".to_owned();
        assert_eq!(layout(&field(",", "the url", false), csv), Ok((Layout::delimited(b',', 1), head.clone())));
        assert_eq!(layout(&field(",", "id", false), csv), Ok((Layout::delimited(b',', 0), head.clone())));
        assert_eq!(layout(&field(",", "2", true), csv), Ok((Layout::delimited(b',', 1), head)));
        assert_eq!(layout(&field(",", "2", false), csv), Ok((Layout::delimited(b',', 1), String::new())));
        assert_eq!(layout(&field("\\t", "", false), "x"), Ok((Layout::delimited(b'\t', 0), String::new())));
        let names = || vec!["id".to_owned(), "the url".to_owned(), "x".to_owned()];
        for wanted in ["url", "4", "0"] {
            let wanted: Column = wanted.parse().unwrap();
            let given = UrlField { column: Some(wanted.clone()), ..field(",", "", true) };
            assert_eq!(layout(&given, csv), Err(no_column(&wanted, &names()).to_string()));
        }
        let is_wrong =
            |given: UrlField, text: &str, problem: &str| layout(&given, text).is_err_and(|told| told.contains(problem));
        assert!(is_wrong(field(",", "a", false), "a,\"b\n", "quote"));
        assert!(is_wrong(field("", "url", false), "http://a/\n", "give the delimiter"));
        let json_lines = |name: &str| Layout::JsonLines(Box::new(Member::new(name)));
        assert_ne!(json_lines("url"), json_lines("link"));
        for (text, column, expected) in [
            ("{\"url\":\"http://a/\"}\n", "", json_lines("url")),
            ("{\"url\":\"http://a/\n", "link", json_lines("link")),
            ("{\"url\":\"http://a/\n", "", Layout::OneField),
        ] {
            assert_eq!(layout(&field("", column, false), text), Ok((expected, String::new())), "{text} {column}");
        }
        assert_eq!(layout(&field(",", "url", false), ""), Ok((Layout::OneField, String::new())), "nothing is judged");
        assert_eq!(layout(&field("", "", true), "url\nx\n"), Ok((Layout::OneField, "url\n".to_owned())));
        assert_eq!(UrlField::default().delimiter(",").unwrap().column("2").header(true), field(",", "2", true));
        // Of a pipe, no more is read than that.
        assert!(field(",", "url", false).is_determined_by(b"\n") && !field(",", "url", false).is_determined_by(b"url"));
        let long = "x".repeat(LOOK);
        assert!(is_wrong(field(",", &long, false), &long, "longer than 1 MiB"));
    }

    #[test]
    fn without_fields_tabs_belong_to_urls() {
        let none = field("none", "", false);
        assert_eq!(layout(&none, "http://a/\tb\n"), Ok((Layout::Whole, String::new())));
        assert_eq!(layout(&none, "{\"url\":\"http://a/\n"), Ok((Layout::Whole, String::new())));
        assert_eq!(layout(&none, "com,a)/ 2024 {\"url\":\"http://a/\"}\n"), Ok((Layout::Cdxj, String::new())));
        assert!(
            layout(&field("none", "2", false), "http://a/\n")
                .is_err_and(|problem| problem.contains("give the delimiter"))
        );
        assert_eq!(none.layouts_beside(Layout::Whole).last(), Some(&Layout::Whole));
        assert_eq!(UrlField::default().layouts_beside(Layout::Cdxj).last(), Some(&Layout::OneField));
    }

    #[test]
    fn columns_between_blanks_are_counted_and_named() {
        for (column, line) in [("2", "2026 http://a/\n"), ("url", " time   url\n"), ("url", "time\turl\r\n")] {
            let given = field("whitespace", column, false);
            assert_eq!(layout(&given, line).unwrap().0, Layout::columns(1), "{line}");
        }
    }

    #[test]
    fn a_delimiter_is_one_byte_that_ends_no_line() {
        assert_eq!("\\t".parse::<Delimiter>(), "\t".parse());
        assert_eq!(String::from(";".parse::<Delimiter>().unwrap()), ";");
        for (given, name) in [("whitespace", "whitespace"), ("none", "none"), ("tab", "\t"), (" ", " ")] {
            assert_eq!(String::from(given.parse::<Delimiter>().unwrap()), name);
        }
        for given in ["", ",,", "\n", "\r", "\"", "ü", "\\n"] {
            assert!(given.parse::<Delimiter>().is_err(), "{given:?}");
        }
    }
}
