//! A policy ready to judge URLs: a view of its image.

use memmap2::Mmap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::crawlers::{Crawler, Crawlers};
use super::groups::{Group, Groups};
use super::image::{Content, Image, Record, Section, Trust, UrlRecord};
use super::lookup::Lookup;
use super::provenance::{self, Outline, WrittenRules};
use super::resolve::{FinalStatuses, Resolved};
use super::side_records;
use super::statistics::Statistics;
use super::url_answers::UrlAnswers;
use super::urls::split;
use crate::dialect::Dialect;
use crate::error::policy::Error;
use crate::origin;
use crate::preferences::SignalScope;
use crate::robots::{Agents, SideKey, SideRecord};
use crate::rules::chosen::ChosenRules;

/// The rules of many origins for one or more crawlers, ready to judge URLs. Clones share the data.
///
/// ```
/// use robosieve::policy::{Capture, Captures, WriteLock};
/// use robosieve::{Agents, Dialect, Partition, Policy};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("policy.rsv");
/// let mut captures = Captures::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
/// captures.add(vec![Capture::found("https://a.example", "User-agent: *\nDisallow: /private\n")])?;
/// captures.write(&WriteLock::take(&path, |_| ())?)?;
///
/// let matcher = Policy::open(&path)?.matcher("examplebot")?;
/// let outcome = matcher.judge("https://a.example/private");
/// assert_eq!(outcome.partition(), Partition::Blocked);
/// assert_eq!(outcome.reason().name(), "rules");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Policy {
    pub(super) image: Arc<Image>,
    pub(super) content: Arc<Content>,
    /// The policies over it, if there are any.
    pub(super) layers: Option<Arc<Layers>>,
}

/// The policies that make up a layered one, and the changes that the smaller ones make to the largest.
#[derive(Debug)]
pub(super) struct Layers {
    pub all: Vec<Policy>,
    /// The look-up table of the largest, without the origins that changed.
    pub lookup: Mmap,
    pub changed: Policy,
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Content { dialect, columns, statistics } = &*self.content;
        f.debug_struct("Policy")
            .field("dialect", &dialect.name)
            .field("agents", &columns.to_string())
            .field("origins", &statistics.origins)
            .finish()
    }
}

