//! An origin of a live policy: derived from the answers on its redirect chain when it is asked for, as long as these stay the same.

use smallvec::SmallVec;
use std::sync::Arc;

use super::derived::{Derived, DerivedCache, DerivedRef, Place};
use super::file::LiveFile;
use super::state::{Gathering, LiveState, LiveUrl};
use crate::dialect::AnswerKind;
use crate::origin::ROBOTS_TXT;
use crate::policy::groups::Groups;
use crate::policy::image::{Record, Section};
use crate::policy::resolve::{FinalStatuses, Resolved};
use crate::policy::side_records;
use crate::policy::state::OriginState;
use crate::policy::url_answers::UrlAnswers;
use crate::preferences::SignalScope;
use crate::robots::SideRecord;

/// An origin that a live policy knows.
#[derive(Debug)]
pub(crate) enum LiveOrigin<'s> {
    /// Nothing newer can change it.
    OfBase(&'s LiveState, Record<'s>),
    /// Derived, with the file that has its rules, if they are not in the base.
    Derived(&'s LiveState, DerivedRef<'s>, Option<&'s LiveFile>),
}

impl LiveOrigin<'_> {
    pub fn state(&self) -> OriginState {
        match self {
            LiveOrigin::OfBase(_, record) => record.state(),
            LiveOrigin::Derived(_, derived, _) => derived.state,
        }
    }

    /// The statuses at the ends of its redirects.
    pub fn statuses(&self) -> FinalStatuses {
        match self {
            LiveOrigin::OfBase(state, record) => state.base.final_statuses(record),
            LiveOrigin::Derived(_, derived, _) => derived.statuses,
        }
    }

    /// The groups of its source, for the crawler that these columns answer for.
    pub fn groups<'g>(&'g self, columns: &'g [usize]) -> Groups<'g> {
        match self {
            LiveOrigin::Derived(_, _, Some(file)) => file.groups(columns),
            LiveOrigin::OfBase(state, _) | LiveOrigin::Derived(state, _, None) => {
                Groups::new(&state.base.image, columns)
            }
        }
    }

    /// The place of the row of its groups.
    pub fn row(&self) -> u32 {
        match self {
            LiveOrigin::OfBase(_, record) => record.row,
            LiveOrigin::Derived(_, derived, _) => derived.row,
        }
    }

    /// Its side records for a column, in the order of the file, with `Content-Signal` of this scope.
    pub fn side_records(&self, column: usize, scope: SignalScope) -> Vec<SideRecord<'_>> {
        let (derived, list) = match self {
            LiveOrigin::OfBase(state, record) => return state.base.side_records_with(record, column, scope),
            LiveOrigin::Derived(_, derived, Some(file)) => (derived, file.compared().side.item(derived.side)),
            LiveOrigin::Derived(state, derived, None) => {
                (derived, state.base.image.pool(Section::Side).item(derived.side))
            }
        };
        let mut records = side_records::decode(derived.own.as_deref().unwrap_or_default(), column, scope);
        records.extend(side_records::decode(list, column, scope));
        records
    }
}

/// Whether the state in a record follows from the origin's own answers alone, whatever others come: its newest answer is a verdict, and
/// no redirect.
fn stands_alone(record: &Record<'_>) -> bool {
    let is_redirect = |status: u16| (300..400).contains(&status);
    record.origin_status.is_definite() && !record.state().answered.status.is_some_and(is_redirect)
}

/// The text of an origin's robots.txt, without an allocation for most.
fn robots_url(origin: &[u8]) -> SmallVec<[u8; 128]> {
    let mut url = SmallVec::from_slice(origin);
    url.extend_from_slice(ROBOTS_TXT.as_bytes());
    url
}

