//! How, and how much, is said.

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

/// How, and how much, is said.
pub struct Journal {
    pub(crate) voice: Voice,
    pub(super) every: Duration,
    /// Whether the run prints lines on the standard output.
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

    /// The policy is there, and the lists are about to be read.
    pub fn start(&self, policy: &Policy, job: &Job) {
        match self.voice {
            Voice::Text { verbose: true } => say(text::start(policy, job)),
            Voice::Json { quiet: false } => say(json::start(policy, job)),
            _ => {}
        }
    }

    /// The folder has a run of so many lines, with which this one goes on, or which it is not.
    pub fn resume(&self, lines: u64) {
        let said = format!("the folder has {lines} lines that are done");
        match self.voice {
            Voice::Text { .. } => say(format!("robosieve: {said}")),
            Voice::Json { quiet: false } => say(json::message("resume", &said)),
            _ => {}
        }
    }

    /// How far the run is, where there is no bar.
    pub(crate) fn progress(&self, snapshot: &Snapshot, pace: &Pace, agents: &[String]) {
        match self.voice {
            Voice::Text { verbose } => say(text::progress(snapshot, pace, agents, verbose)),
            Voice::Json { quiet: false } => say(json::progress(snapshot, pace, agents)),
            _ => {}
        }
    }

    /// Something that went wrong and does not end the run.
    pub fn warn(&self, problem: impl fmt::Display) {
        match self.voice {
            Voice::Text { .. } => say(format!("robosieve: {problem}")),
            Voice::Json { quiet: false } => say(json::message("warning", &problem.to_string())),
            _ => {}
        }
    }

    /// The run is done, and its numbers are printed elsewhere.
    pub fn finish_event(&self, receipt: &Receipt) {
        if let Voice::Json { quiet: false } = self.voice {
            say(json::finish(receipt));
        }
    }

    /// The run is done.
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

    /// The run has failed.
    pub fn error(&self, failure: &Failure) {
        match self.voice {
            Voice::Json { .. } => say(json::message("error", &failure.to_string())),
            _ => say(format!("robosieve: {failure}")),
        }
    }
}

/// Arguments that cannot be understood, or a request for help: says so, for machines where they asked for that.
pub fn usage(problem: &clap::Error, given: &[OsString]) -> ExitCode {
    let asked = given.iter().any(|word| word == "--log=json") || given.windows(2).any(|pair| pair == ["--log", "json"]);
    if asked && problem.use_stderr() {
        let text = problem.render().to_string();
        say(json::message("error", text.trim_end().strip_prefix("error: ").unwrap_or(&text)));
    } else {
        // Nobody may be there to read it, which is no error.
        let _ = problem.print();
    }
    u8::try_from(problem.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Writes a line, at once, so that those of other programs do not get in between.
pub(super) fn say(line: impl fmt::Display) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
