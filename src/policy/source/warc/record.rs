//! Reads the records of a WARC archive (ISO 28500) one by one, in bounded memory.
//!
//! No crate fits: `rust_warc` allocates whatever length a record claims, `warc` holds whole records in memory or gives
//! no position for an error (and does not limit heads), `warcat` brings a database and ten hash functions, and
//! `fastwarc` brings a dozen more crates and relies on file names. The format is small: a head, a block of the length
//! that the head states, two empty lines. A head is a first line, fields (`Name: value`), and an empty line; HTTP
//! answers begin with such a head, too.

use std::io::{self, BufRead, Read, Take};
use std::ops::Range;

use super::text::{ArchiveText, MARK, Replay};
use crate::error::Problem;
use crate::formats::compression::Damaged;
use crate::formats::time_text;

/// Whether and why the block of a record is incomplete (ISO 28500, `WARC-Truncated`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truncation {
    /// It is not.
    None,
    /// It was longer than the crawler stores.
    Length,
    /// It is incomplete, took too long, or the reason is unknown; or the record is segmented.
    Other,
}

/// The most bytes of the head of a record.
const LIMIT: usize = 256 << 10;

/// The archive ends within a record.
const CUT_SHORT: &str = "the archive ends within this record";

/// A required field is missing.
pub(super) fn missing(name: &str) -> Problem {
    format!("this record has no {name}").into()
}

/// A field has a meaningless value.
fn invalid(name: &str, value: &str) -> Problem {
    format!("the {name} of this record is not valid: {value:?}").into()
}

impl Head {
    /// The value of a field; invalid UTF-8 is replaced.
    pub fn field(&self, name: &'static str) -> Option<String> {
        self.get(name).map(|value| String::from_utf8_lossy(value).into_owned())
    }

    pub fn required(&self, name: &'static str) -> Result<String, Problem> {
        self.field(name).ok_or_else(|| missing(name))
    }

    /// Whether and why its block is incomplete.
    pub fn truncation(&self) -> Truncation {
        let is_length = |reason: &[u8]| reason.eq_ignore_ascii_case(b"length");
        match self.get("WARC-Truncated") {
            // The other segments may be anywhere.
            _ if self.get("WARC-Segment-Number").is_some() => Truncation::Other,
            None => Truncation::None,
            Some(_) if self.all("WARC-Truncated").all(is_length) => Truncation::Length,
            Some(_) => Truncation::Other,
        }
    }

    /// A URI. Some programs put it in angle brackets, as in the grammar of WARC 1.0.
    pub fn uri(&self, name: &'static str) -> Option<String> {
        let uri = self.field(name)?;
        Some(uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).map_or(uri.clone(), str::to_owned))
    }

    pub fn time(&self, name: &'static str) -> Result<Option<i64>, Problem> {
        let Some(value) = self.field(name) else { return Ok(None) };
        // WARC 1.1 also allows less precise times: a year, a month, a day.
        const FIRST: &str = "0000-01-01T00:00:00Z";
        let whole = match value.len() {
            length @ (4 | 7 | 10) => value.clone() + &FIRST[length..],
            _ => value.clone(),
        };
        time_text::parse(&whole).map(Some).map_err(|_| invalid(name, &value))
    }
}

pub(super) struct Records<'t> {
    /// While a block is read, its limit is the end of the block. The mark is the beginning of the record.
    archive: Take<Replay<ArchiveText<'t>>>,
    /// Whether the current record is not read to its end.
    is_open: bool,
    /// Whether the record was read to its end, and ends as it should.
    is_whole: bool,
    /// The number of the current record, counted from 1.
    pub number: u64,
    pub offset: u64,
    /// The head of a malformed record, as far as it is known.
    pub malformed: Head,
}