impl LiveState {
    /// An origin in canonical form, if anything is known about it. The cache takes at most so many bytes.
    pub fn origin<'s>(&'s self, origin: &[u8], cache: &DerivedCache, most: usize) -> Option<LiveOrigin<'s>> {
        let url = robots_url(origin);
        let url = std::str::from_utf8(&url).ok()?;
        let newer = self.urls.get(url);
        if newer.is_none() {
            let record = self.base.lookup().get(origin)?;
            if stands_alone(&record) {
                return Some(LiveOrigin::OfBase(self, record));
            }
        }
        let newer = newer.map(|newer| &**newer);
        let known = match newer {
            Some(newer) => self.known(newer),
            None => cache.get(origin).map(DerivedRef::Shared),
        };
        if let Some(derived) = known
            && let Some(file) = self.current(&derived, newer)
        {
            return Some(LiveOrigin::Derived(self, derived, file));
        }
        let derived = Arc::new(self.derive(url)?);
        match newer {
            Some(newer) => newer.derived.store(Some(Arc::clone(&derived))),
            None => cache.insert(origin, &derived, most),
        }
        let file = self.current(&derived, newer)?;
        Some(LiveOrigin::Derived(self, DerivedRef::Shared(derived), file))
    }

    /// The last state that was derived for the origin of a URL with newer answers. It may be out of date.
    fn known<'s>(&self, newer: &'s LiveUrl) -> Option<DerivedRef<'s>> {
        match newer.own.get().filter(|derived| derived.generation == self.generation) {
            Some(derived) => Some(DerivedRef::Own(derived)),
            None => newer.derived.load_full().map(DerivedRef::Shared),
        }
    }

    /// Whether it holds for this version, in which its own URL has these newer answers; if so, the file with its rules, if they are not
    /// in the base.
    fn current<'s>(&'s self, derived: &Derived, own: Option<&'s LiveUrl>) -> Option<Option<&'s LiveFile>> {
        if derived.generation != self.generation {
            return None;
        }
        let mut with_rules = None;
        for (number, (url, version)) in (0..).zip(&derived.asked) {
            let newer = if number == 0 { own } else { self.urls.get(&**url).map(|newer| &**newer) };
            if newer.map_or(0, |newer| newer.version) != *version {
                return None;
            }
            if let Place::File(asked, file) = derived.place
                && asked == number
            {
                with_rules = newer.and_then(|newer| newer.files.get(file as usize));
            }
        }
        Some(with_rules)
    }

    /// Derives the origin with this robots.txt now, unless other URLs count for it: so the first URL that is judged after a put does not wait.
    pub(super) fn derive_ahead(&self, url: &str) {
        let Some(newer) = self.urls.get(url).filter(|_| url.ends_with(ROBOTS_TXT)) else { return };
        let leads_on = |kept: &UrlAnswers| kept.of_kind(AnswerKind::Redirect).is_some();
        if !leads_on(&newer.stored.kept)
            && let Some(derived) = self.derive(url)
            && derived.asked.len() == 1
        {
            // It was set before if the put changed nothing.
            let _ = newer.own.set(derived);
        }
    }

    /// What follows for the origin with this robots.txt; `None` if nothing is known about it.
    fn derive(&self, url: &str) -> Option<Derived> {
        let mut gathering = Gathering::new(self);
        let known = gathering.known(url).filter(|known| !known.is_empty())?;
        let of_hop = |url: &str| gathering.known(url).map(|known| known.kept);
        let mut resolved = Resolved::of(&known.kept, self.base.dialect(), of_hop);
        let mut own = None;
        if let Some(placement) = &known.placement {
            placement.apply(&mut resolved);
            own = placement.side_records().map(Vec::into_boxed_slice);
        }
        let Resolved { state, rules, statuses } = resolved;
        let Gathering { places, asked, .. } = gathering;
        let (place, generation) = (places[rules.source as usize], self.generation);
        Some(Derived { generation, asked, state, statuses, place, row: rules.row, side: rules.side, own })
    }

    /// The URLs that the state of an origin depends on.
    pub(super) fn urls_of(&self, origin: &[u8]) -> impl Iterator<Item = Arc<str>> + use<> {
        let url = robots_url(origin);
        let derived = std::str::from_utf8(&url).ok().and_then(|url| self.derive(url));
        derived.into_iter().flat_map(|derived| derived.asked).map(|(url, _)| url)
    }
}
