//! Messages for machines: one JSON object per line.

use serde_json::{Map, Value, json};

use crate::formats::json;
use crate::output::Receipt;
use crate::policy::Policy;
use crate::run::{Counted, Job, Snapshot};

pub fn start(policy: &Policy, job: &Job) -> String {
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

pub fn progress(snapshot: &Snapshot, agents: &[String]) -> String {
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
fn partitions(counted: &Counted) -> Value {
    let of = |(partition, lines)| {
        let reasons = counted.outcomes().filter(|(outcome, _)| outcome.partition() == partition);
        let reasons: Map<String, Value> =
            reasons.map(|(outcome, lines)| (outcome.reason().name().to_owned(), lines.into())).collect();
        (partition.name().to_owned(), json!({"lines": lines, "reasons": reasons}))
    };
    Value::Object(counted.partitions().map(of).collect())
}

/// The receipt without its lists, which may be many, and without its samples.
pub fn finish(receipt: &Receipt) -> String {
    let mut fields = json!(receipt);
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("lists");
        fields.remove("speed");
    }
    event("finish", fields)
}

pub fn message(event: &str, message: &str) -> String {
    self::event(event, json!({"message": message}))
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
