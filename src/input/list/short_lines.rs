//! A text without its lines that are too long to be held in memory, for runs that skip what they cannot read.
//!
//! Which lines these are depends on nothing but their lengths, and not on how the text is cut into chunks.

use std::collections::VecDeque;
use std::io::{self, Read};

use crate::input::error::SkippedPart;

/// Bytes that are read at a time.
const READ: usize = if cfg!(test) { 4 } else { 64 << 10 };

/// Which lines are left out.
#[derive(Debug, Clone)]
pub(super) enum LongLines {
    /// Those with more bytes than this, line feeds included.
    Over(usize),
    /// Those that an earlier run left out, in order.
    Named(VecDeque<SkippedPart>),
}

/// A text without the lines that are left out, if any are to be.
pub(super) struct ShortLines<R> {
    text: R,
    long: Option<LongLines>,
    /// Bytes of the text from `base` on, without what was left out: those up to `ready` are whole lines, of which those before
    /// `given` were given; then a line that has not ended.
    buffer: Vec<u8>,
    given: usize,
    ready: usize,
    /// How many bytes of the text were read.
    read: u64,
    /// How many bytes were given.
    all_given: u64,
    /// The line that is being left out: where it begins, and its bytes so far.
    open: Option<(u64, u64)>,
    /// The lines that were left out and not yet [taken](ShortLines::take_before), each with the number of bytes given before it.
    left_out: VecDeque<(u64, SkippedPart)>,
    has_ended: bool,
}

impl<R: Read> ShortLines<R> {
    /// Of the text from byte `at` on, where a line begins.
    pub fn new(text: R, at: u64, long: Option<LongLines>) -> ShortLines<R> {
        ShortLines {
            text,
            long,
            buffer: Vec::new(),
            given: 0,
            ready: 0,
            read: at,
            all_given: 0,
            open: None,
            left_out: VecDeque::new(),
            has_ended: false,
        }
    }

    /// Takes the lines left out before the byte that is given after `given` others, or all at the end of the text.
    pub fn take_before(&mut self, given: u64) -> Vec<SkippedPart> {
        let is_before =
            |&(before, _): &(u64, SkippedPart)| before < given || self.has_ended && self.given == self.ready;
        let count = self.left_out.iter().take_while(|part| is_before(part)).count();
        self.left_out.drain(..count).map(|(_, part)| part).collect()
    }

