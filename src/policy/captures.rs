//! Captures from all sources together: the newest of each URL, and what they share.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry as Slot;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::capture::{Capture, Meaning, Reading, Selected};
use super::columns::Columns;
use super::groups::Group;
use super::image::{HELD, Home, NewOrigin, SideList, Tables, WriteError, Writer, folder_of, replace};
use super::memory::{self, Allowance, block};
use super::overrides::{Override, Overrides, Placement};
use super::progress::Progress;
use super::readers::{Readers, TooLarge};
use super::resolve::{Resolved, Resolver};
use super::source::WarcCounts;
use super::standing::{Answered, Standing};
use super::{Policy, Statistics};
use crate::dialect::Dialect;
use crate::origin;

/// What became of the captures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureCounts {
    /// All that were read.
    pub read: u64,
    /// Those replaced by a newer one of the same URL.
    pub older: u64,
    /// Those of the same URL and time as another; the smaller hash of the body decided.
    pub same_time: u64,
    /// Those whose URL is no robots.txt; they only serve redirects.
    pub not_robots_txt: u64,
    /// Files of a directory whose names are neither a host nor an origin, and were passed over.
    pub unnamed_files: u64,
    /// Origins whose last answer was a failure and whose rules are an earlier answer's.
    pub last_good_kept: u64,
}

impl CaptureCounts {
    /// Adds those of other captures.
    pub(super) fn merge(&mut self, other: &CaptureCounts) {
        self.read += other.read;
        self.older += other.older;
        self.same_time += other.same_time;
        self.not_robots_txt += other.not_robots_txt;
        self.unnamed_files += other.unnamed_files;
        self.last_good_kept += other.last_good_kept;
    }
}

/// An answer with what it means, when its groups are in place.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub meaning: Placed,
    pub answered: Answered,
    exact: bool,
    hash: u128,
}

/// What an answer means; rows and side records are those of [`Captures::tables`].
#[derive(Debug, Clone)]
pub(super) enum Placed {
    Known { standing: Standing, row: u32, side: u32, html_page: bool },
    Redirect(Option<Box<str>>),
}

impl Placed {
    /// Octets of memory that it takes beside itself.
    fn held(&self) -> u64 {
        match self {
            Placed::Redirect(Some(target)) => block(target.len()),
            _ => 0,
        }
    }
}

impl Entry {
    /// Newest first, exact names before shorthands, then by the hash, so that the order of the sources does not matter.
    fn precedence(&self) -> impl Ord + use<> {
        (self.time(), Reverse(self.hash))
    }

    /// What decides before the hash does.
    fn time(&self) -> impl Ord + use<> {
        (self.answered.fetched_at, self.exact)
    }

    fn is_failure(&self) -> bool {
        matches!(self.meaning, Placed::Known { standing, .. } if !standing.is_definite())
    }

    fn is_redirect(&self) -> bool {
        matches!(self.meaning, Placed::Redirect(_))
    }
}

/// All that is known of one URL: there are millions, so what few have is boxed.
#[derive(Debug)]
pub(super) struct Known {
    pub newest: Entry,
    /// Beside it, the newest that was an answer, and the newest that was a redirect, which may lead to one.
    answer: Option<Box<Entry>>,
    redirect: Option<Box<Entry>>,
    /// How many others are as new as the newest.
    same_time: u32,
    /// Whether the URL is a robots.txt: that of the origin which it begins with.
    is_robots_txt: bool,
}

/// What is known of all URLs; boxed, because half of a map's places are free.
pub(super) type Urls = HashMap<Box<str>, Box<Known>>;

/// Captures of many URLs, for some crawlers and a dialect.
#[derive(Debug)]
pub struct Captures {
    dialect: &'static Dialect,
    columns: Columns,
    /// Where what they come to is kept.
    home: Home,
    urls: Urls,
    /// By origin.
    overrides: BTreeMap<Box<str>, Placement>,
    tables: Tables,
    /// How much memory they may take, if that is bounded.
    allowance: Option<Allowance>,
    /// Octets of memory that what is known of URLs takes, and the operator's word, but for tables of them.
    held: u64,
    /// Octets of memory that who reads the sources keeps for all of them.
    beside: u64,
    /// What the body means that was read last: captures that share it may come in the next batch.
    last: Option<Last>,
    readers: Readers,
    statistics: Statistics,
    progress: Arc<Progress>,
}

