//! Watches a run from a separate thread, which ends with the run; on a terminal, with a progress bar.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::journal::{COMPARING, COMPLETING, Journal, JournalOutput, is_settled, lines, short_duration};
use super::say::say;
use crate::run::{Phase, Progress, Snapshot};
use crate::show::Metrics;

/// The interval between updates of metrics.
const METRICS_EVERY: Duration = Duration::from_secs(5);

/// The interval between lines of progress where there is no bar.
const EVERY: Duration = Duration::from_secs(10);

/// The delay before a bar appears. A shorter run has none.
const BAR_AFTER: Duration = Duration::from_secs(1);

/// Calls `run`, and shows its progress meanwhile.
pub fn watch<T>(
    journal: &Journal,
    progress: &Progress,
    metrics: Option<&Metrics>,
    agents: Vec<String>,
    run: impl FnOnce() -> T,
) -> T {
    let reporting = match journal.output {
        JournalOutput::Quiet | JournalOutput::Json { quiet: true } => None,
        JournalOutput::Text { .. } if Bar::is_wanted(journal.prints_lines) => Some(Timer::new(BAR_AFTER, Bar::EVERY)),
        JournalOutput::Text { .. } | JournalOutput::Json { .. } => Some(Timer::new(EVERY, EVERY)),
    };
    let renewing = metrics.map(|_| Timer::new(METRICS_EVERY, METRICS_EVERY));
    let watcher = Watcher { journal, progress, metrics, agents, bar: None, reporting, renewing, warned: false };
    run_watched(|end| watcher.until(&end), run)
}

/// Calls `run`, while `watch` waits for its end in a thread of its own.
fn run_watched<T>(watch: impl FnOnce(Receiver<()>) + Send, run: impl FnOnce() -> T) -> T {
    let (running, end) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // If no thread can be spawned, there is no bar; the run is what counts.
        let _ = thread::Builder::new().spawn_scoped(scope, move || watch(end));
        let result = run();
        // Also dropped if the run panics.
        drop(running);
        result
    })
}

struct Watcher<'a> {
    journal: &'a Journal,
    progress: &'a Progress,
    metrics: Option<&'a Metrics>,
    agents: Vec<String>,
    bar: Option<Bar>,
    /// When the next line is written, or the bar drawn; `None` if there is nothing to show.
    reporting: Option<Timer>,
    /// When metrics are updated next.
    renewing: Option<Timer>,
    /// Whether a failure to update metrics has been reported.
    warned: bool,
}

struct Timer {
    next: Instant,
    every: Duration,
}

impl Timer {
    fn new(first: Duration, every: Duration) -> Timer {
        Timer { next: Instant::now() + first, every }
    }

    /// Whether the task is due. A due task is scheduled anew.
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = now >= self.next;
        if due {
            self.next = now + self.every;
        }
        due
    }
}

impl Watcher<'_> {
    fn until(mut self, end: &Receiver<()>) {
        while let Some(next) = [&self.reporting, &self.renewing].into_iter().flatten().map(|timer| timer.next).min() {
            let remaining = next.saturating_duration_since(Instant::now());
            if end.recv_timeout(remaining) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            if self.reporting.as_mut().is_some_and(Timer::is_due) {
                self.report();
            }
            if self.renewing.as_mut().is_some_and(Timer::is_due) {
                self.renew();
            }
        }
    }

    fn report(&mut self) {
        let snapshot = self.progress.snapshot();
        if matches!(snapshot.phase, Phase::Waiting | Phase::Ended) {
            return;
        }
        if matches!(self.journal.output, JournalOutput::Text { .. }) && Bar::is_wanted(self.journal.prints_lines) {
            let bar = self.bar.get_or_insert_with(|| Bar::new(&snapshot));
            bar.draw(&snapshot, &self.agents);
        } else {
            self.journal.progress(&snapshot, &self.agents);
        }
    }

    fn renew(&mut self) {
        let Some(metrics) = self.metrics else { return };
        if let Err(error) = metrics.write(&self.progress.snapshot()) {
            // Reported once; the run continues.
            if !std::mem::replace(&mut self.warned, true) {
                self.journal.warn(error);
            }
        }
    }
}