impl Policy {
    /// Reads a policy file into memory and checks all of it: its checksum, and every index in it. The file may change
    /// afterwards. [`Policy::map`] takes no private memory.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a policy, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Policy, Error> {
        let (image, content) = Image::read(path.as_ref())?;
        Ok(Policy::of(image, content))
    }

    /// Maps a policy file and checks all of it, as [`Policy::open`] does. All processes that map a file share its memory.
    ///
    /// # Safety
    ///
    /// Callers must ensure that no process writes into the file or shortens it while the policy, a clone of it, or a
    /// layered policy over it is in use. Its indexes are checked once and trusted from then on, so a change may make
    /// the process read any memory, and access to a page beyond the file's end kills it with SIGBUS. To replace the
    /// file, rename another file to its name, as `robosieve` and [`Captures::write`](super::Captures::write) do: the
    /// mapping keeps the old content. Deleting the file is fine, too.
    ///
    /// # Errors
    ///
    /// As [`Policy::open`].
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Policy, Error> {
        // SAFETY: as the caller ensures.
        unsafe { Policy::map_with(path.as_ref(), Trust::Nothing) }
    }

    /// Like [`Policy::map`], with a degree of trust.
    ///
    /// # Safety
    ///
    /// As for [`Policy::map`].
    pub(crate) unsafe fn map_with(path: &Path, trust: Trust) -> Result<Policy, Error> {
        // SAFETY: as the caller ensures.
        let (image, content) = unsafe { Image::map(path, trust) }?;
        Ok(Policy::of(image, content))
    }

    /// A policy from the bytes of a policy file, which are copied.
    ///
    /// # Errors
    ///
    /// If they are not a policy, or are damaged.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Policy, Error> {
        Policy::from_bytes_with(bytes.as_ref(), Trust::Nothing)
    }

    /// Like [`Policy::from_bytes`], with a degree of trust.
    pub(crate) fn from_bytes_with(bytes: &[u8], trust: Trust) -> Result<Policy, Error> {
        let (image, content) = Image::copied(bytes, trust)?;
        Ok(Policy::of(image, content))
    }

    pub(super) fn of(image: Image, content: Content) -> Policy {
        Policy { image: Arc::new(image), content: Arc::new(content), layers: None }
    }

    /// The bytes of its policy file.
    pub fn bytes(&self) -> &[u8] {
        self.image.bytes()
    }

    /// The checksum of its policy file, which identifies its content; of a layered policy, that of the checksums of all.
    pub fn checksum(&self) -> u128 {
        match &self.layers {
            Some(layers) => {
                let mut all: Vec<[u8; 16]> = layers.all.iter().map(|policy| policy.checksum().to_le_bytes()).collect();
                all.sort_unstable();
                xxh3_128(&all.concat())
            }
            None => self.image.checksum(),
        }
    }

    /// The names of the sections of its policy file, with their lengths in bytes.
    pub fn sections(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        Section::all().map(|section| (section.name(), self.image.section(section).len()))
    }

    /// The dialect it was made for.
    pub fn dialect(&self) -> &'static Dialect {
        self.content.dialect
    }

    /// The crawlers it was made for.
    pub fn columns(&self) -> &Crawlers {
        &self.content.columns
    }

    /// The crawler with these agents, or the only one of the policy if none are given.
    ///
    /// # Errors
    ///
    /// If the policy has no answer for it.
    pub fn crawler(&self, agents: Option<&Agents>) -> Result<Crawler, Error> {
        self.content.columns.crawler(agents, self.content.dialect)
    }

    /// The crawlers with these agents, in their order.
    pub(crate) fn crawlers<'a>(&self, agents: impl IntoIterator<Item = &'a Agents>) -> Result<Vec<Crawler>, Error> {
        agents.into_iter().map(|agents| self.crawler(Some(agents))).collect()
    }

    /// The policies that make it up, the largest first.
    pub(super) fn into_all(self) -> Vec<Policy> {
        match &self.layers {
            Some(layers) => layers.all.clone(),
            None => vec![self],
        }
    }

    /// The origins; of a layered policy, those that are not [changed](Policy::changed).
    #[inline]
    pub(crate) fn lookup(&self) -> Lookup<'_> {
        let own = || self.image.section(Section::Lookup);
        let lookup = self.layers.as_ref().map_or_else(own, |layers| &layers.lookup[..]);
        Lookup::of(lookup, self.image.section(Section::Origins))
    }

    /// For tests: the bytes of the origins' records, from which their look-up table is made.
    #[cfg(test)]
    pub(crate) fn record_bytes(&self) -> &[u8] {
        self.image.section(Section::Origins)
    }

    /// The origins that the layers over a policy change, as a policy of their own.
    pub(crate) fn changed(&self) -> Option<&Policy> {
        self.layers.as_ref().map(|layers| &layers.changed)
    }

    /// The records of all origins, in order, each with the policy whose groups and side records it names.
    pub(crate) fn records(&self) -> impl Iterator<Item = (&Policy, Record<'_>)> {
        let mut of_this = self.own_records().peekable();
        let mut changed = self.changed().into_iter().flat_map(Policy::own_records).peekable();
        std::iter::from_fn(move || match (of_this.peek(), changed.peek()) {
            (Some((_, one)), Some((_, other))) if one.origin < other.origin => of_this.next(),
            (Some((_, one)), Some((_, other))) => {
                if one.origin == other.origin {
                    of_this.next();
                }
                changed.next()
            }
            (Some(_), None) => of_this.next(),
            (None, _) => changed.next(),
        })
    }

    /// The records of the origins that no layer changes.
    fn own_records(&self) -> impl Iterator<Item = (&Policy, Record<'_>)> {
        self.lookup().records().map(move |record| (self, record))
    }

    /// The record of an origin, and the policy whose groups and side records it names: this one, or that of its layers.
    pub(crate) fn origin(&self, origin: &[u8]) -> Option<(&Policy, Record<'_>)> {
        let changed = self.changed().and_then(|changed| changed.origin(origin));
        changed.or_else(|| Some((self, self.lookup().get(origin)?)))
    }

    /// All requested URLs, in order, with their answers. Their rules are in `source`.
    pub(super) fn urls(&self, source: u32) -> impl Iterator<Item = UrlRecord<'_>> {
        self.image.urls(source)
    }

    /// The answers of a URL, if it was requested.
    pub(super) fn kept(&self, url: &str) -> Option<UrlAnswers> {
        if let Some(kept) = self.changed().and_then(|changed| changed.kept(url)) {
            return Some(kept);
        }
        Some(self.url_record(url)?.stored.into_owned().kept)
    }

    /// The columns that answer for a crawler.
    pub(crate) fn answering<'c>(&self, crawler: &'c Crawler) -> &'c [usize] {
        crawler.columns(self.columns())
    }

    /// The groups that apply to a crawler of this policy, and their automata.
    #[inline]
    pub(crate) fn groups<'p>(&'p self, crawler: &'p Crawler) -> Groups<'p> {
        Groups::new(&self.image, self.answering(crawler))
    }

    /// The groups for no crawler in particular: their rows and automata.
    pub(crate) fn rows(&self) -> Groups<'_> {
        Groups::new(&self.image, &[])
    }

    fn stored_rules(&self, group: Group) -> &[u8] {
        self.image.pool(Section::Rules).item(group.rules)
    }

    /// The rules of a group as written in their file, for the crawlers of a column.
    pub(crate) fn rules(&self, group: Group, column: usize) -> ChosenRules {
        provenance::decode(self.stored_rules(group), group.own, &self.columns().all()[column], self.content.dialect)
    }

    /// Reads the rules of a group, without the crawlers that they are for.
    pub(crate) fn read_rules(&self, group: Group, into: &mut WrittenRules) {
        into.read(self.stored_rules(group));
    }

    /// Whether a group has the rules of another policy's, whatever lines they are on.
    pub(crate) fn has_same_rules(&self, group: Group, other: &Policy, of_other: Group) -> bool {
        provenance::have_same_rules(self.stored_rules(group), other.stored_rules(of_other))
    }

    /// A summary of a group as written in its file, made without ranking its rules.
    pub(crate) fn outline(&self, group: Group) -> Outline<'_> {
        provenance::outline(self.stored_rules(group))
    }

    /// The summaries of all distinct groups, as written in their files.
    pub(crate) fn outlines(&self) -> impl Iterator<Item = Outline<'_>> {
        self.image.pool(Section::Rules).contents().map(provenance::outline)
    }

    /// The side records of an origin, such as `Crawl-delay`, in file order: those of the groups chosen for the crawlers of a
    /// column, and those outside every group.
    pub(crate) fn side_records(&self, record: &Record<'_>, column: usize) -> Vec<SideRecord<'_>> {
        self.side_records_with(record, column, SignalScope::default())
    }

    /// The same with `Content-Signal` of this scope.
    pub(crate) fn side_records_with(
        &self,
        record: &Record<'_>,
        column: usize,
        scope: SignalScope,
    ) -> Vec<SideRecord<'_>> {
        side_records::decode(self.image.pool(Section::Side).item(record.side()), column, scope)
    }

    /// The side records of an origin with wanted keys, as a list; equal records make equal lists.
    pub(crate) fn records_only(&self, record: &Record<'_>, is_wanted: impl Fn(SideKey) -> bool) -> Vec<u8> {
        side_records::only(self.image.pool(Section::Side).item(record.side()), is_wanted)
    }

    /// The records of such a list that are for a column, with `Content-Signal` of this scope.
    pub(crate) fn records_of_column(list: &[u8], column: usize, scope: SignalScope) -> Vec<SideRecord<'_>> {
        side_records::decode(list, column, scope)
    }

    /// How it was made.
    pub fn statistics(&self) -> &Statistics {
        &self.content.statistics
    }
}

