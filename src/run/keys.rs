//! Writes the keys of the URLs in a job's lists to a [file](super::seen_file), which the other shards of the job read.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use super::error::FilterError;
use super::job::Job;
use super::line_hashes::Hashing;
use super::memory::{Memory, Needs};
use super::plan::lists;
use super::repeats::{Means, first_pass};
use super::seen_file::{KEYS_FILE, SeenFile, Unwritten, Writer};
use crate::input::chunks::{Chunks, Cut, Parallelism};
use crate::output::format::Format;
use crate::policy::{folder_of, replace};
use crate::threads;

impl Job {
    /// Writes the keys of the URLs in its lists, by [`Job::unique`](field@Job::unique), to a file at `out`, whatever their verdicts. Only
    /// that field counts, besides those that say how lists are read, and how much memory and how many threads there are. An earlier file
    /// of keys is replaced, but not one of URLs that runs have seen.
    ///
    /// With the files of all [shards](super::LongRun::shard) in one folder, [`Job::keys`](field@Job::keys) lets each shard leave out
    /// what an earlier one has.
    ///
    /// # Errors
    ///
    /// [`FilterError`] if a list cannot be read or changed meanwhile, or if the file cannot be written; then nothing is.
    pub fn write_keys(&self, out: &Path) -> Result<SeenFile, FilterError> {
        let same = self.unique.unwrap_or_default();
        let memory = Memory::new(self.long_run.memory, Needs::new([], None, false, None))?;
        let lists = lists(self, memory)?;
        let chunk_size = (self.chunk_size > 0).then_some(self.chunk_size);
        let plan = memory.worker_plan(threads::asked(self.threads), chunk_size, Format::Text)?;
        let read = AtomicU64::new(0);
        let chunks = Chunks::new(Cut {
            longest: memory.longest_line(),
            interrupt: self.long_run.interrupt.clone(),
            parallelism: Parallelism { lists: plan.workers, in_order: true },
            memory: memory.decompressors(),
            ..Cut::all(&lists, plan.chunk_size, &read)
        });
        let (buffered, set) = memory.first_pass(plan.workers);
        let means = Means { folder: folder_of(out), threads: plan.workers, buffered, set };
        let keys = first_pass(&chunks, Hashing::of_files(same), &means)?.keys;
        let written = replace(out, &KEYS_FILE, |file| {
            let mut writer = Writer::new(same, self.long_run.shard, file)?;
            keys.each_in_order(set, |key| writer.add(key))?;
            writer.end().map_err(Unwritten::from)
        });
        written.map_err(|problem: Unwritten| problem.of(out))?;
        Ok(SeenFile::open(out)?)
    }
}