/// What a body means, under the status that it came with.
#[derive(Debug)]
struct Last {
    body: Arc<[u8]>,
    status: Option<u16>,
    meaning: Placed,
    body_hash: u128,
}

impl Last {
    fn of(capture: &Capture, meaning: &Placed, body_hash: u128) -> Option<Last> {
        let (body, status) = body_alone(capture)?;
        Some(Last { body: Arc::clone(body), status, meaning: meaning.clone(), body_hash })
    }

    /// Whether this capture means the same.
    fn is_that_of(&self, capture: &Capture) -> bool {
        body_alone(capture).is_some_and(|(body, status)| Arc::ptr_eq(body, &self.body) && status == self.status)
    }
}

/// The body of a capture and its status, if they say all that it means.
fn body_alone(capture: &Capture) -> Option<(&Arc<[u8]>, Option<u16>)> {
    capture.body.as_ref().filter(|_| capture.location.is_none()).map(|body| (body, capture.answered.status))
}

/// Whether captures share a body, which is read once: those of one file of a folder do, and revisits of one original.
fn share_body(a: &Capture, b: &Capture) -> bool {
    let both = body_alone(a).zip(body_alone(b));
    both.is_some_and(|((a, of_a), (b, of_b))| Arc::ptr_eq(a, b) && of_a == of_b)
}

impl Captures {
    /// No captures yet. What they come to is kept in memory.
    pub fn new(columns: impl Into<Columns>, dialect: &'static Dialect) -> Captures {
        Captures::at(Home::Memory, columns.into(), dialect)
    }

    /// No captures yet. What they come to, and their [policy](Captures::policy), is kept in temporary files of this folder,
    /// but for the first few MiB and what finds it again: some 300 octets for each URL, and 10 for each distinct automaton,
    /// set of rules and row of groups.
    pub fn spilling(folder: &Path, columns: impl Into<Columns>, dialect: &'static Dialect) -> Captures {
        Captures::at(Home::Folder { folder: folder.to_owned(), limit: HELD }, columns.into(), dialect)
    }

    /// The same, but for a run that has so much `memory`: until their policy is made, captures take no more, with what is read
    /// and compiled of the sources at a time.
    pub fn within(memory: u64, folder: &Path, columns: impl Into<Columns>, dialect: &'static Dialect) -> Captures {
        let allowance = Allowance { memory };
        let home = Home::Folder { folder: folder.to_owned(), limit: HELD.min(allowance.batch()) };
        let readers = Readers::new(allowance.readers());
        Captures { allowance: Some(allowance), readers, ..Captures::at(home, columns.into(), dialect) }
    }

    /// No captures yet, for a policy file, beside which temporary files are.
    pub fn for_file(path: &Path, columns: impl Into<Columns>, dialect: &'static Dialect) -> Captures {
        Captures::spilling(folder_of(path), columns, dialect)
    }

    fn at(home: Home, columns: Columns, dialect: &'static Dialect) -> Captures {
        let tables = Tables::new(columns.count(), &home);
        let (urls, overrides) = (Urls::new(), BTreeMap::new());
        let (statistics, progress) = (Statistics::default(), Arc::default());
        let (allowance, held, beside, last, readers) = (None, 0, 0, None, Readers::shared());
        Captures {
            dialect,
            columns,
            home,
            urls,
            overrides,
            tables,
            allowance,
            held,
            beside,
            last,
            readers,
            statistics,
            progress,
        }
    }

    /// How far they are, and what is made of them, for another thread.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// The crawlers.
    pub(super) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// How much memory they may take, if that is bounded.
    pub(super) fn allowance(&self) -> Option<Allowance> {
        self.allowance
    }

    /// From here on, who reads the sources keeps so many octets for all of them.
    ///
    /// # Errors
    ///
    /// [`WriteError::Memory`] where they have no room.
    pub(super) fn stand_beside(&mut self, octets: u64) -> Result<(), WriteError> {
        self.beside = octets;
        self.has_room()
    }

