//! A progress bar on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;

use super::text;
use crate::run::{Phase, Snapshot};

/// Templates for lists of known and of unknown size. The bar takes the remaining width, and the second line is cut at
/// the edge, so 40 columns are enough.
const KNOWN: &str = "{elapsed} {wide_bar} {percent}%{prefix}\n{wide_msg}";
const UNKNOWN: &str = "{elapsed} {spinner} {decimal_bytes}\n{wide_msg}";

/// The bar, which disappears when dropped.
pub struct Bar(ProgressBar);

impl Bar {
    /// The interval between redraws.
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

    /// Draws the progress of the run.
    pub fn draw(&self, snapshot: &Snapshot, agents: &[String]) {
        let is_known = snapshot.source_bytes_known.is_some();
        self.0.set_position(if is_known { snapshot.source_bytes } else { snapshot.bytes });
        let left = match snapshot.seconds_left() {
            Some(seconds) if snapshot.phase == Phase::Judging && text::is_settled(snapshot) => {
                format!(", {} left", text::short_duration(seconds))
            }
            _ => String::new(),
        };
        self.0.set_prefix(left);
        self.0.set_message(match snapshot.phase {
            Phase::Comparing => text::COMPARING.to_owned(),
            Phase::Completing => text::COMPLETING.to_owned(),
            _ => text::lines(snapshot, agents),
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
    use crate::run::Counted;

    /// The bar of a one-hour run on a terminal with this many columns.
    fn shown(columns: u16, known: Option<u64>) -> Vec<String> {
        let lines = [123_456_789_012, 45_678_901_234, 5_678_901_234, 678_901_234];
        let snapshot = Snapshot {
            phase: Phase::Judging,
            seconds: 3600.0,
            bytes: 987_654_321_987,
            source_bytes: 36_000_000_000,
            source_bytes_known: known,
            lines: lines.iter().sum(),
            crawlers: vec![Counted { lines, ..Counted::default() }],
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
}