impl<'t> Records<'t> {
    /// The records of an archive, read from its beginning.
    pub fn new(archive: ArchiveText<'t>) -> Records<'t> {
        let archive = Replay::new(archive).take(u64::MAX);
        Records { archive, is_open: false, is_whole: false, number: 0, offset: 0, malformed: Head::default() }
    }

    /// The head of the next record; the unread rest of the previous one is skipped.
    pub fn next(&mut self) -> Result<Option<Head>, Problem> {
        self.finish()?;
        let is_end = self.skip_line_ends();
        if matches!(is_end, Ok(true)) {
            return Ok(None);
        }
        let text = self.archive.get_mut();
        text.mark();
        (self.number, self.offset) = (self.number + 1, text.position());
        self.is_whole = false;
        is_end?;
        let mut head = Head::default();
        match self.read_head(&mut head) {
            Ok(()) => Ok(Some(head)),
            Err(problem) => {
                self.malformed = head;
                Err(problem)
            }
        }
    }

    /// Skips line ends before a record; returns whether none follows.
    fn skip_line_ends(&mut self) -> io::Result<bool> {
        while let Some(b'\r' | b'\n') = self.archive.fill_buf()?.first() {
            self.archive.consume(1);
        }
        Ok(self.archive.fill_buf()?.is_empty())
    }

    fn read_head(&mut self, head: &mut Head) -> Result<(), Problem> {
        head.fill(&mut self.archive)?;
        let version = head.first_line();
        let is_cut = head.end == End::CutShort && VERSIONS.iter().any(|known| known.starts_with(version));
        if !VERSIONS.iter().any(|known| version.starts_with(known)) && !is_cut {
            let start = &version[..version.len().min(40)];
            let start = String::from_utf8_lossy(start);
            let message = format!(
                "{start:?} is not a known version of WARC; a record begins with WARC/1.0, WARC/1.1, WARC/0.17 or WARC/0.18"
            );
            return Err(message.into());
        }
        match head.end {
            End::Whole => {}
            End::CutShort => return Err(CUT_SHORT.into()),
            End::TooLong => return Err(format!("the head of this record is longer than {} KiB", LIMIT >> 10).into()),
        }
        if has_record(head.after_first_line())? {
            return Err("the head of this record is cut short; another record follows in it".into());
        }
        let value = head.required(LENGTH)?;
        let length = number(value.as_bytes()).ok_or_else(|| invalid(LENGTH, &value))?;
        self.archive.set_limit(length);
        self.is_open = true;
        match head.stray_line() {
            Some(line) => {
                let line = String::from_utf8_lossy(line);
                Err(format!("the head of this record has a line that is not a field: {line:?}").into())
            }
            None => Ok(()),
        }
    }

    /// The block of the current record. It ends early where the archive does, which is an error at the end of the record.
    pub fn block(&mut self) -> &mut Take<Replay<ArchiveText<'t>>> {
        &mut self.archive
    }

