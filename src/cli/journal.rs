//! Messages about a run on standard error, for people or for machines, to which each is one JSON object on a line.

use indicatif::{DecimalBytes, HumanCount, HumanDuration};
use serde_json::{Map, Value, json};
use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::args::{Log, WatchingArgs};
use super::error::Failure;
use super::say::{say, say_lines};
use super::sources::say_passed_over;
use crate::formats::{json, shown};
use crate::judge::tally::{CrawlerCounts, Tally};
use crate::outcome::Partition;
use crate::output::receipt::reasons;
use crate::output::{Receipt, counted};
use crate::policy::Policy;
use crate::policy::source::PassedOver;
use crate::run::{Job, Phase, Snapshot};

/// Decides which messages about a run are written, and in which form.
pub struct Journal {
    pub(super) is_json: bool,
    pub(super) is_quiet: bool,
    /// Of text.
    is_verbose: bool,
    /// Whether the run prints lines to standard output.
    pub(super) prints_lines: bool,
}

impl Journal {
    pub fn new(args: &WatchingArgs, prints_lines: bool) -> Journal {
        let is_json = args.log == Log::Json;
        Journal { is_json, is_quiet: args.quiet, is_verbose: args.verbose && !is_json, prints_lines }
    }

    #[cfg(test)]
    pub fn quiet() -> Journal {
        Journal { is_json: false, is_quiet: true, is_verbose: false, prints_lines: false }
    }

    /// Writes a message for people or the event for machines, however quiet it should be.
    fn insist(&self, text: impl FnOnce() -> String, event: impl FnOnce() -> String) {
        say(if self.is_json { event() } else { text() });
    }

    fn tell(&self, text: impl FnOnce() -> String, event: impl FnOnce() -> String) {
        if !self.is_quiet {
            self.insist(text, event);
        }
    }

