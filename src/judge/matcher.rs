//! Judges URLs by a policy, for one of its crawlers or for several at once, and finds preferences about uses of their
//! pages.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::batch;
use super::choices::Choices;
use super::explain::{Cause, Explainer};
use super::outcomes::Outcomes;
use super::preferred::{KnownPreferences, PagePreferences};
use super::scratch::{Scratch, with_scratches};
use super::view::{Judge, JudgeView};
use crate::formats::memory_budget::CacheMemory;
use crate::outcome::Outcome;
use crate::policy::{Crawler, Error, Policy};
use crate::preferences::Preferred;
use crate::robots::Agents;

/// Judges URLs by a policy, for one crawler. A matcher owns its data, so a struct can hold it and threads can share it;
/// cloning only increments a counter.
///
/// [`Matcher::judge`] judges one URL. Judging many URLs in one call is about twice as fast: [`Matcher::judge_all`]
/// takes separate values, [`Matcher::judge_spans`] takes parts of one text, and [`Matcher::judge_lines`] takes the
/// lines of a text.
///
/// ```
/// use robosieve::policy::{Capture, Captures};
/// use robosieve::{Dialect, Partition};
///
/// let mut captures = Captures::new("examplebot".parse::<robosieve::Agents>()?, Dialect::DEFAULT);
/// captures.add(vec![Capture::found("https://a.example", "User-agent: *\nDisallow: /private\n")])?;
/// let matcher = captures.policy()?.matcher("examplebot")?;
///
/// let outcome = matcher.judge("https://a.example/private/notes");
/// assert_eq!(outcome.partition(), Partition::Blocked);
/// let cause = matcher.explain("https://a.example/private/notes");
/// assert_eq!(cause.rule.unwrap().line, 2);
///
/// let mut outcomes = Vec::new();
/// matcher.judge_all(&["https://a.example/", "https://b.example/", "no URL"], &mut outcomes);
/// let partitions: Vec<Partition> = outcomes.iter().map(|outcome| outcome.partition()).collect();
/// assert_eq!(partitions, [Partition::Allowed, Partition::Deferred, Partition::Invalid]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Matcher(Arc<Judge>);

impl Policy {
    /// A matcher for one of the policy's crawlers, at the current time. It defers origins whose robots.txt was never
    /// fetched or is unreachable.
    ///
    /// `agent` is a product token, `*`, or several tokens in order of preference, separated by commas (RFC 9309 2.2.1).
    ///
    /// # Errors
    ///
    /// If `agent` is not a product token or list of them, or the policy was not made for it.
    pub fn matcher(&self, agent: &str) -> Result<Matcher, Error> {
        self.matcher_with(agent, Choices::now())
    }

    /// A matcher for one of the policy's crawlers, with these choices.
    ///
    /// # Errors
    ///
    /// See [`Policy::matcher`].
    pub fn matcher_with(&self, agent: &str, choices: Choices) -> Result<Matcher, Error> {
        let crawler = self.crawler(Some(&agent.parse()?))?;
        Ok(Matcher::new(self, crawler, choices))
    }
}

impl Matcher {
    /// Judges by `policy` for one of its crawlers, and by `choices` if the policy has no definite verdict.
    pub(crate) fn new(policy: &Policy, crawler: Crawler, choices: Choices) -> Matcher {
        Matcher(Arc::new(Judge::new(policy.clone(), crawler, choices)))
    }

    /// Matchers for several crawlers of a policy. The decisions are the same for all crawlers, and computed once.
    pub(crate) fn for_each(
        policy: &Policy,
        crawlers: impl IntoIterator<Item = Crawler>,
        choices: Choices,
    ) -> Vec<Matcher> {
        let mut first: Option<Matcher> = None;
        let matcher = |crawler: Crawler| match &first {
            Some(first) => Matcher(Arc::new(first.0.answering_for(crawler))),
            None => first.insert(Matcher::new(policy, crawler, choices)).clone(),
        };
        crawlers.into_iter().map(matcher).collect()
    }

    /// The outcome of a URL: its partition and the reason.
    pub fn judge(&self, url: impl AsRef<[u8]>) -> Outcome {
        let (view, url) = (self.view(), url.as_ref());
        with_scratch(|scratch| view.required(url, view.judge_one(url, scratch), scratch))
    }

    /// Judges many URLs; fills `outcomes` with one outcome for each, in order.
    pub fn judge_all<U: AsRef<[u8]>>(&self, urls: &[U], outcomes: &mut Vec<Outcome>) {
        with_scratch(|scratch| self.view().judge_all(urls, outcomes, scratch));
    }

