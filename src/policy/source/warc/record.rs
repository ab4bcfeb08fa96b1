//! Reads the records of a WARC archive (ISO 28500) one by one, in bounded memory.
//!
//! Written here because no crate fits: `rust_warc` allocates whatever length a record claims, `warc` keeps whole records or
//! gives no position for an error (and does not limit heads), `warcat` brings a database and ten hash functions, and
//! `fastwarc` brings a dozen more crates and goes by file names. The format is small: a head, a block of the length that
//! the head states, two empty lines.

use std::io::{BufRead, Take};

use super::error::RecordProblem;
use super::head::{self, Head};

/// Whether and why the block of a record is incomplete (ISO 28500, `WARC-Truncated`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truncation {
    /// It is not.
    None,
    /// It was longer than the crawler keeps.
    Length,
    /// It did not arrive whole, took too long, or nothing is known; or the record is in segments.
    Other,
}

/// The fields of a record.
impl Head {
    /// The value of a field; invalid UTF-8 is replaced.
    pub fn field(&self, name: &'static str) -> Option<String> {
        self.get(name).map(|value| String::from_utf8_lossy(value).into_owned())
    }

    /// The value of a required field.
    pub fn required(&self, name: &'static str) -> Result<String, RecordProblem> {
        self.field(name).ok_or(RecordProblem::Missing(name))
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

    /// A time, in seconds of Unix time.
    pub fn time(&self, name: &'static str) -> Result<Option<i64>, RecordProblem> {
        let Some(value) = self.field(name) else { return Ok(None) };
        // WARC 1.1 also allows less precise times: a year, a month, a day.
        const FIRST: &str = "0000-01-01T00:00:00Z";
        let whole = match value.len() {
            length @ (4 | 7 | 10) => value.clone() + &FIRST[length..],
            _ => value.clone(),
        };
        let time: Result<jiff::Timestamp, _> = whole.parse();
        time.map(|time| Some(time.as_second())).map_err(|_| RecordProblem::Value { name, value })
    }
}

/// The records of an archive.
pub(super) struct Records<R> {
    /// While a block is read, its limit is the end of the block.
    archive: Take<R>,
    /// The offset at which the archive reaches its limit.
    end: u64,
    /// The number of the current record, counted from 1.
    pub number: u64,
    /// The offset of the current record, in bytes.
    pub offset: u64,
}

impl<R: BufRead> Records<R> {
    /// The records of an archive, read from its beginning.
    pub fn new(archive: R) -> Records<R> {
        Records { archive: archive.take(u64::MAX), end: u64::MAX, number: 0, offset: 0 }
    }

    /// The offset of the next byte.
    fn position(&self) -> u64 {
        self.end - self.archive.limit()
    }

    /// The head of the next record; the unread rest of the previous one is skipped.
    pub fn next(&mut self) -> Result<Option<Head>, RecordProblem> {
        self.finish()?;
        while let Some(b'\r' | b'\n') = self.archive.fill_buf()?.first() {
            self.archive.consume(1);
        }
        if self.archive.fill_buf()?.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        self.offset = self.position();
        let head = Head::read(&mut self.archive)?;
        let version = head.first_line();
        let is_cut = head.end == head::End::CutShort && VERSIONS.iter().any(|known| known.starts_with(version));
        if !VERSIONS.iter().any(|known| version.starts_with(known)) && !is_cut {
            let start = &version[..version.len().min(40)];
            return Err(RecordProblem::Version(String::from_utf8_lossy(start).into_owned()));
        }
        match head.end {
            head::End::Whole => {}
            head::End::CutShort => return Err(RecordProblem::CutShort),
            head::End::TooLong => return Err(RecordProblem::LongHead),
        }
        if let Some(line) = head.stray_line() {
            return Err(RecordProblem::NoField(String::from_utf8_lossy(line).into_owned()));
        }
        let value = head.required(LENGTH)?;
        let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        let length = value.parse().ok().filter(|_| digits);
        let length = length.ok_or(RecordProblem::Value { name: LENGTH, value })?;
        self.end = self.position().saturating_add(length);
        self.archive.set_limit(length);
        Ok(Some(head))
    }

    /// The block of the current record. It ends early where the archive does, which is an error of the next record.
    pub fn block(&mut self) -> &mut Take<R> {
        &mut self.archive
    }

    /// Skips the rest of the current record and the two line ends after it.
    fn finish(&mut self) -> Result<(), RecordProblem> {
        if self.number == 0 {
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
            return Err(RecordProblem::CutShort);
        }
        self.archive.set_limit(u64::MAX - self.end);
        self.end = u64::MAX;
        for _ in 0..2 {
            if self.archive.fill_buf()?.first() == Some(&b'\r') {
                self.archive.consume(1);
            }
            match self.archive.fill_buf()?.first() {
                Some(b'\n') => self.archive.consume(1),
                Some(_) => return Err(RecordProblem::End),
                None => return Err(RecordProblem::CutShort),
            }
        }
        Ok(())
    }
}

/// How the first line of a record begins. The drafts 0.17 and 0.18 of the standard, which crawlers wrote for years, differ in
/// nothing that matters here.
const VERSIONS: [&[u8]; 3] = [b"WARC/1.", b"WARC/0.17", b"WARC/0.18"];
const LENGTH: &str = "Content-Length";

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn record(fields: &str, block: &str) -> String {
        format!("WARC/1.1\r\n{fields}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len())
    }

    /// The type and block of each record.
    type Found = Vec<(String, String)>;

    /// The records, and the error at the end, if any, with its record and offset.
    fn read(archive: &[u8]) -> (Found, Option<(u64, u64, String)>) {
        let mut records = Records::new(archive);
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
            (format!("WARC/1.0\r\n{}: x\r\n\r\n", "a".repeat(head::LIMIT)), "256 KiB"),
        ] {
            let (found, error) = read((first.clone() + &second).as_bytes());
            let (number, offset, error) = error.expect(problem);
            assert_eq!((number, offset), (2, first.len() as u64), "{error}");
            assert!(error.contains(problem), "{problem}: {error}");
            assert!(!found.is_empty());
        }
    }

    #[test]
    fn fields_have_their_forms() {
        let time = |value: &str| {
            let text = record(&format!("WARC-Date: {value}\r\nU: <http://a/>\r\n"), "");
            let record = Records::new(text.as_bytes()).next().unwrap().unwrap();
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
}
