//! Resolves an origin's answer from all captures: follows redirects, and finds the last good answer if the newest failed.

use super::known::{Known, KnownEntry, Placed, Urls};
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

/// The end of a chain of redirects.
struct End<'c> {
    standing: OriginStatus,
    row: u32,
    side: u32,
    html_page: bool,
    /// The last URL of the chain, if it is known and redirects led to it.
    at: Option<&'c Known>,
}

impl<'c> Resolver<'c> {
    pub fn resolve(&self, known: &Known) -> Resolved {
        let newest = &known.newest;
        let end = self.follow(newest);
        let mut state = OriginState { html_page: end.html_page, ..OriginState::new(end.standing, newest.answered) };
        if end.standing.is_definite() {
            return Resolved { state, row: end.row, side: end.side };
        }
        // The last good answer of the origin itself, else that of the URL where its redirects end.
        let mut goods = known.earlier().chain(end.at.into_iter().flat_map(Known::earlier));
        let good = goods.find_map(|good| Some((good, self.follow(good))).filter(|(_, end)| end.standing.is_definite()));
        let Some((good, last)) = good else {
            return Resolved { state, row: 0, side: 0 };
        };
        state.last_good = Some(LastGood { standing: last.standing, times: good.answered.times() });
        state.html_page = last.html_page;
        Resolved { state, row: last.row, side: last.side }
    }

    /// Follows the redirects of an entry to their end.
    fn follow(&self, entry: &KnownEntry) -> End<'c> {
        let mut end = End { standing: OriginStatus::RedirectUnresolved, row: 0, side: 0, html_page: false, at: None };
        let mut meaning = &entry.meaning;
        for _ in 0..=self.dialect.redirects.hops {
            let target = match meaning {
                &Placed::Known { standing, row, side, html_page } => {
                    return End { standing, row, side, html_page, ..end };
                }
                Placed::Redirect(target) => target.as_deref(),
            };
            end.at = target.and_then(|url| self.urls.get(url)).map(|known| &**known);
            let Some(next) = end.at else { return end };
            meaning = &next.newest.meaning;
        }
        if self.dialect.redirects.beyond == StatusMeaning::Unavailable {
            end.standing = OriginStatus::Unavailable;
        }
        end
    }
}
