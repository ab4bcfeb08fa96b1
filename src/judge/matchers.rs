//! Judges URLs by a policy, for several of its crawlers at once.

use std::ops::Range;

use super::batch;
use super::choices::Choices;
use super::error::MatcherError;
use super::matcher::Matcher;
use super::outcomes::Outcomes;
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
}
