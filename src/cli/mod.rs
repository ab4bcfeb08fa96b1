//! The command line.
//!
//! Arguments are plain data; each command converts its own for the library and prints the result. Exit status: 0 done, 1 the
//! answer is "no" (`check` found a URL that is not allowed, `lint` something to report, `inspect` no entry, `diff` a change, `verify`
//! something that differs from the receipt), 2 an error, 130 an interrupted run that can be resumed. A closed pipe is
//! not an error.

mod args;
mod check;
mod compile;
mod destination;
mod diff;
mod documentation;
mod entry;
mod error;
mod export;
mod filter;
mod guess;
mod help;
mod inspect;
mod journal;
mod keys;
mod lint;
mod lint_files;
mod lists;
mod process;
mod receipts;
mod run;
mod say;
mod sources;
mod watch;

pub use run::main;
