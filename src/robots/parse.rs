//! Reads the bytes of a robots.txt: byte order marks, UTF-16 and the size limit ([`decode`]), and then, in one pass, lines and groups.

use std::borrow::Cow;

use super::record::{self, Key, Line};
use super::{AgentName, Group, Note, NoteKind, Robots, Rule, SideKey, SideRecord};
use crate::dialect::{AllowLines, Boundary, Dialect, FileStart, LineLimit, NulByte, RuleStart};

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF16_LE_MARK: &[u8] = b"\xff\xfe";
const UTF16_BE_MARK: &[u8] = b"\xfe\xff";

/// The text of a robots.txt: the file as served, without its byte order mark, UTF-16 decoded, cut at the dialect's limit.
///
/// The limit counts bytes of the file as served and keeps whole lines. The text need not be UTF-8. Cuts and replaced bytes
/// are added to `notes` at line 0, because they concern the whole file.
pub fn decode<'a>(file: &'a [u8], dialect: &Dialect, notes: &mut Vec<Note>) -> Cow<'a, [u8]> {
    match dialect.file_start {
        FileStart::PartialMark => {
            let mark = file.iter().zip(UTF8_MARK).take_while(|(byte, mark)| byte == mark).count();
            Cow::Borrowed(whole_lines(&file[mark..], dialect.file_limit, notes))
        }
        FileStart::Decoded => {
            if let Some((rest, unit)) = utf16(file) {
                return Cow::Owned(whole_lines_utf16(rest, unit, dialect.file_limit, notes));
            }
            let file = whole_lines(file, dialect.file_limit, notes);
            Cow::Borrowed(file.strip_prefix(UTF8_MARK).unwrap_or(file))
        }
    }
}

/// Reads a UTF-16 code unit in one of the byte orders.
type Unit = fn([u8; 2]) -> u16;

/// The bytes after a UTF-16 byte order mark and the reader for its byte order.
fn utf16(file: &[u8]) -> Option<(&[u8], Unit)> {
    let little = || Some((file.strip_prefix(UTF16_LE_MARK)?, u16::from_le_bytes as Unit));
    little().or_else(|| Some((file.strip_prefix(UTF16_BE_MARK)?, u16::from_be_bytes as _)))
}

/// The whole lines of `text` within `limit` bytes.
fn whole_lines<'a>(text: &'a [u8], limit: usize, notes: &mut Vec<Note>) -> &'a [u8] {
    if text.len() <= limit {
        return text;
    }
    notes.push(Note { kind: NoteKind::FileCut, line: 0 });
    // A line that ends exactly at the limit is whole.
    let end = memchr::memrchr2(b'\n', b'\r', &text[..=limit]);
    &text[..end.map_or(0, |at| limit.min(at + 1))]
}

/// Decodes UTF-16 to UTF-8, keeping the whole lines within `limit` bytes of the UTF-16.
fn whole_lines_utf16(file: &[u8], unit: Unit, limit: usize, notes: &mut Vec<Note>) -> Vec<u8> {
    // The mark is one of the bytes served.
    let within = (limit.max(2) - 2) & !1;
    let pairs = file.chunks_exact(2).take(within / 2 + 1);
    let mut units: Vec<u16> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
    let mut is_odd = file.len() % 2 == 1;
    if file.len() > within {
        notes.push(Note { kind: NoteKind::FileCut, line: 0 });
        let is_end = |&unit: &u16| unit == u16::from(b'\n') || unit == u16::from(b'\r');
        // A line that ends exactly at the limit is whole.
        let end = units.iter().rposition(is_end);
        units.truncate(end.map_or(0, |at| (within / 2).min(at + 1)));
        is_odd = false;
    }
    let mut mended = is_odd;
    let mend = |character: Result<char, _>| {
        character.unwrap_or_else(|_| {
            mended = true;
            char::REPLACEMENT_CHARACTER
        })
    };
    let rest = is_odd.then_some(char::REPLACEMENT_CHARACTER);
    let text: String = char::decode_utf16(units).map(mend).chain(rest).collect();
    if mended {
        notes.push(Note { kind: NoteKind::EncodingMended, line: 0 });
    }
    text.into_bytes()
}

