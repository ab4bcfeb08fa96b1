//! The captures of all sources: the newest of each URL, and the data they share.

use hashbrown::hash_map::Entry as Slot;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::batch::{Batch, Body, body_alone, share_body};
use super::capture::{Capture, Meaning, Reading, Selected};
use super::columns::Columns;
use super::groups::Group;
use super::image::{HELD, Home, NewOrigin, POLICY_FILE, Tables, WriteError, Writer, folder_of, replace};
use super::known::{Known, KnownEntry, StoredAnswer, StoredMeaning, Urls};
use super::overrides::{Override, Overrides, Placement};
use super::progress::CompileProgress;
use super::resolve::{Resolved, Resolver};
use super::source::PassedOver;
use super::state::{OriginStatus, OverrideState};
use super::{Policy, Statistics, side_records};
use crate::dialect::Dialect;
use crate::{origin, threads};

/// The bytes of the memory budget for each file compiled at a time; few files need more.
const COMPILED: u64 = 32 << 20;

/// How many bytes of bodies are compiled in a millisecond, and the bytes that take as long as the rest of a capture.
const COMPILED_BYTES_A_MILLISECOND: usize = 64 << 10;
const COMPILED_BYTES: usize = 1 << 10;

/// How many origins are sorted and placed in a look-up table in a millisecond.
pub(super) const ORIGINS_A_MILLISECOND: usize = 4096;

/// How many batches are read while the next one is collected. With two, a batch is waiting whenever the other is done.
const AHEAD: usize = 2;

/// Captures of many URLs, for some crawlers and a dialect.
pub struct Captures {
    dialect: &'static Dialect,
    pub(super) columns: Arc<Columns>,
    /// Where the shared data is kept.
    home: Home,
    urls: Urls,
    /// By origin.
    overrides: BTreeMap<Box<str>, Placement>,
    tables: Tables,
    /// The memory budget for reading sources, in bytes.
    pub(super) memory: u64,
    /// Batches being read, in order.
    ahead: VecDeque<Batch>,
    /// The body of the capture placed last: the next one may share it.
    last_body: Option<Body>,
    /// The most threads that read captures. Memory that compiling keeps for the next file is freed with them.
    most_readers: usize,
    pub(super) statistics: Statistics,
    pub(super) passed_over: Vec<PassedOver>,
    progress: Arc<CompileProgress>,
}

impl fmt::Debug for Captures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (agents, captures) = (&self.columns, self.statistics.captures.read);
        write!(f, "Captures {{ dialect: {}, agents: {agents}, captures: {captures} }}", self.dialect.name)
    }
}

impl Captures {
    /// An empty set that keeps its data in memory.
    pub fn new(columns: impl Into<Columns>, dialect: &'static Dialect) -> Captures {
        Captures::at(Home::memory(), columns.into(), dialect)
    }

    /// An empty set that keeps its data, and that of its [policy](Captures::policy), in temporary files in `folder`, for more
    /// origins than fit in memory. In memory it keeps only the first few MiB and the index: some 300 bytes for each URL, and 10
    /// for each distinct automaton, set of rules and row of groups.
    pub fn spilling(folder: &Path, columns: impl Into<Columns>, dialect: &'static Dialect) -> Captures {
        Captures::at(Home::folder(folder.to_owned()), columns.into(), dialect)
    }

    /// Like [`Captures::spilling`], with a budget of `memory` bytes for reading and compiling sources. The budget limits what
    /// stays in memory, and how many files are compiled at a time.
    pub fn within(memory: u64, folder: &Path, columns: impl Into<Columns>, dialect: &'static Dialect) -> Captures {
        let limit = usize::try_from(memory / 64).map_or(HELD, |share| share.min(HELD));
        let home = Home { folder: folder.to_owned(), limit };
        let most_readers = usize::try_from(memory / COMPILED).map_or(usize::MAX, |files| files.max(1));
        Captures { memory, most_readers, ..Captures::at(home, columns.into(), dialect) }
    }

    /// Like [`Captures::spilling`], with the temporary files next to `path`, where the policy file will be
    /// [written](Captures::write).
    pub fn for_file(path: &Path, columns: impl Into<Columns>, dialect: &'static Dialect) -> Captures {
        Captures::spilling(&folder_of(path), columns, dialect)
    }

    fn at(home: Home, columns: Columns, dialect: &'static Dialect) -> Captures {
        let tables = Tables::new(columns.count(), &home);
        Captures {
            dialect,
            columns: Arc::new(columns),
            home,
            urls: Urls::new(),
            overrides: BTreeMap::new(),
            tables,
            memory: u64::MAX,
            ahead: VecDeque::new(),
            last_body: None,
            most_readers: usize::MAX,
            statistics: Statistics::default(),
            passed_over: Vec::new(),
            progress: Arc::default(),
        }
    }