    /// Reads on, after all whole lines were given.
    fn read_on(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.ready);
        (self.given, self.ready) = (0, 0);
        let had = self.buffer.len();
        self.buffer.resize(had + READ, 0);
        let read = self.text.read(&mut self.buffer[had..]);
        self.buffer.truncate(had + *read.as_ref().unwrap_or(&0));
        self.read += read? as u64;
        if self.buffer.len() == had {
            self.has_ended = true;
            self.end_open();
            self.keep_lines(true);
            return Ok(());
        }
        if let Some((_, bytes)) = &mut self.open {
            let Some(end) = memchr::memchr(b'\n', &self.buffer) else {
                *bytes += self.buffer.len() as u64;
                self.buffer.clear();
                return Ok(());
            };
            *bytes += end as u64 + 1;
            self.buffer.drain(..=end);
            self.end_open();
        }
        self.keep_lines(false);
        Ok(())
    }

    /// Ends the line that is being left out. All lines before it were given.
    fn end_open(&mut self) {
        if let Some((at, bytes)) = self.open.take() {
            self.leave_out(self.all_given, at, bytes);
        }
    }

    fn leave_out(&mut self, before: u64, at: u64, bytes: u64) {
        let problem = match &mut self.long {
            Some(LongLines::Over(longest)) => {
                format!("a line of {bytes} bytes; the memory limit has room for lines of {longest} bytes")
            }
            Some(LongLines::Named(parts)) => parts.pop_front().map(|part| part.problem).unwrap_or_default(),
            None => String::new(),
        };
        self.left_out.push_back((before, SkippedPart { at: Some(at), bytes: Some(bytes), rows: None, problem }));
    }

    /// Whether a line that begins at `at`, with so many bytes so far, is left out.
    fn is_long(&self, at: u64, bytes: usize) -> bool {
        match &self.long {
            Some(LongLines::Over(longest)) => bytes > *longest,
            Some(LongLines::Named(parts)) => bytes > 0 && parts.front().is_some_and(|part| part.at == Some(at)),
            None => false,
        }
    }

    /// Makes the whole lines of the buffer ready, which begins with a line, except those that are left out.
    fn keep_lines(&mut self, is_end: bool) {
        let whole =
            if is_end { self.buffer.len() } else { memchr::memrchr(b'\n', &self.buffer).map_or(0, |end| end + 1) };
        let base = self.read - self.buffer.len() as u64;
        let may_be_long = match &self.long {
            Some(LongLines::Over(longest)) => self.buffer.len() > *longest,
            Some(LongLines::Named(parts)) => parts.front().and_then(|part| part.at).is_some_and(|at| at < self.read),
            None => false,
        };
        self.ready = whole;
        if !may_be_long {
            return;
        }
        let (mut at, mut kept) = (0, 0);
        self.ready = 0;
        while at < self.buffer.len() {
            let end = memchr::memchr(b'\n', &self.buffer[at..]).map_or(self.buffer.len(), |length| at + length + 1);
            let (start, is_whole) = (base + at as u64, end <= whole);
            match (self.is_long(start, end - at), is_whole) {
                (true, true) => self.leave_out(self.all_given + kept as u64, start, (end - at) as u64),
                (true, false) => self.open = Some((start, (end - at) as u64)),
                (false, _) => {
                    self.buffer.copy_within(at..end, kept);
                    kept += end - at;
                    self.ready = if is_whole { kept } else { self.ready };
                }
            }
            at = end;
        }
        self.buffer.truncate(kept);
    }
}

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.long.is_none() {
            return self.text.read(bytes);
        }
        while self.given == self.ready && !self.has_ended {
            self.read_on()?;
        }
        let count = bytes.len().min(self.ready - self.given);
        bytes[..count].copy_from_slice(&self.buffer[self.given..self.given + count]);
        self.given += count;
        self.all_given += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Gives a few bytes at a time.
    struct Slowly<'t>(&'t [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let most = bytes.len().min(self.1);
            self.0.read(&mut bytes[..most])
        }
    }

    /// The text that passes, and the places and lengths of the lines that are left out.
    fn read(text: &[u8], step: usize, long: LongLines) -> (Vec<u8>, Vec<(u64, u64)>) {
        let mut short = ShortLines::new(Slowly(text, step), 100, Some(long));
        let mut given = Vec::new();
        short.read_to_end(&mut given).unwrap();
        let parts = short.take_before(0).into_iter().map(|part| (part.at.unwrap() - 100, part.bytes.unwrap()));
        (given, parts.collect())
    }

    #[test]
    fn long_lines_are_left_out_wherever_they_are() {
        let mut rng = Rng(5);
        for _ in 0..300 {
            let mut text = Vec::new();
            for _ in 0..rng.below(12) {
                text.resize(text.len() + rng.below(9), b'x');
                if rng.below(8) > 0 {
                    text.push(b'\n');
                }
            }
            let (mut expected, mut left_out, mut at) = (Vec::new(), Vec::new(), 0);
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                match line.len() > 5 {
                    true => left_out.push((at, line.len() as u64)),
                    false => expected.extend_from_slice(line),
                }
                at += line.len() as u64;
            }
            for step in [1, 2, 3, 7, 100] {
                let found = read(&text, step, LongLines::Over(5));
                assert_eq!(found, (expected.clone(), left_out.clone()), "{} {step}", text.escape_ascii());
                let named = found.1.iter().map(|&(at, bytes)| SkippedPart {
                    at: Some(at + 100),
                    bytes: Some(bytes),
                    rows: None,
                    problem: String::new(),
                });
                assert_eq!(read(&text, step, LongLines::Named(named.collect())), found);
            }
        }
    }

    #[test]
    fn a_line_is_told_with_what_follows_it() {
        let mut short = ShortLines::new(&b"a\nlonger\nb\nlonger\n"[..], 0, Some(LongLines::Over(3)));
        let mut bytes = [0; 2];
        short.read_exact(&mut bytes).unwrap();
        assert_eq!(short.take_before(2), []);
        short.read_exact(&mut bytes).unwrap();
        let places = |parts: Vec<SkippedPart>| parts.iter().map(|part| part.at.unwrap()).collect::<Vec<_>>();
        assert_eq!(places(short.take_before(4)), [2]);
        assert_eq!(short.read(&mut bytes).unwrap(), 0);
        assert_eq!(places(short.take_before(4)), [11]);
    }
}
