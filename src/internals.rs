//! What the tests, benchmarks and fuzz targets of this repository use besides the front. It is no part of the promise: any version may
//! change it.
//!
//! Modules have what their namesakes in the crate have. Traits give public types the methods of this crate that are not public.

#[cfg(feature = "batch")]
use std::convert::Infallible;

#[cfg(feature = "batch")]
use crate::export::Export;
use crate::judge::Choices;
use crate::policy::{Capture, Crawler, LivePolicy, Policy, Put, Statistics};
use crate::robots::{GroupOrigin, SideRecord};
use crate::rules::{ChosenRules, Patterns, Verdict};
use crate::{Dialect, Matcher, RuleSet};

pub mod automaton {
    //! Automata.
    pub use crate::automaton::*;
}

pub mod dialect {
    //! The axes of dialects.
    pub use crate::dialect::*;
}

pub mod formats {
    //! Compression and times.
    pub use crate::formats::*;
}

#[cfg(feature = "batch")]
pub mod input {
    //! Lists.
    pub use crate::input::*;
}

pub mod judge {
    //! Judging.
    pub use crate::judge::*;
}

pub mod policy {
    //! What a policy consists of.
    pub use crate::policy::groups::{Group, Groups};
    pub use crate::policy::image::{Record, Trust};
    pub use crate::policy::lookup::Lookup;
    pub use crate::policy::resolve::FinalStatuses;
    pub use crate::policy::state::{LastGood, OriginState, OverrideState, Times};
}

pub mod preferences {
    //! Preferences about uses of pages.
    pub use crate::preferences::*;
}

pub mod robots {
    //! Files.
    pub use crate::robots::*;
}

pub mod rules {
    //! Rules.
    pub use crate::rules::*;
}

#[cfg(feature = "batch")]
pub mod show {
    //! What people see.
    use std::path::Path;
    use std::sync::atomic::AtomicU64;

    use crate::output::folder::REPORT;
    use crate::policy::Policy;
    pub use crate::show::inspect::dot::dot;
    use crate::show::report::Report;

    /// Writes a report on the run in a folder, by a policy if one is given.
    pub fn report(folder: &Path, policy: Option<&Policy>, threads: usize) -> Result<(), Box<dyn std::error::Error>> {
        let mut report = Report::read(folder, 9)?;
        if let Some(policy) = policy {
            report.explain(policy, threads, &AtomicU64::new(0))?;
        }
        Ok(report.write_file(&folder.join(REPORT))?)
    }
}

/// [`crate::origin`].
pub mod origin {
    use crate::origin;

    /// The end of the authority.
    pub fn cut(line: &[u8]) -> Option<usize> {
        origin::cut(line)
    }

    /// Whether an origin is certainly canonical.
    pub fn is_surely_canonical(origin: &[u8]) -> bool {
        origin::is_surely_canonical(origin)
    }
}

