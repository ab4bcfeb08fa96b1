//! Watches a run from a separate thread, which ends with the run; on a terminal, with a progress bar.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::journal::{COMPARING, COMPLETING, Journal, is_settled, lines, short_duration};
use super::say::say;
use crate::run::{Phase, Progress, Snapshot};
use crate::show::Metrics;

/// The interval between updates of metrics.
const METRICS_EVERY: Duration = Duration::from_secs(5);

/// The interval between lines of progress where there is no bar.
const EVERY: Duration = Duration::from_secs(10);

/// The delay before a bar appears. A shorter run has none.
const BAR_AFTER: Duration = Duration::from_secs(1);

/// The interval between updates of a bar.
const BAR_EVERY: Duration = Duration::from_millis(100);

/// Calls `run`, and shows its progress meanwhile.
pub fn watch<T>(
    journal: &Journal,
    progress: &Progress,
    metrics: Option<&Metrics>,
    agents: Vec<String>,
    run: impl FnOnce() -> T,
) -> T {
    let has_bar = !journal.is_json && Bar::is_wanted(journal.prints_lines);
    let mut bar = None;
    let report = move || {
        let snapshot = progress.snapshot();
        match snapshot.phase {
            Phase::Waiting | Phase::Ended => {}
            _ if has_bar => bar.get_or_insert_with(|| Bar::of_run(&snapshot)).draw(&snapshot, &agents),
            _ => journal.progress(&snapshot, &agents),
        }
    };
    let run = || if journal.is_quiet { run() } else { meanwhile(times(has_bar), report, run) };
    match metrics {
        Some(metrics) => meanwhile([METRICS_EVERY; 2], renewal(journal, progress, metrics), run),
        None => run(),
    }
}

/// Updates metrics. A failure is reported once; the run continues.
fn renewal(journal: &Journal, progress: &Progress, metrics: &Metrics) -> impl FnMut() + Send {
    let mut has_failed = false;
    move || {
        if let Err(error) = metrics.write(&progress.snapshot())
            && !std::mem::replace(&mut has_failed, true)
        {
            journal.warn(error);
        }
    }
}

/// When progress is shown first, and how long after that again.
fn times(has_bar: bool) -> [Duration; 2] {
    if has_bar { [BAR_AFTER, BAR_EVERY] } else { [EVERY; 2] }
}

/// Calls `run`, and `show` in a thread of its own, at these times, until that has ended.
fn meanwhile<T>([first, every]: [Duration; 2], mut show: impl FnMut() + Send, run: impl FnOnce() -> T) -> T {
    let (running, end) = mpsc::channel::<()>();
    let watch = move || {
        let mut wait = first;
        while end.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            show();
            wait = every;
        }
    };
    thread::scope(|scope| {
        // If no thread can be spawned, there is no bar; the run is what counts.
        let _ = thread::Builder::new().spawn_scoped(scope, watch);
        let result = run();
        // Also dropped if the run panics.
        drop(running);
        result
    })
}

const WORK: &str = "{elapsed_precise} {spinner}  {wide_msg}";

/// Calls `run`, and shows meanwhile what `text` says of its progress.
pub fn watch_work<T>(text: impl Fn() -> String + Send, run: impl FnOnce() -> T) -> T {
    let has_bar = Bar::is_wanted(false);
    let mut bar = None;
    let report = move || match has_bar {
        true => bar.get_or_insert_with(|| Bar::new(ProgressDrawTarget::stderr(), None, WORK, BAR_AFTER)).tell(text()),
        false => say(format!("robosieve: {}", text())),
    };
    meanwhile(times(has_bar), report, run)
}

/// Templates for lists of known and of unknown size. The bar takes the remaining width, and the second line is cut at
/// the edge, so 40 columns are enough.
const KNOWN: &str = "{elapsed} {wide_bar} {percent}%{prefix}\n{wide_msg}";
const UNKNOWN: &str = "{elapsed} {spinner} {decimal_bytes}\n{wide_msg}";

/// The bar, which disappears when dropped.
struct Bar(ProgressBar);

