//! The command line.
//!
//! `args` is plain data; each command converts it for the library and prints the result. Exit status: 0 done, 1 the
//! answer is "no" (`check` found a URL that is not allowed, `lint` something to report, `inspect` no entry, `verify`
//! something that differs from the receipt), 2 an error, 130 an interrupted run that can be resumed. A closed pipe is
//! not an error.

mod allocator;
mod args;
mod check;
mod compile;
mod completions;
mod crawlers;
mod destination;
mod error;
mod export;
mod file_size;
mod filter;
mod follow;
mod hints;
mod inspect;
mod interrupt;
mod join;
mod journal;
mod lint;
mod lists;
mod man;
mod merge;
mod open_files;
mod panics;
mod printer;
mod read;
mod report;
mod run;
mod say;
mod sigbus;
mod sources;
mod verify;

pub use run::main;
