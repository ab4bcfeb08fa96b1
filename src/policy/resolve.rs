//! The answer of an origin, by its captures: redirects followed among all captures, and the last good answer beside a
//! failure.

use super::known::{Known, KnownEntry, Placed, Urls};
use super::state::{Answered, LastGood, OriginState, OriginStatus, OverrideState};
use crate::dialect::{Dialect, StatusMeaning};

/// All captures, to be asked about one origin after the other.
pub(super) struct Resolver<'c> {
    pub urls: &'c Urls,
    pub dialect: &'static Dialect,
}

/// The answers of an origin, resolved.
pub(super) struct Resolved {
    pub state: OriginState,
    /// The row and the side records in use.
    pub row: u32,
    pub side: u32,
}

impl Resolved {
    /// An origin whose robots.txt was never asked for.
    pub fn unfetched() -> Resolved {
        let (answered, word) = (Answered::default(), OverrideState::default());
        let state =
            OriginState { standing: OriginStatus::Unfetched, answered, last_good: None, html_page: false, word };
        Resolved { state, row: 0, side: 0 }
    }
}

/// Where redirects end.
struct End<'c> {
    standing: OriginStatus,
    row: u32,
    side: u32,
    html_page: bool,
    /// The last URL, if redirects led to one that is known.
    at: Option<&'c Known>,
}

impl<'c> Resolver<'c> {
    pub fn resolve(&self, known: &Known) -> Resolved {
        let newest = &known.newest;
        let end = self.follow(newest);
        let mut state = OriginState {
            standing: end.standing,
            answered: newest.answered,
            last_good: None,
            html_page: end.html_page,
            word: OverrideState::default(),
        };
        if end.standing.is_definite() {
            return Resolved { state, row: end.row, side: end.side };
        }
        // The last good answer of the origin itself, else that of where its redirects end.
        let mut goods = known.earlier().chain(end.at.into_iter().flat_map(Known::earlier));
        let good = goods.find_map(|good| Some((good, self.follow(good))).filter(|(_, end)| end.standing.is_definite()));
        let Some((good, last)) = good else {
            return Resolved { state, row: 0, side: 0 };
        };
        state.last_good = Some(LastGood { standing: last.standing, times: good.answered.times() });
        state.html_page = last.html_page;
        Resolved { state, row: last.row, side: last.side }
    }

    /// The answer at the end of an entry's redirects.
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