    /// Octets of memory that they take at most until their policy is made, with room for one more.
    fn taken(&self) -> u64 {
        let urls = memory::table(self.urls.len() + 1, size_of::<(Box<str>, Box<Known>)>());
        let origins = (self.urls.len() + self.overrides.len()) * size_of::<(&str, Option<&Known>)>();
        // The origins and the rows that are written, and a small image.
        let spools = match self.home {
            Home::Folder { limit, .. } => 3 * limit as u64,
            Home::Memory => 0,
        };
        let tables = self.tables.held() + self.tables.written();
        let last = self.last.as_ref().map_or(0, |last| last.body.len() as u64);
        self.held + self.beside + last + urls + origins as u64 + tables + spools
    }

    /// Makes sure that they take no more memory than they may.
    fn has_room(&self) -> Result<(), WriteError> {
        let Some(allowance) = self.allowance else { return Ok(()) };
        let (taken, limit) = (self.taken(), allowance.captures());
        match taken <= limit {
            true => Ok(()),
            false => Err(WriteError::Memory { urls: self.urls.len() as u64, taken, limit, memory: allowance.memory }),
        }
    }

    /// The dialect.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// Adds captures; their robots.txt files are compiled in parallel.
    ///
    /// # Errors
    ///
    /// [`WriteError::Full`] beyond what a policy can hold, [`WriteError::Memory`] beyond the memory that there is.
    pub fn add(&mut self, captures: Vec<Capture>) -> Result<(), WriteError> {
        let lengths: Vec<usize> = captures.chunk_by(share_body).map(<[Capture]>::len).collect();
        let (mut captures, mut lengths) = (captures.into_iter(), lengths.into_iter());
        let last =
            self.last.take().filter(|last| captures.as_slice().first().is_some_and(|next| last.is_that_of(next)));
        if let Some(last) = last {
            let same = lengths.next().unwrap_or_default();
            self.insert_all(captures.by_ref().take(same), &last.meaning, last.body_hash)?;
            self.last = Some(last);
        }
        while !lengths.as_slice().is_empty() {
            let readings = self.read(captures.as_slice(), lengths.as_slice())?;
            for (reading, length) in readings.into_iter().zip(lengths.by_ref()) {
                self.statistics.notes.merge(&reading.notes);
                let meaning = self.place(reading.meaning)?;
                self.last = Last::of(&captures.as_slice()[0], &meaning, reading.body_hash);
                self.insert_all(captures.by_ref().take(length), &meaning, reading.body_hash)?;
            }
            self.progress.reads(self.statistics.captures.read);
        }
        Ok(())
    }

    /// Reads captures, the first one of each group of so many, and of as many groups as there is memory for: what captures do
    /// not take is there for that as well.
    fn read(&self, captures: &[Capture], lengths: &[usize]) -> Result<Vec<Reading>, WriteError> {
        let mut rest = captures;
        let firsts = lengths.iter().map(|&length| {
            let group;
            (group, rest) = rest.split_at(length);
            &group[0]
        });
        let room =
            self.allowance.map(|allowance| allowance.reading() + allowance.captures().saturating_sub(self.taken()));
        let read = self.readers.read(firsts, &self.columns, self.dialect, room);
        read.map_err(|large| self.without_room_for(large))
    }

    /// What to say where a robots.txt has no room: it has too little because of the captures before, or would have in any case.
    fn without_room_for(&self, TooLarge { url, octets, wanted }: TooLarge) -> WriteError {
        let (memory, reading, limit) =
            self.allowance.map_or((0, 0, 0), |allowance| (allowance.memory, allowance.reading(), allowance.captures()));
        if wanted > reading + limit {
            return WriteError::File { url, octets, wanted, room: reading + limit };
        }
        WriteError::Memory { urls: self.urls.len() as u64, taken: self.taken() + wanted - reading, limit, memory }
    }

    /// Adds the operator's own word for origins; it stands above all captures, whenever they are added.
    ///
    /// # Errors
    ///
    /// [`WriteError::Full`] beyond what a policy can hold, [`WriteError::Memory`] beyond the memory that there is.
    pub fn add_overrides(&mut self, overrides: &Overrides) -> Result<(), WriteError> {
        for (origin, word) in overrides.iter() {
            let placement = self.place_override(word)?;
            // What stands before the records of a file is written with them, and a tree may be half empty.
            let own = placement.side_records.as_ref().map_or(0, Vec::len);
            let node = 2 * size_of::<(Box<str>, Placement)>() as u64;
            self.held += block(origin.len()) + node + 2 * block(own);
            self.overrides.insert(origin.into(), placement);
            self.has_room()?;
        }
        Ok(())
    }

