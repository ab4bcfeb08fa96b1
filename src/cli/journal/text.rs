//! Messages for people.

use indicatif::{DecimalBytes, HumanCount, HumanDuration};
use std::time::Duration;

use crate::formats::shown;
use crate::policy::Policy;
use crate::robots::NoteCounts;
use crate::run::{Job, Phase, Snapshot};

/// Describes the policy and the lists.
pub fn start(policy: &Policy, job: &Job) -> [String; 2] {
    let statistics = policy.statistics();
    let (origins, groups) = (HumanCount(statistics.origins), HumanCount(statistics.automata));
    let agents = job.splits().names();
    let lists: Vec<String> = job.lists.iter().map(|path| shown(path).to_string()).collect();
    [
        format!("robosieve: {origins} origins, {groups} distinct groups, dialect {}", policy.dialect().name),
        format!("robosieve: for {}; lists: {}", agents.join(" and "), lists.join(", ")),
    ]
}

/// The parts dropped from robots.txt files, one line per kind.
pub fn notes(notes: &NoteCounts) -> Vec<String> {
    notes.iter().map(|(kind, count)| format!("robots.txt: {} {count}", kind.name())).collect()
}

/// The progress of a run.
pub fn progress(snapshot: &Snapshot, agents: &[String], reasons: bool) -> String {
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
    let reasons = if reasons { self::reasons(snapshot) } else { String::new() };
    format!("robosieve: {done}, {}{left}{reasons}", lines(snapshot, agents))
}

/// The message while URLs are compared.
pub const COMPARING: &str = "comparing URLs; lines are judged when the lists are read again";

/// The message while files are completed.
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
    let shares = counted.partitions().map(|(partition, lines)| {
        let share = percent(lines, snapshot.lines);
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
fn reasons(snapshot: &Snapshot) -> String {
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
