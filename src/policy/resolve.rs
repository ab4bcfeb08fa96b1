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
    pub fn resolve(&self, known: &'c Known) -> Resolved {
        let newest = &known.newest;
        let (answer, end) = self.follow(known, newest);
        let StoredAnswer { origin_status, row, side, html_page } = answer;
        let mut state = OriginState { html_page, ..OriginState::new(origin_status, newest.answered) };
        if origin_status.is_definite() {
            return Resolved { state, row, side };
        }
        let Some((good, StoredAnswer { origin_status, row, side, html_page })) =
            self.last_good(known, end, origin_status)
        else {
            return Resolved { state, row: 0, side: 0 };
        };
        state.last_good = Some(LastGood { origin_status, times: good.answered.times() });
        state.html_page = html_page;
        Resolved { state, row, side }
    }

    /// The last good answer of an origin whose newest failed: its own, else that of the URL where its redirects end.
    fn last_good(
        &self,
        known: &'c Known,
        end: Option<&'c Known>,
        newest: OriginStatus,
    ) -> Option<(&'c KnownEntry, StoredAnswer)> {
        // The server has a robots.txt since it said that it was not modified, so a 404 before that is no longer true.
        let mut has_robots_txt = newest == OriginStatus::NotModified;
        let places = [Some(known), end];
        let mut earlier = places.into_iter().flatten().flat_map(|at| at.earlier().map(move |entry| (at, entry)));
        earlier.find_map(|(at, entry)| {
            let (answer, _) = self.follow(at, entry);
            has_robots_txt |= answer.origin_status == OriginStatus::NotModified;
            let is_refuted = has_robots_txt && answer.origin_status == OriginStatus::Unavailable;
            (answer.origin_status.is_definite() && !is_refuted).then_some((entry, answer))
        })
    }

    /// Follows the redirects of an entry to their end. Returns the answer there, and what is known of the last URL if redirects
    /// led to it.
    fn follow(&self, known: &'c Known, entry: &'c KnownEntry) -> (StoredAnswer, Option<&'c Known>) {
        self.follow_within(self.dialect.redirects.hops, known, entry, None)
    }

    /// Follows at most so many redirects; `end` is where the last one led.
    fn follow_within(
        &self,
        hops: u8,
        known: &'c Known,
        entry: &'c KnownEntry,
        end: Option<&'c Known>,
    ) -> (StoredAnswer, Option<&'c Known>) {
        let target = match &entry.meaning {
            StoredMeaning::Answer(answer) if answer.origin_status == OriginStatus::NotModified => {
                return (self.confirmed(hops, known).unwrap_or(*answer), end);
            }
            StoredMeaning::Answer(answer) => return (*answer, end),
            StoredMeaning::Redirect(target) => target.as_deref(),
        };
        let Some(next) = target.and_then(|url| self.urls.get(url)) else {
            return (StoredAnswer::without_rules(OriginStatus::RedirectUnresolved), None);
        };
        match hops.checked_sub(1) {
            Some(hops) => self.follow_within(hops, next, &next.newest, Some(next)),
            None => (StoredAnswer::without_rules(self.beyond()), Some(next)),
        }
    }

    /// What a chain of redirects means that is too long.
    fn beyond(&self) -> OriginStatus {
        match self.dialect.redirects.beyond {
            StatusMeaning::Unavailable => OriginStatus::Unavailable,
            _ => OriginStatus::RedirectUnresolved,
        }
    }

    /// The robots.txt that a 304 of this URL confirms: the newest that it served or redirected to, whatever else came between
    /// (RFC 9110 15.4.5: the crawler has it).
    fn confirmed(&self, hops: u8, known: &'c Known) -> Option<StoredAnswer> {
        let earlier = known.earlier().filter(|entry| !entry.is_not_modified());
        let mut ends = earlier.map(|entry| self.follow_within(hops, known, entry, None).0);
        ends.find(|answer| answer.origin_status == OriginStatus::RobotsTxt)
    }
}
