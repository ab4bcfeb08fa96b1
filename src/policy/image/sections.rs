//! The bytes of an image, and its sections.

use memmap2::{Mmap, MmapMut};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;

use super::answers::{self, Pointer, UrlRecord, UrlRecords};
use super::format::{Header, Section};
use super::pool::{ItemSource, Pool, Pools};
use super::record::{self, Record};
use crate::dialect::Dialect;
use crate::formats::memory;
use crate::origin::ROBOTS_TXT;
use crate::policy::crawlers::Crawlers;
use crate::policy::statistics::Statistics;

/// A complete, valid image.
#[derive(Debug)]
pub(crate) struct Image {
    /// The mapped file, if there is one; it does not change.
    pub(super) file: Option<File>,
    /// A mapped file, or memory. Both begin with a page, and so at a multiple of the alignment of sections.
    pub(super) bytes: Mmap,
    pub(super) header: Header,
}

impl Image {
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn checksum(&self) -> u128 {
        self.header.checksum
    }

    #[inline]
    pub fn section(&self, section: Section) -> &[u8] {
        let range = &self.header.sections[section as usize];
        &self.bytes()[range.start as usize..range.end as usize]
    }

    /// A private copy of a section. If the image is a mapped file, the copy takes memory only for the pages that are changed.
    pub fn private_section(&self, section: Section) -> io::Result<MmapMut> {
        if let Some(file) = &self.file {
            // SAFETY: the file stays the same, as it must for the image.
            return unsafe { memory::map_private(file, self.header.sections[section as usize].clone()) };
        }
        let bytes = self.section(section);
        let mut copy = memory::memory(bytes.len());
        copy.copy_from_slice(bytes);
        Ok(copy)
    }

    #[inline]
    pub fn pool(&self, section: Section) -> Pool<'_> {
        Pool::new(section, self.section(section))
    }

    /// The items that its origins share.
    pub fn items(&self) -> ItemSource<'_> {
        Pools::of(|section| self.pool(section))
    }

    /// The redirects, by their targets.
    pub fn pointers(&self) -> &[Pointer] {
        bytemuck::cast_slice(self.section(Section::Pointers))
    }

    /// All URLs, in order. Their rules are in `source`.
    pub fn urls(&self, source: u32) -> impl Iterator<Item = UrlRecord<'_>> {
        let (_, answers) = answers::split(self.section(Section::Answers)).unwrap_or_default();
        self.urls_from(answers, 0, source)
    }

    fn urls_from<'i>(
        &'i self,
        answers: &'i [u8],
        first_origin: usize,
        source: u32,
    ) -> impl Iterator<Item = UrlRecord<'i>> {
        let records = self.section(Section::Origins);
        let origins = record::starts(records, first_origin).map(move |at| Record::at(records, at));
        let mut urls = UrlRecords::new(answers, origins, source);
        // A checked section reads without errors.
        std::iter::from_fn(move || urls.read().ok().flatten())
    }

    /// The URLs with a redirect to a URL, even if a newer answer replaced it, and perhaps a few others.
    pub fn redirecting_to(&self, url: &str, source: u32) -> impl Iterator<Item = UrlRecord<'_>> {
        let (hash, pointers) = (answers::hash_of_target(url.as_bytes()), self.pointers());
        let (_, answers) = answers::split(self.section(Section::Answers)).unwrap_or_default();
        let first = pointers.partition_point(|pointer| pointer.hash() < hash);
        let same = pointers[first..].iter().take_while(move |pointer| pointer.hash() == hash);
        same.filter_map(move |pointer| {
            let [answers_at, origin] = pointer.places();
            self.urls_from(&answers[answers_at as usize..], origin as usize, source).next()
        })
    }

    /// The record of a URL, which is split before its path.
    pub fn url(&self, (origin, path): (&[u8], &[u8]), source: u32) -> Option<UrlRecord<'_>> {
        let (marks, answers) = answers::split(self.section(Section::Answers)).ok()?;
        let is_before = |mark: &[u8; 16]| {
            let [at, _] = answers::places(mark);
            (Record::at(self.section(Section::Origins), at as usize).origin, ROBOTS_TXT.as_bytes()) <= (origin, path)
        };
        let mark = marks[..marks.partition_point(is_before)].last();
        let [first_origin, first] = mark.map_or([0; 2], answers::places);
        let mut urls = self.urls_from(&answers[first as usize..], first_origin as usize, source);
        urls.find(|url| (url.origin, url.path) >= (origin, path)).filter(|url| (url.origin, url.path) == (origin, path))
    }
}

/// How far to trust the bytes of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Not at all: compute the checksum over all of them and check every index.
    Nothing,
    /// Skip the checksum. Every index is still checked, so damage can cause nothing worse than a wrong verdict.
    Checksum,
}

/// The META section, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub dialect: String,
    pub agents: Crawlers,
    pub statistics: Statistics,
}

#[derive(Debug)]
pub(crate) struct Content {
    pub dialect: &'static Dialect,
    pub columns: Crawlers,
    pub statistics: Statistics,
}
