//! The live policy itself: making one, what it says of an origin, writing it, and putting another policy beneath.

use arc_swap::ArcSwap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::derived::DerivedCache;
use super::file::{FileMaker, LiveFile};
use super::ledger::Ledger;
use super::origin::LiveOrigin;
use super::state::{Gathering, LiveState, LiveUrls};
use super::waiting::WaitingTable;
use crate::dialect::Dialect;
use crate::error::policy::Error;
use crate::formats::replace::folder_of;
use crate::formats::write_lock::WriteLock;
use crate::lock::{Mutex, lock};
use crate::policy::captures::Captures;
use crate::policy::crawlers::Crawlers;
use crate::policy::merge::{agree, merge};
use crate::policy::overrides::Overrides;
use crate::policy::{Policy, Statistics};

/// A policy that takes answers while it judges, for a crawler that fetches robots.txt files as it goes. Clones are the same policy;
/// threads may share it.
///
/// It [takes](LivePolicy::put) each answer; its [matchers](LivePolicy::matcher) judge URLs by all that were taken; it tells which
/// robots.txt files to [fetch](LivePolicy::needed) next. Judging says what a policy compiled from the same answers says.
///
/// ```
/// use robosieve::policy::source::Answer;
/// use robosieve::{Agents, Choices, Dialect, LivePolicy, Partition};
///
/// let live = LivePolicy::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
/// let matcher = live.matcher("examplebot", Choices::default())?;
/// assert_eq!(matcher.judge("https://a.example/private").partition(), Partition::Deferred);
///
/// let now = 1_790_000_000;
/// assert_eq!(live.needed(now, 100)[0].url, "https://a.example/robots.txt");
/// live.put(Answer::found("https://a.example", *b"User-agent: *\nDisallow: /private\n", now))?;
/// assert_eq!(matcher.judge("https://a.example/private").partition(), Partition::Blocked);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LivePolicy(pub(crate) Arc<Live>);

pub(crate) struct Live {
    pub columns: Arc<Crawlers>,
    pub dialect: &'static Dialect,
    pub(super) maker: Arc<FileMaker>,
    pub state: ArcSwap<LiveState>,
    /// Who makes a new version holds it.
    pub(super) ledger: Mutex<Ledger>,
    /// Versions that were replaced, as long as readers may have them: so that no reader is the last, and frees what a put replaced.
    retired: Mutex<Vec<Arc<LiveState>>>,
    pub derived: DerivedCache,
    pub(super) waiting: WaitingTable,
    memory: AtomicU64,
    /// The policy that was to be the base, and does not fit.
    unfit: Mutex<Option<Policy>>,
}

/// The part of the memory that each of two tables may take: what is derived for origins of the base, and who waits.
const SHARE: u64 = 16;

/// The most bytes of such a table.
const MOST: u64 = 64 << 20;

impl Live {
    pub(super) fn memory(&self) -> u64 {
        self.memory.load(Relaxed)
    }

    /// The most bytes of each table besides the answers.
    pub fn table_bytes(&self) -> usize {
        (self.memory() / SHARE).min(MOST) as usize
    }

    /// The bytes of all that is not counted with the answers.
    pub(super) fn other_bytes(&self) -> u64 {
        (self.derived.bytes() + self.waiting.bytes()) as u64 + self.maker.beyond.load(Relaxed)
    }

    /// Makes a version the current one.
    pub(super) fn replace(&self, next: Arc<LiveState>) {
        let replaced = self.state.swap(next);
        lock(&self.retired).push(replaced);
    }

    /// Frees the versions that no reader has any more. It takes a part of the time of a put, so no lock is held meanwhile.
    pub(super) fn free_retired(&self) {
        let unused: Vec<_> = lock(&self.retired).extract_if(.., |version| Arc::strong_count(version) == 1).collect();
        drop(unused);
    }

    /// The state of an origin in canonical form; `None` if nothing is known about it.
    pub fn origin<'s>(&self, state: &'s LiveState, origin: &[u8]) -> Option<LiveOrigin<'s>> {
        state.origin(origin, &self.derived, self.table_bytes())
    }
}

/// The counts of a live policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveStatistics {
    /// URLs with answers, or overrides, that came after the base.
    pub urls: usize,
    /// Distinct files among these: their groups, on the same lines.
    pub files: usize,
    /// The bytes that all of it takes, about; compare [`LivePolicy::with_memory`].
    pub bytes: u64,
    /// Origins that judged URLs wait for.
    pub waiting: usize,
    /// How often a judged URL waited for an origin that is not listed as needed, because there was no memory to note it.
    pub not_noted: u64,
}

impl LivePolicy {
    /// A live policy without answers, for some crawlers, in unbounded memory.
    pub fn new(crawlers: impl Into<Crawlers>, dialect: &'static Dialect) -> LivePolicy {
        let columns = crawlers.into();
        let base = Captures::new(columns.clone(), dialect).policy().expect("memory holds a policy without origins");
        let state = LiveState { base, generation: 0, urls: LiveUrls::default(), version: 0, rebased_at: 0 };
        let maker = FileMaker::new(columns.count(), dialect);
        LivePolicy(Arc::new(Live {
            maker: Arc::new(maker),
            columns: Arc::new(columns),
            dialect,
            state: ArcSwap::from_pointee(state),
            ledger: Mutex::default(),
            retired: Mutex::default(),
            derived: DerivedCache::default(),
            waiting: WaitingTable::default(),
            memory: AtomicU64::new(u64::MAX),
            unfit: Mutex::default(),
        }))
    }