    /// Judges URLs within one text, such as the values of an Arrow array, without copying them; fills `outcomes` with one
    /// outcome for each, in order. Spans are in bytes; they may overlap and leave gaps.
    ///
    /// ```
    /// # use robosieve::policy::{Capture, Captures};
    /// # use robosieve::{Agents, Dialect, Reason};
    /// # let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
    /// # captures.add(vec![Capture::found("http://a.example", "User-agent: *\nDisallow: /x\n")])?;
    /// # let matcher = captures.policy()?.matcher("*")?;
    /// let (values, offsets) = (b"http://a.example/xhttp://b.example/", [0, 18, 35]);
    /// let mut outcomes = Vec::new();
    /// matcher.judge_spans(values, offsets.windows(2).map(|pair| pair[0]..pair[1]), &mut outcomes);
    /// assert_eq!(outcomes[0].reason(), Reason::Rules);
    /// assert_eq!(outcomes[1].reason(), Reason::Unfetched);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If a span is not within the text.
    pub fn judge_spans(&self, text: &[u8], spans: impl IntoIterator<Item = Range<usize>>, outcomes: &mut Vec<Outcome>) {
        with_scratch(|scratch| self.view().judge_spans(text, spans, outcomes, scratch));
    }

    /// Judges the lines of a text; fills `outcomes` with one outcome for each, in order.
    ///
    /// # Panics
    ///
    /// If the text is 4 GiB or longer.
    pub fn judge_lines(&self, text: &[u8], outcomes: &mut Vec<Outcome>) {
        with_scratch(|scratch| self.view().judge_lines(text, outcomes, scratch));
    }

    /// The cause of a URL's outcome: the rule with its line, the group it is in, and when its robots.txt was captured.
    pub fn explain(&self, url: impl AsRef<[u8]>) -> Cause {
        self.explainer().explain(url.as_ref())
    }

    /// Creates an [`Explainer`], for many URLs.
    pub fn explainer(&self) -> Explainer {
        self.explainer_within(&mut CacheMemory::outside_jobs())
    }

    /// The same, with caches in this memory.
    pub(crate) fn explainer_within(&self, caches: &mut CacheMemory) -> Explainer {
        Explainer::new(Arc::clone(&self.0), caches)
    }

    /// Whether outcomes may change with time, because of the choices, or of overrides, which may pause an origin. A
    /// matcher judges at a fixed time, [`Choices::now`](field@Choices::now), so replace such a matcher from time to
    /// time.
    pub fn depends_on_time(&self) -> bool {
        self.0.depends_on_time()
    }

    /// The crawler's agents.
    pub(crate) fn agents(&self) -> &Agents {
        self.0.crawler.agents()
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// Matchers of one policy and with the same choices, as the hot path sees them.
    pub(crate) fn views(matchers: &[Matcher]) -> Vec<JudgeView<'_>> {
        let Some(first) = matchers.first().map(Matcher::view) else { return Vec::new() };
        matchers.iter().map(|matcher| first.answered_by(matcher.answering())).collect()
    }

    /// The columns that answer for the crawler.
    fn answering(&self) -> &[usize] {
        self.0.policy.answering(&self.0.crawler)
    }

    /// The crawler's preferences about uses of the page of a URL. They mean nothing if the page is blocked.
    #[cfg(feature = "cli")]
    pub(crate) fn preferred(&self, url: &[u8]) -> Preferred {
        let view = self.view();
        let page = view.page(url);
        let preferred = |scratch: &mut Scratch| page?.preferred(self.answering(), &mut scratch.preferences.begin());
        with_scratch(preferred).unwrap_or_default()
    }

    /// The matcher as the hot path sees it.
    pub(crate) fn view(&self) -> JudgeView<'_> {
        self.0.view()
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matcher {{ agents: {}, policy: {:?} }}", self.agents(), self.0.policy)
    }
}

/// Lends out the thread's scratch.
pub(super) fn with_scratch<T>(judge: impl FnOnce(&mut Scratch) -> T) -> T {
    with_scratches(|[scratch, _]| judge(scratch))
}

/// Judges URLs by a policy, for several of its crawlers at once. A URL is judged once for each distinct group of rules
/// that its origin has for these crawlers, so a hundred crawlers take little more time than one.
/// [`Refusals`](super::Refusals) lists the crawlers that may not fetch a URL.
///
/// ```
/// use robosieve::policy::{Capture, Captures, Crawlers};
/// use robosieve::{Choices, Dialect, Outcomes, Refusals};
///
/// let agents: Vec<robosieve::Agents> = vec!["examplebot".parse()?, "otherbot".parse()?];
/// let mut captures = Captures::new(Crawlers::new(agents.clone())?, Dialect::DEFAULT);
/// captures.add(vec![Capture::found("https://a.example", "User-agent: otherbot\nDisallow: /\n")])?;
/// let matchers = captures.policy()?.matchers(&agents, Choices::now())?;
///
/// let (mut outcomes, mut refusals) = (Outcomes::default(), Refusals::new(vec!["examplebot".to_owned(), "otherbot".to_owned()]));
/// matchers.judge_all(&["https://a.example/", "no URL"], &mut outcomes);
/// refusals.find(&outcomes);
/// let blocked_for = |url: usize| &refusals.sets()[refusals.of_urls()[url] as usize].blocked;
/// assert_eq!((&blocked_for(0)[..], &blocked_for(1)[..]), (&[1][..], &[0, 1][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Matchers(Vec<Matcher>);

