//! The slow way: the outcome of one URL, whatever it looks like. It defines what the [hot path](super::batch) computes, which
//! leaves doubtful URLs to it.

use std::borrow::Cow;

use super::routes::Route;
use super::scratch::Scratch;
use super::view::Judge;
use crate::automaton::{self, front};
use crate::origin;
use crate::outcome::{Outcome, Partition, Reason};
use crate::rules::Verdict;
use crate::rules::chosen::is_always_allowed;

impl Judge<'_> {
    /// The outcome of a path in normal form that the automaton blocks, where that is `outcome`.
    #[inline]
    pub(crate) fn blocked(&self, path: &[u8], outcome: Outcome) -> Outcome {
        if is_always_allowed(path, self.policy.dialect()) {
            Outcome::new(Partition::Allowed, Reason::RobotsTxt)
        } else {
            outcome
        }
    }

    /// The outcome of any line, without its LF.
    pub fn judge_line(&self, line: &[u8], scratch: &mut Scratch) -> Outcome {
        let line = origin::trimmed(line);
        let (origin, rest) = match self.origin_of(line) {
            Ok((origin, end)) => (origin, &line[end..]),
            Err(reason) => return reason.into(),
        };
        let path = origin::path(rest);
        scratch.dot_segments += u64::from(origin::has_dot_segment(&path));
        let Some(record) = self.lookup.get(origin.as_bytes()) else { return self.decisions.unfetched };
        let route = Route::new(self.decisions.of(&record));
        self.judge_path(route, self.groups.automaton_of(record.row), &path, scratch)
    }

    /// The outcome of what follows the origin in a line, where that is the one in a slot.
    #[inline(never)]
    pub(crate) fn judge_rest(&self, slot: usize, rest: &[u8], scratch: &mut Scratch) -> Outcome {
        let end = rest.len() - rest.iter().rev().take_while(|&&byte| byte <= b' ').count();
        let path = origin::path(&rest[..end]);
        scratch.dot_segments += u64::from(origin::has_dot_segment(&path));
        let (route, automaton) = self.route(slot);
        self.judge_path(route, automaton, &path, scratch)
    }

    /// The outcome of a path as it stands in a URL, where the automaton decides if there is one.
    fn judge_path(&self, route: Route, automaton: u32, path: &[u8], scratch: &mut Scratch) -> Outcome {
        if !route.walks || automaton == 0 {
            return route.settled;
        }
        let [allowed, blocked] = route.outcomes;
        let automaton = front::words(self.automaton(automaton));
        let encoding = self.policy.dialect().encoding;
        // Most are settled before the first byte that a normal form could change.
        let kept = encoding.kept(path);
        if kept < path.len() && automaton::settled_by(automaton, &path[..kept]) == Some(Verdict::Allowed) {
            return allowed;
        }
        let normal = encoding.path(path);
        scratch.normalised += u64::from(matches!(normal, Cow::Owned(_)));
        match automaton::verdict(automaton, &normal, &mut scratch.walk) {
            Verdict::Allowed => allowed,
            Verdict::Blocked => self.blocked(&normal, blocked),
        }
    }

    /// The origin of a trimmed line in canonical form, and where it ends in the line.
    pub(crate) fn origin_of<'l>(&self, line: &'l [u8]) -> Result<(Cow<'l, str>, usize), origin::InvalidUrl> {
        if let Some(end) = origin::authority_end(line) {
            let key = &line[..end];
            if self.lookup.get(key).is_some() || origin::is_surely_canonical(key) {
                let key = std::str::from_utf8(key).map_err(|_| origin::InvalidUrl::Host)?;
                return Ok((Cow::Borrowed(key), end));
            }
        }
        origin::canonical(line).map(|(origin, end)| (Cow::Owned(origin), end))
    }
}