impl<'a> Robots<'a> {
    /// Parses the text of a robots.txt, as returned by [`decode`].
    ///
    /// Accepts any bytes: a line that cannot be read is noted and dropped (RFC 9309 2.3.1.5). Lines end in LF, CR or CR LF.
    /// Takes time linear in the text.
    pub fn parse(text: &'a [u8], dialect: &Dialect) -> Robots<'a> {
        let mut parser = Parser { dialect, robots: Robots::default(), open: OpenGroup::None, line: 0 };
        if looks_like_html(text) {
            parser.robots.notes.push(Note { kind: NoteKind::LooksLikeHtml, line: 1 });
        }
        lines(text, dialect).for_each(|line| parser.line(line));
        parser.robots
    }
}

/// The parser's position relative to groups.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenGroup {
    /// Outside every group.
    None,
    /// Among the agents of a group, which may gain more.
    Agents,
    /// After the first rule line of a group.
    Rules,
}

struct Parser<'a, 'd> {
    dialect: &'d Dialect,
    robots: Robots<'a>,
    open: OpenGroup,
    line: u32,
}

impl<'a> Parser<'a, '_> {
    fn note(&mut self, kind: NoteKind) {
        self.robots.notes.push(Note { kind, line: self.line });
    }

    fn line(&mut self, line: TextLine<'a>) {
        self.line = line.number;
        if line.cut {
            self.note(NoteKind::LineCut);
        }
        match record::read(line.text, self.dialect.keys) {
            Line::Comment => {}
            Line::Blank => {
                if self.dialect.boundary == Boundary::BlankLine {
                    self.open = OpenGroup::None;
                }
            }
            Line::MissingColon { .. } => self.note(NoteKind::MissingColon),
            Line::Record { key, value, .. } => match key {
                Key::UserAgent => self.agent(value),
                Key::Allow => self.rule(true, value),
                Key::Disallow => self.rule(false, value),
                Key::Side(key) => self.side_record(key, value),
                Key::Misspelt => self.note(NoteKind::MisspeltKey),
                Key::Unknown => self.note(NoteKind::UnknownRecord),
            },
        }
    }

    fn agent(&mut self, value: &'a [u8]) {
        let at = self.robots.agents.len();
        self.robots.agents.push(AgentName { value, line: self.line });
        if self.open == OpenGroup::Agents {
            self.robots.groups.last_mut().expect("an open group is the last one").agents.end = at + 1;
        } else {
            let rules = self.robots.rules.len();
            self.robots.groups.push(Group { agents: at..at + 1, rules: rules..rules });
            self.open = OpenGroup::Agents;
        }
    }

    fn rule(&mut self, allow: bool, value: &'a [u8]) {
        if allow && self.dialect.allow == AllowLines::Ignored {
            return self.note(NoteKind::AllowIgnored);
        }
        if self.open == OpenGroup::None {
            return self.note(NoteKind::RuleOutsideGroup);
        }
        // Even a line dropped below ends the list of agents.
        self.open = OpenGroup::Rules;
        let begins = match (self.dialect.rule_start, value.first()) {
            // An empty value is not a rule in any dialect; it only shows that the group exists.
            (_, None) => return,
            (RuleStart::Any, _) => true,
            (RuleStart::Slash, Some(byte)) => *byte == b'/',
            (RuleStart::SlashOrStar, Some(byte)) => matches!(byte, b'/' | b'*'),
        };
        if !begins {
            return self.note(NoteKind::RuleWithoutSlash);
        }
        self.robots.rules.push(Rule { allow, value, line: self.line });
        self.robots.groups.last_mut().expect("an open group is the last one").rules.end = self.robots.rules.len();
    }

    /// Keeps a record that is no rule. None ends a list of agents (RFC 9309 2.2.4).
    fn side_record(&mut self, key: SideKey, value: &'a [u8]) {
        let is_outside = self.open == OpenGroup::None;
        // To draft-ietf-aipref-attach-05, section 3, it is a rule of a group, so outside of any it is for nobody.
        if is_outside && key == SideKey::ContentUsage {
            return self.note(NoteKind::RuleOutsideGroup);
        }
        let in_group = !is_outside && !matches!(key, SideKey::Sitemap | SideKey::License);
        let group = in_group.then(|| self.robots.groups.len() as u32 - 1);
        self.robots.side_records.push(SideRecord { key, value, line: self.line, group });
    }
}