impl Policy {
    /// Matchers for several of the policy's crawlers, with these choices.
    ///
    /// # Errors
    ///
    /// If the policy was not made for one of them.
    pub fn matchers(&self, agents: &[crate::Agents], choices: Choices) -> Result<Matchers, Error> {
        Ok(Matchers(Matcher::for_each(self, self.crawlers(agents)?, choices)))
    }
}

impl Matchers {
    /// A matcher for each crawler.
    pub fn each(&self) -> &[Matcher] {
        &self.0
    }

    /// Judges many URLs; fills `outcomes` with those of each URL, in order.
    pub fn judge_all<U: AsRef<[u8]>>(&self, urls: &[U], outcomes: &mut Outcomes) {
        with_scratches(|scratches| batch::judge_all(&Matcher::views(&self.0), urls, outcomes, scratches));
    }

    /// Judges URLs within one text, as [`Matcher::judge_spans`] does; fills `outcomes` with those of each
    /// URL, in order.
    ///
    /// # Panics
    ///
    /// If a span is not within the text.
    pub fn judge_spans(&self, text: &[u8], spans: impl IntoIterator<Item = Range<usize>>, outcomes: &mut Outcomes) {
        with_scratches(|scratches| batch::judge_spans(&Matcher::views(&self.0), text, spans, outcomes, scratches));
    }

    /// Finds each crawler's preferences about uses of the pages of URLs with these outcomes; `url` returns the URL with
    /// an index. Pages that may not be fetched have no preferences, except those that
    /// [`Choices::require`](field@Choices::require) refuses.
    ///
    /// ```
    /// use robosieve::policy::{Capture, Captures};
    /// use robosieve::{Choices, Dialect, Outcomes, PagePreferences, Preference, PreferenceColumn};
    ///
    /// let mut captures = Captures::new("examplebot".parse::<robosieve::Agents>()?, Dialect::DEFAULT);
    /// captures.add(vec![Capture::found("https://a.example", "User-agent: *\nDisallow: /no\nContent-Usage: train-ai=n\n")])?;
    /// let matchers = captures.policy()?.matchers(&["examplebot".parse()?], Choices::now())?;
    ///
    /// let urls = ["https://a.example/", "https://a.example/no"];
    /// let (mut outcomes, mut preferences) = (Outcomes::default(), PagePreferences::default());
    /// matchers.judge_all(&urls, &mut outcomes);
    /// matchers.find_preferences(|at| urls[at].as_bytes(), &outcomes, &mut preferences);
    /// let train_ai = PreferenceColumn::all().find(|column| column.name() == "train_ai").unwrap();
    /// assert_eq!(preferences.get(train_ai, 0, 0), Preference::No);
    /// assert_eq!(preferences.get(train_ai, 1, 0), Preference::Unknown);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the outcomes are for other crawlers.
    pub fn find_preferences<'u>(
        &self,
        url: impl Fn(usize) -> &'u [u8],
        outcomes: &Outcomes,
        preferences: &mut PagePreferences,
    ) {
        assert_eq!(outcomes.crawlers(), self.0.len(), "outcomes for each crawler");
        preferences.clear(outcomes.urls(), self.0.len());
        let (judges, outcomes) = (Matcher::views(&self.0), outcomes.of_each());
        with_scratches(|[scratch, _]| preferences.find(&judges, 0, url, &outcomes, &mut scratch.preferences));
    }
}

/// The preferences of the pages of a chunk's lines, for each of several crawlers.
#[derive(Debug)]
pub(crate) struct PreferredLines {
    /// The matchers of each policy.
    by_policy: Vec<Vec<Matcher>>,
    known: KnownPreferences,
    pages: PagePreferences,
}

impl PreferredLines {
    /// For the crawlers of these matchers, given for each policy.
    pub fn new(matchers: &[&[Matcher]], caches: &mut CacheMemory) -> PreferredLines {
        let by_policy = matchers.iter().map(|matchers| matchers.to_vec()).collect();
        PreferredLines { by_policy, known: caches.cache(), pages: PagePreferences::default() }
    }

    /// Finds the preferences of lines with these outcomes, for each crawler; `url` returns the URL of a line.
    pub fn find<'u>(&mut self, url: impl Fn(usize) -> &'u [u8], outcomes: &[Vec<Outcome>]) {
        let PreferredLines { by_policy, known, pages } = self;
        pages.clear(outcomes.first().map_or(0, Vec::len), by_policy.iter().map(Vec::len).sum());
        let mut from = 0;
        for matchers in by_policy {
            let judges = Matcher::views(matchers);
            pages.find(&judges, from, &url, &outcomes[from..from + judges.len()], known);
            from += judges.len();
        }
    }

    /// The preferences of a line's page for a crawler.
    pub fn of(&self, line: usize, crawler: usize) -> &Preferred {
        self.pages.of(line, crawler)
    }
}
