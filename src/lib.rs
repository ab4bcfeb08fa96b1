//! A compiled-automaton, high-throughput batch filter for robots.txt.
//!
//! A crawl asks the same question billions of times: may this URL be fetched? The answer of a robots.txt is fixed
//! before any URL arrives. So robosieve compiles the robots.txt files of many origins into automata, for the crawler's
//! own user agent, and streams URL lists through them.
//!
//! # Where to start
//!
//! | you have | use |
//! |---|---|
//! | one robots.txt and paths of its site | [`RuleSet`] |
//! | answers for robots.txt files as they arrive, and URLs, in a crawler | [`LivePolicy`] |
//! | the robots.txt files of many origins, from a crawl, an archive or a folder | [`policy::Captures`], which becomes a [`Policy`] |
//! | a policy file | [`Policy`] |
//! | a policy, and URLs in your program, one or many at a time | [`Matcher`] |
//! | a policy, and lists of URLs in files, to be split into files with a receipt | [`run::Job`] |
//!
//! [`Matchers`] judges for several crawlers at once, and [`SameUrl`] tells which URLs are the same. [`run::verify()`] proves a receipt again
//! and [`run::join()`] joins those of shards. [`inspect`] shows what a policy contains, [`export`] makes tables of it, and [`diff`] compares
//! two. [`lint::check()`] shows the author of a robots.txt what probably went wrong. [`Dialect`] is the reading of robots.txt: RFC 9309,
//! unless you choose another.
//!
//! One file and one path:
//!
//! ```
//! use robosieve::{Dialect, RuleSet, Verdict};
//!
//! let file = b"User-agent: *\nDisallow: /private\nAllow: /private/*.html$\n";
//! let rules = RuleSet::compile(file, &"examplebot".parse()?, Dialect::DEFAULT);
//! assert_eq!(rules.verdict("/private/notes"), Verdict::Blocked);
//! assert_eq!(rules.verdict("/private/a.html"), Verdict::Allowed);
//! assert_eq!(rules.explain("/private/a.html").rule.unwrap().line, 3);
//! # Ok::<(), robosieve::ValueError>(())
//! ```
//!
//! Many origins and many URLs: open a policy file, or build a policy from [`policy::Captures`], and query its
//! [`Matcher`]:
//!
//! ```
//! use robosieve::policy::{Captures, source};
//! use robosieve::{Agents, Dialect, Partition};
//!
//! let mut captures = Captures::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
//! source::add(&["datasets/sites"], &source::Options::default(), &mut captures)?;
//! let matcher = captures.policy()?.matcher("examplebot")?;
//!
//! let urls = ["https://unknown.example/", "not a URL"];
//! let mut outcomes = Vec::new();
//! matcher.judge_all(&urls, &mut outcomes);
//! assert_eq!(outcomes[0].partition(), Partition::Deferred);
//! assert_eq!(outcomes[1].partition(), Partition::Invalid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features and versions
//!
//! | feature | |
//! |---|---|
//! | `parquet` (default) | Parquet sources, lists and outputs: four dozen crates |
//! | `warc` (default) | WARC archives as sources |
//! | `cli` (default) | the program `robosieve`; a library needs it never |
//!
//! To match URLs only, you need none of them: `robosieve = { version = "0.1", default-features = false }`. The minimum Rust is 1.89.
//!
//! Errors are [`ValueError`] for texts that are no values, [`policy::Error`] and [`run::Error`]: each has a kind, a message that says what
//! to do, and a source. What [`inspect`], [`diff`] and [`lint`] return serialises, and so does the receipt of a run.
//!
//! # Threads
//!
//! No call leaves a thread behind: the threads that it starts have ended when it returns. So a process may fork between two
//! calls, and the child may make any. [`run::Job::threads`](field@run::Job::threads) and [`run::verify()`] take a number of threads;
//! other calls with much work use all processors, or as many as the environment variable `RAYON_NUM_THREADS` says. In a thread of a
//! rayon pool they use that pool instead.
#![deny(missing_docs)]
// What nobody can name, nobody can use: no type of an internal module may be part of the public interface.
#![cfg_attr(not(feature = "internals"), deny(unnameable_types))]
// Some of it is only there for the program, or for tests and benchmarks.
#![cfg_attr(not(all(feature = "cli", feature = "internals")), allow(dead_code, unused_imports))]

#[macro_use]
mod error;
#[macro_use]
mod named;

mod automaton;
#[cfg(feature = "cli")]
pub mod cli;
mod dialect;
mod formats;
#[cfg(feature = "batch")]
mod input;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod judge;
#[cfg(feature = "batch")]
pub mod lint;
mod lock;
#[cfg(feature = "batch")]
mod monitor;
pub mod origin;
mod outcome;
#[cfg(feature = "batch")]
mod output;
pub mod policy;
mod preferences;
#[cfg(feature = "batch")]
#[doc(hidden)]
pub mod python_package;
#[cfg(test)]
mod rng;
mod robots;
mod rules;
#[cfg(feature = "batch")]
pub mod run;
#[cfg(feature = "batch")]
mod show;
mod threads;

pub use dialect::{Axis, Dialect};
pub use error::{ValueError, ValueErrorKind};
pub use judge::{
    AllowedIf, Cause, Choices, Explainer, Fallback, LiveMatcher, Matcher, Matchers, MaxAge, NoKey, Outcomes,
    PagePreferences, Refusals, Refused, RuleSet, SameUrl, Statuses,
};
pub use origin::InvalidUrl;
pub use outcome::{Outcome, Partition, Reason};
#[doc(no_inline)]
pub use policy::{LivePolicy, Policy};
pub use preferences::{Preference, PreferenceColumn, PreferenceColumns, Requirements, SignalScope};
pub use robots::{Agents, BodyFlaw};
pub use rules::{Explanation, KeptRule, Verdict};
#[cfg(feature = "batch")]
pub use show::{diff, export, inspect};

/// The guide's examples, run as tests.
#[cfg(all(doctest, feature = "batch"))]
#[doc = include_str!("../docs/library.md")]
struct Guide;
