//! The plan: a checked job, with open lists and a divided budget.
//!
//! The plan checks all arguments before anything is written, and later stages rely on it. Only [`start`](super::start)
//! checks more: it locks the output folder and checks its contents.

use std::sync::atomic::{AtomicU64, Ordering};

use super::error::interrupted;
use super::file_sets::FileSets;
use super::job::{Against, Destination, Folder, Job, Pipe};
use super::memory::{JobMemory, Needs, WorkerPlan};
use super::newly_seen::SeenPlace;
use super::seen_file::ShardKeys;
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::memory_budget::CacheMemory;
use crate::formats::shown;
use crate::input::chunks::{Cut, Parallelism};
use crate::input::list::{List, Opening, Patience};
use crate::judge::matcher::Matcher;
use crate::judge::outcomes::AllowedIf;
use crate::judge::same_url::SameUrl;
use crate::output::columns::cause_names;
use crate::output::form::{FileFormat, OutputMode, OutputOptions, Splits};
use crate::output::receipt::{Hex, ReceiptOptions};
use crate::policy::{Crawler, Policy};
use crate::preferences::PreferenceColumns;
use crate::robots::Agents;
use crate::threads;

/// The plan of a run.
pub(super) struct Plan<'j> {
    pub policy: &'j Policy,
    pub job: &'j Job,
    /// The lists, or the parts of them to be read.
    pub lists: Vec<List>,
    /// The options for the receipt, with as many workers and as large chunks as fit into memory.
    pub options: ReceiptOptions,
    pub memory: JobMemory,
    /// The sets of files that lines go to.
    pub sets: FileSets,
    /// The file of URLs that earlier runs have seen.
    pub seen: Option<SeenPlace>,
    /// The keys of all shards, if this is a shard that leaves out duplicates.
    pub shard_keys: Option<ShardKeys>,
    /// The job's crawlers, as the policy knows them.
    crawlers: Vec<Crawler>,
    /// The same in the policy that verdicts are compared with.
    older: Vec<Crawler>,
}