    fn place_override(&mut self, word: &Override) -> Result<Placement, WriteError> {
        let mut placement = Placement::of(word);
        if let Some(body) = &word.robots_txt {
            let capture = Capture { body: Some(Arc::clone(body)), ..Capture::default() };
            for reading in self.read(&[capture], &[1])? {
                self.statistics.notes.merge(&reading.notes);
                if let Placed::Known { row, side, .. } = self.place(reading.meaning)? {
                    placement.robots_txt = Some((row, side));
                }
            }
        }
        Ok(placement)
    }

    /// Counts a file that names no origin.
    pub fn count_unnamed_file(&mut self) {
        self.statistics.captures.unnamed_files += 1;
    }

    /// Counts of what was met in WARC files.
    pub(super) fn warc_counts(&mut self) -> &mut WarcCounts {
        &mut self.statistics.warc
    }

    /// Puts what an answer means in its place.
    fn place(&mut self, meaning: Meaning) -> Result<Placed, WriteError> {
        let known = |standing| Placed::Known { standing, row: 0, side: 0, html_page: false };
        Ok(match meaning {
            Meaning::RobotsTxt(selected) => self.place_robots_txt(selected)?,
            Meaning::Unavailable => known(Standing::Unavailable),
            Meaning::Forbidden => known(Standing::Forbidden),
            Meaning::Unreachable => known(Standing::Unreachable),
            Meaning::Redirect(target) => Placed::Redirect(target.map(String::into_boxed_str)),
        })
    }

    fn place_robots_txt(&mut self, selected: Selected) -> Result<Placed, WriteError> {
        let automata = selected.automata.iter().map(|automaton| self.tables.automaton(automaton));
        let automata: Vec<u32> = automata.collect::<Result<_, _>>()?;
        let mut groups = Vec::with_capacity(selected.groups.len());
        for group in selected.groups {
            groups.push(match group {
                Some(group) => {
                    let rules = self.tables.rules(&group.rules)?;
                    Some(Group { automaton: automata[group.automaton], rules, own: group.own })
                }
                None => None,
            });
        }
        let row = self.tables.row(groups)?;
        let side = self.tables.side(&selected.side_records)?;
        Ok(Placed::Known { standing: Standing::RobotsTxt, row, side, html_page: selected.html_page })
    }

    /// Inserts captures that mean the same.
    fn insert_all(
        &mut self,
        captures: impl Iterator<Item = Capture>,
        meaning: &Placed,
        body_hash: u128,
    ) -> Result<(), WriteError> {
        for capture in captures {
            self.insert(capture, meaning.clone(), body_hash);
            self.has_room()?;
        }
        Ok(())
    }

    fn insert(&mut self, capture: Capture, meaning: Placed, body_hash: u128) {
        let counts = &mut self.statistics.captures;
        counts.read += 1;
        counts.not_robots_txt += u64::from(capture.origin.is_none());
        let hash = capture.hash(body_hash);
        let entry = Entry { meaning, answered: capture.answered, exact: capture.exact, hash };
        let is_robots_txt = capture.origin.is_some();
        match self.urls.entry(capture.url.into_boxed_str()) {
            Slot::Vacant(slot) => {
                let known = Known { newest: entry, answer: None, redirect: None, same_time: 0, is_robots_txt };
                self.held += block(slot.key().len()) + known.held();
                slot.insert(Box::new(known));
            }
            Slot::Occupied(mut slot) => {
                let known = slot.get_mut();
                self.held -= known.held();
                known.insert(entry, &mut self.statistics.captures);
                self.held += known.held();
            }
        }
    }

    /// The policy of all origins: redirects followed, failures beside the last good answer. It is where what was captured
    /// was kept: in memory, or, beyond the first few MiB, in a temporary file that is mapped.
    ///
    /// # Errors
    ///
    /// [`WriteError`], beyond what a policy can hold.
    pub fn policy(self) -> Result<Policy, WriteError> {
        let (dialect, columns, home) = (self.dialect, self.columns.clone(), self.home.clone());
        let (image, statistics) = self.finish(&home, |writer, statistics| writer.image(statistics, &home))?;
        Ok(Policy { image, dialect, columns, statistics })
    }