    /// Skips the rest of the current record and the two line ends after it.
    pub fn finish(&mut self) -> Result<(), Problem> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(());
        }
        loop {
            let length = self.archive.fill_buf()?.len();
            if length == 0 {
                break;
            }
            self.archive.consume(length);
        }
        if self.archive.limit() > 0 {
            return Err(CUT_SHORT.into());
        }
        self.archive.set_limit(u64::MAX);
        // Some programs write line feeds alone.
        let line_ends: &[u8] = if self.archive.fill_buf()?.first() == Some(&b'\n') { b"\n\n" } else { b"\r\n\r\n" };
        for expected in line_ends {
            match self.archive.fill_buf()?.first() {
                Some(byte) if byte == expected => self.archive.consume(1),
                Some(_) => return Err("this record does not end where its Content-Length says".into()),
                None => return Err(CUT_SHORT.into()),
            }
        }
        self.check_what_follows()?;
        self.is_whole = true;
        Ok(())
    }

    /// Checks that compressed data is not damaged between the record and the next one: the checksum is read last, and
    /// damaged data may decode to more text than was compressed.
    fn check_what_follows(&mut self) -> Result<(), Problem> {
        let text = self.archive.get_mut();
        if text.fill_buf().is_ok_and(|next| next.starts_with(MARK)) {
            return Ok(());
        }
        let mut next = Vec::new();
        text.mark();
        let read = text.by_ref().take(AHEAD).read_to_end(&mut next);
        let is_in_record = |damaged: &Damaged| damaged.member.is_none_or(|member| member.text > next.len() as u64);
        match read {
            Err(error) if !has_record(&next)? && Damaged::of(&error).is_some_and(is_in_record) => Err(error.into()),
            // Any other problem is that of the next record.
            _ => {
                text.rewind();
                Ok(())
            }
        }
    }

    /// Goes to the next record after a problem of the current one.
    pub fn recover(&mut self, problem: &Problem) -> io::Result<Extent> {
        match &problem.source {
            Some(error) => self.pass_damage(error),
            None if self.is_whole => Ok(Extent::Record),
            None if self.is_open => match self.finish() {
                Ok(()) => Ok(Extent::Record),
                Err(Problem { source: Some(error), .. }) => self.pass_damage(&error),
                Err(_) => self.search_on(),
            },
            None => self.search_on(),
        }
    }

    fn search_on(&mut self) -> io::Result<Extent> {
        self.is_open = false;
        self.archive.set_limit(u64::MAX);
        match self.search() {
            Ok(true) => Ok(Extent::Record),
            Ok(false) => Ok(Extent::Rest),
            Err(error) => self.pass_damage(&error),
        }
    }

    fn pass_damage(&mut self, error: &io::Error) -> io::Result<Extent> {
        let Some(damaged) = Damaged::of(error) else { return Err(io::Error::new(error.kind(), error.to_string())) };
        self.is_open = false;
        self.archive.set_limit(u64::MAX);
        let archive = self.archive.get_mut();
        // Line ends may come before the record in its member.
        let is_shared = damaged.member.is_some_and(|member| self.offset + member.text > archive.position() + LINE_ENDS);
        let goes_on = archive.text().pass_damage()?;
        archive.forget();
        Ok(match (goes_on, is_shared) {
            (false, _) => Extent::Rest,
            (true, true) => Extent::Member,
            (true, false) => Extent::Record,
        })
    }

    /// Searches for the next record, from just after the start of the current one, because the length of its block may
    /// be wrong.
    fn search(&mut self) -> io::Result<bool> {
        let text = self.archive.get_mut();
        text.rewind();
        if text.position() == self.offset && !text.fill_buf()?.is_empty() {
            text.consume(1);
        }
        loop {
            let bytes = text.fill_buf()?;
            let (length, first) = (bytes.len(), memchr::memchr(b'W', bytes));
            if length == 0 {
                return Ok(false);
            }
            text.consume(first.unwrap_or(length));
            if first.is_some() {
                text.mark();
                let is_record = begins_record(text)?;
                text.rewind();
                if is_record {
                    return Ok(true);
                }
                text.consume(1);
            }
        }
    }
}

/// How many bytes after a record are searched for damage.
const AHEAD: u64 = 4 << 10;

/// The length of the line ends after a record.
const LINE_ENDS: u64 = 4;

/// How much of an archive a problem affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// One record. The next one was found, or it is the last and ends as it should.
    Record,
    /// The records of one compressed member, some of which were read. The first record after the member was found.
    Member,
    /// The rest of the archive, in which no record was found.
    Rest,
}

