//! A line under construction, and words that are cheap to copy into it.

/// A word in sixteen bytes, so that copying it is one load and one store whatever its length.
#[derive(Clone, Copy)]
pub struct Word {
    bytes: [u8; 15],
    len: u8,
}

impl Word {
    /// The word.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// The words of a text, separated by single blanks; made at compile time.
pub const fn words<const N: usize>(text: &str) -> [Word; N] {
    let text = text.as_bytes();
    let mut out = [Word { bytes: [0; 15], len: 0 }; N];
    let (mut word, mut at) = (0, 0);
    while at < text.len() {
        if text[at] == b' ' {
            word += 1;
        } else {
            let len = out[word].len as usize;
            assert!(len < 15, "a word has at most 15 bytes");
            out[word].bytes[len] = text[at];
            out[word].len += 1;
        }
        at += 1;
    }
    assert!(word + 1 == N, "the list has another length");
    out
}

/// The length of the longest line ever made, with room to spare.
const CAPACITY: usize = 2048;

/// A line of bounded length.
pub struct Line {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self { bytes: [0; CAPACITY], len: 0 }
    }

    /// Empties the line.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Cuts the line down to `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends a word.
    pub fn word(&mut self, word: &Word) {
        self.bytes[self.len..self.len + 15].copy_from_slice(&word.bytes);
        self.len += usize::from(word.len);
    }

    /// Appends one byte.
    pub fn byte(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    /// Appends text.
    pub fn text(&mut self, text: &[u8]) {
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    /// Appends a number in decimal.
    pub fn number(&mut self, mut n: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.text(&digits[at..]);
    }

    /// Appends a number below one hundred as two digits.
    pub fn two_digits(&mut self, n: u64) {
        self.byte(b'0' + (n / 10) as u8);
        self.byte(b'0' + (n % 10) as u8);
    }
}