impl<'j> Plan<'j> {
    /// Checks a job, opens its lists and divides its budget.
    pub fn new(policy: &'j Policy, job: &'j Job) -> Result<Plan<'j>, Error> {
        let form = job.destination.as_ref().map(Destination::form);
        let crawlers = crawlers(policy, job)?;
        let older = older_crawlers(policy, job)?;
        let agents = job.crawlers.iter().chain(&older).map(Crawler::agents);
        let needs = Needs::new(agents, form, job.explain, job.allowed_if);
        let needs = needs.with_preferences(preferences(job)).showing_chunks(shows_chunks(job));
        let memory = JobMemory::new(job.memory, needs)?;
        let split_for = AllowedIf::split_count(job.allowed_if, job.crawlers.len());
        let has_columns = job.explain || !preferences(job).is_empty();
        if job.allowed_if.is_some() && (form.is_some_and(OutputMode::is_whole) && !is_picked(job) || has_columns) {
            let message = "lines that are split once for all crawlers have no verdicts, rules or preferences of each; split them \
                           for each instead";
            return Err(ErrorKind::Job.of(message));
        }
        let lists = lists(job, memory)?;
        let chunk_size = (job.chunk_size > 0).then_some(job.chunk_size);
        let worker_plan = memory.worker_plan(threads::asked(job.threads), chunk_size, format(job))?;
        if let (Some(Destination::Pipe(Pipe::Only(_))), given @ 2..) = (&job.destination, split_for) {
            let message = format!(
                "standard output takes partitions of one crawler only; {given} were given, so split lines for any or all of them \
                 together, or use a separate run for each"
            );
            return Err(ErrorKind::Job.of(message));
        }
        let (seen, shard_keys) = (seen(job, &lists)?, shard_keys(job)?);
        let options = ReceiptOptions {
            seen: seen.as_ref().map(SeenPlace::checksum),
            keys: shard_keys.as_ref().map(|keys| keys.checksum),
            ..options(job, worker_plan)
        };
        let sets = FileSets::of(&lists, &options)?;
        Ok(Plan { policy, job, lists, options, memory, sets, seen, shard_keys, crawlers, older })
    }

    /// Whether a run can only be resumed with chunks of the same size: if it was asked for, or files show where chunks end.
    pub fn chunks_count(&self) -> bool {
        self.job.chunk_size > 0 || shows_chunks(self.job)
    }

    /// The style of the files; `None` if lines are only counted.
    pub fn style(&self) -> Option<OutputOptions> {
        self.destination().map(|_| self.file_style())
    }

    /// The same, if lines are written. Lines that are picked by their verdicts go to no other files.
    pub fn file_style(&self) -> OutputOptions {
        let style = self.options.style(&self.splits());
        if is_picked(self.job) { OutputOptions { crawlers: 1, ..style } } else { style }
    }

    /// The memory for caches of each worker.
    pub fn worker_caches(&self) -> CacheMemory {
        self.memory.caches(self.options.threads)
    }

    /// Bytes of rows that wait for row groups, before they are stored on disk.
    pub fn waiting_rows(&self) -> u64 {
        let ReceiptOptions { threads: workers, chunk_size, .. } = self.options;
        self.memory.waiting_rows(WorkerPlan { workers, chunk_size })
    }

    /// Where lines go; `None` if they are only counted.
    pub fn destination(&self) -> Option<&'j Destination> {
        self.job.destination.as_ref()
    }

    /// The agents of all crawlers.
    pub fn all_agents(&self) -> impl Iterator<Item = &'j Agents> {
        self.job.crawlers.iter().map(|crawler| crawler.agents())
    }

    /// The crawlers that lines are split for.
    pub fn splits(&self) -> Splits {
        self.job.splits()
    }

    /// A matcher for each crawler.
    pub fn matchers(&self) -> Vec<Matcher> {
        Matcher::for_each(self.policy, self.crawlers.iter().cloned(), self.job.choices)
    }

    /// The same by the policy that verdicts are compared with; none if they are not. There, no robots.txt is too old.
    pub fn older_matchers(&self) -> Vec<Matcher> {
        let choices = self.job.choices.of_older();
        let of = |against: &Against| Matcher::for_each(&against.policy, self.older.iter().cloned(), choices);
        self.job.against.as_ref().map(of).unwrap_or_default()
    }

    /// Whether lines are left out if both policies put them into the same partition.
    pub fn is_only_changed(&self) -> bool {
        self.options.only_changed
    }

    /// The folder, if files are written.
    pub fn folder(&self) -> Option<&'j Folder> {
        self.destination().and_then(Destination::folder)
    }

    /// How many judged chunks may wait for their turn. While one worker encodes a row group, the others fill the next
    /// row groups; chunks of text are smaller than chunks of rows, so more of them may wait.
    pub fn most_waiting(&self) -> usize {
        let ReceiptOptions { threads, chunk_size, format, .. } = self.options;
        let has_tables = self.lists.iter().any(|list| list.is_table());
        if has_tables { threads } else { threads * (chunk_size / format.text_chunk(chunk_size)) }
    }

    /// How the lists are cut into chunks.
    pub fn cut<'p>(&'p self, read: &'p AtomicU64) -> Cut<'p> {
        // The reader of a pipe should not have to wait for a full chunk.
        let patience = match self.job.destination {
            Some(Destination::Pipe(_)) => Patience::UntilLine,
            _ => Patience::UntilFull,
        };
        Cut {
            longest: self.memory.longest_line(),
            patience,
            by_rows: !self.options.format.is_text(),
            with_columns: !self.options.format.is_text(),
            interrupt: self.job.interrupt.clone(),
            parallelism: Parallelism { lists: self.options.threads, in_order: self.is_in_order() },
            memory: self.memory.decompressors(),
            folder: self.folder().map(|folder| folder.directory.clone()),
            rows_size: self.options.chunk_size,
            ..Cut::all(&self.lists, self.options.format.text_chunk(self.options.chunk_size), read)
        }
    }

    /// Whether lists must be judged in order: if their lines go to the same files, or a line may be left out because of
    /// a line of another list.
    fn is_in_order(&self) -> bool {
        self.options.unique.is_some() || self.destination().is_some() && !self.options.per_input
    }

    /// Whether the lists are read twice to leave out duplicates: all are files, and together too large for one set of all their URLs.
    /// Compressed lists and tables count as stored, because to read them twice takes longer than to read text twice.
    pub fn reads_twice(&self) -> bool {
        let length = |list: &List| if list.is_empty { Some(0) } else { list.source_length() };
        let all = self.lists.iter().map(length).sum::<Option<u64>>();
        let has_files = self.seen.is_some() || self.shard_keys.is_some();
        self.options.unique.is_some() && all.is_some_and(|all| has_files || all > self.memory.lists_of_set())
    }
}