    /// The progress of reading and compiling, for another thread to watch.
    pub fn progress(&self) -> Arc<CompileProgress> {
        Arc::clone(&self.progress)
    }

    /// The dialect.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// Runs `read`, which reads sources, on one of the threads that read captures, so that no more threads than those work.
    pub(super) fn on_a_reader<E: From<WriteError> + Send>(
        &mut self,
        read: impl FnOnce(&mut Captures) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        self.on(self.most_readers.min(threads::asked(0)), read)
    }

    /// Runs `read` in a pool of this many threads. Whatever it returns, no thread reads captures afterwards.
    fn on<E: From<WriteError> + Send>(
        &mut self,
        threads: usize,
        read: impl FnOnce(&mut Captures) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        threads::on(threads, || {
            let read = read(self);
            let settled = self.settle();
            read.and(settled.map_err(E::from))
        })
    }

    /// Adds captures, compiling their robots.txt files in parallel if they are many.
    ///
    /// # Errors
    ///
    /// [`WriteError::Full`] beyond what a policy can hold.
    pub fn add(&mut self, captures: Vec<Capture>) -> Result<(), WriteError> {
        let body = |capture: &Capture| capture.body.as_ref().map_or(0, |body| body.len());
        let bytes: usize = captures.iter().map(|capture| COMPILED_BYTES + body(capture)).sum();
        let threads = threads::worth_starting(bytes / COMPILED_BYTES_A_MILLISECOND, self.most_readers);
        self.on(threads, |all| all.add_ahead(captures))
    }

    /// Adds captures; threads of this one's pool read them in the background. They are in place after [`Captures::settle`].
    pub(super) fn add_ahead(&mut self, captures: Vec<Capture>) -> Result<(), WriteError> {
        let batch = Batch::begin(captures, &self.columns, self.dialect);
        self.ahead.push_back(batch);
        while self.ahead.len() > AHEAD || self.ahead.front_mut().is_some_and(Batch::is_read) {
            self.place_next()?;
        }
        Ok(())
    }

    /// Whether the newest batch is compiled, so that threads have nothing left to begin.
    pub(super) fn is_idle(&mut self) -> bool {
        self.ahead.back_mut().is_none_or(Batch::is_read)
    }

    /// Waits for all added captures and puts them in place.
    pub(super) fn settle(&mut self) -> Result<(), WriteError> {
        while !self.ahead.is_empty() {
            self.place_next()?;
        }
        Ok(())
    }

    /// Puts the oldest batch in place.
    fn place_next(&mut self) -> Result<(), WriteError> {
        let Some(mut batch) = self.ahead.pop_front() else { return Ok(()) };
        let (captures, readings) = batch.wait();
        let mut placed = Vec::with_capacity(readings.len());
        for Reading { meaning, body_hash, notes } in readings {
            placed.push((self.place(meaning)?, body_hash, notes));
        }
        for (capture, number) in captures.into_iter().zip(batch.which) {
            let (meaning, body_hash, notes) = &placed[number];
            let body = body_alone(&capture);
            // The lines of one file count once.
            if !share_body(&self.last_body, &body) {
                self.statistics.notes.merge(notes);
            }
            self.last_body = body;
            self.insert(capture, meaning.clone(), *body_hash);
        }
        self.progress.read.store(self.statistics.captures.read, Relaxed);
        Ok(())
    }

    /// Adds the operator's overrides, which take precedence over all captures, added before or after.
    ///
    /// # Errors
    ///
    /// [`WriteError::Full`] beyond what a policy can hold.
    pub fn add_overrides(&mut self, overrides: &Overrides) -> Result<(), WriteError> {
        for (origin, given) in overrides.iter() {
            let placement = self.place_override(origin, given)?;
            self.overrides.insert(origin.into(), placement);
        }
        Ok(())
    }

    fn place_override(&mut self, origin: &str, given: &Override) -> Result<Placement, WriteError> {
        let &Override { ruling, paused_until, .. } = given;
        let mut robots_txt = None;
        if let Some(body) = &given.robots_txt {
            let capture = Capture::found(origin, Arc::clone(body));
            let reading = capture.read(&self.columns, self.dialect);
            self.statistics.notes.merge(&reading.notes);
            if let StoredMeaning::Answer(answer) = self.place(reading.meaning)? {
                robots_txt = Some(answer);
            }
        }
        let side_records = given.crawl_delay.as_deref().map(side_records::operators_delay);
        Ok(Placement { operator_override: OverrideState { ruling, paused_until }, robots_txt, side_records })
    }

