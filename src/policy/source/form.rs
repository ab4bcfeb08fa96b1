//! Whole files that are clearly not a robots.txt.
//!
//! A crawler reads any bytes as a robots.txt (RFC 9309 2.3.1.5), and so do sources of answers, because a server may
//! answer with anything. But a user who names a file as a robots.txt wrote it, or picked the wrong file. Read as rules,
//! a table or JSON forbids nothing, which looks like permission. So a file is refused if it begins like a file of
//! another form, in a way that no line of a robots.txt can; JSON is refused only if it also has no line that is a
//! robots.txt record.

use super::fields::Field;
use crate::dialect::Dialect;
use crate::error::About;
use crate::robots::{NoteKind, Robots};

/// The form of a file that is not a robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextForm {
    /// A JSON object on the first line.
    JsonLines,
    /// Other JSON.
    Json,
    /// Fields separated by commas, tabs, semicolons or bars.
    Table,
}

const NAME: usize = 64;

impl TextForm {
    /// The form of a decompressed file, given all of it or its beginning; `None` if it may be a robots.txt.
    pub(super) fn of(file: &[u8]) -> Option<TextForm> {
        let text = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file).trim_ascii_start();
        match json(text) {
            Some(form) if !has_record(text) => Some(form),
            _ => is_table(text).then_some(TextForm::Table),
        }
    }

    /// What a file of this form is about that is no robots.txt.
    pub fn about(self) -> About {
        match self {
            TextForm::JsonLines => About::JsonLines,
            TextForm::Json => About::Json,
            TextForm::Table => About::Table,
        }
    }

    /// What such a file looks like.
    pub fn name(self) -> &'static str {
        match self {
            TextForm::JsonLines => "JSON Lines",
            TextForm::Json => "JSON",
            TextForm::Table => "a table, such as CSV or TSV",
        }
    }
}

/// The kind of JSON that a text begins as.
fn json(text: &[u8]) -> Option<TextForm> {
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
        // A damaged object that others follow, or an object whose end was not read because it is too long.
        Err(error) => after.trim_ascii_start().starts_with(b"{") || after.is_empty() && error.is_eof(),
    };
    is_json.then(|| if *first == b'{' && is_object() { TextForm::JsonLines } else { TextForm::Json })
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

/// The fields of a line, without quotes. A quoted field with a delimiter in it counts as several.
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
                TextForm::JsonLines,
            ),
            ("\u{feff}{\"error\": \"not found\"}", TextForm::JsonLines),
            ("{\"a\": 1, \"b\n{\"a\": 1}\n", TextForm::JsonLines),
            (&long, TextForm::JsonLines),
            ("{\n  \"url\": \"https://a/robots.txt\",\n  \"body\": \"User-agent: *\"\n}\n", TextForm::Json),
            ("\n[\n  {\"url\": \"https://a/robots.txt\"}\n]", TextForm::Json),
            ("[]", TextForm::Json),
            ("url,status,body\n", TextForm::Table),
            (
                "\u{feff}\"url\",\"status\",\"body\"\r\nhttps://a/robots.txt,200,\"User-agent: *\nDisallow: /\n\"",
                TextForm::Table,
            ),
            ("Origin\tStatus\nhttps://a\t200\n", TextForm::Table),
            ("target uri;content\nhttps://a/robots.txt;\"User-agent: *; Disallow: /x\"\n", TextForm::Table),
            ("id|page\n1|http://a/robots.txt\n", TextForm::Table),
            ("https://a/robots.txt,200,\"User-agent: *\nDisallow: /\n\"", TextForm::Table),
            ("1\t404\thttps://a/robots.txt\t\n", TextForm::Table),
        ] {
            assert_eq!(TextForm::of(file.as_bytes()), Some(form), "{file:.60}");
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
            assert_eq!(TextForm::of(file.as_bytes()), None, "{file:.60}");
        }
        assert_eq!(TextForm::of(b"\xff\xfeU\0\r\0\n\0"), None);
    }
}
