//! Decides which messages are written, and in which form.

use crate::output::Receipt;
use crate::policy::Policy;
use crate::run::{Job, Snapshot};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use super::pace::Pace;
use super::{json, text};
use crate::cli::args::{Log, WatchingArgs};
use crate::cli::failure::Failure;

/// Decides which messages about a run are written, and in which form.
pub struct Journal {
    pub(crate) voice: Voice,
    pub(super) every: Duration,
    /// Whether the run prints lines to standard output.
    pub(crate) prints_lines: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    Quiet,
    Text { verbose: bool },
    Json { quiet: bool },
}

impl Journal {
    pub fn new(args: &WatchingArgs, prints_lines: bool) -> Journal {
        let voice = match (args.log, args.quiet) {
            (Log::Json, quiet) => Voice::Json { quiet },
            (Log::Text, true) => Voice::Quiet,
            (Log::Text, false) => Voice::Text { verbose: args.verbose },
        };
        Journal { voice, every: args.progress_every, prints_lines }
    }

    /// Reports the start: the policy is ready, and the lists are about to be read.
    pub fn start(&self, policy: &Policy, job: &Job) {
        match self.voice {
            Voice::Text { verbose: true } => say(text::start(policy, job)),
            Voice::Json { quiet: false } => say(json::start(policy, job)),
            _ => {}
        }
    }

    /// Reports that the folder has a run with `lines` lines done, which this run resumes or turns out not to match.
    pub fn resume(&self, lines: u64) {
        let said = format!("resuming: {lines} lines already done");
        match self.voice {
            Voice::Text { .. } => say(format!("robosieve: {said}")),
            Voice::Json { quiet: false } => say(json::message("resume", &said)),
            _ => {}
        }
    }

    /// Reports the progress of the run, if there is no bar.
    pub(crate) fn progress(&self, snapshot: &Snapshot, pace: &Pace, agents: &[String]) {
        match self.voice {
            Voice::Text { verbose } => say(text::progress(snapshot, pace, agents, verbose)),
            Voice::Json { quiet: false } => say(json::progress(snapshot, pace, agents)),
            _ => {}
        }
    }

    /// Reports a problem that does not end the run.
    pub fn warn(&self, problem: impl fmt::Display) {
        match self.voice {
            Voice::Text { .. } => say(format!("robosieve: {problem}")),
            Voice::Json { quiet: false } => say(json::message("warning", &problem.to_string())),
            _ => {}
        }
    }

    /// Reports the end of a run whose numbers are printed elsewhere.
    pub fn finish_event(&self, receipt: &Receipt) {
        if let Voice::Json { quiet: false } = self.voice {
            say(json::finish(receipt));
        }
    }

    /// Reports the end of the run.
    pub fn finish(&self, receipt: &Receipt) {
        match self.voice {
            Voice::Text { verbose } => {
                say(receipt);
                if verbose {
                    text::notes(&receipt.policy.notes).iter().for_each(say);
                }
            }
            Voice::Json { quiet: false } => say(json::finish(receipt)),
            _ => {}
        }
    }

    /// Reports that the run has failed.
    pub fn error(&self, failure: &Failure) {
        match self.voice {
            Voice::Json { .. } => say(json::message("error", &failure.to_string())),
            _ => say(format!("robosieve: {failure}")),
        }
    }
}

/// Prints the error for invalid arguments, as JSON if they ask for that, or the help asked for.
pub fn usage(problem: &clap::Error, given: &[OsString]) -> ExitCode {
    let asked = given.iter().any(|word| word == "--log=json") || given.windows(2).any(|pair| pair == ["--log", "json"]);
    if asked && problem.use_stderr() {
        let text = problem.render().to_string();
        say(json::message("error", text.trim_end().strip_prefix("error: ").unwrap_or(&text)));
    } else {
        // Write errors are ignored.
        let _ = problem.print();
    }
    u8::try_from(problem.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Writes a line in one call, so that no other program's output gets in between.
pub(super) fn say(line: impl fmt::Display) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