    /// The same over a policy, such as a file of an earlier crawl, mapped or read, whose answers count like those that are put. If its
    /// dialect or its crawlers differ, every later call that can fail does.
    #[must_use]
    pub fn over(self, policy: Policy) -> LivePolicy {
        if self.rebase(policy.clone()).is_err() {
            *lock(&self.0.unfit) = Some(policy);
        }
        self
    }

    /// Bounds the memory for what is put, and for the tables of waiting origins, in bytes. The base is not counted.
    #[must_use]
    pub fn with_memory(self, memory: u64) -> LivePolicy {
        self.0.memory.store(memory, Relaxed);
        self
    }

    /// An error if the base does not fit.
    pub(crate) fn fitted(&self) -> Result<(), Error> {
        let unfit = lock(&self.0.unfit).clone();
        unfit.map_or(Ok(()), |policy| self.rebase(policy))
    }

    /// Adds overrides, which take precedence over all answers, as [`Captures::add_overrides`] does. They close a site at once.
    ///
    /// # Errors
    ///
    /// If the robots.txt of one is damaged or not text, or the [base](LivePolicy::over) does not fit.
    pub fn put_overrides(&self, overrides: &Overrides) -> Result<(), Error> {
        self.fitted()?;
        self.fold_overrides(overrides)
    }

    /// Writes a policy file with all answers: those of the base, and all that were put before the call. It is the file that would be
    /// compiled from the same answers, byte for byte.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or exists and is not a policy file; or if the [base](LivePolicy::over) does not fit.
    pub fn write(&self, out: &WriteLock) -> Result<Statistics, Error> {
        self.fitted()?;
        let state = self.0.state.load_full();
        let mut newer = Captures::spilling(&folder_of(out.path()), (*self.0.columns).clone(), self.0.dialect);
        for (url, stored) in state.urls.iter() {
            let items: Vec<_> = stored.files.iter().map(LiveFile::items).collect();
            newer.adopt(url, stored.stored.clone(), &items)?;
        }
        let newer = newer.policy()?;
        Ok(merge(&[state.base.clone(), newer], None, out)?.statistics)
    }

    /// Puts another policy beneath, such as the file that was just [written](LivePolicy::write), and frees what it has. Matchers judge
    /// by it from their next call on. Answers of the policy that was beneath before are gone unless this one has them: of two files that
    /// threads write at once, rebase on the later one.
    ///
    /// # Errors
    ///
    /// If its dialect or its crawlers differ, or a temporary file for the layers of a [layered](Policy::layered) one cannot be
    /// written: then nothing changes.
    pub fn rebase(&self, policy: Policy) -> Result<(), Error> {
        let live = &*self.0;
        let earlier = live.state.load_full();
        agree(&[earlier.base.clone(), policy.clone()])?;
        let base = policy.flattened(&std::env::temp_dir())?;
        // Readers and writers go on meanwhile: what comes later is not in the policy.
        let over = LiveState { base: base.clone(), ..(*earlier).clone() };
        let mut contained = Vec::new();
        for (url, newer) in earlier.urls.iter() {
            if over.base_has_all(url) {
                contained.push((url, newer.version));
            }
        }
        let mut ledger = lock(&live.ledger);
        let state = live.state.load_full();
        let mut urls = state.urls.clone();
        for (url, version) in contained {
            let Some(newer) = state.urls.get(url).filter(|newer| newer.version == version) else { continue };
            newer.files.iter().for_each(|file| ledger.release(file));
            ledger.bytes -= newer.size(url);
            urls.remove_mut(url);
        }
        let version = state.version + 1;
        let next = LiveState { base, generation: state.generation + 1, urls, version, rebased_at: version };
        live.replace(Arc::new(next));
        live.derived.clear();
        drop((ledger, state, earlier));
        live.free_retired();
        *lock(&live.unfit) = None;
        Ok(())
    }

    /// The counts of its answers and files, and its memory.
    pub fn statistics(&self) -> LiveStatistics {
        let live = &*self.0;
        let (ledger, state) = (lock(&live.ledger), live.state.load());
        LiveStatistics {
            urls: state.urls.size(),
            files: ledger.files(),
            bytes: ledger.bytes + live.other_bytes(),
            waiting: live.waiting.count(),
            not_noted: live.waiting.not_noted(),
        }
    }
}

impl LiveState {
    /// Whether the base has all that is stored of a URL besides.
    fn base_has_all(&self, url: &str) -> bool {
        let Some(of_base) = self.base.url_record(url) else { return false };
        let Some(mut all) = Gathering::new(self).known(url) else { return false };
        all.kept.set_tied(0);
        all == *of_base.stored
    }
}

impl fmt::Debug for LivePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.state.load();
        write!(f, "LivePolicy {{ agents: {}, urls: {}, over: {:?} }}", self.0.columns, state.urls.size(), state.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::source::Answer;
    use crate::robots::Agents;

    #[test]
    fn a_version_lives_as_long_as_a_reader_has_it() {
        let live = LivePolicy::new(Agents::everybody(), Dialect::DEFAULT);
        let put = |time| _ = live.put(Answer::found("http://a.example", *b"", time)).unwrap();
        let retired = || lock(&live.0.retired).len();
        (1..5).for_each(put);
        assert_eq!(retired(), 0);
        let read = live.0.state.load_full();
        (5..9).for_each(put);
        assert_eq!((retired(), read.version), (1, 4));
        drop(read);
        put(9);
        assert_eq!(retired(), 0);
    }
}
