//! Resolves an origin's answer from all captures: follows redirects, and finds the last good answer if the newest failed.

use super::known::{Known, KnownEntry, StoredAnswer, StoredMeaning, Urls};
use super::state::{Answered, LastGood, OriginState, OriginStatus};
use crate::dialect::{Dialect, StatusMeaning};

/// All captures, for resolving origins one by one.
pub(super) struct Resolver<'c> {
    pub urls: &'c Urls,
    pub dialect: &'static Dialect,
}

/// The resolved answer of an origin.
pub(super) struct Resolved {
    pub state: OriginState,
    /// The row and the side records in use.
    pub row: u32,
    pub side: u32,
}

impl Resolved {
    /// An origin whose robots.txt was never requested.
    pub fn unfetched() -> Resolved {
        let state = OriginState::new(OriginStatus::Unfetched, Answered::default());
        Resolved { state, row: 0, side: 0 }
    }
}

impl<'c> Resolver<'c> {
    pub fn resolve(&self, known: &Known) -> Resolved {
        let newest = &known.newest;
        let (answer, end) = self.follow(newest);
        let StoredAnswer { origin_status, row, side, html_page } = answer;
        let mut state = OriginState { html_page, ..OriginState::new(origin_status, newest.answered) };
        if origin_status.is_definite() {
            return Resolved { state, row, side };
        }
        // The last good answer of the origin itself, else that of the URL where its redirects end.
        let mut earlier = known.earlier().chain(end.into_iter().flat_map(Known::earlier));
        let good = earlier.find_map(|good| {
            Some((good, self.follow(good).0)).filter(|(_, answer)| answer.origin_status.is_definite())
        });
        let Some((good, StoredAnswer { origin_status, row, side, html_page })) = good else {
            return Resolved { state, row: 0, side: 0 };
        };
        state.last_good = Some(LastGood { origin_status, times: good.answered.times() });
        state.html_page = html_page;
        Resolved { state, row, side }
    }

    /// Follows the redirects of an entry to their end. Returns the answer there, and what is known of the last URL if redirects
    /// led to it.
    fn follow(&self, entry: &KnownEntry) -> (StoredAnswer, Option<&'c Known>) {
        let (mut meaning, mut at) = (&entry.meaning, None);
        for _ in 0..=self.dialect.redirects.hops {
            let target = match meaning {
                StoredMeaning::Answer(answer) => return (*answer, at),
                StoredMeaning::Redirect(target) => target.as_deref(),
            };
            at = target.and_then(|url| self.urls.get(url)).map(|known| &**known);
            let Some(next) = at else { return (StoredAnswer::without_rules(OriginStatus::RedirectUnresolved), None) };
            meaning = &next.newest.meaning;
        }
        let origin_status = match self.dialect.redirects.beyond {
            StatusMeaning::Unavailable => OriginStatus::Unavailable,
            _ => OriginStatus::RedirectUnresolved,
        };
        (StoredAnswer::without_rules(origin_status), at)
    }
}
