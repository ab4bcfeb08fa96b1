//! The speed of a run over time, in a bounded number of samples however long it takes.

use serde::{Deserialize, Serialize};

/// The progress of a run at one point in time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sample {
    /// Seconds since the run began or was resumed.
    pub seconds: f64,
    /// Lines judged in that time.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The most samples kept.
const MAX: usize = 240;

/// The interval between the first samples.
const FIRST_INTERVAL: f64 = 0.05;

/// The samples of a run. When there are too many, every other one is dropped and the interval doubles, so that they stay about
/// evenly spaced.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    kept: Vec<Sample>,
    /// How often the interval has doubled.
    doubled: i32,
    latest: Option<Sample>,
}

impl Samples {
    /// Takes a sample if one is due.
    pub fn add(&mut self, sample: Sample) {
        self.latest = Some(sample);
        let due = self.kept.last().map_or(0.0, |last| last.seconds) + FIRST_INTERVAL * 2f64.powi(self.doubled);
        if sample.seconds < due {
            return;
        }
        self.kept.push(sample);
        if self.kept.len() == MAX {
            self.kept = self.kept.iter().copied().skip(1).step_by(2).collect();
            self.doubled += 1;
        }
    }

    /// All samples; the last is that of the last chunk.
    pub fn finish(mut self) -> Vec<Sample> {
        if let Some(latest) = self.latest.filter(|latest| self.kept.last() != Some(latest)) {
            self.kept.push(latest);
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(chunks: u64, seconds_each: f64) -> Vec<Sample> {
        let mut samples = Samples::default();
        for chunk in 1..=chunks {
            samples.add(Sample { seconds: chunk as f64 * seconds_each, lines: 10 * chunk, bytes: 100 * chunk });
        }
        samples.finish()
    }

    #[test]
    fn there_are_never_too_many_and_the_last_is_the_end() {
        for (chunks, seconds_each) in [(0, 1.0), (1, 0.001), (7, 0.001), (1_000, 0.01), (100_000, 0.5), (3, 1e6)] {
            let samples = taken(chunks, seconds_each);
            assert!(samples.len() <= MAX, "{}", samples.len());
            assert_eq!(samples.last().map(|last| last.lines), (chunks > 0).then_some(10 * chunks));
            assert!(samples.windows(2).all(|pair| pair[0].seconds < pair[1].seconds));
        }
    }

    #[test]
    fn a_long_run_is_sampled_evenly_all_over() {
        let samples = taken(100_000, 0.5);
        assert!(samples.len() > MAX / 3, "{}", samples.len());
        let gaps: Vec<f64> = samples.windows(2).map(|pair| pair[1].seconds - pair[0].seconds).collect();
        let longest = gaps.iter().copied().fold(0.0, f64::max);
        // The last one is wherever the run ends.
        assert!(gaps[..gaps.len() - 1].iter().all(|&gap| gap > 0.3 * longest), "{gaps:?}");
    }
}
