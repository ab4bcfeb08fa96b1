//! `robosieve filter`, whose policy file may be replaced while it judges.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::{CrawlerArgs, FilterArgs, LongRunArgs, PolicyArgs, PolicySourceArgs, mapped};
use super::error::{Failure, not_compiled, not_merged};
use super::guess::about_lists;
use super::journal::Journal;
use super::sources::{self, ties};
use super::watch::watch;
use super::{destination, lists, process};
use crate::formats::visible::visible_except;
use crate::formats::{json, shown, standard_output, time, visible};
use crate::judge::{Choices, Matcher, SameUrl};
use crate::output::{Receipt, counted};
use crate::policy::source::PassedOver;
use crate::policy::{Captures, Crawler, Crawlers, Overrides, Policy, other_dialect};
use crate::robots::Agents;
use crate::run::needed::NEEDED_LIST;
use crate::run::{self, Against, Destination, EarlierRun, Job, Needs, Progress};
use crate::show::Metrics;
use crate::show::inspect::Lifetimes;

pub fn run(args: &FilterArgs) -> ExitCode {
    let journal = Journal::new(&args.watching, args.output.prints_lines());
    match watched(args, &journal) {
        Ok(status) => status,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            journal.error(&failure);
            ExitCode::from(failure.status())
        }
    }
}

/// Runs with metrics, and completes their file whatever the result.
fn watched(args: &FilterArgs, journal: &Journal) -> Result<ExitCode, Failure> {
    let progress = Progress::new();
    if let (Some(path), Some(directory)) = (&args.watching.metrics, &args.output.out)
        && is_inside(path, directory)
    {
        let (path, directory) = (shown(path), shown(directory));
        return Err(format!(
            "the metrics file {path} would be in the --out folder {directory}, which is for the run's files only; choose another place"
        )
        .into());
    }
    let mut metrics = args.watching.metrics.as_deref().map(Metrics::create).transpose()?;
    let result = split(args, journal, &progress, metrics.as_mut());
    if let Some(metrics) = metrics {
        let failed = result.as_ref().is_err_and(|failure| !failure.is_closed_pipe());
        let finished = metrics.finish(&progress.snapshot(), !failed);
        finished.unwrap_or_else(|error| journal.warn(error));
    }
    result
}

/// Whether a file is in a folder, or would be; either may be missing.
fn is_inside(file: &Path, directory: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    let folder = file.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    match (folder.and_then(whole), whole(directory)) {
        (Some(folder), Some(directory)) => folder.starts_with(directory),
        _ => false,
    }
}

fn split(
    args: &FilterArgs,
    journal: &Journal,
    progress: &Progress,
    mut metrics: Option<&mut Metrics>,
) -> Result<ExitCode, Failure> {
    args.check()?;
    // Before an hour of work whose result could not be printed.
    if args.output.count || args.output.prints_lines() {
        standard_output::open()?;
    }
    let earlier = earlier_run(args)?;
    let now = args.choices.of_origins.now.map(jiff::Timestamp::as_second).or(earlier.map(|earlier| earlier.now));
    let choices = args.choices.choices(now.unwrap_or_else(time::now))?;
    let lists = lists::all(&args.lists, &args.input)?;
    let opened = opened(args)?;
    let dialect = opened.as_ref().map_or(args.source.dialect.dialect, |(policy, _)| policy.dialect());
    let read_for = if opened.is_some() { CrawlerArgs::of_policy } else { CrawlerArgs::of_sources };
    let agents = read_for(&args.source.crawlers, dialect)?;
    let form = args.output.destination().as_ref().map(Destination::form);
    // Lines are judged for each crawler by the older policy, too.
    let older = if args.source.against.is_empty() { &[][..] } else { &agents[..] };
    let needs = Needs::new(agents.iter().chain(older), form, args.output.explain, args.output.allowed_if);
    let needs = needs.with_preferences(args.output.preferences.unwrap_or_default());
    run::check_memory(args.long_run.memory, needs)?;
    let (policy, mut followed) = match opened {
        Some(opened) => opened,
        None => (compiled(args, journal, &agents)?, None),
    };
    // The memory of the captures, which are gone.
    process::return_free_memory(args.long_run.memory);
    let against = args.source.rules.policy.open_files(&args.source.against)?;
    let job = job(args, lists, choices, sources::crawlers(&agents, &policy)?);
    // SAFETY: who names a list answers for its not changing meanwhile, as SECURITY.md says.
    let mut job = unsafe { job.map_lists() };
    job.against = against.map(|policy| Against { policy, only_changed: args.source.only_changed });
    if let Some(path) = &job.robots_needed {
        destination::ensure(
            path,
            &NEEDED_LIST,
            &[&args.source.rules.policy.policy[..], &args.source.rules.robots, &job.lists].concat(),
        )?;
    }
    if let Some(earlier) = earlier {
        job.chunk_size = earlier.chunk_size;
    }
    if args.output.out.is_some() && job.interrupt.is_none() {
        journal
            .warn("standard input and pipes cannot be read again, so this run cannot be resumed if it is interrupted");
    }
    if let Some(earlier) = earlier {
        journal.resume(earlier.lines);
    }
    journal.start(&policy, &job);
    if !args.watching.quiet && choices.max_age.is_none() {
        warn_of_stale(journal, &policy, choices.now);
    }
    if let Some(metrics) = &mut metrics {
        metrics.describe(job.splits().names(), policy.statistics());
    }
    let mut newer = || {
        let choices = Choices { now: now.unwrap_or_else(time::now), ..choices };
        followed.as_mut().and_then(|followed| followed.newer(&job.crawlers, choices, journal))
    };
    let receipt = watch(journal, progress, metrics.as_deref(), job.splits().names(), || match args.source.follow {
        true => job.run_following(&policy, progress, &mut newer),
        false => job.run(&policy, progress),
    })?;
    finish(args, journal, &receipt)
}