/// The lists of a job, or the parts of them to be read.
pub(super) fn lists(job: &Job, memory: JobMemory) -> Result<Vec<List>, Error> {
    let Job { skip_bad, interrupt, .. } = job;
    let opening = Opening {
        url_field: &job.url_field,
        memory: memory.decompressors(),
        skips_bad: *skip_bad,
        maps: job.maps,
        interrupt: interrupt.as_ref(),
    };
    let opened = List::open_all(&job.lists, opening);
    let is_asked_to_stop = interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed));
    let mut lists = opened.map_err(|error| if is_asked_to_stop { interrupted() } else { error })?;
    // Skipping all lists is an error.
    let problems: Option<Vec<&str>> = lists.iter().map(List::unreadable).collect();
    if let (Some([problem, ..]), [first, ..]) = (problems.as_deref(), &lists[..]) {
        let path = shown(&first.path);
        return Err(ErrorKind::List.of(format!("none of the lists can be read; the first one, {path}: {problem}")));
    }
    if job.unique == Some(SameUrl::Surt)
        && let Some(list) = lists.iter().find(|list| !list.has_keys())
    {
        let message = format!(
            "the list {} has no keys to compare: only an index of web archives has one in each line (CDXJ, or CDX whose first column is \
             N), and none is made from URLs, because no library makes those that indexes have; compare what is fetched, or bytes",
            shown(&list.path)
        );
        return Err(ErrorKind::Job.of(message).about(About::IndexKeys));
    }
    if let Some(shard) = job.shard {
        shard.cut(&mut lists)?;
    }
    Ok(lists)
}

/// The place for seen URLs, if there is one.
fn seen(job: &Job, lists: &[List]) -> Result<Option<SeenPlace>, Error> {
    let Some(path) = &job.seen else { return Ok(None) };
    let Some(same) = job.unique else {
        let message = "a run that leaves out URLs of earlier runs must also leave out its own duplicates";
        return Err(ErrorKind::Job.of(message).about(About::SeenAndUnique));
    };
    if let Some(list) = lists.iter().find(|list| !list.is_empty && list.source_length().is_none()) {
        let message = format!(
            "the list {} can be read only once, and leaving out URLs of earlier runs takes two passes; give it as a file",
            shown(&list.path)
        );
        return Err(ErrorKind::Job.of(message).about(About::Seen));
    }
    let folder = job.destination.as_ref().and_then(Destination::folder);
    let folder = folder.and_then(|folder| std::path::absolute(&folder.directory).ok());
    if folder.is_some_and(|folder| SeenPlace::at(path).is_ok_and(|file| file.starts_with(folder))) {
        let message = format!(
            "the file of seen URLs {} is in the folder of the output, which is for the run's files only; choose another place",
            shown(path)
        );
        return Err(ErrorKind::Job.of(message).about(About::Seen));
    }
    Ok(Some(SeenPlace::open(path, same)?))
}

/// The keys of all shards, which a shard needs to leave out duplicates.
fn shard_keys(job: &Job) -> Result<Option<ShardKeys>, Error> {
    match (job.shard, job.unique, &job.keys) {
        (Some(_), Some(_), _) if job.seen.is_some() => {
            let message = "each shard would replace the file of seen URLs by one without those of the others; leave them out in one run";
            Err(ErrorKind::Job.of(message).about(About::SeenAndShard))
        }
        (Some(shard), Some(same), Some(folder)) => {
            ShardKeys::open(folder, shard, same).map(Some).map_err(|error| error.about(About::Keys))
        }
        (Some(_), Some(_), None) => {
            let message = "a shard does not know the URLs of the others, so duplicates across shards would remain; write the keys of \
                           all shards first (robosieve keys), and give the folder that they are in";
            Err(ErrorKind::Job.of(message).about(About::KeysAndShard))
        }
        (_, _, Some(_)) => {
            let message = "keys of shards are only for a shard that leaves out duplicates";
            Err(ErrorKind::Job.of(message).about(About::KeysAndShard))
        }
        (_, _, None) => Ok(None),
    }
}

/// The job's crawlers, as the policy knows them: another policy may have given them to the job.
fn crawlers(policy: &Policy, job: &Job) -> Result<Vec<Crawler>, Error> {
    if job.crawlers.is_empty() {
        return Err(ErrorKind::Job.of("no crawler is given; name at least one"));
    }
    policy.crawlers(job.crawlers.iter().map(Crawler::agents)).map_err(|error| ErrorKind::Job.of(error))
}

/// The crawlers of the policy that verdicts are compared with.
fn older_crawlers(policy: &Policy, job: &Job) -> Result<Vec<Crawler>, Error> {
    let Some(Against { policy: older, .. }) = &job.against else { return Ok(Vec::new()) };
    let [now, was] = [policy, older].map(|policy| policy.dialect().name);
    if now != was {
        return Err(ErrorKind::Job.of(format!(
            "the policies to compare have different dialects, {now} and {was}; compile one of them again"
        )));
    }
    older
        .crawlers(job.crawlers.iter().map(Crawler::agents))
        .map_err(|error| ErrorKind::Job.of(error.within("the policy to compare with: ")))
}

