//! The captures of all sources: for each URL the greatest answer of each kind, and the data they share.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::capture::{Batch, Capture, Selected};
use super::compiled::Policy;
use super::crawlers::Crawlers;
use super::error::unwritten;
use super::image::{HELD, ItemSource, POLICY_FILE, Run, SpillFolder, Tables, UrlRecord, Writer};
use super::overrides::{Override, Overrides};
use super::source::{PassedOver, bare_origin, page};
use super::state::OverrideState;
use super::statistics::{CompileProgress, Statistics};
use super::union::{OverridesFrom, Targets, Union, UrlList, derive};
use super::url_answers::{Content, StoredAnswer};
use super::urls::{StoredOverride, StoredUrl, Urls};
use crate::dialect::Dialect;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::replace::folder_of;
use crate::formats::write_lock::WriteLock;
use crate::origin;
use crate::robots::NoteCounts;
use crate::threads::{self, Soon};

/// The bytes of the memory budget for each file that is being compiled; few files need more.
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
    pub(super) columns: Arc<Crawlers>,
    /// Where the shared data is kept.
    spill: SpillFolder,
    urls: Urls,
    tables: Tables,
    /// The URLs and tables that did not fit in memory.
    runs: Vec<Run>,
    writing: Option<Soon<Result<Run, Error>>>,
    /// The memory budget for reading sources, in bytes.
    pub(super) memory: u64,
    ahead: VecDeque<Batch>,
    /// The most threads that read captures. Memory that compiling keeps for the next file is freed with them.
    most_readers: usize,
    pub(super) statistics: Statistics,
    pub(super) passed_over: Vec<PassedOver>,
    progress: Arc<CompileProgress>,
}

/// The bytes of the memory budget for each URL in memory. A URL takes some 400 bytes, and 40 more while it is written
/// to a run; meanwhile as many new URLs arrive. The rest of the budget is for captures that are being read and
/// compiled.
const BYTES_PER_URL: u64 = 1536;

impl fmt::Debug for Captures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (agents, captures) = (&self.columns, self.statistics.captures.read);
        write!(f, "Captures {{ dialect: {}, agents: {agents}, captures: {captures} }}", self.dialect.name)
    }
}

impl Captures {
    /// An empty set that keeps its data in memory.
    pub fn new(crawlers: impl Into<Crawlers>, dialect: &'static Dialect) -> Captures {
        Captures::at(SpillFolder::none(), crawlers.into(), dialect)
    }

    /// An empty set that keeps its data, and that of its [policy](Captures::policy), in temporary files in `folder`, for more
    /// origins than fit in memory. In memory it keeps only the first few MiB and the URLs: some 400 bytes for each, unless
    /// [`Captures::with_memory`] bounds them.
    pub fn spilling(folder: &Path, crawlers: impl Into<Crawlers>, dialect: &'static Dialect) -> Captures {
        Captures::at(SpillFolder::at(folder.to_owned()), crawlers.into(), dialect)
    }

    /// Like [`Captures::spilling`], with a budget of `memory` bytes for reading and compiling sources. The budget limits what
    /// stays in memory, and how many files are compiled at a time.
    pub fn within(memory: u64, folder: &Path, crawlers: impl Into<Crawlers>, dialect: &'static Dialect) -> Captures {
        let limit = usize::try_from(memory / 64).map_or(HELD, |share| share.min(HELD));
        let spill = SpillFolder { folder: folder.to_owned(), limit };
        Captures::at(spill, crawlers.into(), dialect).with_memory(memory)
    }

    /// Sets the budget in bytes for reading and compiling sources, and for the index of the URLs: what does not fit is sorted and
    /// written to temporary files.
    #[must_use]
    pub fn with_memory(self, memory: u64) -> Captures {
        let most_readers = usize::try_from(memory / COMPILED).map_or(usize::MAX, |files| files.max(1));
        Captures { memory, most_readers, ..self }
    }

    /// Like [`Captures::spilling`], with the temporary files next to the policy file that will be [written](Captures::write).
    pub fn for_file(out: &WriteLock, crawlers: impl Into<Crawlers>, dialect: &'static Dialect) -> Captures {
        Captures::spilling(&folder_of(out.path()), crawlers, dialect)
    }