/// Whether the text begins like an HTML page, ignoring leading white space.
fn looks_like_html(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let begins = |start: &[u8]| text.len() >= start.len() && text[..start.len()].eq_ignore_ascii_case(start);
    begins(b"<!doctype") || begins(b"<html") || begins(b"<head") || begins(b"<?xml")
}

/// One line, without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextLine<'a> {
    /// The line number, counted from 1.
    pub number: u32,
    /// The bytes that the dialect reads.
    pub text: &'a [u8],
    /// Whether bytes were cut, at the dialect's limit or at a NUL that ends the line.
    pub cut: bool,
}

/// Splits a text into lines at LF, CR or CR LF.
#[inline]
pub(crate) fn lines<'a>(text: &'a [u8], dialect: &Dialect) -> impl Iterator<Item = TextLine<'a>> + use<'a> {
    let (limit, nul) = (dialect.line_limit, dialect.nul);
    let (mut rest, mut number) = (text, 0u32);
    std::iter::from_fn(move || {
        let line = match memchr::memchr2(b'\n', b'\r', rest) {
            Some(end) => {
                let line = &rest[..end];
                let crlf = matches!(rest[end..], [b'\r', b'\n', ..]);
                rest = &rest[end + 1 + usize::from(crlf)..];
                line
            }
            None if rest.is_empty() => return None,
            None => std::mem::take(&mut rest),
        };
        number = number.saturating_add(1);
        let read = limited(line, limit, nul);
        Some(TextLine { number, text: read, cut: read.len() < line.len() })
    })
}