/// A URL of the redirect chain that begins at an origin's robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hop {
    pub url: String,
    /// Its answers; `None` if it was never requested.
    pub kept: Option<UrlAnswers>,
}

impl Hop {
    /// When it was last requested, if ever and if the time is known.
    pub fn asked_at(&self) -> Option<i64> {
        self.kept.as_ref()?.newest()?.fetched_at
    }
}

impl Policy {
    /// The redirect chain of an origin, beginning with its robots.txt, as far as the dialect follows it, plus one URL,
    /// which shows that the chain is too long.
    pub(crate) fn chain(&self, origin: &str) -> Vec<Hop> {
        chain(origin::robots_url(origin), self.dialect(), |url| self.kept(url))
    }

    /// All that is stored of a URL, if it was requested or overridden; of a policy without layers.
    pub(super) fn url_record(&self, url: &str) -> Option<UrlRecord<'_>> {
        let (origin, path) = split(url);
        self.image.url((origin.as_bytes(), path.as_bytes()), 0)
    }

    /// The statuses at the ends of an origin's redirects, which decided on it; its record has only the status before
    /// redirects. No statuses if the stored answers do not lead to the state in the record.
    pub(crate) fn final_statuses(&self, record: &Record<'_>) -> FinalStatuses {
        let kept = self.kept(&origin::robots_url(&String::from_utf8_lossy(record.origin)));
        let Some(kept) = kept else { return FinalStatuses::default() };
        let resolved = Resolved::of(&kept, self.dialect(), |url| self.kept(url));
        let found = (resolved.state.origin_status, resolved.state.last_good.map(|good| good.origin_status));
        if found == (record.origin_status, record.last_good) { resolved.statuses } else { FinalStatuses::default() }
    }
}

