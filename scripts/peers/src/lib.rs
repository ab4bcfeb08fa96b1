//! The common parts of the comparison programs, so that each program is a few lines.
//!
//! The program `matcher` does the same job as `robosieve filter` with a public crate as its matcher: it reads a directory of
//! robots.txt files (a file's name is a host), maps a list of URLs, and writes each line to the allowed or the blocked
//! file. It is written as a competent user of that crate would write it: a hash map from host to the crate's own
//! policy type, buffered writers, and, for several threads, rayon over chunks of lines with the output in order.
//! The files in `benches/matchers` say how scripts/compare calls it for each crate.
//!
//! * [`clock`]: processor time.
//! * [`args`]: the command line, the same for all programs.
//! * [`list`]: mapping a list, its lines, and chunks of lines.
//! * [`table`]: the interface of a matcher ([`table::Peer`]), and the look-up from a line to its policy.
//! * [`matchers`]: the compared crates, one small type each, behind a feature of its name.
//! * [`rules`]: a plain reading of a file, for general engines that know nothing of robots.txt.
//! * [`sink`]: the outputs for judged lines.
//! * [`run`]: the program itself.
//! * [`calls`]: the cost of a call, in one process.
//! * [`report`]: the JSON line at the end.

pub mod args;
pub mod calls;
pub mod clock;
pub mod list;
pub mod matchers;
pub mod report;
pub mod rules;
pub mod run;
pub mod sink;
pub mod table;

/// Errors of these programs are only ever printed.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Runs a program, and turns its error into a message and an exit code.
pub fn exit_with(result: Result<()>) -> std::process::ExitCode {
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::from(2)
        }
    }
}
