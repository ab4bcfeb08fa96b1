//! How an origin changed for some crawlers.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;

use crate::automaton;
use crate::policy::OriginStatus;
use crate::show::access::GroupKind;

named! {
    /// How an origin changed for some crawlers, by the operator's choices.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[non_exhaustive]
    pub enum Change {
        /// It is in the newer policy only.
        Came = "came",
        /// It is in the older policy only.
        Went = "went",
        /// There was a verdict on each path, and now there is none: it cannot be fetched, or is paused.
        NowDeferred = "now-deferred",
        /// There was no verdict, and now there is one on each path.
        WasDeferred = "was-deferred",
        /// Some paths are blocked that were allowed, and none the other way.
        NowBlocked = "now-blocked",
        /// Some paths are allowed that were blocked, and none the other way.
        NowAllowed = "now-allowed",
        /// Some paths are blocked that were allowed, and others are allowed that were blocked.
        Both = "both",
        /// The rules differ, but are too intricate to find out whether a path has another verdict.
        Undecided = "undecided",
        /// The origin has another status, but no path can tell.
        Status = "status",
        /// Another group applies, but no path can tell.
        Group = "group",
        /// The rules are written otherwise, but no path can tell.
        Rewritten = "rewritten",
        /// Something else is said about uses of a page that both policies allow; or a record about uses that no verdict depends on,
        /// such as a `License`, came or went. It is reported beside other changes.
        Preferences = "preferences",
        /// The lines about uses differ, but are too intricate to find out whether they say something else of a page.
        PreferencesUndecided = "preferences-undecided",
    }
}

impl Change {
    /// Whether it is told by the paths that may be fetched, or by none that may be.
    pub(super) fn is_of_paths(&self) -> bool {
        !matches!(self, Change::Group | Change::Rewritten)
    }
}

/// A path that shows a change, or a record that does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path, in normal form. It can be asked for, and is among the shortest that show the change. Empty if a record shows it.
    pub path: Vec<u8>,
    /// What the older policy says: `allowed` or `blocked`, or what is said of a use, such as `train-ai=y`; or the record that is only
    /// kept, such as `license: URL`, and empty if there is none.
    pub was: String,
    /// What the newer policy says.
    pub now: String,
}

/// The paths that show a change, and the records that do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// Some of the differences: paths, the nearest first, and then records.
    pub shown: Vec<Difference>,
    /// How many there are.
    pub count: u64,
    /// Whether these are all: if not, rules are too intricate to tell.
    pub are_all: bool,
}

impl Differences {
    /// What automata found, with what is told of a path.
    pub(super) fn of<T: Copy + PartialEq>(
        found: automaton::Differences<T>,
        tell: impl Fn(T) -> [String; 2],
    ) -> Differences {
        let count = found.count();
        let told = |one: automaton::Difference<T>| {
            let [was, now] = tell(one.told);
            Difference { path: one.path, was, now }
        };
        Differences { shown: found.shown.into_iter().map(told).collect(), count, are_all: found.are_all }
    }

    /// Adds others; at most `shown` paths and as many records stay.
    pub(super) fn add(&mut self, other: Differences, shown: usize) {
        let is_record = |difference: &Difference| difference.path.is_empty();
        self.shown.extend(other.shown);
        self.shown.sort_by_key(|difference| (is_record(difference), difference.path.len()));
        let mut left = [shown; 2];
        self.shown.retain(|difference| {
            let left = &mut left[usize::from(is_record(difference))];
            let stays = *left > 0;
            *left = left.saturating_sub(1);
            stays
        });
        self.count += other.count;
        self.are_all &= other.are_all;
    }
}

/// A change of an origin, and the crawlers for which it is the same.
#[derive(Debug, Clone)]
pub struct OriginChange<'p> {
    /// The origin.
    pub(crate) origin: &'p [u8],
    /// How it changed.
    pub(crate) change: Change,
    /// The names of the crawlers, by number: see [`Diff::names`](super::Diff::names).
    pub(crate) crawlers: Arc<[u16]>,
    /// The paths that changed, and records that are only kept, if both policies have verdicts.
    pub(crate) differences: Arc<Differences>,
    /// Whose group applied, and whose applies now.
    pub(crate) groups: [GroupKind; 2],
    /// The name of the origin's status before and now; `None` where it is not in the policy.
    pub(crate) statuses: [Option<&'static str>; 2],
}

impl<'p> OriginChange<'p> {
    /// The origin.
    pub fn origin(&self) -> &'p [u8] {
        self.origin
    }

    /// How it changed.
    pub fn change(&self) -> Change {
        self.change
    }

    /// The names of the crawlers, by number: see [`Diff::names`](super::Diff::names).
    pub fn crawlers(&self) -> &[u16] {
        &self.crawlers
    }

    /// Some of what shows the change: paths, the nearest first, and then records. Each has what the older policy says and what the
    /// newer one says: `allowed` or `blocked`, or a preference such as `train-ai=y`. A path is in normal form, can be asked for,
    /// and is among the shortest that show the change. A difference without a path is a record that no verdict depends on, such as
    /// `license: URL`, which is empty where the policy has none.
    pub fn differences(&self) -> impl Iterator<Item = (&[u8], &str, &str)> {
        self.differences.shown.iter().map(|shown| (&*shown.path, &*shown.was, &*shown.now))
    }

    /// How many of them there are; `None` if rules are too intricate to tell.
    pub fn count(&self) -> Option<u64> {
        self.differences.are_all.then_some(self.differences.count)
    }
}

/// With the origin and the paths as text, in which invalid UTF-8 is replaced.
impl Serialize for OriginChange<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'c> {
            path: Cow<'c, str>,
            was: &'c str,
            now: &'c str,
        }
        let shown = |(path, was, now)| Shown { path: String::from_utf8_lossy(path), was, now };
        let mut fields = serializer.serialize_struct("OriginChange", 7)?;
        fields.serialize_field("origin", &String::from_utf8_lossy(self.origin))?;
        fields.serialize_field("change", &self.change)?;
        fields.serialize_field("crawlers", self.crawlers())?;
        fields.serialize_field("groups", &self.groups)?;
        fields.serialize_field("statuses", &self.statuses)?;
        fields.serialize_field("differences", &self.differences().map(shown).collect::<Vec<_>>())?;
        fields.serialize_field("count", &self.count())?;
        fields.end()
    }
}

/// How a group changed for some crawlers, whatever the origin.
#[derive(Debug, Clone)]
pub(super) struct GroupChange {
    /// `None` if no path can tell, and the rules are the same.
    pub change: Option<Change>,
    pub crawlers: Arc<[u16]>,
    pub differences: Arc<Differences>,
    pub groups: [GroupKind; 2],
}

impl GroupChange {
    /// The change of an origin that has these groups. `None` if nothing changed.
    pub fn of_origin<'p>(
        &self,
        origin: &'p [u8],
        statuses: [Option<OriginStatus>; 2],
        change: Option<Change>,
    ) -> Option<OriginChange<'p>> {
        let [was, now] = statuses;
        let of_status = (was != now).then_some(Change::Status);
        let change = change.or(self.change.filter(Change::is_of_paths)).or(of_status).or(self.change)?;
        Some(OriginChange {
            origin,
            change,
            crawlers: Arc::clone(&self.crawlers),
            differences: Arc::clone(&self.differences),
            groups: self.groups,
            statuses: statuses.map(|status| status.map(OriginStatus::name)),
        })
    }
}
