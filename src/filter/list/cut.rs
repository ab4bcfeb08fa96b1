//! Lists that are cut short by somebody else while they are read, where what is missing is to be left out.
//!
//! Nothing that was read before is another text for it. Of a map, the lines up to the cut are still there; what is read
//! otherwise ends there, as it does where a file is damaged.

use super::regular::FileState;
use super::{Content, List};
use crate::filter::FilterError;

/// What is missing of a list.
#[derive(Debug)]
pub(in crate::filter) struct Cut {
    /// What its file was when that was noticed: if it changes again, nothing is known of it.
    state: FileState,
    /// The octet of its text from which on it is missing, if it is mapped.
    from: Option<u64>,
    /// Where the last whole line before that ends.
    pub at: Option<u64>,
    /// Why.
    pub problem: String,
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
            FilterError::ListCut { at, .. } => at,
            FilterError::List { .. } => self.lost().ok_or_else(changed)?,
            other => return Err(other),
        };
        let new = || {
            let range = self.range();
            let text = self.mapped().map(|text| &text[range.start..(lost as usize).clamp(range.start, range.end)]);
            let whole = text.map(|text| memchr::memrchr(b'\n', text).map_or(0, |end| end + 1));
            let at = whole.map(|whole| (range.start + whole) as u64);
            Cut { state: state.clone(), from: at.is_some().then_some(lost), at, problem: failure.problem() }
        };
        let cut = self.cut.get_or_init(new);
        let is_same = cut.state == state && cut.from.is_none_or(|from| self.lost().is_none_or(|lost| lost >= from));
        if is_same { Ok(Some(cut)) } else { Err(changed()) }
    }

    /// Where what is missing of a map begins, if that was noticed, and is to be left out. Costs nothing otherwise.
    pub fn ends_at(&self) -> Result<Option<u64>, FilterError> {
        if !self.skips_bad || self.lost().is_none() && self.cut.get().is_none() {
            return Ok(None);
        }
        Ok(self.cut()?.and_then(|cut| cut.at))
    }

    /// The octet of a map that was missing when it was wanted, if there was one.
    fn lost(&self) -> Option<u64> {
        match &self.content {
            Content::Mapped { map, .. } => map.lost().map(|lost| lost as u64),
            _ => None,
        }
    }
}
