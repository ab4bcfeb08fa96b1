//! The current speed of a run.

use std::collections::VecDeque;

use crate::run::{Resumed, Snapshot};

/// The seconds that count as current. Chunks come in bursts, so a shorter time would not do.
const CURRENT_SECONDS: f64 = 10.0;

/// The seconds after which the speed, and estimates from it, are meaningful.
const SETTLED_AFTER: f64 = 3.0;

/// The latest snapshots of a run.
#[derive(Default)]
pub struct Pace {
    points: VecDeque<Point>,
    /// Where the run started: not at 0 if it resumed an earlier one.
    start: Point,
}

#[derive(Clone, Copy, Default)]
struct Point {
    seconds: f64,
    lines: u64,
    bytes: u64,
    source_bytes: u64,
}

impl Pace {
    /// Records a snapshot, which must be later than those before.
    pub fn note(&mut self, snapshot: &Snapshot) {
        let &Snapshot { seconds, lines, bytes, source_bytes, .. } = snapshot;
        let Resumed { lines: lines_before, bytes: bytes_before, source_bytes: source_before } = snapshot.resumed;
        self.start = Point { seconds: 0.0, lines: lines_before, bytes: bytes_before, source_bytes: source_before };
        self.points.push_back(Point { seconds, lines, bytes, source_bytes });
        // The remaining points cover the current seconds, or are the last two.
        while self.points.len() > 2 && seconds - self.points[1].seconds >= CURRENT_SECONDS {
            self.points.pop_front();
        }
    }

    /// Whether enough of the run has been seen.
    pub fn is_settled(&self) -> bool {
        self.points.back().is_some_and(|last| last.seconds >= SETTLED_AFTER)
    }

    pub fn lines_per_second(&self) -> f64 {
        self.rate(|point| point.lines)
    }

    pub fn bytes_per_second(&self) -> f64 {
        self.rate(|point| point.bytes)
    }

    /// The time left at this speed, if the size of the lists is known.
    pub fn seconds_left(&self, snapshot: &Snapshot) -> Option<f64> {
        let rest = snapshot.source_bytes_known?.saturating_sub(snapshot.source_bytes);
        let pace = self.rate(|point| point.source_bytes);
        (pace > 0.0).then(|| rest as f64 / pace)
    }

    fn rate(&self, of: impl Fn(Point) -> u64) -> f64 {
        let (first, last) = match (self.points.front(), self.points.back()) {
            (Some(&first), Some(&last)) if self.points.len() > 1 => (first, last),
            // One snapshot is enough, because the start of the run is known.
            (_, Some(&last)) => (self.start, last),
            _ => return 0.0,
        };
        let seconds = last.seconds - first.seconds;
        if seconds > 0.0 { of(last).saturating_sub(of(first)) as f64 / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(seconds: f64, lines: u64) -> Snapshot {
        let (bytes, source_bytes, source_bytes_known) = (10 * lines, 2 * lines, Some(20_000));
        Snapshot { seconds, lines, bytes, source_bytes, source_bytes_known, ..Snapshot::default() }
    }

    #[test]
    fn the_pace_is_the_current_one() {
        let mut pace = Pace::default();
        assert_eq!(pace.lines_per_second(), 0.0);
        assert_eq!(pace.seconds_left(&snapshot(0.0, 0)), None);
        pace.note(&snapshot(2.0, 200));
        assert_eq!((pace.lines_per_second(), pace.is_settled()), (100.0, false));
        // A hundred lines a second for a minute, then ten.
        for second in 3..=60 {
            pace.note(&snapshot(f64::from(second), 100 * u64::from(second as u32)));
        }
        assert_eq!(pace.lines_per_second(), 100.0);
        for second in 1..=20 {
            pace.note(&snapshot(60.0 + f64::from(second), 6000 + 10 * u64::from(second as u32)));
        }
        assert_eq!(pace.lines_per_second(), 10.0);
        assert_eq!((pace.bytes_per_second(), pace.is_settled()), (100.0, true));
        assert_eq!(pace.seconds_left(&snapshot(80.0, 6200)), Some(380.0));
        assert!(pace.points.len() < 14, "{}", pace.points.len());
    }

    #[test]
    fn what_an_earlier_run_did_does_not_count() {
        let mut pace = Pace::default();
        let resumed = Resumed { lines: 900, bytes: 9000, source_bytes: 1800 };
        pace.note(&Snapshot { resumed, ..snapshot(2.0, 1000) });
        assert_eq!((pace.lines_per_second(), pace.bytes_per_second()), (50.0, 500.0));
        assert_eq!(pace.seconds_left(&snapshot(2.0, 1000)), Some(180.0));
    }

    #[test]
    fn rare_snapshots_count_too() {
        let mut pace = Pace::default();
        for minute in 1..=5 {
            pace.note(&snapshot(f64::from(minute) * 60.0, 6000 * u64::from(minute as u32)));
        }
        assert_eq!(pace.lines_per_second(), 100.0);
        assert_eq!(pace.points.len(), 2);
    }
}
