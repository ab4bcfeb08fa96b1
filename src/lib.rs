//! A compiled-automaton, high-throughput batch filter for robots.txt.
//!
//! A crawl asks the same question billions of times: may this URL be fetched? What a robots.txt answers is known before
//! any URL is seen. So robosieve compiles the robots.txt files of many origins, for the crawler's own user agent, into
//! automata, and streams URL lists through them. The data's way is also the order of the modules:
//!
//! 1. [`dialect`]: thirty years of documents disagree; a dialect is a value that says which of them to follow.
//! 2. [`robots`]: the bytes of a file become groups, and those of one crawler are chosen.
//! 3. [`rules`]: its rules become patterns in normal form, the one that wins against all others first.
//! 4. [`automaton`]: each distinct group becomes one DFA (or, for the few that would be too large, cursors) that walks
//!    a path until the verdict is settled.
//! 5. [`origin`] and [`policy`]: the automata of many origins, found by the origin of a URL.
//! 6. [`input`], [`judge`], [`output`] and [`run`]: lists in; allowed, blocked, deferred and invalid lines out, and a
//!    receipt that accounts for each.
//!
//! Beside them, [`lint`] tells the author of a file what was probably meant otherwise, [`show::inspect`] what is in a
//! policy, [`show::export`] makes tables of what stands beside its rules,
//! and [`show::report`] a page about a run.
//!
//! One file and one path:
//!
//! ```
//! use robosieve::{Dialect, RuleSet, Verdict};
//!
//! let file = b"User-agent: *\nDisallow: /private\nAllow: /private/*.html$\n";
//! let rules = RuleSet::compile(file, &"examplebot".parse()?, Dialect::DEFAULT);
//! assert_eq!(rules.verdict(b"/private/notes"), Verdict::Blocked);
//! assert_eq!(rules.verdict(b"/private/a.html"), Verdict::Allowed);
//! assert_eq!(rules.explain(b"/private/a.html").rule.unwrap().line, 3);
//! # Ok::<(), robosieve::robots::AgentError>(())
//! ```
//!
//! Many origins and many URLs: gather [`policy::Captures`], make a [`policy::Policy`] of them, and hand batches of lines
//! to [`judge::Judge`], or whole lists to [`run::run`].
#![deny(missing_docs)]

pub mod automaton;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod dialect;
#[cfg(test)]
mod dice;
pub mod formats;
pub mod input;
pub mod judge;
pub mod lint;
mod lock;
pub mod origin;
pub mod outcome;
pub mod output;
pub mod policy;
pub mod robots;
pub mod rules;
pub mod run;
pub mod show;

pub use dialect::Dialect;
pub use judge::RuleSet;
pub use rules::{ChosenRules, Explanation, KeptRule, Verdict};
