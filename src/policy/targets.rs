//! The answers of the URLs that redirects lead to.
//!
//! An origin may redirect to a URL that comes later in the order of URLs, so the answers of all targets are collected before
//! origins are derived. They may be as many as the origins, so they are encoded in a [`Spool`].

use super::answer::Kept;
use super::error::WriteError;
use super::image::{SpillFolder, Spool, UrlRecord, UrlRecords, hash_of_target, push_url};
use super::union::Union;
use crate::formats::bytes::push_number;
use crate::formats::memory::Table;

/// The answers of some URLs.
#[derive(Debug)]
pub(super) struct Targets {
    records: Spool,
    /// The hash of each URL, and where its record begins.
    places: Table<(u64, u64)>,
}

impl Targets {
    /// The URLs of a union that have one of these [hashes](hash_of_target).
    pub fn collect<'u>(
        hashes: impl Iterator<Item = u64>,
        union: impl FnOnce() -> Union<'u>,
        spill: &SpillFolder,
    ) -> Result<Targets, WriteError> {
        let memory = spill.tables();
        let (mut wanted, mut places) = (Table::new(&memory), Table::new(&memory));
        for hash in hashes {
            if wanted.find(hash, |&known| known == hash).is_none() {
                wanted.insert(hash, |&hash| hash).map_err(|error| spill.failed(error))?;
            }
        }
        let (mut records, mut bytes) = (Spool::new(spill, Vec::new()), Vec::new());
        if !wanted.is_empty() {
            let mut all = union();
            let is_wanted = |origin: &[u8], path: &[u8]| {
                let hash = hash_of_target(&[origin, path].concat());
                wanted.find(hash, |&known| known == hash).is_some()
            };
            while let Some(url) = all.next_of(is_wanted)? {
                let place = (hash_of_target(&[url.origin, url.path].concat()), records.len());
                places.insert(place, |&(hash, _)| hash).map_err(|error| spill.failed(error))?;
                bytes.clear();
                push(&url, &mut bytes);
                records.write(&bytes)?;
            }
        }
        records.finish()?;
        Ok(Targets { records, places })
    }

    /// The answers of a URL, if they were collected.
    pub fn get(&self, url: &str) -> Option<Kept> {
        let hash = hash_of_target(url.as_bytes());
        let mut found = None;
        self.places.find(hash, |&(other, place)| {
            found = if other == hash { self.read(place, url) } else { None };
            found.is_some()
        });
        found
    }

    /// The answers in the record at a place, if it is that of a URL.
    fn read(&self, place: u64, url: &str) -> Option<Kept> {
        let mut records = UrlRecords::new(&self.records.bytes()[place as usize..], std::iter::empty(), 0);
        // It was written by this process.
        let record = records.read().ok().flatten()?;
        if [record.origin, record.path].concat() != url.as_bytes() {
            return None;
        }
        let mut sources = records.rest();
        let mut kept = record.kept.into_owned();
        kept.rules_mut().for_each(|rules| rules.source = sources.small().unwrap_or_default());
        Some(kept)
    }
}

/// Appends a record, and after it the source of each answer's rules.
fn push(url: &UrlRecord<'_>, out: &mut Vec<u8>) {
    push_url(url, None, out);
    let with_rules = url.kept.answers().iter().filter(|answer| answer.kind.has_rules());
    with_rules.for_each(|answer| push_number(u64::from(answer.rules().source), out));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::answer::{Answer, AnswerKind, Content, Failures, StoredRules};
    use crate::policy::image::Sources;
    use crate::policy::union::OverridesFrom;
    use std::borrow::Cow;

    #[test]
    fn targets_keep_the_sources_of_their_rules() {
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFolder { folder: folder.path().to_owned(), limit: 10 };
        let answer = |kind: AnswerKind, source: u32| Answer {
            kind,
            exact: true,
            status: Some(200),
            incomplete: false,
            fetched_at: Some(i64::from(source)),
            expires: None,
            content: Content::Rules(StoredRules { source, row: source + 1, side: source + 2 }),
            notes: None,
        };
        let kept = |number: u32| {
            let answers = [answer(AnswerKind::HtmlPage, number), answer(AnswerKind::RobotsTxt, 1000 * number)];
            Kept::of(answers.into_iter().collect(), Failures::new(Some(5), None))
        };
        let paths: Vec<String> = (100..300).map(|number| format!("/{number}")).collect();
        let urls = || {
            let urls = (100..300).zip(&paths).map(|(number, path)| UrlRecord {
                origin: b"http://a",
                path: path.as_bytes(),
                placement: None,
                kept: Cow::Owned(kept(number)),
            });
            Union::new(vec![Box::new(urls)], Sources(Vec::new()), OverridesFrom::All)
        };
        let wanted = (100..200).map(|number| hash_of_target(format!("http://a/{number}").as_bytes()));
        let targets = Targets::collect(wanted.chain([7]), urls, &spill).unwrap();
        for number in 0..300 {
            let expected = (100..200).contains(&number).then(|| kept(number));
            assert_eq!(targets.get(&format!("http://a/{number}")), expected, "{number}");
        }
        let none = Targets::collect(std::iter::empty(), || unreachable!("nothing is wanted"), &spill).unwrap();
        assert_eq!(none.get("http://a/100"), None);
    }
}
