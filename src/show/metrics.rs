//! Writes the metrics of a run to a file in Prometheus' text format, and updates it during the run.
//!
//! The format is that of <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>. The file is
//! replaced as a whole, so that a collector never sees a partial one.

use std::fmt::{self, Write as _};
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};

use crate::error::run::{Error, ErrorKind};
use crate::formats::replace::{FileKind, replace};
use crate::formats::shown;
use crate::judge::tally::Tally;
use crate::policy::Statistics;
use crate::run::progress::{Phase, Snapshot};

/// The version of the metric names. It goes up when a name changes, not when one is added.
const METRICS_VERSION: &str = "1";

/// What errors say of the file.
const WRITE: &str = "write the metrics";

const PREFIX: &str = "robosieve";

/// The time of the last success, which a run takes over from the previous one.
const LAST_SUCCESS: &str = "last_success_timestamp_seconds";

/// Files with metrics of runs only.
const METRICS_FILE: FileKind = FileKind {
    name: "a robosieve metrics file",
    is_ours: |file| {
        let starts = [format!("# HELP {PREFIX}_"), format!("# TYPE {PREFIX}_"), format!("{PREFIX}_")];
        for line in BufReader::new(file.take(LONGEST)).split(b'\n') {
            let line = line?;
            if !starts.iter().any(|start| line.starts_with(start.as_bytes())) {
                return Ok(false);
            }
        }
        Ok(true)
    },
};

/// The most bytes of such a file that are looked at.
const LONGEST: u64 = 64 << 20;

/// A file of metrics.
#[derive(Debug)]
pub struct Metrics {
    path: PathBuf,
    started: jiff::Timestamp,
    last_success: Option<f64>,
    /// The crawlers, in order.
    agents: Vec<String>,
    /// The statistics of the policy, once it is known.
    policy: Option<Statistics>,
}

