//! Lists that are cut short by somebody else while they are read, where what is missing is to be left out.
//!
//! Nothing that was read before is another text for it. Of a map, the lines up to the cut are still there; what is read
//! otherwise ends there, as it does where a file is damaged.

use std::sync::Mutex;

use super::List;
use super::regular::FileState;
use crate::filter::FilterError;
use crate::filter::sequence::lock;

/// What is missing of a list.
#[derive(Debug)]
pub(in crate::filter) struct Cut {
    /// What its file was when that was noticed: if it changes again, nothing is known of it.
    state: Mutex<FileState>,
    /// The octet of its text from which on it is missing, if it is mapped.
    from: Option<u64>,
    /// Where the last whole line before that ends.
    pub at: Option<u64>,
    /// Why.
    pub problem: String,
}

impl Cut {
    /// Whether the file, which was `opened` as that, is still what it was cut to. A system may tell the new length some time
    /// before it tells that the file was changed.
    fn is_still(&self, opened: &FileState, now: FileState) -> bool {
        let mut known = lock(&self.state);
        if known.length == now.length && known.modified == opened.modified {
            *known = now;
            return true;
        }
        *known == now
    }
}

impl List {
    /// Makes sure that a file is the one that was opened, but for its end, where what cannot be read is left out. Returns what
    /// is missing; of a map, it cannot be read, from its last whole line on.
    pub fn cut(&self) -> Result<Option<&Cut>, FilterError> {
        let failure = match self.unchanged() {
            Ok(()) if self.cut.get().is_none() => return Ok(None),
            Err(failure) if !self.skips_bad => return Err(failure),
            unchanged => unchanged.err(),
        };
        let changed = || FilterError::ListChanged { path: self.path.clone() };
        let (Some(failure), Some(file)) = (failure, self.content.file()) else { return Err(changed()) };
        let state = file.state_now(&self.path)?;
        let lost = match failure {
            FilterError::ListCut { at, .. } if at == state.length => at,
            FilterError::ListCut { .. } => return Err(changed()),
            FilterError::List { .. } => self.content.lost().ok_or_else(changed)? as u64,
            other => return Err(other),
        };
        let new = || {
            let range = self.range();
            let text = self.mapped().map(|text| &text[range.start..(lost as usize).clamp(range.start, range.end)]);
            let whole = text.map(|text| memchr::memrchr(b'\n', text).map_or(0, |end| end + 1));
            let at = whole.map(|whole| (range.start + whole) as u64);
            Cut { state: Mutex::new(state.clone()), from: at.is_some().then_some(lost), at, problem: failure.problem() }
        };
        let cut = self.cut.get_or_init(new);
        let is_whole_before = cut.from.is_none_or(|from| self.content.lost().is_none_or(|lost| lost as u64 >= from));
        if is_whole_before && cut.is_still(&file.state, state) { Ok(Some(cut)) } else { Err(changed()) }
    }

    /// The same, if something of a map was missing when it was wanted; costs nothing otherwise.
    pub fn noticed_cut(&self) -> Result<Option<&Cut>, FilterError> {
        if self.content.lost().is_none() && self.cut.get().is_none() { Ok(None) } else { self.cut() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_time_may_follow_a_length_and_nothing_else() {
        let state = |length, seconds| FileState {
            length,
            modified: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)),
        };
        let cut = || Cut { state: Mutex::new(state(5, 1)), from: None, at: None, problem: String::new() };
        let opened = state(9, 1);
        let all_still = |states: &[FileState]| {
            let cut = cut();
            states.iter().all(|now| cut.is_still(&opened, now.clone()))
        };
        assert!(all_still(&[state(5, 1), state(5, 1), state(5, 2), state(5, 2)]));
        assert!(!all_still(&[state(5, 2), state(5, 3)]), "changed after it was cut");
        assert!(!all_still(&[state(5, 2), state(5, 1)]));
        assert!(!all_still(&[state(4, 1)]) && !all_still(&[state(9, 1)]));
    }
}