    fn at(spill: SpillFolder, columns: Crawlers, dialect: &'static Dialect) -> Captures {
        let tables = Tables::new(columns.count(), &spill);
        Captures {
            dialect,
            columns: Arc::new(columns),
            spill,
            urls: Urls::default(),
            runs: Vec::new(),
            writing: None,
            tables,
            memory: u64::MAX,
            ahead: VecDeque::new(),
            most_readers: usize::MAX,
            statistics: Statistics::default(),
            passed_over: Vec::new(),
            progress: Arc::default(),
        }
    }

    /// The progress of reading and compiling, for another thread to watch.
    pub(crate) fn progress(&self) -> Arc<CompileProgress> {
        Arc::clone(&self.progress)
    }

    /// The dialect.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// Runs `read`, which reads sources, on one of the threads that read captures, so that no further thread works.
    pub(super) fn on_a_reader(
        &mut self,
        read: impl FnOnce(&mut Captures) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        self.on(self.most_readers.min(threads::asked(0)), read)
    }

    /// Runs `read` in a pool of this many threads. No thread reads captures afterwards, even if `read` fails.
    fn on(
        &mut self,
        threads: usize,
        read: impl FnOnce(&mut Captures) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        threads::on(threads, || {
            let read = read(self);
            let settled = self.settle();
            read.and(settled)
        })
    }

    /// Adds captures, compiling their robots.txt files in parallel if they are many. Their URLs and origins need not be in canonical
    /// form.
    ///
    /// # Errors
    ///
    /// If a URL is invalid, or is not the robots.txt of its origin: then no capture is added. Also beyond what a policy can hold.
    pub fn add(&mut self, captures: Vec<Capture>) -> Result<(), Error> {
        let captures: Vec<Capture> = captures.into_iter().map(canonical).collect::<Result<_, _>>()?;
        let body = |capture: &Capture| capture.body.as_ref().map_or(0, |body| body.len());
        let bytes: usize = captures.iter().map(|capture| COMPILED_BYTES + body(capture)).sum();
        let threads = threads::worth_starting(bytes / COMPILED_BYTES_A_MILLISECOND, self.most_readers);
        self.on(threads, |all| all.add_ahead(captures))
    }

    /// Adds captures; threads of the calling thread's pool read them in the background. They are stored after
    /// [`Captures::settle`].
    pub(super) fn add_ahead(&mut self, captures: Vec<Capture>) -> Result<(), Error> {
        let batch = Batch::begin(captures, &self.columns, self.dialect);
        self.ahead.push_back(batch);
        while self.ahead.len() > AHEAD || self.ahead.front_mut().is_some_and(Batch::is_read) {
            self.store_next()?;
        }
        Ok(())
    }

    /// Whether the newest batch is compiled, so that threads are idle.
    pub(super) fn is_idle(&mut self) -> bool {
        self.ahead.back_mut().is_none_or(Batch::is_read)
    }