/// Whether a text contains the first line of a record.
fn has_record(text: &[u8]) -> io::Result<bool> {
    for at in memchr::memmem::find_iter(text, MARK) {
        if begins_record(&mut &text[at..])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a text continues with the first line of a record and a field.
fn begins_record(text: &mut impl BufRead) -> io::Result<bool> {
    let mut start = Vec::new();
    text.take(b"WARC/0.17\r\nW".len() as u64).read_to_end(&mut start)?;
    let mut lines = start.split(|&byte| byte == b'\n');
    let (version, field) = (lines.next().unwrap_or_default().trim_ascii_end(), lines.next().unwrap_or_default());
    let number = VERSIONS.iter().find_map(|known| version.strip_prefix(*known));
    Ok(number.is_some_and(|number| number.iter().all(u8::is_ascii_digit))
        && field.first().is_some_and(u8::is_ascii_alphabetic))
}

/// How the first line of a record begins. The drafts 0.17 and 0.18 of the standard, which crawlers wrote for years, differ in
/// nothing that matters here.
const VERSIONS: [&[u8]; 3] = [b"WARC/1.", b"WARC/0.17", b"WARC/0.18"];
const LENGTH: &str = "Content-Length";

#[derive(Debug, Default)]
pub(super) struct Head {
    text: Vec<u8>,
    fields: Vec<(Range<usize>, Range<usize>)>,
    first_line: Range<usize>,
    /// The first line after the first that is not a field.
    stray: Option<Range<usize>>,
    pub end: End,
}

/// How a head ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    /// The input ended before that.
    #[default]
    CutShort,
    /// [`LIMIT`] bytes were read before that.
    TooLong,
}

impl Head {
    /// Reads a head and the empty line after it.
    pub fn read(reader: &mut impl BufRead) -> io::Result<Head> {
        let mut head = Head::default();
        head.fill(reader)?;
        Ok(head)
    }

    /// Reads lines into an empty head. After an error, the head has the lines before it, without a truncated field.
    pub fn fill(&mut self, reader: &mut impl BufRead) -> io::Result<()> {
        loop {
            let start = self.text.len();
            reader.by_ref().take((LIMIT - start) as u64).read_until(b'\n', &mut self.text)?;
            let line = &self.text[start..];
            if line.last() != Some(&b'\n') {
                if start == 0 {
                    self.add_line(start);
                }
                self.end = if self.text.len() == LIMIT { End::TooLong } else { End::CutShort };
                return Ok(());
            }
            if start > 0 && matches!(line, b"\r\n" | b"\n") {
                self.end = End::Whole;
                return Ok(());
            }
            self.add_line(start);
        }
    }

    fn add_line(&mut self, start: usize) {
        let line = start..self.text.len();
        let text = &self.text[line.clone()];
        if text.is_empty() {
            // The input ended between lines.
        } else if start == 0 {
            self.first_line = line;
        } else if let (b' ' | b'\t', Some((_, value))) = (text[0], self.fields.last_mut()) {
            // The value of the previous field continues.
            value.end = line.end;
        } else if let Some(colon) = memchr::memchr(b':', text) {
            self.fields.push((start..start + colon, start + colon + 1..line.end));
        } else {
            self.stray.get_or_insert(line);
        }
    }

    pub fn first_line(&self) -> &[u8] {
        self.text[self.first_line.clone()].trim_ascii()
    }

    /// Everything after the first line, including the empty line.
    pub fn after_first_line(&self) -> &[u8] {
        &self.text[self.first_line.end..]
    }

    /// The first line after it that is not a field.
    pub fn stray_line(&self) -> Option<&[u8]> {
        self.stray.clone().map(|line| self.text[line].trim_ascii())
    }

    /// The values of all fields with this name, ignoring case.
    pub fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
        let is_named =
            |field: &Range<usize>| self.text[field.clone()].trim_ascii().eq_ignore_ascii_case(name.as_bytes());
        self.fields
            .iter()
            .filter(move |(field, _)| is_named(field))
            .map(|(_, value)| self.text[value.clone()].trim_ascii())
    }

    /// The value of the first field with this name.
    pub fn get<'h>(&'h self, name: &'h str) -> Option<&'h [u8]> {
        self.all(name).next()
    }
}

