//! What judging needs besides the policy.

use super::lines::{Lines, find_looks};
use super::space::Space;
use super::text_urls::PADDING;
use crate::automaton;

/// What judging needs besides; one for each thread, used again and again.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) walk: automaton::Scratch,
    pub(super) space: Box<Space>,
    pub(super) lines: Lines,
    /// The URLs that are judged together, and where they stand.
    pub(super) text: Vec<u8>,
    pub(super) starts: Vec<u32>,
    pub(super) ends: Vec<u32>,
    pub(super) looks: Vec<u8>,
    /// URLs with a segment `.` or `..`, which were matched as written.
    pub dot_segments: u64,
    /// URLs whose path was brought into normal form first.
    pub normalised: u64,
}

/// Bytes of URLs that are judged together.
const TOGETHER: usize = 1 << 18;

impl Scratch {
    /// Takes the next URLs, as many as are judged together.
    pub(super) fn take<'u>(&mut self, urls: &mut std::iter::Peekable<impl Iterator<Item = &'u [u8]>>) {
        self.text.clear();
        self.starts.clear();
        self.ends.clear();
        while let Some(url) = urls.next_if(|url| self.text.is_empty() || self.text.len() + url.len() < TOGETHER) {
            self.starts.push(self.text.len() as u32);
            self.text.extend_from_slice(url);
            self.ends.push(self.text.len() as u32);
        }
        find_looks(&self.text, &self.starts, &self.ends, &mut self.looks);
        self.text.resize(self.text.len() + PADDING, 0);
    }
}
