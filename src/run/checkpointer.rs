//! Makes checkpoints durable while a run goes on.
//!
//! A checkpoint is taken in a chunk's turn, when each line up to that chunk is written, or is in the checkpoint itself. A
//! separate thread makes the files durable, and after them the checkpoint, which only then is valid; workers keep judging
//! meanwhile. So a slow disk makes checkpoints rarer, not the run slower.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, JobRecord, RunState, Stage};
use super::schedule::Schedule;
use crate::output::error::OutputError;
use crate::output::folder::{CHECKPOINT, partial, remove, sync, sync_folders};
use crate::run::error::FilterError;

/// The time between two checkpoints is at least this many times what the last one took.
const REST: u32 = 20;

/// Keeps the checkpoint of a run.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    job: JobRecord,
    directory: PathBuf,
    every: Duration,
    started: Instant,
    /// How many seconds the run had taken when it was interrupted.
    before: f64,
    schedule: Schedule<PendingCheckpoint>,
}

/// The state between two chunks, and the files that must be durable before it counts.
#[derive(Debug)]
pub(crate) struct PendingCheckpoint {
    pub state: Box<RunState>,
    pub files: Vec<PathBuf>,
    /// Files that nothing needs once this counts.
    pub outdated: Vec<PathBuf>,
}

impl Checkpointer {
    /// Keeps checkpoints of the job in `directory`, a new one after each interval `every`. If the run was resumed from one, it
    /// had taken `before` seconds.
    pub fn new(job: JobRecord, directory: PathBuf, every: Duration, before: f64) -> Checkpointer {
        let started = Instant::now();
        Checkpointer { job, directory, every, started, before, schedule: Schedule::new(started + every) }
    }

    /// How many seconds the run has taken, including those before it was interrupted.
    pub fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    /// Whether a checkpoint is due. If so, the caller must [take](Checkpointer::take) it.
    pub fn is_due(&self) -> bool {
        self.schedule.is_due()
    }

    /// Takes a checkpoint in the turn of a chunk whose lines are written. If the interval is zero, waits until it is saved.
    pub fn take(&self, taken: PendingCheckpoint) {
        self.schedule.take(taken, self.every.is_zero());
    }

    /// Makes checkpoints durable until [`Checkpointer::stop`].
    pub fn keep(&self) -> Result<(), OutputError> {
        while let Some(taken) = self.schedule.taken() {
            let began = Instant::now();
            self.save(taken)?;
            let rest = if self.every.is_zero() { Duration::ZERO } else { REST * began.elapsed() };
            self.schedule.saved(Instant::now() + self.every.max(rest));
        }
        Ok(())
    }

    /// Makes a checkpoint durable.
    pub fn save(&self, taken: PendingCheckpoint) -> Result<(), OutputError> {
        taken.files.iter().try_for_each(|file| sync(file))?;
        let name = |file: &PathBuf| file.strip_prefix(&self.directory).ok().map(Path::to_owned);
        sync_folders(&self.directory, &taken.files.iter().filter_map(name).collect::<Vec<_>>())?;
        self.write(Stage::Judging(taken.state))?;
        // One that cannot be deleted goes at the end of the run.
        taken.outdated.iter().for_each(|file| drop(remove(&partial(file))));
        Ok(())
    }

    /// Records that all files are durable and about to get these names.
    pub fn complete(&self, names: &[PathBuf]) -> Result<(), OutputError> {
        self.write(Stage::Naming(names.to_vec()))
    }

    fn write(&self, stage: Stage) -> Result<(), OutputError> {
        Checkpoint { job: self.job.clone(), stage }.write(&self.directory)
    }

    /// Whether the folder has a checkpoint. While it has one, partial files are not deleted.
    pub fn has_checkpoint(&self) -> bool {
        self.directory.join(CHECKPOINT).exists()
    }

    /// Ends [`Checkpointer::keep`], once a checkpoint that was taken is saved.
    pub fn stop(&self) {
        self.schedule.stop();
    }

    /// Adds to a failure that a checkpoint is kept, if there is one. Discards it first if the run's data cannot be trusted.
    pub fn note_kept(&self, failure: FilterError) -> FilterError {
        if failure.invalidates_checkpoint() {
            // If it cannot be deleted, it is kept.
            let _ = std::fs::remove_file(self.directory.join(CHECKPOINT));
        }
        if !self.has_checkpoint() {
            return failure;
        }
        FilterError::Kept { error: Box::new(failure), path: self.directory.clone() }
    }
}
