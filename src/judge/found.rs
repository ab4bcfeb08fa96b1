//! Outcomes of single lines for single crawlers, beside those that most crawlers share.

use crate::outcome::Outcome;

/// The outcomes of lines for some crawlers. They are put in their places when all lines are judged: the vectors of 64 crawlers, each
/// written a little at a time, would share few sets of the cache.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The line at which the batch begins.
    from: u32,
    /// Line, crawler and outcome.
    all: Vec<(u32, u16, Outcome)>,
}

impl Found {
    /// Begins a batch at a line.
    pub fn begin(&mut self, from: usize) {
        self.from = from as u32;
    }

    /// Notes an outcome of a line of the batch.
    #[inline]
    pub fn put(&mut self, crawler: u16, line: u8, outcome: Outcome) {
        self.all.push((self.from + u32::from(line), crawler, outcome));
    }

    /// Completes the outcomes for each crawler: those for the first are the outcomes for most.
    pub fn complete(&mut self, outcomes: &mut [Vec<Outcome>]) {
        if let Some((most, others)) = outcomes.split_first_mut() {
            others.iter_mut().for_each(|found| found.clone_from(most));
        }
        self.pass_on(|line, crawler, outcome| outcomes[crawler][line] = outcome);
    }

    /// Passes on line, crawler and outcome of all.
    pub fn pass_on(&mut self, mut put: impl FnMut(usize, usize, Outcome)) {
        self.all.drain(..).for_each(|(line, crawler, outcome)| put(line as usize, usize::from(crawler), outcome));
    }
}
