//! The hashes of the URLs of a chunk's lines, by their keys.

use super::seen::{NO_URL, UrlHash};
use crate::input::chunks::Chunk;
use crate::judge::same_url::{LineKeys, SameUrl};
use crate::judge::urls::LineUrls;

/// How lines are hashed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hashing {
    /// Which URLs are the same.
    same: SameUrl,
    hash: UrlHash,
}

/// The lines of a chunk and their hashes, in memory that a worker reuses for each chunk.
#[derive(Debug, Default)]
pub(super) struct LineHashes {
    pub urls: LineUrls,
    /// The hash of each line's URL.
    pub hashes: Vec<u128>,
}

impl Hashing {
    /// By a hash with a new seed.
    pub fn new(same: SameUrl) -> Hashing {
        Hashing { same, hash: UrlHash::new() }
    }

    /// By the hash of files that later runs read.
    pub fn of_files(same: SameUrl) -> Hashing {
        Hashing { same, hash: UrlHash::of_files() }
    }
}

impl LineHashes {
    /// Hashes the URLs of a chunk from which nothing is left out yet.
    pub fn find(&mut self, chunk: &Chunk<'_>, Hashing { same, hash }: Hashing) {
        self.hashes.clear();
        self.urls.find(chunk);
        let mut keys = LineKeys::new(same, chunk, &self.urls);
        let lines = 0..self.urls.lines().count();
        self.hashes.extend(lines.map(|line| keys.of(line).map_or(NO_URL, |key| hash.of(&key))));
        for &(line, _) in chunk.flaws() {
            self.hashes[line as usize] = NO_URL;
        }
    }
}