/// The redirect chain that begins with a URL, as far as a dialect follows it, plus one URL; `kept` returns the answers of a URL.
pub(super) fn chain(first: String, dialect: &Dialect, kept: impl Fn(&str) -> Option<UrlAnswers>) -> Vec<Hop> {
    let mut next = Some(first);
    let mut chain = Vec::new();
    for _ in 0..dialect.redirects.hops + 2 {
        let Some(url) = next else { break };
        let kept = kept(&url).filter(|kept| !kept.answers().is_empty());
        let is_of_web = |url: &&str| url.starts_with("http://") || url.starts_with("https://");
        next = kept.as_ref().and_then(UrlAnswers::leads_to).filter(is_of_web).map(str::to_owned);
        chain.push(Hop { url, kept });
    }
    chain
}

/// The URL to request for a waiting origin: the first unfetched URL of its chain, otherwise the stalest. So each URL of
/// the chain has its turn, even if a target fails forever or a redirect leads elsewhere by now. In a tie, the last URL,
/// whose answer decided.
pub(crate) fn to_ask(chain: &[Hop]) -> Option<&Hop> {
    chain.iter().rev().min_by_key(|hop| (hop.kept.is_some(), hop.asked_at()))
}

/// The URL at the end of a chain, if it was never requested.
pub(crate) fn unasked(chain: &[Hop]) -> Option<&str> {
    chain.last().filter(|hop| hop.kept.is_none()).map(|hop| &*hop.url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::capture::Capture;
    use crate::policy::captures::Captures;
    use crate::policy::overrides::{Override, Overrides};
    use crate::policy::state::{Answered, OriginStatus, OverrideState, Ruling};

    #[test]
    fn side_records_are_kept_with_their_origin_and_lines() {
        let agents: Agents = "examplebot".parse().unwrap();
        let mut captures = Captures::new(agents, Dialect::DEFAULT);
        let body = "Sitemap: s\nUser-agent: examplebot\nCrawl-delay: 0.5\nDisallow: /\nContent-Usage: ai=n\n\
                    User-agent: *\nCrawl-delay: 9\n";
        let redirect = Capture {
            answered: Answered { status: Some(301), ..Answered::default() },
            location: Some("http://a.example/robots.txt".to_owned()),
            ..Capture::found("http://b.example", "")
        };
        let files = [("http://a.example", body), ("http://c.example", "User-agent: *\nDisallow: /\n")];
        let files = files.map(|(origin, body)| Capture::found(origin, body));
        captures.add(files.into_iter().chain([redirect]).collect()).unwrap();
        let policy = captures.policy().unwrap();
        let of = |origin: &str| -> Vec<(SideKey, Vec<u8>, u32)> {
            let record = policy.lookup().get(origin.as_bytes()).unwrap();
            let records = policy.side_records(&record, 0).into_iter();
            records.map(|record| (record.key, record.value.to_vec(), record.line)).collect()
        };
        let expected = vec![
            (SideKey::Sitemap, b"s".to_vec(), 1),
            (SideKey::CrawlDelay, b"0.5".to_vec(), 3),
            (SideKey::ContentUsage, b"ai=n".to_vec(), 5),
        ];
        assert_eq!(of("http://a.example"), expected);
        assert_eq!(of("http://b.example"), expected, "a redirect leads to them");
        assert_eq!(of("http://c.example"), []);
    }

    #[test]
    fn an_override_is_kept_with_the_answers() {
        let (mut overrides, body) = (Overrides::default(), b"Sitemap: new\nUser-agent: *\nAllow: /");
        let delayed = |seconds: &str| Override::default().crawl_delay(Some(seconds.to_owned()));
        let replaced = Override::default().ruling(Some(Ruling::RobotsTxt)).robots_txt(Some((*body).into()));
        for (origin, entry) in [
            ("http://a", delayed("2.5")),
            ("http://b", replaced.paused_until(Some(60))),
            ("http://c", Override::default().ruling(Some(Ruling::ForbidAll))),
            ("http://d", delayed("1").ruling(Some(Ruling::AllowAll))),
        ] {
            overrides.add(origin, entry).unwrap();
        }
        let capture = |origin: &str, status| Capture {
            answered: Answered { status: Some(status), fetched_at: Some(7), ..Answered::default() },
            ..Capture::found(origin, "Sitemap: s\nUser-agent: *\nCrawl-delay: 9\nDisallow: /\n")
        };
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        captures.add_overrides(&overrides).unwrap();
        let answers = [capture("http://a", 200), capture("http://b", 503), capture("http://c", 404)];
        captures.add(answers.to_vec()).unwrap();
        let made = captures.policy().unwrap();
        let policy = Policy::from_bytes(made.bytes()).unwrap();
        assert_eq!((policy.statistics().origins, policy.statistics().overridden), (4, 4));
        let crawler = policy.crawler(None).unwrap();
        use OriginStatus::{RobotsTxt, Unavailable, Unfetched, Unreachable};
        // The operator's own record is the first.
        for (origin, origin_status, status, ruling, paused_until, records, rules) in [
            ("http://a", RobotsTxt, Some(200), None, None, "0 2.5, 1 s, 3 9", 1),
            ("http://b", Unreachable, Some(503), Some(Ruling::RobotsTxt), Some(60), "1 new", 1),
            ("http://c", Unavailable, Some(404), Some(Ruling::ForbidAll), None, "", 0),
            ("http://d", Unfetched, None, Some(Ruling::AllowAll), None, "0 1", 0),
        ] {
            let record = policy.lookup().get(origin.as_bytes()).unwrap();
            let state = record.state();
            assert_eq!((state.origin_status, state.answered.status), (origin_status, status), "{origin}");
            assert_eq!(state.operator_override, OverrideState { ruling, paused_until }, "{origin}");
            let found = policy.side_records(&record, 0).into_iter();
            let found: Vec<_> = found.map(|one| format!("{} {}", one.line, one.value.escape_ascii())).collect();
            assert_eq!(found.join(", "), records, "{origin}");
            let group = policy.groups(&crawler).group(record.row);
            assert_eq!(group.map_or(0, |group| policy.rules(group, 0).rules.len()), rules, "{origin}");
        }
    }
}