    /// The same, as a policy file. It gets its name when it is complete, and replaces another one of that name; who
    /// reads that one goes on reading it.
    ///
    /// # Errors
    ///
    /// [`WriteError`] where it cannot be written, or beyond what a policy can hold.
    pub fn write(self, path: &Path) -> Result<Statistics, WriteError> {
        let home = Home::Folder { folder: folder_of(path).to_owned(), limit: HELD };
        self.finish(&home, |writer, statistics| replace(path, |file| writer.write(statistics, file)))
    }

    /// Feeds a writer with all origins, and lets it write.
    fn finish<T>(
        self,
        home: &Home,
        write: impl FnOnce(Writer<'_>, Statistics) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let Captures { dialect, columns, urls, overrides, mut tables, mut statistics, progress, .. } = self;
        let tables = tables.read()?;
        let source = tables.source();
        let mut writer = Writer::new(columns, dialect, &[source], home);
        let resolver = Resolver { urls: &urls, dialect };
        let robots_txt = urls.iter().filter(|(_, known)| known.is_robots_txt);
        let known = robots_txt.filter_map(|(url, known)| Some((origin::of_robots_url(url)?, Some(&**known))));
        // Origins with captures stand before themselves without.
        let named = overrides.keys().map(|origin| (&**origin, None));
        let mut origins: Vec<(&str, Option<&Known>)> = Vec::with_capacity(urls.len() + overrides.len());
        origins.extend(known.chain(named));
        origins.sort_unstable_by_key(|&(origin, known)| (origin, known.is_none()));
        origins.dedup_by_key(|&mut (origin, _)| origin);
        progress.places(origins.len());
        for &(origin, known) in &origins {
            let mut resolved = known.map_or_else(Resolved::unfetched, |known| resolver.resolve(known));
            let placement = overrides.get(origin);
            if let Some(placement) = placement {
                placement.apply(&mut resolved);
                statistics.overridden += 1;
            }
            let Resolved { state, row, side } = resolved;
            let own = placement.and_then(|placement| placement.side_records.as_deref());
            let made = own.map(|own| [own, source.side.item(side)].concat());
            let side = made.as_deref().map_or(SideList::OfSource(side), SideList::Made);
            writer.add(NewOrigin { origin: origin.as_bytes(), state: &state, source: 0, row, side })?;
            statistics.captures.last_good_kept += u64::from(state.last_good.is_some());
            progress.placed_one();
        }
        // What is written next needs the memory.
        drop(origins);
        drop(urls);
        write(writer, statistics)
    }
}

impl Known {
    fn insert(&mut self, entry: Entry, counts: &mut CaptureCounts) {
        let current = &mut self.newest;
        // Counted so that it does not matter which came first.
        if entry.time() == current.time() {
            counts.same_time += 1;
            self.same_time += 1;
        } else {
            counts.older += 1;
            if entry.time() > current.time() {
                let outdated = u64::from(std::mem::take(&mut self.same_time));
                counts.older += outdated;
                counts.same_time -= outdated;
            }
        }
        let mut loser = entry;
        if loser.precedence() > current.precedence() {
            std::mem::swap(current, &mut loser);
        }
        // Any answer that is no failure may be the last good one.
        if !loser.is_failure() {
            let kept = if loser.is_redirect() { &mut self.redirect } else { &mut self.answer };
            if kept.as_ref().is_none_or(|kept| loser.precedence() > kept.precedence()) {
                *kept = Some(Box::new(loser));
            }
        }
    }

    /// Octets of memory that it takes.
    fn held(&self) -> u64 {
        let of_entry = |entry: &Option<Box<Entry>>| {
            entry.as_ref().map_or(0, |entry| block(size_of::<Entry>()) + entry.meaning.held())
        };
        block(size_of::<Known>()) + self.newest.meaning.held() + of_entry(&self.answer) + of_entry(&self.redirect)
    }