impl Metrics {
    /// Creates the file and writes it at once. The time of the last success is taken from an earlier file in its place.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, is not a regular file, or contains something else.
    pub fn create(path: &Path) -> Result<Metrics, Error> {
        // A link stays; its target is replaced.
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let other = |what| ErrorKind::Output.of(format!("{} is {what}", shown(path)));
        // Reading a pipe would wait for a writer.
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(other("a folder, a pipe or a device; metrics need a regular file, which each update replaces"));
        }
        METRICS_FILE.ensure_replaceable(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => other("not a robosieve metrics file; choose another name"),
            _ => ErrorKind::Output.with_file(WRITE, path)(error),
        })?;
        let earlier = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(ErrorKind::Output.with_file(WRITE, path)(error)),
        };
        let earlier = String::from_utf8_lossy(&earlier);
        let name = format!("{PREFIX}_{LAST_SUCCESS} ");
        let last_success = earlier.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok());
        let (path, started) = (path.to_owned(), jiff::Timestamp::now());
        let metrics = Metrics { path, started, last_success, agents: Vec::new(), policy: None };
        metrics.write(&Snapshot::default())?;
        Ok(metrics)
    }

    /// Records whom lines are split for, and the size of the policy.
    pub fn describe(&mut self, agents: Vec<String>, statistics: &Statistics) {
        self.agents = agents;
        self.policy = Some(statistics.clone());
    }

    /// Updates the file during the run.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, snapshot: &Snapshot) -> Result<(), Error> {
        self.replace(&self.text(snapshot, None))
    }

    /// Writes the final state of the run to the file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn finish(mut self, snapshot: &Snapshot, success: bool) -> Result<(), Error> {
        if success {
            self.last_success = Some(seconds_of(jiff::Timestamp::now()));
        }
        self.replace(&self.text(snapshot, Some(success)))
    }

    fn replace(&self, text: &str) -> Result<(), Error> {
        let replaced = replace(&self.path, &METRICS_FILE, |file| file.write_all(text.as_bytes()));
        replaced.map_err(ErrorKind::Output.with_file(WRITE, &self.path))
    }

    /// The content of the file; `success` is `None` until the run has ended.
    fn text(&self, snapshot: &Snapshot, success: Option<bool>) -> String {
        let mut text = MetricsText::default();
        self.run(snapshot, success, &mut text);
        for (name, value, help) in [
            ("input_lines_total", snapshot.lines, "Lines judged."),
            ("input_bytes_total", snapshot.bytes, "Bytes of these lines."),
            ("duplicate_lines_total", snapshot.duplicates, "Lines left out because their URLs occurred before."),
            ("seen_lines_total", snapshot.seen, "Lines left out because earlier runs have seen their URLs."),
            (
                "unchanged_lines_total",
                snapshot.unchanged,
                "Lines left out because their verdicts are those of the older policy.",
            ),
            ("skipped_parts_total", snapshot.skipped, "Parts of lists that could not be read and were skipped."),
            (
                "source_bytes_total",
                snapshot.source_bytes,
                "Bytes of the lists that were read, as stored in their files.",
            ),
        ] {
            text.family(name, COUNTER, help).sample(&[], value);
        }
        if let Some(known) = snapshot.source_bytes_known {
            text.family("source_expected_bytes", GAUGE, "Bytes of the files of all lists.").sample(&[], known);
        }
        text.family("chunks_total", COUNTER, "Chunks judged.").sample(&[], snapshot.chunks);
        self.lines(snapshot, &mut text);
        text.0
    }

    fn run(&self, snapshot: &Snapshot, success: Option<bool>, text: &mut MetricsText) {
        let versions = [("version", env!("CARGO_PKG_VERSION")), ("format", METRICS_VERSION)];
        text.family("info", GAUGE, "The version of the program, and of this format.").sample(&versions, 1);
        text.family("running", GAUGE, "Whether the run is in progress.").sample(&[], u8::from(success.is_none()));
        text.family("phase", GAUGE, "The phase of the run: 1 for the current phase.");
        for phase in Phase::ALL {
            text.sample(&[("phase", phase.name())], u8::from(phase == snapshot.phase));
        }
        if let Some(success) = success {
            text.family("run_success", GAUGE, "Whether the run succeeded.").sample(&[], u8::from(success));
        }
        let started = seconds_of(self.started);
        text.family("start_timestamp_seconds", GAUGE, "When the program started.").sample(&[], started);
        if let Some(time) = self.last_success {
            text.family(LAST_SUCCESS, GAUGE, "When a run with this file last succeeded.").sample(&[], time);
        }
        text.family("run_seconds", GAUGE, "Seconds spent judging and writing lines.").sample(&[], snapshot.seconds);
        if let Some(Statistics { origins, automata, .. }) = self.policy {
            text.family("policy_origins", GAUGE, "Origins of the policy.").sample(&[], origins);
            text.family("policy_groups", GAUGE, "Distinct groups of the policy.").sample(&[], automata);
        }
    }

    fn lines(&self, snapshot: &Snapshot, text: &mut MetricsText) {
        let crawlers = || self.agents.iter().map(String::as_str).zip(&snapshot.crawlers);
        if crawlers().next().is_none() {
            return;
        }
        text.family("partition_lines_total", COUNTER, "Lines of each partition.");
        for (agent, counted) in crawlers() {
            for (partition, Tally { lines, .. }) in counted.partitions() {
                text.sample(&[("agent", agent), ("partition", partition.name())], lines);
            }
        }
        text.family("partition_bytes_total", COUNTER, "Bytes of these lines.");
        for (agent, counted) in crawlers() {
            for (partition, Tally { bytes, .. }) in counted.partitions() {
                text.sample(&[("agent", agent), ("partition", partition.name())], bytes);
            }
        }
        text.family("reason_lines_total", COUNTER, "Lines of each partition by reason.");
        for (agent, counted) in crawlers() {
            for (outcome, lines) in counted.outcomes() {
                let (partition, reason) = (outcome.partition().name(), outcome.reason().name());
                text.sample(&[("agent", agent), ("partition", partition), ("reason", reason)], lines);
            }
        }
    }
}

fn seconds_of(time: jiff::Timestamp) -> f64 {
    time.as_duration().as_secs_f64()
}

const COUNTER: &str = "counter";
const GAUGE: &str = "gauge";

/// The text so far, and the name of the last family.
#[derive(Default)]
struct MetricsText(String, &'static str);

impl MetricsText {
    /// Begins the samples of a metric.
    fn family(&mut self, name: &'static str, kind: &str, help: &str) -> &mut MetricsText {
        self.1 = name;
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        // Writing to a string cannot fail, here and below.
        let _ = write!(self.0, "# HELP {PREFIX}_{name} {help}\n# TYPE {PREFIX}_{name} {kind}\n");
        self
    }

    /// Adds a sample to the last family.
    fn sample(&mut self, labels: &[(&str, &str)], value: impl fmt::Display) {
        let _ = write!(self.0, "{PREFIX}_{}", self.1);
        for (place, (label, of)) in labels.iter().enumerate() {
            let of = of.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.0, "{}{label}=\"{of}\"", if place == 0 { "{" } else { "," });
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{end} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_in_labels_is_escaped() {
        let mut text = MetricsText::default();
        text.family("x", GAUGE, "a\\b\nc").sample(&[("l", "a\\b\"c\nd"), ("m", "")], 1.5);
        let expected =
            "# HELP robosieve_x a\\\\b\\nc\n# TYPE robosieve_x gauge\nrobosieve_x{l=\"a\\\\b\\\"c\\nd\",m=\"\"} 1.5\n";
        assert_eq!(text.0, expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["robosieve.prom", "link"].map(|name| folder.path().join(name));
        fs::write(&path, "").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        Metrics::create(&link).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read_to_string(&path).unwrap().starts_with("# HELP"));
    }
}