/// The part of a line that the dialect reads.
fn limited(line: &[u8], limit: LineLimit, nul: NulByte) -> &[u8] {
    let mut end = line.len();
    if let LineLimit::Bytes(limit) = limit {
        end = end.min(limit);
    }
    if nul == NulByte::EndsLine {
        end = memchr::memchr(0, &line[..end]).unwrap_or(end);
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(file: &[u8], dialect: &Dialect) -> (Vec<u8>, Vec<NoteKind>) {
        let mut notes = Vec::new();
        let text = decode(file, dialect, &mut notes).into_owned();
        (text, notes.iter().map(|note| note.kind).collect())
    }

    #[test]
    fn marks_are_skipped_as_the_dialect_says() {
        let google = Dialect::named("google").unwrap();
        for dialect in Dialect::ALL {
            assert_eq!(decoded(b"\xef\xbb\xbfabc", dialect).0, b"abc", "{}", dialect.name);
        }
        assert_eq!(decoded(b"\xef\xbbabc", google).0, b"abc");
        assert_eq!(decoded(b"\xef\xbbabc", Dialect::DEFAULT).0, b"\xef\xbbabc");
        assert_eq!(decoded(b"\xff\xfea\0", google).0, b"\xff\xfea\0");
    }

    #[test]
    fn utf16_is_decoded_in_both_orders() {
        let text = "User-agent: *\nDisallow: /é𝄞\n";
        let le: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&le, Dialect::DEFAULT), (text.as_bytes().to_vec(), vec![]));
        assert_eq!(decoded(&be, Dialect::DEFAULT), (text.as_bytes().to_vec(), vec![]));
        let (broken, notes) = decoded(b"\xff\xfe\x00\xd8a\0\x01", Dialect::DEFAULT);
        assert_eq!(broken, "\u{fffd}a\u{fffd}".as_bytes());
        assert_eq!(notes, [NoteKind::EncodingMended]);
    }

    #[test]
    fn the_limit_keeps_whole_lines() {
        let dialect = Dialect { file_limit: 10, ..Dialect::DEFAULT.clone() };
        assert_eq!(decoded(b"12345\n7890", &dialect), (b"12345\n7890".to_vec(), vec![]));
        assert_eq!(decoded(b"12345\n7890x", &dialect), (b"12345\n".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"12345\n7890\nx", &dialect), (b"12345\n7890".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"12345678901\n", &dialect), (b"".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"\xff\xfea\0\n\0b\0c\0", &dialect), (b"a\nbc".to_vec(), vec![]));
        assert_eq!(decoded(b"\xff\xfea\0\n\0b\0c\0d\0", &dialect), (b"a\n".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"\xff\xfea\0\n\0b\0c\0\n\0", &dialect), (b"a\nbc".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"\xff\xfea\0\n\0b\0c\0\n", &dialect), (b"a\n".to_vec(), vec![NoteKind::FileCut]));
        let line_after = b"\xff\xfea\0\n\0b\0c\0d\0\n\0e\0";
        assert_eq!(decoded(line_after, &dialect), (b"a\n".to_vec(), vec![NoteKind::FileCut]));
        assert_eq!(decoded(b"\xfe\xff\0a\0\n\0b\0c\0\r\0d", &dialect), (b"a\nbc".to_vec(), vec![NoteKind::FileCut]));
    }

    /// Groups as text: agents, then rules with their lines.
    fn groups(text: &str, dialect: &str) -> Vec<String> {
        let robots = Robots::parse(text.as_bytes(), Dialect::named(dialect).unwrap());
        let show = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let group = |group: &Group| {
            let agents: Vec<_> = robots.agents[group.agents.clone()].iter().map(|agent| show(agent.value)).collect();
            let rules: Vec<_> = robots.rules[group.rules.clone()]
                .iter()
                .map(|rule| format!("{}{}@{}", if rule.allow { '+' } else { '-' }, show(rule.value), rule.line))
                .collect();
            format!("{} {}", agents.join(","), rules.join(" "))
        };
        robots.groups.iter().map(group).collect()
    }

    fn notes(text: &str, dialect: &str) -> Vec<(NoteKind, u32)> {
        let robots = Robots::parse(text.as_bytes(), Dialect::named(dialect).unwrap());
        robots.notes.iter().map(|note| (note.kind, note.line)).collect()
    }

    #[test]
    fn agents_share_a_group_until_a_rule() {
        let text = "User-agent: a\n\nCrawl-delay: 1\nUser-agent: b\nSitemap: x\nDisallow:\nUser-agent: c\nAllow: /x\n";
        for dialect in ["rfc9309", "google", "mandelbot", "extended-2008"] {
            assert_eq!(groups(text, dialect), ["a,b ", "c +/x@8"], "{dialect}");
        }
        assert_eq!(groups(text, "draft-1996"), ["a ", "b ", "c +/x@8"]);
        assert_eq!(groups(text, "original-1994"), ["a ", "b ", "c "]);
    }

    #[test]
    fn blank_lines_end_records_and_comments_do_not() {
        let text =
            "User-agent: a\n# c\nUser-agent: b\n #\nDisallow: /1\n \t\nDisallow: /2\nUser-agent: c\nDisallow: /3\n";
        for dialect in ["draft-1996", "original-1994"] {
            assert_eq!(groups(text, dialect), ["a,b -/1@5", "c -/3@9"], "{dialect}");
            assert_eq!(notes(text, dialect), [(NoteKind::RuleOutsideGroup, 7)], "{dialect}");
        }
        assert_eq!(groups(text, "rfc9309"), ["a,b -/1@5 -/2@7", "c -/3@9"]);
    }

    #[test]
    fn line_ends_may_be_mixed() {
        let text = "User-agent: a\r\rDisallow: /1\r\nDisallow: /2\n\r\nDisallow: /3";
        assert_eq!(groups(text, "rfc9309"), ["a -/1@3 -/2@4 -/3@6"]);
    }

    #[test]
    fn what_is_no_rule_is_noted() {
        let text = "Disallow: /0\nUser-agent: a\nDisallow: x\nAllow: *x\nnonsense\nNoindex: /\nDisalow: /y\n";
        assert_eq!(groups(text, "rfc9309"), ["a +*x@4"]);
        let expected = [
            (NoteKind::RuleOutsideGroup, 1),
            (NoteKind::RuleWithoutSlash, 3),
            (NoteKind::MissingColon, 5),
            (NoteKind::UnknownRecord, 6),
            (NoteKind::MisspeltKey, 7),
        ];
        assert_eq!(notes(text, "rfc9309"), expected);
        assert_eq!(groups(text, "google"), ["a -x@3 +*x@4 -/y@7"]);
        assert_eq!(groups(text, "original-1994"), ["a "]);
    }

    #[test]
    fn google_cuts_lines_at_a_nul_and_at_its_limit() {
        let text = format!("User-agent: a\nDisallow: /x\0y\nDisallow: /{}", "z".repeat(20_000));
        let robots = Robots::parse(text.as_bytes(), Dialect::named("google").unwrap());
        assert_eq!(robots.rules[0].value, b"/x");
        assert_eq!(robots.rules[1].value.len(), 16_663 - "Disallow: ".len());
        assert_eq!(notes(&text, "google"), [(NoteKind::LineCut, 2), (NoteKind::LineCut, 3)]);
        assert_eq!(Robots::parse(text.as_bytes(), Dialect::DEFAULT).rules[0].value, b"/x\0y");
    }

    /// `Content-Usage` and its like end no list of agents, so no verdict depends on them.
    #[test]
    fn preferences_stand_between_agents_of_one_group() {
        for dialect in Dialect::names() {
            for key in ["Content-Usage: train-ai=n", "Content-Signal: ai-train=no", "License: x", "LLM-Policy: x"] {
                let text = format!("User-agent: a\n{key}\nUser-agent: b\nDisallow: /x\n{key}\nDisallow: /y\n");
                assert_eq!(groups(&text, dialect), ["a,b -/x@4 -/y@6"], "{key} {dialect}");
            }
        }
        let text = "User-agent: a\nDisallowAITraining: /\nUser-agent: b\nDisallow: /x\n";
        assert_eq!(groups(text, "rfc9309"), ["a,b -/x@4"]);
        assert_eq!(groups(text, "google"), ["a -/@2", "b -/x@4"], "as the library reads it");
    }

    #[test]
    fn an_html_page_is_noted() {
        for page in ["\n <!DOCTYPE html>", "<HTML>", "<head><title>", "<?xml version='1.0'?>"] {
            assert_eq!(notes(page, "rfc9309")[0], (NoteKind::LooksLikeHtml, 1), "{page}");
        }
    }

    #[test]
    fn preferences_belong_to_the_groups_that_are_open() {
        let text = "Content-Usage: train-ai=n\nContent-Signal: search=no\nUser-agent: a\nLicense: l\n\
                    Content-Usage: train-ai=y\nDisallow:\n\nContent-Usage: search=n\nContent-Signal: search=yes\n";
        let of = |dialect: &str| -> Vec<(u32, Option<u32>)> {
            let robots = Robots::parse(text.as_bytes(), Dialect::named(dialect).unwrap());
            robots.side_records.iter().map(|record| (record.line, record.group)).collect()
        };
        assert_eq!(of("rfc9309"), [(2, None), (4, None), (5, Some(0)), (8, Some(0)), (9, Some(0))]);
        assert_eq!(notes(text, "rfc9309"), [(NoteKind::RuleOutsideGroup, 1)]);
        assert_eq!(of("draft-1996"), [(2, None), (4, None), (5, Some(0)), (9, None)]);
        assert_eq!(notes(text, "draft-1996"), [(NoteKind::RuleOutsideGroup, 1), (NoteKind::RuleOutsideGroup, 8)]);
    }
}