const STYLE: &str = "{elapsed_precise} {spinner}  {wide_msg}";

/// Calls `run`, and shows meanwhile what `text` says of its progress.
pub fn watch_work<T>(text: impl Fn() -> String + Send, run: impl FnOnce() -> T) -> T {
    run_watched(move |end| report(&text, &end), run)
}

fn report(text: &dyn Fn() -> String, end: &Receiver<()>) {
    let is_over = |every| end.recv_timeout(every) != Err(RecvTimeoutError::Timeout);
    if !Bar::is_wanted(false) {
        while !is_over(EVERY) {
            say(format!("robosieve: {}", text()));
        }
        return;
    }
    // Work that ends at once gets no bar.
    if is_over(BAR_AFTER) {
        return;
    }
    let bar = ProgressBar::new_spinner().with_elapsed(BAR_AFTER);
    bar.set_style(ProgressStyle::with_template(STYLE).unwrap_or_else(|_| ProgressStyle::default_spinner()));
    loop {
        bar.set_message(text());
        bar.tick();
        if is_over(Bar::EVERY) {
            return bar.finish_and_clear();
        }
    }
}

/// Templates for lists of known and of unknown size. The bar takes the remaining width, and the second line is cut at
/// the edge, so 40 columns are enough.
const KNOWN: &str = "{elapsed} {wide_bar} {percent}%{prefix}\n{wide_msg}";
const UNKNOWN: &str = "{elapsed} {spinner} {decimal_bytes}\n{wide_msg}";

/// The bar, which disappears when dropped.
pub struct Bar(ProgressBar);

impl Bar {
    pub const EVERY: Duration = Duration::from_millis(100);

    /// Whether to draw a bar: standard error is a terminal that can overwrite its last lines, and no lines are printed
    /// to a terminal.
    pub fn is_wanted(lines_are_printed: bool) -> bool {
        !(lines_are_printed && io::stdout().is_terminal())
            && io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
    }

    /// A bar for a run that has taken `snapshot.seconds` so far.
    pub fn new(snapshot: &Snapshot) -> Bar {
        Bar::on(ProgressDrawTarget::stderr(), snapshot)
    }

    fn on(terminal: ProgressDrawTarget, snapshot: &Snapshot) -> Bar {
        let bar = ProgressBar::with_draw_target(snapshot.source_bytes_known, terminal);
        let template = if snapshot.source_bytes_known.is_some() { KNOWN } else { UNKNOWN };
        // The templates are constants; if one were wrong, the default bar would do.
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("##-"));
        Bar(bar.with_elapsed(Duration::from_secs_f64(snapshot.seconds)))
    }

    pub fn draw(&self, snapshot: &Snapshot, agents: &[String]) {
        let is_known = snapshot.source_bytes_known.is_some();
        self.0.set_position(if is_known { snapshot.source_bytes } else { snapshot.bytes });
        let left = match snapshot.seconds_left() {
            Some(seconds) if snapshot.phase == Phase::Judging && is_settled(snapshot) => {
                format!(", {} left", short_duration(seconds))
            }
            _ => String::new(),
        };
        self.0.set_prefix(left);
        self.0.set_message(match snapshot.phase {
            Phase::Comparing => COMPARING.to_owned(),
            Phase::Completing => COMPLETING.to_owned(),
            _ => lines(snapshot, agents),
        });
        self.0.tick();
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
        let bar = Bar::on(ProgressDrawTarget::term_like(Box::new(terminal.clone())), &snapshot);
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
        let journal = Journal { output: JournalOutput::Quiet, prints_lines: false };
        let watcher = Watcher {
            journal: &journal,
            progress: &Progress::default(),
            metrics: Some(&metrics),
            agents: Vec::new(),
            bar: None,
            reporting: None,
            renewing: Some(Timer::new(Duration::ZERO, METRICS_EVERY)),
            warned: false,
        };
        let run = || {
            while !path.exists() {
                thread::yield_now();
            }
        };
        run_watched(|end| watcher.until(&end), run);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.contains("robosieve_running 1\n"), "{text}");
    }
}