impl Bar {
    /// Whether to draw a bar: standard error is a terminal that can overwrite its last lines, and no lines are printed
    /// to a terminal.
    fn is_wanted(lines_are_printed: bool) -> bool {
        !(lines_are_printed && io::stdout().is_terminal())
            && io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
    }

    /// A bar for a run that has taken `snapshot.seconds` so far.
    fn of_run(snapshot: &Snapshot) -> Bar {
        Bar::of_run_on(ProgressDrawTarget::stderr(), snapshot)
    }

    fn of_run_on(terminal: ProgressDrawTarget, snapshot: &Snapshot) -> Bar {
        let template = if snapshot.source_bytes_known.is_some() { KNOWN } else { UNKNOWN };
        Bar::new(terminal, snapshot.source_bytes_known, template, Duration::from_secs_f64(snapshot.seconds))
    }

    fn new(terminal: ProgressDrawTarget, length: Option<u64>, template: &str, elapsed: Duration) -> Bar {
        let bar = ProgressBar::with_draw_target(length, terminal);
        // The templates are constants; if one were wrong, the default bar would do.
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("##-"));
        Bar(bar.with_elapsed(elapsed))
    }

    fn tell(&self, message: String) {
        self.0.set_message(message);
        self.0.tick();
    }

    fn draw(&self, snapshot: &Snapshot, agents: &[String]) {
        let is_known = snapshot.source_bytes_known.is_some();
        self.0.set_position(if is_known { snapshot.source_bytes } else { snapshot.bytes });
        let left = match snapshot.seconds_left() {
            Some(seconds) if snapshot.phase == Phase::Judging && is_settled(snapshot) => {
                format!(", {} left", short_duration(seconds))
            }
            _ => String::new(),
        };
        self.0.set_prefix(left);
        self.tell(match snapshot.phase {
            Phase::Comparing => COMPARING.to_owned(),
            Phase::Completing => COMPLETING.to_owned(),
            _ => lines(snapshot, agents),
        });
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;

    use super::*;
    use crate::judge::tally::{CrawlerCounts, Tally};

    /// The bar of a one-hour run on a terminal with this many columns.
    fn shown(columns: u16, known: Option<u64>) -> Vec<String> {
        let lines = [123_456_789_012, 45_678_901_234, 5_678_901_234, 678_901_234];
        let tallies = lines.map(|lines| Tally { lines, ..Tally::default() });
        let snapshot = Snapshot {
            phase: Phase::Judging,
            seconds: 3600.0,
            bytes: 987_654_321_987,
            source_bytes: 36_000_000_000,
            source_bytes_known: known,
            lines: lines.iter().sum(),
            crawlers: vec![CrawlerCounts { tallies, ..CrawlerCounts::default() }],
            ..Snapshot::default()
        };
        let terminal = InMemoryTerm::new(5, columns);
        let bar = Bar::of_run_on(ProgressDrawTarget::term_like(Box::new(terminal.clone())), &snapshot);
        bar.draw(&snapshot, &["examplebot".to_owned()]);
        let shown = terminal.contents().lines().map(str::to_owned).collect();
        drop(bar);
        assert_eq!(terminal.contents(), "", "it is gone with its value");
        shown
    }

    #[test]
    fn a_bar_takes_two_lines_of_forty_columns() {
        for columns in [40, 80, 200] {
            let known = shown(columns, Some(100_000_000_000));
            assert_eq!(known.len(), 2, "{known:?}");
            assert!(known[0].starts_with("60m ##") && known[0].ends_with(" 36%, 2h left"), "{known:?}");
            assert!(known[1].starts_with("175,493,492,714 lines, "), "{known:?}");
            assert_eq!(shown(columns, None).len(), 2);
        }
    }

    /// A reader of the file removes it, and the run goes on until it is there again.
    #[test]
    fn metrics_are_written_again_while_the_run_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.prom");
        let metrics = Metrics::create(&path).expect("a file");
        std::fs::remove_file(&path).expect("it was written at once");
        let journal = Journal::quiet();
        let run = || {
            while !path.exists() {
                thread::yield_now();
            }
        };
        meanwhile([Duration::ZERO, METRICS_EVERY], renewal(&journal, &Progress::default(), &metrics), run);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.contains("robosieve_running 1\n"), "{text}");
    }
}
