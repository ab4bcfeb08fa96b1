//! Decides which messages are written, and in which form.

use crate::formats::{shown, visible};
use crate::output::{Receipt, counted};
use crate::policy::Policy;
use crate::policy::source::PassedOver;
use crate::run::{Job, Snapshot};
use clap::Parser;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::{json, text};
use crate::cli::args::{Args, Log, WatchingArgs};
use crate::cli::error::Failure;
use crate::cli::say::{say, say_lines};
use crate::cli::sources::say_passed_over;

/// Decides which messages about a run are written, and in which form.
pub struct Journal {
    pub(crate) output: JournalOutput,
    pub(super) every: Duration,
    /// Whether the run prints lines to standard output.
    pub(crate) prints_lines: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JournalOutput {
    Quiet,
    Text { verbose: bool },
    Json { quiet: bool },
}

impl Journal {
    pub fn new(args: &WatchingArgs, prints_lines: bool) -> Journal {
        let output = match (args.log, args.quiet) {
            (Log::Json, quiet) => JournalOutput::Json { quiet },
            (Log::Text, true) => JournalOutput::Quiet,
            (Log::Text, false) => JournalOutput::Text { verbose: args.verbose },
        };
        Journal { output, every: args.progress_every, prints_lines }
    }

    /// Reports the start: the policy is ready, and the lists are about to be read.
    pub fn start(&self, policy: &Policy, job: &Job) {
        match self.output {
            JournalOutput::Text { verbose: true } => text::start(policy, job).iter().for_each(say),
            JournalOutput::Json { quiet: false } => say(json::start(policy, job)),
            _ => {}
        }
    }

    /// Reports that the folder has a run with `lines` lines done, which this run resumes or turns out not to match.
    pub fn resume(&self, lines: u64) {
        self.message("resume", format_args!("resuming: {lines} lines already done"));
    }

    /// Reports that a policy file was replaced, and judges from now on.
    pub fn follow(&self, path: &Path, policy: &Policy) {
        let origins = counted(policy.statistics().origins, "origin", "origins");
        self.message("policy", format_args!("{} was replaced; judging by the new file, {origins} in all", shown(path)));
    }

    /// Reports the progress of the run, if there is no bar.
    pub(crate) fn progress(&self, snapshot: &Snapshot, agents: &[String]) {
        match self.output {
            JournalOutput::Text { verbose } => say(text::progress(snapshot, agents, verbose)),
            JournalOutput::Json { quiet: false } => say(json::progress(snapshot, agents)),
            _ => {}
        }
    }

    /// Reports a problem that does not end the run.
    pub fn warn(&self, problem: impl fmt::Display) {
        self.message("warning", problem);
    }

    /// Reports something that is wrong although the run has succeeded. It is never omitted.
    pub fn wrong(&self, problem: impl fmt::Display) {
        match self.output {
            JournalOutput::Json { .. } => say(json::message("warning", &problem.to_string())),
            _ => say(format_args!("robosieve: warning: {problem}")),
        }
    }

    /// Reports what was passed over in the sources of robots.txt files.
    pub fn passed_over(&self, passed: &PassedOver) {
        match self.output {
            JournalOutput::Text { .. } => say_passed_over(passed),
            _ if passed.is_warning() => self.warn(passed),
            _ => {}
        }
    }

    fn message(&self, event: &str, message: impl fmt::Display) {
        match self.output {
            JournalOutput::Text { .. } => say(format_args!("robosieve: {message}")),
            JournalOutput::Json { quiet: false } => say(json::message(event, &message.to_string())),
            _ => {}
        }
    }

    /// Reports the end of a run whose numbers are printed elsewhere.
    pub fn finish_event(&self, receipt: &Receipt) {
        if let JournalOutput::Json { quiet: false } = self.output {
            say(json::finish(receipt));
        }
    }

    /// Reports the end of the run.
    pub fn finish(&self, receipt: &Receipt) {
        self.finish_event(receipt);
        if let JournalOutput::Text { verbose } = self.output {
            say_lines(receipt);
            if verbose {
                text::notes(&receipt.policy.notes).iter().for_each(say);
            }
        }
    }

    /// Reports that the run has failed, or was interrupted, which is an event of its own for machines.
    pub fn error(&self, failure: &Failure) {
        let event = if failure.is_interrupted() { "interrupted" } else { "error" };
        match self.output {
            JournalOutput::Json { .. } => say(json::message(event, &failure.to_string())),
            _ => say(format!("robosieve: {failure}")),
        }
    }
}

/// Prints the error for invalid arguments, as JSON if they ask for that, or the help asked for. Arguments that a terminal would
/// obey are shown as escapes.
pub fn usage(problem: &clap::Error, given: &[OsString]) -> ExitCode {
    let of_visible = with_visible_words(problem, given);
    let problem = of_visible.as_ref().unwrap_or(problem);
    let asked = given.iter().any(|word| word == "--log=json") || given.windows(2).any(|pair| pair == ["--log", "json"]);
    if asked && problem.use_stderr() {
        let text = problem.render().to_string();
        say(json::message("error", text.trim_end().strip_prefix("error: ").unwrap_or(&text)));
    } else {
        // In colour. Write errors are ignored.
        let _ = problem.print();
    }
    u8::try_from(problem.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// The error for the same arguments, made visible; `None` if they are.
fn with_visible_words(problem: &clap::Error, given: &[OsString]) -> Option<clap::Error> {
    let words: Vec<OsString> = given.iter().map(|word| visible(word.to_string_lossy()).to_string().into()).collect();
    if words == given || !problem.use_stderr() {
        return None;
    }
    let same = Args::try_parse_from(&words).err().filter(|other| other.kind() == problem.kind());
    Some(same.unwrap_or_else(|| clap::Error::raw(problem.kind(), format!("{}\n", visible(problem)))))
}