    /// What may be the last good answer, the newer one first.
    pub fn earlier(&self) -> impl Iterator<Item = &Entry> {
        let redirect_first = match (&self.redirect, &self.answer) {
            (Some(redirect), Some(answer)) => redirect.precedence() > answer.precedence(),
            _ => false,
        };
        let (first, second) =
            if redirect_first { (&self.redirect, &self.answer) } else { (&self.answer, &self.redirect) };
        first.iter().chain(second).map(|entry| &**entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The octets of a policy of many origins, some of which share what they have.
    fn octets(home: Home) -> Vec<u8> {
        let columns = Columns::new(vec!["a".parse().unwrap(), "b,a".parse().unwrap()]).unwrap();
        let mut captures = Captures::at(home, columns, Dialect::DEFAULT);
        let capture = |number: usize| {
            let agent = ["a", "b", "*"][number % 3];
            let body = format!("User-agent: {agent}\nDisallow: /{}*x\nSitemap: {}\n", number % 7, number % 11);
            Capture {
                url: format!("http://{number}.example/robots.txt"),
                origin: Some(format!("http://{number}.example")),
                answered: Answered { status: Some(200), fetched_at: Some(number as i64), ..Answered::default() },
                body: Some(body.into_bytes().into()),
                ..Capture::default()
            }
        };
        captures.add((0..200).map(capture).collect()).unwrap();
        captures.policy().unwrap().octets().to_vec()
    }

    #[test]
    fn it_is_told_how_far_a_policy_is() {
        let mut captures = Captures::new(crate::robots::Agents::everybody(), Dialect::DEFAULT);
        let progress = captures.progress();
        let capture = |number: u32| Capture {
            url: format!("http://{number}.example/robots.txt"),
            origin: Some(format!("http://{number}.example")),
            ..Capture::default()
        };
        captures.add((0..3).map(capture).collect()).unwrap();
        assert_eq!((progress.read(), progress.origins(), progress.placed()), (3, 0, 0));
        captures.policy().unwrap();
        assert_eq!((progress.read(), progress.origins(), progress.placed()), (3, 3, 3));
    }

    #[test]
    fn captures_end_where_there_is_no_memory_for_more() {
        let folder = tempfile::tempdir().unwrap();
        let columns = || Columns::from(crate::robots::Agents::everybody());
        let capture = |number: u64, status| Capture {
            url: format!("http://{number}.example/robots.txt"),
            origin: Some(format!("http://{number}.example")),
            answered: Answered { status: Some(status), fetched_at: Some(number as i64), ..Answered::default() },
            location: Some("http://another.example/robots.txt".to_owned()),
            ..Capture::default()
        };
        // All that can be kept of a URL: an answer, and a redirect before it.
        let read = |memory| {
            let mut captures = Captures::within(memory, folder.path(), columns(), Dialect::DEFAULT);
            let all = (0..20_000).flat_map(|number| [301, 503, 404].map(|status| vec![capture(number, status)]));
            let added = { all }.try_for_each(|batch| captures.add(batch));
            (added, captures)
        };
        let (added, captures) = read(4 << 20);
        let Err(WriteError::Memory { urls, taken, limit, memory }) = added else { panic!("20,000 fit") };
        assert_eq!((urls, memory, limit), (captures.urls.len() as u64, 4 << 20, 3 << 20));
        // No more is counted than some such URLs take.
        assert!(taken > limit && taken < limit + 1000 && (3000..6000).contains(&urls), "{urls} {taken}");
        let counted: u64 = captures.urls.iter().map(|(url, known)| block(url.len()) + known.held()).sum();
        assert_eq!(captures.held, counted, "as if it were counted at the end");
        let (added, captures) = read(64 << 20);
        added.unwrap();
        assert_eq!(captures.policy().unwrap().statistics().origins, 20_000);
        // What the operator says takes memory as well, and what stands beside.
        let mut captures = Captures::within(4 << 20, folder.path(), columns(), Dialect::DEFAULT);
        assert!(captures.stand_beside(1 << 20).is_ok());
        assert!(matches!(captures.stand_beside(4 << 20), Err(WriteError::Memory { urls: 0, .. })));
        let one = captures.add(vec![capture(0, 404)]);
        assert!(matches!(one, Err(WriteError::Memory { urls: 1, .. })));
    }

    #[test]
    fn it_does_not_matter_where_what_is_large_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let expected = octets(Home::Memory);
        for limit in [0, 100, 1 << 20] {
            assert!(octets(Home::Folder { folder: folder.path().to_owned(), limit }) == expected, "{limit}");
        }
        assert!(Policy::from_octets(&expected, super::super::Trust::Nothing).is_ok());
    }
}