/// A number of decimal digits.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text.trim_ascii()).ok()?;
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(archive: &[u8]) -> Records<'_> {
        Records::new(ArchiveText::new(archive, None))
    }

    fn record(fields: &str, block: &str) -> String {
        format!("WARC/1.1\r\n{fields}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len())
    }

    type Found = Vec<(String, String)>;

    /// The records, and the error at the end, if any, with its record and offset.
    fn read(archive: &[u8]) -> (Found, Option<(u64, u64, String)>) {
        let mut records = records(archive);
        let mut found = Vec::new();
        loop {
            match records.next() {
                Ok(None) => return (found, None),
                Ok(Some(record)) => {
                    let mut block = String::new();
                    if let Err(error) = records.block().read_to_string(&mut block) {
                        return (found, Some((records.number, records.offset, error.to_string())));
                    }
                    found.push((record.field("WARC-Type").unwrap_or_default(), block));
                }
                Err(problem) => return (found, Some((records.number, records.offset, problem.to_string()))),
            }
        }
    }

    #[test]
    fn records_follow_each_other() {
        let archive =
            record("WARC-Type: a\r\n", "one\r\n\r\n") + &record("warc-type:b\r\n", "") + "\r\n" + &record("", "c");
        let (found, error) = read(archive.as_bytes());
        let expected = [("a", "one\r\n\r\n"), ("b", ""), ("", "c")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!((found, error), (expected.to_vec(), None));
        assert_eq!(
            read(archive.replace("\r\n", "\n").as_bytes()).1.map(|(record, ..)| record),
            Some(1),
            "lengths differ"
        );
        assert_eq!(read(b"WARC/1.0\nContent-Length: 1\n\nx\n\n").0.len(), 1, "line feeds alone");
    }

    #[test]
    fn an_archive_that_is_cut_short_is_an_error() {
        let first = record("WARC-Type: a\r\n", "one");
        let archive = first.clone() + &record("", "two");
        for length in 0..=archive.len() {
            let (_, error) = read(&archive.as_bytes()[..length]);
            let is_whole = [0, first.len(), archive.len()].contains(&length);
            assert_eq!(error.is_none(), is_whole, "{length}: {error:?}");
            if let Some((number, offset, error)) = error {
                assert!(error.contains("ends within"), "{length}: {error}");
                let expected = if length < first.len() { (1, 0) } else { (2, first.len() as u64) };
                assert_eq!((number, offset), expected, "{length}: {error}");
            }
        }
    }

    #[test]
    fn a_malformed_record_is_reported_with_number_and_offset() {
        let first = record("", "one");
        for (second, problem) in [
            ("WARC/2.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n".to_owned(), "WARC/2.0"),
            ("HTTP/1.1 200 OK\r\n\r\n".to_owned(), "HTTP/1.1"),
            (record("no field\r\n", ""), "not a field"),
            ("WARC/1.0\r\nWARC-Type: a\r\n\r\n\r\n\r\n".to_owned(), "no Content-Length"),
            ("WARC/1.0\r\nContent-Length: -1\r\n\r\n\r\n\r\n".to_owned(), "\"-1\""),
            ("WARC/1.0\r\nContent-Length: +1\r\n\r\n\r\n\r\n".to_owned(), "\"+1\""),
            ("WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n".to_owned(), "9999"),
            ("WARC/1.0\r\nContent-Length: 18446744073709551615\r\n\r\nx".to_owned(), "ends within"),
            ("WARC/1.0\r\nContent-Length: 1\r\n\r\nxyz\r\n\r\n".to_owned(), "does not end where"),
            (format!("WARC/1.0\r\n{}: x\r\n\r\n", "a".repeat(LIMIT)), "256 KiB"),
        ] {
            let (found, error) = read((first.clone() + &second).as_bytes());
            let (number, offset, error) = error.expect(problem);
            assert_eq!((number, offset), (2, first.len() as u64), "{error}");
            assert!(error.contains(problem), "{problem}: {error}");
            assert!(!found.is_empty());
        }
    }

    /// The blocks that are read from records of which the second is wrong, and whether the rest could be found.
    fn recovered(archive: &[u8]) -> (Vec<String>, bool) {
        let (mut records, mut blocks, mut found) = (records(archive), Vec::new(), true);
        while found {
            let problem = match records.next() {
                Ok(None) => break,
                Ok(Some(_)) => {
                    let mut block = String::new();
                    records.block().read_to_string(&mut block).unwrap();
                    match records.finish() {
                        Ok(()) => {
                            blocks.push(block);
                            continue;
                        }
                        Err(problem) => problem,
                    }
                }
                Err(problem) => problem,
            };
            found = records.recover(&problem).unwrap() == Extent::Record;
        }
        (blocks, found)
    }

    #[test]
    fn the_next_record_is_found_after_a_wrong_one() {
        let [first, second, third] =
            ["one", "two WARC/1.0 two", "three"].map(|block| record("WARC-Type: a\r\n", block));
        for wrong in [
            second.replace("Content-Length: 16", "Content-Length: 15"),
            second.replace("Content-Length: 16", "Content-Length: 17"),
            second.replace("Content-Length: 16", "Content-Length: 24"),
            second.replace("Content-Length: 16", "Content-Length: 60"),
            second.replace("Content-Length: 16", "Content-Length: 99999"),
            second.replace("Content-Length: 16", "Content-Length: many"),
            second.replace("Content-Length", "Length"),
            second.replace("WARC/1.1", "WARC/2.0"),
            second.replace("WARC/1.1", "garbage"),
            second[10..].to_owned(),
            second[..second.len() - 2].to_owned(),
            second[..second.len() - 9].to_owned(),
            second[..30].to_owned(),
            second[..15].to_owned(),
            format!("{}: x\r\n\r\n", "a".repeat(LIMIT)),
        ] {
            let archive = [&first[..], &wrong, &third].concat();
            let (blocks, found) = recovered(archive.as_bytes());
            assert_eq!(blocks, ["one", "three"], "{wrong:.99}");
            assert!(found);
            let (blocks, found) = recovered([&first[..], &wrong].concat().as_bytes());
            assert_eq!((blocks, found), (vec!["one".to_owned()], false), "{wrong:.99}");
        }
        // Its end is known, so it may be the last.
        let wrong = second.replace("WARC-Type", "no field\r\nWARC-Type");
        for (rest, expected) in [("", vec!["one"]), (&third, vec!["one", "three"])] {
            let (blocks, found) = recovered([&first[..], &wrong, rest].concat().as_bytes());
            assert_eq!((blocks, found), (expected.iter().map(|&block| block.to_owned()).collect(), true));
        }
    }

    #[test]
    fn fields_have_their_forms() {
        let time = |value: &str| {
            let text = record(&format!("WARC-Date: {value}\r\nU: <http://a/>\r\n"), "");
            let record = records(text.as_bytes()).next().unwrap().unwrap();
            assert_eq!(record.uri("U").as_deref(), Some("http://a/"));
            record.time("WARC-Date")
        };
        for (value, seconds) in [
            ("1970-01-01T00:01:00Z", 60),
            ("1970-01-01T00:01:00.999999999Z", 60),
            ("1970-01-01T00:01Z", 60),
            ("1970-01-02", 86_400),
            ("1970-02", 31 * 86_400),
            ("1971", 365 * 86_400),
        ] {
            assert_eq!(time(value).unwrap(), Some(seconds), "{value}");
        }
        for value in ["", "soon", "19700101000000", "1970-13", "été", "éé"] {
            assert!(time(value).unwrap_err().to_string().contains("WARC-Date"), "{value}");
        }
    }

    #[test]
    fn fields_are_found_whatever_their_case_and_form() {
        let text =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nset-cookie:a\nX\r\nSET-COOKIE : b: c \r\n\td\r\n\r\nbody";
        let mut rest = &text[..];
        let head = Head::read(&mut rest).unwrap();
        assert_eq!((head.first_line(), head.end, rest), (&b"HTTP/1.1 200 OK"[..], End::Whole, &b"body"[..]));
        assert_eq!(head.get("content-type"), Some(&b"text/plain"[..]));
        assert_eq!(head.all("Set-Cookie").collect::<Vec<_>>(), [&b"a"[..], b"b: c \r\n\td"]);
        assert_eq!(head.get("body"), None);
        assert_eq!(head.stray_line(), Some(&b"X"[..]));
    }

    #[test]
    fn a_head_that_does_not_end_is_told() {
        for text in [&b""[..], b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK\r\nA: b\r\n", b"\r\n"] {
            assert_eq!(Head::read(&mut &text[..]).unwrap().end, End::CutShort);
        }
        let endless = [b"HTTP/1.1 200 OK\r\nA: ".to_vec(), vec![b'a'; LIMIT]].concat();
        let mut rest = &endless[..];
        assert_eq!(Head::read(&mut rest).unwrap().end, End::TooLong);
        assert_eq!(endless.len() - rest.len(), LIMIT);
    }
}