/// Reports the end of a run, and prints its numbers if they are asked for.
fn finish(args: &FilterArgs, journal: &Journal, receipt: &Receipt) -> Result<ExitCode, Failure> {
    for list in &receipt.lists {
        list.skipped.iter().for_each(|part| journal.warn(format_args!("the list {}: {part}", visible(&list.path))));
    }
    receipt.about_metadata().iter().for_each(|dropped| journal.warn(dropped));
    for (path, problem) in args.output.out.iter().flat_map(|directory| run::uncounted(receipt, directory)) {
        journal.wrong(format_args!("{}: {problem}", shown(&path)));
    }
    about_lists(receipt).iter().for_each(|hint| journal.warn(hint));
    let mut out = io::stdout().lock();
    if args.output.count && !args.output.json {
        journal.finish_event(receipt);
        writeln!(out, "{}", visible_except(&['\n'], receipt))?;
        return Ok(ExitCode::SUCCESS);
    }
    journal.finish(receipt);
    if args.output.json {
        writeln!(out, "{}", json::to_string_pretty(receipt)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Warns if some origins have a robots.txt older than the dialect's lifetime.
fn warn_of_stale(journal: &Journal, policy: &Policy, now: i64) {
    let Lifetimes { fresh, stale, lifetime, .. } = Lifetimes::of(policy, now);
    if stale > 0 {
        let dated = fresh + stale;
        journal.warn(format_args!(
            "of {} of known age, {stale} ({:.1}%) {} older than {}, the lifetime in {}; used anyway: --on-stale defer (or block) changes \
             that",
            counted(dated, "robots.txt", "robots.txt files"),
            100.0 * stale as f64 / dated as f64,
            if stale == 1 { "is" } else { "are" },
            days(lifetime),
            policy.dialect().name,
        ));
    }
}

fn days(seconds: u64) -> String {
    counted(seconds / 86_400, "day", "days")
}

/// The policy of the files that are given, if any are, and what follows them.
fn opened(args: &FilterArgs) -> Result<Option<(Policy, Option<Followed<'_>>)>, Failure> {
    let source = &args.source;
    if source.follow {
        return Followed::open(source).map(|(policy, followed)| Some((policy, Some(followed))));
    }
    Ok(source.rules.opened()?.map(|policy| (policy, None)))
}

/// The policy of the sources, for these crawlers.
fn compiled(args: &FilterArgs, journal: &Journal, agents: &[Agents]) -> Result<Policy, Failure> {
    let source = &args.source;
    let columns = Crawlers::new(agents.to_vec())?;
    // Not the folder of the partitions, which may not exist yet, or may be on another machine.
    let captures = Captures::within(args.long_run.memory, &std::env::temp_dir(), columns, source.dialect.dialect);
    let tell = |passed: &PassedOver| journal.passed_over(passed);
    let policy = source.rules.read(args.long_run.skip_bad, captures, tell)?.policy().map_err(not_compiled)?;
    ties(policy.statistics()).iter().for_each(|ties| journal.warn(ties));
    Ok(policy)
}

fn job(args: &FilterArgs, lists: Vec<PathBuf>, choices: Choices, crawlers: Vec<Crawler>) -> Job {
    let destination = args.output.destination();
    // A run that cannot be resumed ends at once when interrupted, but the lines that a pipe has read are gone from there.
    let ends_later = is_resumable(args, &lists) || cfg!(unix) && args.output.prints_lines();
    let LongRunArgs { shard, resume, skip_bad, checkpoint, memory, threads } = args.long_run;
    let seen = args.output.seen.clone();
    let unique = args.output.unique.or(seen.as_ref().map(|_| SameUrl::default()));
    let robots_needed = args.output.robots_needed.clone();
    Job {
        url_field: args.input.url_field(),
        destination,
        robots_needed,
        explain: args.output.explain,
        preferences: args.output.preferences.unwrap_or_default(),
        allowed_if: args.output.allowed_if,
        choices,
        unique,
        seen,
        keys: args.output.keys.clone(),
        threads,
        shard,
        resume,
        skip_bad,
        checkpoint,
        interrupt: ends_later.then(process::interruption),
        memory,
        ..Job::new(lists, crawlers)
    }
}

/// Whether the run could be resumed: it writes files, and all its lists can be read again. A missing list or a folder
/// does not count as a pipe; the run will report it.
fn is_resumable(args: &FilterArgs, lists: &[PathBuf]) -> bool {
    let is_pipe = |list: &PathBuf| {
        let is_there = || std::fs::metadata(list).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        list.as_os_str() == crate::input::STANDARD_INPUT || is_there()
    };
    args.output.out.is_some() && !lists.iter().any(is_pipe)
}

fn earlier_run(args: &FilterArgs) -> Result<Option<EarlierRun>, Failure> {
    match &args.output.out {
        Some(directory) if args.long_run.resume => Ok(run::earlier_run(directory)?),
        _ => Ok(None),
    }
}

/// The policy files of a run that follows them, and the layered policy that they make.
pub struct Followed<'a> {
    args: &'a PolicyArgs,
    files: Vec<FollowedFile>,
    overrides: Option<Overrides>,
    /// The dialect that the run began with.
    dialect: &'static str,
}

struct FollowedFile {
    path: PathBuf,
    /// Which file had the name when it was last opened; `None` if there was none.
    seen: Option<Identity>,
    /// The last file of that name that could be opened.
    policy: Policy,
}

/// What tells a file from one that took its place: its number, its length, and when it was modified. The number of a file that is gone
/// may be used again, and only Unix has numbers, so the other two count, too.
type Identity = ((u64, u64), u64, Option<std::time::SystemTime>);

impl<'a> Followed<'a> {
    /// Opens the policy files; returns the policy that they make.
    pub fn open(source: &'a PolicySourceArgs) -> Result<(Policy, Followed<'a>), Failure> {
        let args = &source.rules.policy;
        let open = |path: &PathBuf| {
            // A file that gets the name between the two is opened again, which does no harm.
            let seen = identity(path);
            Ok(FollowedFile { path: path.clone(), seen, policy: mapped(path, args.trust_checksum)? })
        };
        let files = args.policy.iter().map(open).collect::<Result<Vec<_>, Failure>>()?;
        let overrides = source.rules.overrides.as_deref().map(Overrides::read).transpose()?;
        let mut followed = Followed { args, files, overrides, dialect: "" };
        let policy = followed.layered()?;
        followed.dialect = policy.dialect().name;
        Ok((policy, followed))
    }

    /// Opens the files that were replaced since the last call, and no others. Returns a matcher of the new policy for each of these
    /// crawlers, unless nothing has changed. Reports every change and what cannot be used.
    pub fn newer(&mut self, crawlers: &[Crawler], choices: Choices, journal: &Journal) -> Option<Vec<Matcher>> {
        let mut replaced = Vec::new();
        for file in &mut self.files {
            let seen = identity(&file.path);
            if seen == file.seen {
                continue;
            }
            file.seen = seen;
            match mapped(&file.path, self.args.trust_checksum) {
                Ok(policy) => {
                    file.policy = policy;
                    replaced.push(file.path.clone());
                }
                Err(error) => refuse(journal, &file.path, &error.into()),
            }
        }
        let last = replaced.last()?;
        match self.matchers(crawlers, choices) {
            Ok((policy, matchers)) => {
                replaced.iter().for_each(|path| journal.follow(path, &policy));
                Some(matchers)
            }
            Err(failure) => {
                refuse(journal, last, &failure);
                None
            }
        }
    }

    /// The policy, and a matcher of it for each of these crawlers.
    fn matchers(&self, crawlers: &[Crawler], choices: Choices) -> Result<(Policy, Vec<Matcher>), Failure> {
        let policy = self.layered()?;
        let name = policy.dialect().name;
        if name != self.dialect {
            return Err(not_merged(other_dialect(self.dialect, name)));
        }
        let crawlers = policy.crawlers(crawlers.iter().map(Crawler::agents))?;
        let matchers = Matcher::for_each(&policy, crawlers, choices);
        Ok((policy, matchers))
    }

    fn layered(&self) -> Result<Policy, Failure> {
        let policies = self.files.iter().map(|file| file.policy.clone()).collect();
        let policy = Policy::layered(policies).map_err(not_merged)?;
        match &self.overrides {
            Some(overrides) => policy.with_overrides(overrides, &std::env::temp_dir()).map_err(not_compiled),
            None => Ok(policy),
        }
    }
}

fn refuse(journal: &Journal, path: &Path, failure: &Failure) {
    journal.wrong(format_args!("{} was replaced, but the file before it stays in use: {failure}", shown(path)));
}

fn identity(path: &Path) -> Option<Identity> {
    let metadata = fs::metadata(path).ok()?;
    Some((number(&metadata), metadata.len(), metadata.modified().ok()))
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn number(_metadata: &Metadata) -> (u64, u64) {
    (0, 0)
}