    /// The records of the sources that answer for no origin.
    pub fn passed_over(&self) -> &[PassedOver] {
        &self.passed_over
    }

    /// Counts a file that is not named by an origin.
    pub fn count_unnamed_file(&mut self) {
        self.statistics.captures.unnamed_files += 1;
    }

    /// Stores the data of an answer's meaning.
    fn place(&mut self, meaning: Meaning) -> Result<StoredMeaning, WriteError> {
        Ok(match meaning {
            Meaning::RobotsTxt(selected) => StoredMeaning::Answer(self.place_robots_txt(selected)?),
            Meaning::NoRules(origin_status) => StoredMeaning::Answer(StoredAnswer::without_rules(origin_status)),
            Meaning::Redirect(target) => StoredMeaning::Redirect(target.map(String::into_boxed_str)),
        })
    }

    fn place_robots_txt(&mut self, selected: Selected) -> Result<StoredAnswer, WriteError> {
        let tables = &mut self.tables;
        let automata = selected.automata.iter().map(|words| tables.automata.intern(bytemuck::cast_slice(words)));
        let automata: Vec<u32> = automata.collect::<Result<_, _>>()?;
        let mut groups = Vec::with_capacity(selected.groups.len());
        for group in selected.groups {
            groups.push(match group {
                Some(group) => {
                    let rules = tables.rules.intern(&group.rules)?;
                    Some(Group { automaton: automata[group.automaton], rules, own: group.own })
                }
                None => None,
            });
        }
        let row = tables.row(groups)?;
        let side = tables.side.intern(&selected.side_records)?;
        Ok(StoredAnswer { origin_status: OriginStatus::RobotsTxt, row, side, html_page: selected.html_page })
    }

    fn insert(&mut self, capture: Capture, meaning: StoredMeaning, body_hash: u128) {
        let counts = &mut self.statistics.captures;
        counts.read += 1;
        counts.not_robots_txt += u64::from(capture.origin.is_none());
        let hash = capture.hash(body_hash);
        let entry = KnownEntry { meaning, answered: capture.answered, exact: capture.exact, hash };
        let is_robots_txt = capture.origin.is_some();
        match self.urls.entry(capture.url.into_boxed_str()) {
            Slot::Vacant(slot) => {
                slot.insert(Box::new(Known::new(entry, is_robots_txt)));
            }
            Slot::Occupied(mut slot) => {
                slot.get_mut().insert(entry, &mut self.statistics.captures);
            }
        }
    }

    /// The policy of all origins, with redirects followed and, after failures, the last good answers kept. It is stored like
    /// the captures: in memory, or, beyond the first few MiB, in a memory-mapped temporary file.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if a temporary file cannot be written, or beyond what a policy can hold.
    pub fn policy(self) -> Result<Policy, WriteError> {
        let home = self.home.clone();
        let (image, content) = self.finish(&home, |writer, statistics| writer.image(statistics, &home))?;
        Ok(Policy::of(image, content))
    }

    /// Like [`Captures::policy`], but writes a policy file. The file gets its name when it is complete and replaces an earlier
    /// one; readers of the earlier one keep it.
    ///
    /// # Errors
    ///
    /// [`WriteError`] if the file cannot be written, or exists and is not a policy file, or beyond what a policy can hold.
    pub fn write(self, path: &Path) -> Result<Statistics, WriteError> {
        let home = Home::folder(folder_of(path));
        self.finish(&home, |writer, statistics| replace(path, &POLICY_FILE, |file| writer.write(statistics, file)))
    }

