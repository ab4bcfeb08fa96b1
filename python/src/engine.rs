//! For as long as the library has no matcher that owns its policy: one that does.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use robosieve::judge::{Choices, Explainer, Judge, Scratch};
use robosieve::outcome::Outcome;
use robosieve::policy::{self, Crawler, CrawlerError, OpenError, Trust};
use robosieve::robots::{AgentError, Agents};

#[derive(Clone)]
pub struct Policy(pub Arc<policy::Policy>);

#[derive(Debug, thiserror::Error)]
pub enum MatcherError {
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Crawler(#[from] CrawlerError),
}

impl Policy {
    pub fn open(path: impl AsRef<Path>) -> Result<Policy, OpenError> {
        Ok(Policy(Arc::new(policy::Policy::open(path.as_ref(), Trust::Nothing)?)))
    }

    pub fn matcher_with(&self, agent: &str, choices: &Choices) -> Result<Matcher, MatcherError> {
        let agents: Agents = agent.parse()?;
        Ok(Matcher { policy: self.clone(), crawler: self.0.crawler(Some(&agents))?, choices: *choices })
    }
}

#[derive(Clone)]
pub struct Matcher {
    policy: Policy,
    crawler: Crawler,
    choices: Choices,
}

/// What blocked a URL.
pub struct Cause {
    pub rule: Option<(u32, String)>,
}

impl Matcher {
    fn judge(&self) -> Judge<'_> {
        Judge::new(&self.policy.0, &self.crawler, self.choices)
    }

    pub fn judge_all(&self, urls: &[impl AsRef<[u8]>], outcomes: &mut Vec<Outcome>) {
        self.judge().judge_all(urls, outcomes, &mut Scratch::default());
    }

    pub fn judge_spans(
        &self,
        text: &[u8],
        spans: impl ExactSizeIterator<Item = Range<usize>>,
        outcomes: &mut Vec<Outcome>,
    ) {
        let urls: Vec<&[u8]> = spans.map(|span| &text[span]).collect();
        self.judge_all(&urls, outcomes);
    }

    pub fn explain(&self, url: &[u8]) -> Cause {
        let judge = self.judge();
        let mut explainer = Explainer::new(&judge);
        let cause = explainer.explain(url);
        let told = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        Cause { rule: cause.rule.map(|rule| (rule.line, format!("{}: {}", rule.key(), told(&rule.value)))) }
    }
}