/// Defines a trait with methods of a public type that are not public.
macro_rules! opened {
    ($(#[$meta:meta])* $Trait:ident for $Type:ty {
        $(fn $name:ident $(<$life:lifetime>)? (&$($self_life:lifetime)? self $(, $arg:ident: $Arg:ty)*) -> $Out:ty;)+
    }) => {
        $(#[$meta])*
        pub trait $Trait {
            $(
                #[doc = concat!("`", stringify!($Type), "::", stringify!($name), "`")]
                fn $name $(<$life>)? (&$($self_life)? self $(, $arg: $Arg)*) -> $Out;
            )+
        }

        impl $Trait for $Type {
            $(
                fn $name $(<$life>)? (&$($self_life)? self $(, $arg: $Arg)*) -> $Out {
                    <$Type>::$name(self $(, $arg)*)
                }
            )+
        }
    };
}

opened! {
    /// What a policy consists of.
    PolicyParts for Policy {
        fn lookup(&self) -> policy::Lookup<'_>;
        fn changed(&self) -> Option<&Policy>;
        fn final_statuses(&self, record: &policy::Record<'_>) -> policy::FinalStatuses;
        fn origin(&self, origin: &[u8]) -> Option<(&Policy, policy::Record<'_>)>;
        fn groups<'p>(&'p self, crawler: &'p Crawler) -> policy::Groups<'p>;
        fn rules(&self, group: policy::Group, column: usize) -> ChosenRules;
        fn side_records(&self, record: &policy::Record<'_>, column: usize) -> Vec<SideRecord<'_>>;
    }
}

opened! {
    /// What a matcher judges by.
    MatcherParts for Matcher {
        fn view(&self) -> judge::JudgeView<'_>;
    }
}

opened! {
    /// What a set of rules consists of.
    RuleSetParts for RuleSet {
        fn verdict_with(&self, path: &[u8], scratch: &mut automaton::Scratch) -> Verdict;
        fn chosen(&self) -> &ChosenRules;
        fn origin(&self) -> GroupOrigin;
        fn patterns(&self) -> &Patterns;
    }
}

/// A matcher for a crawler of a policy.
pub fn matcher(policy: &Policy, crawler: Crawler, choices: Choices) -> Matcher {
    Matcher::new(policy, crawler, choices)
}

/// Puts a capture, whose URL is canonical and which needs no time, into a live policy.
pub fn put_capture(live: &LivePolicy, capture: Capture) -> Result<Put, crate::policy::Error> {
    live.put_capture(capture)
}

/// A policy from the bytes of its file.
pub fn policy_from(bytes: &[u8], trust: policy::Trust) -> Result<Policy, crate::policy::Error> {
    Policy::from_bytes_with(bytes, trust)
}

/// The number of captures that statistics count, without which they are those of a file.
pub fn of_file(statistics: &Statistics) -> Statistics {
    Statistics { captures: Default::default(), warc: Default::default(), first_tie: None, ..statistics.clone() }
}

/// How many URLs have tied answers of one time, and without a time; and the first of them.
pub fn ties(statistics: &Statistics) -> (u64, u64, Option<String>) {
    (statistics.captures.same_time, statistics.captures.without_time, statistics.first_tie.clone())
}

/// How many records of archives were damaged.
pub fn bad_records(statistics: &Statistics) -> u64 {
    statistics.warc.bad_records
}

#[cfg(feature = "batch")]
/// All rows of a table, as text for programmers.
pub fn rows(export: &Export<'_>) -> Vec<String> {
    let mut rows = Vec::new();
    let Ok(()) = export.rows(&mut |row| {
        rows.push(format!("{row:?}"));
        Ok::<(), Infallible>(())
    });
    rows
}

/// The axes of a dialect, as values.
pub trait Axes {
    /// The meaning of a status.
    fn status_meaning(&self, status: u16) -> dialect::StatusMeaning;
    /// The path that is judged.
    fn url_path(&self) -> dialect::UrlPath;
    /// How percent-encoding is compared.
    fn encoding(&self) -> dialect::Encoding;
    /// How many bytes of a file are read.
    fn file_limit(&self) -> usize;
    /// How redirects are followed.
    fn redirects(&self) -> dialect::Redirects;
    /// How long an answer may be used.
    fn lifetime(&self) -> dialect::Lifetime;
    /// The meaning of a crawl delay.
    fn crawl_delay(&self) -> dialect::CrawlDelay;
}

impl Axes for Dialect {
    fn status_meaning(&self, status: u16) -> dialect::StatusMeaning {
        Dialect::status_meaning(self, status)
    }

    fn url_path(&self) -> dialect::UrlPath {
        self.url_path
    }

    fn encoding(&self) -> dialect::Encoding {
        self.encoding
    }

    fn file_limit(&self) -> usize {
        self.file_limit
    }

    fn redirects(&self) -> dialect::Redirects {
        self.redirects
    }

    fn lifetime(&self) -> dialect::Lifetime {
        self.lifetime
    }

    fn crawl_delay(&self) -> dialect::CrawlDelay {
        self.crawl_delay
    }
}