    /// Feeds all origins to a writer and lets `write` finish it.
    fn finish<T: Send>(
        self,
        home: &Home,
        write: impl FnOnce(Writer<'_>, Statistics) -> Result<T, WriteError> + Send,
    ) -> Result<T, WriteError> {
        let threads = threads::worth_starting(self.urls.len() / ORIGINS_A_MILLISECOND, self.most_readers);
        threads::on(threads, || self.fed(home, write))
    }

    fn fed<T: Send>(
        mut self,
        home: &Home,
        write: impl FnOnce(Writer<'_>, Statistics) -> Result<T, WriteError> + Send,
    ) -> Result<T, WriteError> {
        self.settle()?;
        let Captures { dialect, columns, urls, overrides, mut tables, mut statistics, progress, .. } = self;
        tables.finish()?;
        let source = tables.source();
        let mut writer = Writer::new((*columns).clone(), dialect, &[source], home);
        let resolver = Resolver { urls: &urls, dialect };
        let robots_txt = urls.iter().filter(|(_, known)| known.is_robots_txt);
        let known = robots_txt.filter_map(|(url, known)| Some((origin::of_robots_url(url)?, Some(&**known))));
        // An origin with captures sorts before the same origin without, so that the former is kept.
        let named = overrides.keys().map(|origin| (&**origin, None));
        let mut origins: Vec<(&str, Option<&Known>)> = Vec::with_capacity(urls.len() + overrides.len());
        origins.extend(known.chain(named));
        threads::sort_by_key(&mut origins, |&(origin, known)| (origin, known.is_none()));
        origins.dedup_by_key(|&mut (origin, _)| origin);
        progress.origins.store(origins.len() as u64, Relaxed);
        for &(origin, known) in &origins {
            let mut resolved = known.map_or_else(Resolved::unfetched, |known| resolver.resolve(known));
            let placement = overrides.get(origin);
            if let Some(placement) = placement {
                placement.apply(&mut resolved);
                statistics.overridden += 1;
            }
            let Resolved { state, row, side } = resolved;
            let own = placement.and_then(|placement| placement.side_records.as_deref());
            writer.add(NewOrigin { origin: origin.as_bytes(), state: &state, source: 0, row, side, own })?;
            statistics.captures.last_good_kept += u64::from(state.last_good.is_some());
            progress.placed.fetch_add(1, Relaxed);
        }
        // Writing needs the memory.
        drop(origins);
        // Freeing millions of entries takes long.
        threads::both(|| write(writer, statistics), || drop(urls)).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::state::Answered;

    /// The bytes of a policy of many origins, some of which share data.
    fn bytes(home: Home) -> Vec<u8> {
        let columns = Columns::new(vec!["a".parse().unwrap(), "b,a".parse().unwrap()]).unwrap();
        let mut captures = Captures::at(home, columns, Dialect::DEFAULT);
        let capture = |number: usize| {
            let agent = ["a", "b", "*"][number % 3];
            let body = format!("User-agent: {agent}\nDisallow: /{}*x\nSitemap: {}\n", number % 7, number % 11);
            let answered = Answered { status: Some(200), fetched_at: Some(number as i64), ..Answered::default() };
            Capture { answered, ..Capture::found(&format!("http://{number}.example"), body) }
        };
        captures.add((0..200).map(capture).collect()).unwrap();
        captures.policy().unwrap().bytes().to_vec()
    }

    #[test]
    fn it_is_told_how_far_a_policy_is() {
        let mut captures = Captures::new(crate::robots::Agents::everybody(), Dialect::DEFAULT);
        let progress = captures.progress();
        let capture = |number: u32| Capture::found(&format!("http://{number}.example"), "");
        captures.add((0..3).map(capture).collect()).unwrap();
        assert_eq!((progress.read(), progress.origins(), progress.placed()), (3, 0, 0));
        captures.policy().unwrap();
        assert_eq!((progress.read(), progress.origins(), progress.placed()), (3, 3, 3));
    }

    #[test]
    fn it_does_not_matter_which_captures_come_together() {
        let capture = |number: u32, status: u16, body: &str| Capture {
            answered: Answered { status: Some(status), ..Answered::default() },
            ..Capture::found(&format!("http://{number}.example"), body)
        };
        let (one, other) = ("User-agent: *\nDisallow: /a\nno record\n", "User-agent: *\nDisallow: /b\n");
        let answers = [(200, one), (200, other), (404, one), (200, one), (503, one), (200, other), (200, one)];
        let captures: Vec<Capture> =
            (0..).zip(answers).map(|(number, (status, body))| capture(number, status, body)).collect();
        let policy = |together: usize| {
            let mut all = Captures::new(crate::robots::Agents::everybody(), Dialect::DEFAULT);
            captures.chunks(together).for_each(|some| all.add(some.to_vec()).unwrap());
            all.policy().unwrap()
        };
        let alone = policy(1);
        assert_eq!(alone.statistics().notes.iter().map(|(_, count)| count).sum::<u64>(), 3);
        for together in 2..=captures.len() {
            assert!(policy(together).bytes() == alone.bytes(), "{together}");
        }
    }

    #[test]
    fn it_does_not_matter_where_what_is_large_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let expected = bytes(Home::memory());
        for limit in [0, 100, 1 << 20] {
            assert!(bytes(Home { folder: folder.path().to_owned(), limit }) == expected, "{limit}");
        }
        assert!(Policy::from_bytes(&expected).is_ok());
    }
}