    /// Waits for all added captures and stores them.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        while !self.ahead.is_empty() {
            self.store_next()?;
        }
        self.wait_for_run()
    }

    fn store_next(&mut self) -> Result<(), Error> {
        let Some(batch) = self.ahead.pop_front() else { return Ok(()) };
        let (captures, which, readings) = batch.wait();
        let mut placed = Vec::with_capacity(readings.len());
        for reading in readings {
            placed.push(reading.stored(|selected| selected.store(&mut self.tables))?);
        }
        for (capture, number) in captures.into_iter().zip(which) {
            let bytes = capture.body.as_ref().map_or(0, |body| body.len() as u64);
            self.progress.bytes.fetch_add(bytes, Relaxed);
            self.insert(&capture, placed[number].clone());
        }
        // Not before all captures of a batch are in place: their data is in the tables.
        if self.urls.len() as u64 > self.memory / BYTES_PER_URL {
            self.write_run()?;
        }
        self.progress.read.store(self.statistics.captures.read, Relaxed);
        Ok(())
    }

    /// Adds the operator's overrides, which take precedence over all captures, added before or after.
    ///
    /// # Errors
    ///
    /// If there is more than a policy can hold.
    pub fn add_overrides(&mut self, overrides: &Overrides) -> Result<(), Error> {
        for (origin, given) in overrides.iter() {
            let (mut placement, file) = read_override(origin, given, &self.columns, self.dialect)?;
            if let Some(mut file) = file {
                file.compile(self.dialect);
                placement.robots_txt = file.store(&mut self.tables)?;
            }
            let Captures { urls, tables, .. } = self;
            let url = urls.entry(&origin::robots_url(origin));
            url.add_override(Box::new(placement), &|one, other| tables.compare(one, other));
        }
        Ok(())
    }

    /// Adds what is stored of a URL that has nothing yet, whose rules are in these sources.
    pub(super) fn adopt(&mut self, url: &str, mut stored: StoredUrl, sources: &[ItemSource<'_>]) -> Result<(), Error> {
        for rules in stored.rules_mut() {
            *rules = self.tables.adopt(&sources[rules.source as usize], *rules)?;
        }
        *self.urls.entry(url) = stored;
        Ok(())
    }

    /// The records of the sources that answer for no origin.
    pub fn passed_over(&self) -> &[PassedOver] {
        &self.passed_over
    }

    /// Counts a file that is not named by an origin.
    pub fn count_unnamed_file(&mut self) {
        self.statistics.captures.unnamed_files += 1;
    }

    fn insert(&mut self, capture: &Capture, read: StoredAnswer) {
        let Captures { urls, tables, .. } = self;
        let url = urls.entry(&capture.url);
        let (answer, failures) = capture.stored(read, self.dialect);
        let is_older = url.kept.fold(answer, &failures, &|one, other| tables.compare(one, other));
        let counts = &mut self.statistics.captures;
        counts.read += 1;
        counts.not_robots_txt += u64::from(capture.origin.is_none());
        counts.older += u64::from(is_older);
    }

    /// Moves all URLs, with the items that they share, to a run, which a thread of the pool writes.
    fn write_run(&mut self) -> Result<(), Error> {
        self.wait_for_run()?;
        let spill = self.spill.clone();
        let (urls, mut tables) = (std::mem::take(&mut self.urls), Tables::new(self.columns.count(), &spill));
        std::mem::swap(&mut tables, &mut self.tables);
        self.writing = Some(Soon::begin(move || {
            tables.finish();
            Run::write(sorted(&urls).iter().map(record), tables.source(), &spill)
        }));
        Ok(())
    }

    fn wait_for_run(&mut self) -> Result<(), Error> {
        let written = self.writing.take().map(Soon::wait).transpose()?;
        self.runs.extend(written);
        Ok(())
    }

    /// The policy of all origins, with redirects followed and, after failures, the last good answers kept. It is stored like
    /// the captures: in memory, or, beyond the first few MiB, in a memory-mapped temporary file.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be written, or beyond what a policy can hold.
    pub fn policy(self) -> Result<Policy, Error> {
        let spill = self.spill.clone();
        self.finish(&spill, |writer, statistics| writer.policy(statistics, &spill))
    }

    /// Like [`Captures::policy`], but writes a policy file. The file is renamed when it is complete and replaces an
    /// earlier policy; processes that have the earlier file open continue to use it.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or exists and is not a policy file, or beyond what a policy can hold.
    pub fn write(self, out: &WriteLock) -> Result<Statistics, Error> {
        let spill = SpillFolder::at(folder_of(out.path()));
        self.finish(&spill, |writer, statistics| {
            out.replace(&POLICY_FILE, |file| writer.write(statistics, file)).map_err(unwritten)
        })
    }

    /// Feeds all origins to a writer and lets `write` finish it.
    fn finish<T: Send>(
        self,
        spill: &SpillFolder,
        write: impl FnOnce(Writer<'_>, Statistics) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        let threads = threads::worth_starting(self.urls.len() / ORIGINS_A_MILLISECOND, self.most_readers);
        threads::on(threads, || self.fed(spill, write))
    }

    fn fed<T: Send>(
        mut self,
        spill: &SpillFolder,
        write: impl FnOnce(Writer<'_>, Statistics) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.settle()?;
        if !self.runs.is_empty() {
            self.write_run()?;
            self.wait_for_run()?;
        }
        let Captures { dialect, columns, urls, runs, mut tables, mut statistics, progress, .. } = self;
        tables.finish();
        let sorted = sorted(&urls);
        let sources: Vec<ItemSource<'_>> =
            if runs.is_empty() { vec![tables.source()] } else { runs.iter().map(Run::source).collect() };
        let union = || {
            let of_runs = (0..).zip(&runs).map(|(source, run)| Box::new(run.urls(source)) as UrlList<'_>);
            let in_memory: UrlList<'_> = Box::new(sorted.iter().map(record));
            let lists = if runs.is_empty() { vec![in_memory] } else { of_runs.collect() };
            Union::new(lists, sources.clone(), OverridesFrom::All)
        };
        let targets = Targets::collect(runs.iter().flat_map(Run::targets), union, spill)?;
        progress.origins.store(sorted.len() as u64 + runs.iter().map(Run::len).sum::<u64>(), Relaxed);
        let known = |url: &str| urls.get(url).cloned().or_else(|| targets.get(url));
        let mut writer = Writer::new((*columns).clone(), dialect, &sources, spill)?;
        derive(&mut union(), &mut writer, known, &mut statistics, &progress)?;
        // Writing needs the memory.
        drop(sorted);
        // Freeing millions of entries takes long.
        threads::both(|| write(writer, statistics), || drop(urls)).0
    }
}

/// An override as it is stored, without its rules; and these, not compiled, if it has some.
pub(super) fn read_override(
    origin: &str,
    given: &Override,
    columns: &Crawlers,
    dialect: &Dialect,
) -> Result<(StoredOverride, Option<Selected>), Error> {
    let &Override { ruling, paused_until, .. } = given;
    let operator_override = OverrideState { ruling, paused_until };
    let crawl_delay = given.crawl_delay.as_deref().map(Box::from);
    let mut placement = StoredOverride { operator_override, crawl_delay, ..StoredOverride::default() };
    let Some(body) = &given.robots_txt else { return Ok((placement, None)) };
    let reading = Capture::found(origin, Arc::clone(body)).read(columns, dialect);
    placement.notes = reading.notes.map_or_else(NoteCounts::default, |notes| *notes);
    match reading.content {
        Content::Rules(file) => Ok((placement, Some(file))),
        // No rules would allow everything.
        _ => {
            let problem = format!("the operator's robots.txt of {origin} is none: it is damaged, or no text");
            Err(no_capture(problem))
        }
    }
}

/// The URL of a capture is invalid, or is not the robots.txt of its origin.
fn no_capture(problem: String) -> Error {
    let message = format!("{problem}; give an origin such as https://www.example.com, or the URL of a page");
    ErrorKind::Capture.of(message)
}

/// A capture with its URL and its origin in canonical form, because look-ups use the canonical form.
fn canonical(capture: Capture) -> Result<Capture, Error> {
    let Some(given) = &capture.origin else {
        let (url, origin) = page(&capture.url).map_err(no_capture)?;
        return Ok(Capture { url, origin, ..capture });
    };
    let origin = bare_origin(given).map_err(|reason| no_capture(format!("{given:?} is not an origin: {reason}")))?;
    let is_of_it = |url: &str| page(url).is_ok_and(|(_, of)| of.as_ref() == Some(&origin));
    if capture.url != origin::robots_url(given) && !is_of_it(&capture.url) {
        return Err(no_capture(format!("{:?} is not the robots.txt of {origin}", capture.url)));
    }
    Ok(Capture { url: origin::robots_url(&origin), origin: Some(origin), ..capture })
}

/// All URLs in order, split before their path.
fn sorted(urls: &Urls) -> Vec<((&str, &str), &StoredUrl)> {
    let mut sorted: Vec<((&str, &str), &StoredUrl)> = urls.iter().collect();
    threads::sort_by_key(&mut sorted, |&(url, _)| url);
    sorted
}

fn record<'u>(&((origin, path), url): &((&'u str, &'u str), &'u StoredUrl)) -> UrlRecord<'u> {
    UrlRecord { origin: origin.as_bytes(), path: path.as_bytes(), stored: Cow::Borrowed(url) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::AnswerKind;
    use crate::policy::state::Answered;

    /// The bytes of a policy of many origins, some of which share data.
    fn bytes(spill: SpillFolder) -> Vec<u8> {
        let columns = Crawlers::new(vec!["a".parse().unwrap(), "b,a".parse().unwrap()]).unwrap();
        let mut captures = Captures::at(spill, columns, Dialect::DEFAULT);
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
        assert_eq!((progress.read(), progress.origins(), progress.written()), (3, 0, 0));
        captures.policy().unwrap();
        assert_eq!((progress.read(), progress.origins(), progress.written()), (3, 3, 3));
    }

    #[test]
    fn an_origin_may_be_in_any_form_but_must_be_one() {
        let policy = |origin: &str| {
            let mut captures = Captures::new(crate::robots::Agents::everybody(), Dialect::DEFAULT);
            captures.add(vec![Capture::found(origin, "User-agent: *\nDisallow: /\n")])?;
            captures.policy()
        };
        let expected = policy("https://a.example").unwrap();
        for origin in ["HTTPS://A.example", "https://a.example:443/", " https://user@a.example"] {
            assert!(policy(origin).unwrap().bytes() == expected.bytes(), "{origin}");
        }
        for wrong in ["a.example", "", "ftp://a.example", "https://a.example/x"] {
            let text = policy(wrong).unwrap_err().to_string();
            assert!(text.contains(wrong) && text.contains("; give an origin such as"), "{text}");
        }
        let mut captures = Captures::new(crate::robots::Agents::everybody(), Dialect::DEFAULT);
        let other =
            Capture { url: "https://b.example/robots.txt".to_owned(), ..Capture::found("https://a.example", "") };
        assert!(captures.add(vec![other]).is_err());
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
    fn what_is_stored_is_counted() {
        let at = |path: &str, status: u16| Capture {
            url: format!("http://a.example{path}"),
            origin: (path == "/robots.txt").then(|| "http://a.example".to_owned()),
            answered: Answered { status: Some(status), ..Answered::default() },
            ..Capture::found("http://a.example", "")
        };
        let mut captures = Captures::new(crate::robots::Agents::everybody(), Dialect::DEFAULT);
        let answers = [("/robots.txt", 200), ("/robots.txt", 503), ("/x", 404), ("/x", 410), ("/y", 404), ("/z", 200)];
        captures.add(answers.map(|(path, status)| at(path, status)).to_vec()).unwrap();
        let policy = captures.policy().unwrap();
        let Statistics { origins, other_urls, answers, .. } = policy.statistics();
        assert_eq!((origins, other_urls), (&1, &3));
        let expected = [(AnswerKind::Unavailable, 2), (AnswerKind::Failed, 1), (AnswerKind::RobotsTxt, 2)];
        assert_eq!(answers, &expected.into());
    }

    #[test]
    fn it_does_not_matter_where_what_is_large_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let expected = bytes(SpillFolder::none());
        for limit in [0, 100, 1 << 20] {
            assert!(bytes(SpillFolder { folder: folder.path().to_owned(), limit }) == expected, "{limit}");
        }
        assert!(Policy::from_bytes(&expected).is_ok());
    }

    #[test]
    fn urls_beyond_the_memory_become_runs() {
        let capture = |number: u32| Capture::found(&format!("http://{number}.example"), "User-agent: *\nDisallow: /\n");
        let of = |memory: u64| {
            let agents = crate::robots::Agents::everybody();
            let mut captures = Captures::within(memory, &std::env::temp_dir(), agents, Dialect::DEFAULT);
            (0..20).for_each(|batch| captures.add((5 * batch..5 * batch + 5).map(capture).collect()).unwrap());
            (captures.runs.len(), captures.urls.len(), captures.policy().unwrap())
        };
        let (runs, left, within) = of(10 * BYTES_PER_URL);
        assert_eq!((runs, left), (6, 10), "of fifteen URLs each");
        let (runs, left, whole) = of(u64::MAX);
        assert_eq!((runs, left), (0, 100));
        assert!(within.bytes() == whole.bytes());
    }
}