/// Whether the lines of some partitions are printed.
fn is_picked(job: &Job) -> bool {
    matches!(job.destination, Some(Destination::Pipe(Pipe::Only(_))))
}

/// The format of a job's files.
fn format(job: &Job) -> FileFormat {
    let folder = job.destination.as_ref().and_then(Destination::folder);
    folder.map_or(FileFormat::Text, |folder| folder.format)
}

/// Whether files show how lists were cut into chunks: frames, row groups and parts end where a chunk does.
fn shows_chunks(job: &Job) -> bool {
    let folder = job.destination.as_ref().and_then(Destination::folder);
    folder.is_some_and(|folder| {
        folder.format == FileFormat::Parquet || folder.compress.is_some() || folder.split_size.is_some()
    })
}

/// The columns of preferences; none if lines are only counted, or written once for all crawlers.
fn preferences(job: &Job) -> PreferenceColumns {
    let form = job.destination.as_ref().map(Destination::form);
    if matches!(form, None | Some(OutputMode::BlockedFor)) { PreferenceColumns::default() } else { job.preferences }
}

fn options(job: &Job, worker_plan: WorkerPlan) -> ReceiptOptions {
    let destination = job.destination.as_ref();
    let folder = destination.and_then(Destination::folder);
    ReceiptOptions {
        choices: job.choices,
        url_field: job.url_field.clone(),
        form: destination.map_or(OutputMode::Partitions, Destination::form),
        format: format(job),
        compress: folder.and_then(|folder| folder.compress),
        split_size: folder.and_then(|folder| folder.split_size),
        explain: job.explain,
        columns: if job.explain { cause_names() } else { Vec::new() },
        preferences: preferences(job),
        allowed_if: job.allowed_if,
        unique: job.unique,
        seen: None,
        keys: None,
        against: job.against.as_ref().map(|against| Hex(against.policy.checksum())),
        only_changed: job.against.as_ref().is_some_and(|against| against.only_changed),
        threads: worker_plan.workers,
        chunk_size: worker_plan.chunk_size,
        per_input: folder.is_some_and(|folder| folder.per_input),
        path_columns: folder.map(|folder| folder.path_columns).unwrap_or_default(),
        shard: job.shard,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Captures, Crawlers};

    #[test]
    fn large_lists_are_read_twice_if_they_can_be() {
        let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (list, empty) = (folder.path().join("list"), folder.path().join("empty"));
        std::fs::write(&list, "http://a.example/\n".repeat(1 << 19)).unwrap();
        std::fs::write(&empty, "").unwrap();
        for (lists, memory, unique, expected) in [
            (vec![list.clone(), empty.clone()], 48 << 20, Some(SameUrl::Fetched), true),
            (vec![list.clone()], 1 << 30, Some(SameUrl::Fetched), false),
            (vec![list.clone()], 48 << 20, None, false),
        ] {
            let mut job = Job::new(lists, vec![policy.crawler(None).unwrap()]).unique(unique);
            job.memory = memory;
            assert_eq!(Plan::new(&policy, &job).unwrap().reads_twice(), expected, "{memory} {unique:?}");
        }
    }

    #[test]
    fn crawlers_are_those_of_the_policy_of_the_run() {
        let policy = |names: &[&str]| {
            let agents = names.iter().map(|name| name.parse().unwrap()).collect();
            Captures::new(Crawlers::new(agents).unwrap(), Dialect::DEFAULT).policy().unwrap()
        };
        let (of_job, of_run) = (policy(&["a", "b"]), policy(&["c", "b", "a"]));
        let job = |name: &str| Job::new(["list"], vec![of_job.crawler(Some(&name.parse().unwrap())).unwrap()]);
        assert_eq!(of_run.answering(&crawlers(&of_run, &job("b")).unwrap()[0]), [1]);
        assert_eq!(of_run.answering(&crawlers(&of_run, &job("a")).unwrap()[0]), [2]);
        let unknown = crawlers(&policy(&["c"]), &job("a"));
        assert!(unknown.is_err_and(|error| error.to_string().contains("was not compiled for a, only for c")));
        assert!(
            crawlers(&of_run, &Job::new(["list"], Vec::new()))
                .is_err_and(|error| error.to_string().contains("no crawler"))
        );
    }
}
