//! Judges URLs by a policy, for several of its crawlers at once.

use std::ops::Range;

use super::batch;
use super::choices::Choices;
use super::error::MatcherError;
use super::matcher::Matcher;
use super::outcomes::Outcomes;
use super::page_preferences::PagePreferences;
use super::scratch::with_scratches;
use crate::policy::Policy;

/// Judges URLs by a policy, for several of its crawlers at once. A URL is judged once for each distinct group of rules that its
/// origin has for them, so a hundred crawlers take little more time than one. [`Refusals`](super::Refusals) tells which of them
/// may not fetch it.
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
    /// [`MatcherError`] if the policy was not made for one of them.
    pub fn matchers(&self, agents: &[crate::Agents], choices: Choices) -> Result<Matchers, MatcherError> {
        let crawlers: Vec<_> = agents.iter().map(|agents| self.crawler(Some(agents))).collect::<Result<_, _>>()?;
        Ok(Matchers(Matcher::for_each(self, crawlers, choices)))
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

    /// Finds what sites say about uses of the pages of URLs with these outcomes, to each crawler; `url` returns the one with an index.
    /// Of what may not be fetched nothing is said, unless it is what [`Choices::require`](field@Choices::require) refuses.
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
    /// If the outcomes are not those of these crawlers.
    pub fn find_preferences<'u>(
        &self,
        url: impl Fn(usize) -> &'u [u8],
        outcomes: &Outcomes,
        preferences: &mut PagePreferences,
    ) {
        assert_eq!(outcomes.crawlers(), self.0.len(), "outcomes for each crawler");
        preferences.clear(outcomes.urls(), self.0.len());
        let mut space = Vec::new();
        let (judges, outcomes) = (Matcher::views(&self.0), outcomes.by_crawler(&mut space));
        with_scratches(|[scratch, _]| preferences.find(&judges, 0, url, outcomes, &mut scratch.preferences));
    }
}