    /// Reports the start: the policy is ready, and the lists are about to be read.
    pub fn start(&self, policy: &Policy, job: &Job) {
        if self.is_json && !self.is_quiet {
            say(start_event(policy, job));
        }
        if self.is_verbose {
            start_text(policy, job).iter().for_each(say);
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

    pub fn progress(&self, snapshot: &Snapshot, agents: &[String]) {
        self.tell(|| progress_text(snapshot, agents, self.is_verbose), || progress_event(snapshot, agents));
    }

    /// Reports a problem that does not end the run.
    pub fn warn(&self, problem: impl fmt::Display) {
        self.message("warning", problem);
    }

    /// Reports something that is wrong although the run has succeeded. It is never omitted.
    pub fn wrong(&self, problem: impl fmt::Display) {
        self.insist(|| format!("robosieve: warning: {problem}"), || message_event("warning", &problem));
    }

    /// Reports what was passed over in the sources of robots.txt files.
    pub fn passed_over(&self, passed: &PassedOver) {
        match (self.is_quiet, self.is_json) {
            (false, false) => say_passed_over(passed),
            (false, true) if passed.is_warning() => self.warn(passed),
            _ => {}
        }
    }

    fn message(&self, event: &str, message: impl fmt::Display) {
        self.tell(|| format!("robosieve: {message}"), || message_event(event, &message));
    }

    /// Reports the end of a run whose numbers are printed elsewhere.
    pub fn finish_event(&self, receipt: &Receipt) {
        if self.is_json && !self.is_quiet {
            say(finish_event(receipt));
        }
    }

    pub fn finish(&self, receipt: &Receipt) {
        self.finish_event(receipt);
        if !self.is_json && !self.is_quiet {
            say_lines(receipt);
        }
        if self.is_verbose {
            let notes = receipt.policy.notes.iter();
            notes.for_each(|(kind, count)| say(format_args!("robots.txt: {} {count}", kind.name())));
        }
    }

    /// Reports that the run has failed, or was interrupted, which is an event of its own for machines.
    pub fn error(&self, failure: &Failure) {
        let event = if failure.is_interrupted() { "interrupted" } else { "error" };
        self.insist(|| format!("robosieve: {failure}"), || message_event(event, failure));
    }
}

// For people.

fn start_text(policy: &Policy, job: &Job) -> [String; 2] {
    let statistics = policy.statistics();
    let (origins, groups) = (HumanCount(statistics.origins), HumanCount(statistics.automata));
    let agents = job.splits().names();
    let lists: Vec<String> = job.lists.iter().map(|path| shown(path).to_string()).collect();
    [
        format!("robosieve: {origins} origins, {groups} distinct groups, dialect {}", policy.dialect().name),
        format!("robosieve: for {}; lists: {}", agents.join(" and "), lists.join(", ")),
    ]
}

fn progress_text(snapshot: &Snapshot, agents: &[String], reasons: bool) -> String {
    let done = match (snapshot.source_bytes_known, snapshot.source_bytes) {
        (Some(known), read) => format!("{}, {} of {}", percent(read, known), DecimalBytes(read), DecimalBytes(known)),
        (None, _) => DecimalBytes(snapshot.bytes).to_string(),
    };
    let left = match (snapshot.phase, snapshot.seconds_left()) {
        (Phase::Comparing, _) => return format!("robosieve: {done}; {COMPARING}"),
        (Phase::Completing, _) => format!("; {COMPLETING}"),
        (_, Some(seconds)) if is_settled(snapshot) => format!("; {} left", duration(seconds)),
        _ => String::new(),
    };
    let reasons = if reasons { reasons_of(snapshot) } else { String::new() };
    format!("robosieve: {done}, {}{left}{reasons}", lines(snapshot, agents))
}

pub const COMPARING: &str = "comparing URLs; lines are judged when the lists are read again";

pub const COMPLETING: &str = "all lines are judged; flushing the files to disk";

/// Whether a speed, and the time left at it, mean something yet.
pub fn is_settled(snapshot: &Snapshot) -> bool {
    snapshot.seconds >= 3.0
}

/// The number of lines, how fast they come, and where they go.
pub fn lines(snapshot: &Snapshot, agents: &[String]) -> String {
    let speed = match is_settled(snapshot) {
        true => format!(", {} a second", HumanCount(snapshot.lines_per_second() as u64)),
        false => String::new(),
    };
    format!("{} lines{speed}; {}", HumanCount(snapshot.lines), shares(snapshot, agents))
}

/// The shares of the partitions, for the first crawler if there are several.
fn shares(snapshot: &Snapshot, agents: &[String]) -> String {
    let Some(counted) = snapshot.crawlers.first() else { return String::new() };
    let shares = counted.partitions().map(|(partition, tally)| {
        let share = percent(tally.lines, snapshot.lines);
        format!("{} {share}", partition.name())
    });
    let left_out = [("duplicates", snapshot.duplicates), ("seen", snapshot.seen), ("unchanged", snapshot.unchanged)];
    let left_out = left_out.into_iter().filter(|(_, lines)| *lines > 0);
    let left_out = left_out.map(|(name, lines)| format!("{name} {}", percent(lines, snapshot.lines)));
    let shares = shares.chain(left_out).collect::<Vec<_>>().join(", ");
    match agents {
        [first, _, ..] => format!("for {first}: {shares}"),
        _ => shares,
    }
}

/// The reasons, for the first crawler.
fn reasons_of(snapshot: &Snapshot) -> String {
    let counted = snapshot.crawlers.first().into_iter().flat_map(|counted| counted.outcomes());
    let reasons = counted.map(|(outcome, lines)| format!("{} {}", outcome.reason().name(), HumanCount(lines)));
    format!(" ({})", reasons.collect::<Vec<_>>().join(", "))
}

fn percent(part: u64, whole: u64) -> String {
    // An empty whole counts as done, even if a list grew while it was read.
    if whole == 0 { "100.0%".to_owned() } else { format!("{:.1}%", 100.0 * part as f64 / whole as f64) }
}

/// A duration in short units, such as `3m`.
pub fn short_duration(seconds: f64) -> String {
    format!("{:#}", HumanDuration(Duration::from_secs_f64(seconds.min(1e9))))
}

pub fn duration(seconds: f64) -> String {
    // Longer than any run, but within the range of a duration.
    HumanDuration(Duration::from_secs_f64(seconds.min(1e9))).to_string()
}

// For machines.

fn start_event(policy: &Policy, job: &Job) -> String {
    let lists: Vec<String> = job.lists.iter().map(|path| path.display().to_string()).collect();
    let agents = job.splits().names();
    event(
        "start",
        json!({
            "robosieve": env!("CARGO_PKG_VERSION"),
            "lists": lists,
            "agents": agents,
            "dialect": policy.dialect().name,
            "origins": policy.statistics().origins,
            "groups": policy.statistics().automata,
        }),
    )
}

fn progress_event(snapshot: &Snapshot, agents: &[String]) -> String {
    let crawlers = agents.iter().zip(&snapshot.crawlers);
    let crawlers: Map<String, Value> = crawlers.map(|(agent, counted)| (agent.clone(), partitions(counted))).collect();
    event(
        "progress",
        json!({
            "phase": snapshot.phase.name(),
            "seconds": snapshot.seconds,
            "bytes": snapshot.bytes,
            "source_bytes": snapshot.source_bytes,
            "source_bytes_known": snapshot.source_bytes_known,
            "lines": snapshot.lines,
            "duplicates": snapshot.duplicates,
            "seen": snapshot.seen,
            "unchanged": snapshot.unchanged,
            "skipped": snapshot.skipped,
            "chunks": snapshot.chunks,
            "bytes_a_second": snapshot.bytes_per_second(),
            "lines_a_second": snapshot.lines_per_second(),
            "seconds_left": snapshot.seconds_left(),
            "crawlers": crawlers,
        }),
    )
}

/// The lines of each partition, in total and by reason.
fn partitions(counted: &CrawlerCounts) -> Value {
    let of = |(partition, tally): (Partition, Tally)| {
        (partition.name().to_owned(), json!({"lines": tally.lines, "reasons": reasons(partition, counted)}))
    };
    Value::Object(counted.partitions().map(of).collect())
}

/// The receipt without its lists, which may be many, and without its samples.
fn finish_event(receipt: &Receipt) -> String {
    let mut fields = json!(receipt);
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("lists");
        fields.remove("speed");
    }
    event("finish", fields)
}

pub fn error_event(message: &str) -> String {
    message_event("error", message)
}

fn message_event(event: &str, message: impl fmt::Display) -> String {
    self::event(event, json!({"message": message.to_string()}))
}

/// An event with the current time.
fn event(name: &str, fields: Value) -> String {
    let mut event = json!({"event": name, "time": jiff::Timestamp::now().to_string()});
    if let (Value::Object(event), Value::Object(fields)) = (&mut event, fields) {
        event.extend(fields);
    }
    // A value can always be written.
    json::to_string(&event).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two allowed, one blocked, one invalid, for each of two crawlers.
    fn snapshot() -> Snapshot {
        let tallies = [2, 1, 0, 1].map(|lines| Tally { lines, ..Tally::default() });
        let mut counted = CrawlerCounts { tallies, ..CrawlerCounts::default() };
        // The first outcome that there is.
        counted.counts[0] = 2;
        Snapshot {
            phase: Phase::Judging,
            seconds: 0.5,
            bytes: 70,
            source_bytes: 70,
            lines: 4,
            crawlers: vec![counted, counted],
            ..Snapshot::default()
        }
    }

    #[test]
    fn lines_of_progress_say_how_far_a_run_is() {
        let agents = ["examplebot".to_owned()];
        let shares = "allowed 50.0%, blocked 25.0%, deferred 0.0%, invalid 25.0%";
        for (snapshot, expected) in [
            (snapshot(), format!("robosieve: 70 B, 4 lines; {shares}")),
            (
                Snapshot { source_bytes_known: Some(140), ..snapshot() },
                format!("robosieve: 50.0%, 70 B of 140 B, 4 lines; {shares}"),
            ),
            (
                Snapshot { phase: Phase::Completing, ..snapshot() },
                format!("robosieve: 70 B, 4 lines; {shares}; {COMPLETING}"),
            ),
            (Snapshot { phase: Phase::Comparing, ..snapshot() }, format!("robosieve: 70 B; {COMPARING}")),
        ] {
            assert_eq!(progress_text(&snapshot, &agents, false), expected);
        }
        assert!(progress_text(&snapshot(), &agents, true).ends_with("invalid 25.0% (rules 2)"));
    }

    #[test]
    fn machines_are_told_of_each_crawler() {
        let text = progress_event(&snapshot(), &["examplebot".to_owned(), "otherbot".to_owned()]);
        let event: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&event["event"], &event["phase"]), (&json!("progress"), &json!("judging")));
        assert_eq!((&event["bytes"], &event["source_bytes_known"]), (&json!(70), &Value::Null));
        assert_eq!((&event["lines"], &event["lines_a_second"]), (&json!(4), &json!(8.0)));
        for agent in ["examplebot", "otherbot"] {
            assert_eq!(event["crawlers"][agent]["allowed"], json!({"lines": 2, "reasons": {"rules": 2}}));
        }
        assert!(event["time"].as_str().is_some_and(|time| time.parse::<jiff::Timestamp>().is_ok()), "{text}");
    }
}
