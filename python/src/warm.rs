//! Matchers that are kept for calls with one URL, which take less time than to make one.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use robosieve::{Choices, Matcher, Outcome};

/// How many matchers are kept: one for each crawler that a policy may have.
const KEPT: usize = 64;

/// Matchers by what was asked for, the last one last.
#[derive(Default)]
pub struct Warm(Mutex<Vec<Kept>>);

struct Kept {
    agent: Option<String>,
    choices: Asked,
    matcher: Matcher,
    /// The second that it judges as of, unless that does not matter.
    second: Option<i64>,
}

/// The caller's choices, and the time among them; `None` if there are none.
pub type Asked = Option<(Choices, Option<i64>)>;

impl Warm {
    /// The outcome of a URL for what is asked. `make` makes a matcher for these choices.
    pub fn judge(
        &self,
        url: &[u8],
        agent: Option<&str>,
        asked: Asked,
        make: impl FnOnce(Choices) -> PyResult<Matcher>,
    ) -> PyResult<Outcome> {
        // The interpreter's lock is held meanwhile, so no other thread waits for this, nor forks.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|kept| kept.choices == asked && kept.agent.as_deref() == agent);
        if let Some(kept) = at.map(|at| &all[at])
            && kept.second.is_none_or(|second| second == Choices::now().now)
        {
            return Ok(kept.matcher.judge(url));
        }
        let (mut choices, given) = asked.unwrap_or((Choices::now(), None));
        choices.now = given.unwrap_or(Choices::now().now);
        let matcher = make(choices)?;
        let outcome = matcher.judge(url);
        let second = Some(choices.now).filter(|_| given.is_none() && matcher.depends_on_time());
        if let Some(at) = at.or((all.len() == KEPT).then_some(0)) {
            all.remove(at);
        }
        all.push(Kept { agent: agent.map(str::to_owned), choices: asked, matcher, second });
        Ok(outcome)
    }
}
