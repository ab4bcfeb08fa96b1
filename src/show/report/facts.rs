//! The data of a report: from the receipt and the list of robots.txt to fetch, and found by a policy.

use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use super::greatest::Greatest;
use super::policy_changes::PolicyChanges;
use super::reread::{self, RereadLines};
use super::run_before::RunBefore;
use crate::error::run::{Error, ErrorKind};
use crate::formats::{seekable, shown};
use crate::judge::choices::Choices;
use crate::outcome::{Partition, Reason};
use crate::output::folder::NEEDED;
use crate::output::missing_robots;
use crate::output::receipt::Receipt;
use crate::policy::{Crawler, Policy};
use crate::preferences::{Preference, PreferenceLine, Use};
use crate::robots::SideRecord;
use crate::run::stored::StoredRun;
use crate::run::verify::read_receipt;
use crate::show::access::AccessCounts;
use crate::show::inspect::Summary;
use crate::{origin, threads};

/// The data about a run that a report shows.
#[derive(Debug, Clone)]
pub struct Report {
    directory: PathBuf,
    pub(crate) receipt: Receipt,
    pub(crate) waiting: OriginsToFetch,
    pub(crate) explained: Option<Explained>,
    pub(crate) policy_changes: Option<PolicyChanges>,
    pub(crate) run_before: Option<RunBefore>,
    /// The number of rows in tables of the most frequent items.
    pub(crate) most: usize,
}

/// The data that a policy adds.
#[derive(Debug, Clone)]
pub(crate) struct Explained {
    /// Whether it is the policy of the run.
    pub(crate) is_same: bool,
    pub(crate) summary: Summary,
    /// How much of the origins is blocked, for each crawler of the receipt.
    pub(crate) access: Vec<AccessCounts>,
    /// What origins say about uses, for each crawler of the receipt.
    pub(crate) uses: Vec<UseCounts>,
    /// Those that are unreachable.
    pub(crate) unreachable: UnreachableOrigins,
    /// The lines that were read again, for each crawler of the receipt.
    pub(crate) lines: Vec<RereadLines>,
}

impl Report {
    /// Reads the results of a run from its folder. Tables of the most frequent items have at most `most` rows.
    ///
    /// # Errors
    ///
    /// If there is no receipt of a complete run, or something cannot be read.
    pub fn read(directory: &Path, most: usize) -> Result<Report, Error> {
        let receipt = read_receipt(directory)?;
        let waiting = OriginsToFetch::read(directory, most);
        let path = directory.join(NEEDED);
        let waiting = waiting.map_err(ErrorKind::Receipt.with_file("read", &path))?;
        let (found, recorded) = (waiting.count(), receipt.origins_needed.unwrap_or_default());
        if found != recorded {
            let path = shown(&path);
            return Err(ErrorKind::Receipt.of(format!(
                "{path} names {found} robots.txt, but the receipt beside it says {recorded}; it is damaged or of another run"
            )));
        }
        let (directory, explained) = (directory.to_owned(), None);
        Ok(Report { directory, receipt, waiting, explained, policy_changes: None, run_before: None, most })
    }

    /// Reads blocked and deferred lines again, and allowed ones if the operator's choices or overrides may have allowed them, and
    /// explains them by a policy, which should be that of the run. If `threads` is 0, there is one per processor. Adds to `read` the
    /// lines that were read, each once for each crawler.
    ///
    /// # Errors
    ///
    /// If the lines cannot be read, the policy is not for the run's crawlers, or lines were split once for all of
    /// them.
    pub fn explain(&mut self, policy: &Policy, threads: usize, read: &AtomicU64) -> Result<(), Error> {
        if self.receipt.options.allowed_if.is_some() {
            let message = "the run split lines once for all of its crawlers, so the rules of one do not explain them; report without a policy";
            return Err(ErrorKind::Job.of(message));
        }
        let splits = self.receipt.splits();
        let crawlers = policy
            .crawlers(splits.agents())
            .map_err(|error| ErrorKind::Job.of(error.within("the policy is not for the crawlers of the run: ")))?;
        let run = StoredRun::new(&self.receipt, &self.directory, threads);
        let partitions = reread::partitions(&self.receipt, policy);
        let of_crawler =
            |(crawler, partitions): (_, &Vec<Partition>)| RereadLines::read(run, crawler, partitions, policy, read);
        let read_lines = || crawlers.iter().enumerate().zip(&partitions).map(of_crawler).collect::<Result<Vec<_>, _>>();
        let choices = self.receipt.options.choices;
        let of_policy = || {
            let (access, uses) =
                (AccessCounts::of(policy, &crawlers, choices), UseCounts::of(policy, &crawlers, choices));
            let unreachable = UnreachableOrigins::of(policy, choices.now);
            (access, uses, unreachable, Summary::of(policy, &crawlers, choices.now, 0))
        };
        // The facts of the policy itself are found by one thread, so another reads lines meanwhile.
        let both = || threads::both(of_policy, read_lines);
        let ((access, uses, unreachable, summary), lines) = threads::on(threads::asked(threads), both);
        let is_same = policy.checksum() == self.receipt.policy_checksum.0;
        let summary = summary.map_err(|error| ErrorKind::System.of(error.within("cannot merge the policies: ")))?;
        // What helps a run to read lists does not help here.
        let lines = lines.map_err(Error::plain)?;
        self.explained = Some(Explained { is_same, summary, access, uses, unreachable, lines });
        Ok(())
    }

    /// Compares the policy that [explained](Report::explain) the run with an older one.
    ///
    /// # Errors
    ///
    /// If they have different dialects, or the older one is not for the run's crawlers.
    pub(crate) fn compare_policy(&mut self, was: &Policy, now: &Policy) -> Result<(), Error> {
        if let Some(explained) = &self.explained {
            let changes = PolicyChanges::of([was, now], &self.receipt, &explained.lines, self.most);
            self.policy_changes = Some(changes.map_err(|error| {
                ErrorKind::Job.of(error.within("cannot compare the policy of the run with an older one: "))
            })?);
        }
        Ok(())
    }

    /// Compares the counts of the run with those of an earlier one, by the path of its folder or its receipt.
    ///
    /// # Errors
    ///
    /// If there is no receipt, it contradicts itself, or the runs were for different crawlers.
    pub(crate) fn compare_run(&mut self, path: &Path) -> Result<(), Error> {
        self.run_before = Some(RunBefore::read(path, &self.receipt)?);
        Ok(())
    }

    /// The number of lines that [`Report::explain`] reads, each counted for each crawler.
    pub(crate) fn lines_to_read(&self, policy: &Policy) -> u64 {
        let names = self.receipt.splits().partitions();
        let of_crawler = |(place, partitions): (usize, Vec<Partition>)| {
            partitions.into_iter().map(move |partition| Partition::COUNT * place + partition as usize)
        };
        let places = reread::partitions(&self.receipt, policy).into_iter().enumerate().flat_map(of_crawler);
        let parts = places.filter_map(|place| self.receipt.partitions.get(names.get(place)?));
        parts.map(|part| part.judged.lines).sum()
    }

    /// The number of lines of a partition, blocked or deferred, that the given policy does not put there. If there are any, it is not
    /// the policy of the run.
    pub(crate) fn elsewhere(&self, partition: Partition) -> u64 {
        let lines = self.explained.iter().flat_map(|explained| &explained.lines);
        lines.map(|lines| lines.elsewhere[partition as usize]).sum()
    }
}

/// The origins to fetch. Memory is bounded by the number of distinct reasons and statuses, and by the number of origins
/// requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct OriginsToFetch {
    /// How many origins and lines wait, by cause.
    pub reasons: BTreeMap<WaitCause, WaitCounts>,
    /// The origins with the most waiting lines.
    pub origins: Vec<WaitingOrigin>,
}

/// Why lines wait for a robots.txt: the reason, and the HTTP status of its fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaitCause {
    pub reason: Reason,
    pub status: Option<u16>,
}

/// The number of origins to fetch, and of lines that wait for them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WaitCounts {
    pub origins: u64,
    pub lines: u64,
}

/// An origin that lines wait for. The greatest has the most waiting lines; among equals, it is the first by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaitingOrigin {
    pub lines: u64,
    pub origin: Reverse<String>,
    pub cause: WaitCause,
    /// When it was last asked for, in seconds of Unix time; `None` if it never was, or nothing says when.
    pub asked_at: Option<i64>,
}

impl OriginsToFetch {
    /// Reads the list in a run's folder. The `most` origins with the most waiting lines are kept by name.
    pub fn read(directory: &Path, most: usize) -> io::Result<OriginsToFetch> {
        let file = match seekable::open(&directory.join(NEEDED)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(OriginsToFetch::default()),
            opened => opened?,
        };
        let mut waiting = OriginsToFetch::default();
        let mut top = Greatest::new(most);
        for row in missing_robots::rows(file) {
            let (url, found) = row?;
            let origin = origin::of_robots_url(&url).map_or(url.clone(), str::to_owned);
            let cause = WaitCause { reason: found.reason, status: found.status };
            let counts = waiting.reasons.entry(cause).or_default();
            counts.origins += 1;
            counts.lines = counts.lines.saturating_add(found.lines);
            top.add(WaitingOrigin { lines: found.lines, origin: Reverse(origin), cause, asked_at: found.asked_at });
        }
        waiting.origins = top.into_vec();
        Ok(waiting)
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.reasons.values().map(|counts| counts.origins).sum()
    }
}

/// How many origins say something about uses to a crawler, in lines that apply to it. One that says several things counts for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UseCounts {
    /// The crawler's name.
    pub agent: String,
    /// Origins by use, and by what they say of it for some page.
    origins: [[u64; Preference::ALL.len()]; Use::ALL.len()],
}

impl UseCounts {
    /// Counts the origins of a policy for some of its crawlers, by the operator's choices.
    pub fn of(policy: &Policy, crawlers: &[Crawler], choices: Choices) -> Vec<UseCounts> {
        // Which column answers depends on the row only if there are several.
        let needs_row = crawlers.iter().any(|crawler| policy.answering(crawler).len() > 1);
        let mut same: HashMap<(bool, Option<u32>, Vec<u8>), u64> = HashMap::new();
        for (of, record) in policy.records() {
            let list = of.records_only(&record, PreferenceLine::is_one);
            if !list.is_empty() {
                let row = needs_row.then_some(record.row);
                *same.entry((std::ptr::eq(of, policy), row, list)).or_default() += 1;
            }
        }
        let new = |crawler: &Crawler| UseCounts { agent: crawler.agents().to_string(), origins: Default::default() };
        let mut all: Vec<UseCounts> = crawlers.iter().map(new).collect();
        for ((is_own, row, list), origins) in same {
            let of = if is_own { policy } else { policy.changed().unwrap_or(policy) };
            for (crawler, counts) in crawlers.iter().zip(&mut all) {
                let column = match (row, policy.answering(crawler)) {
                    (None, [only]) => *only,
                    _ => of.groups(crawler).answer(row.unwrap_or_default()).0,
                };
                counts.add(&Policy::records_of_column(&list, column, choices.content_signal), origins);
            }
        }
        all
    }

    fn add(&mut self, records: &[SideRecord<'_>], origins: u64) {
        let mut is_said = [[false; Preference::ALL.len()]; Use::ALL.len()];
        for line in records.iter().filter_map(PreferenceLine::of) {
            Use::ALL.into_iter().for_each(|use_| is_said[use_ as usize][line.says(use_) as usize] = true);
        }
        for (counts, said) in self.origins.iter_mut().flatten().zip(is_said.iter().flatten()) {
            *counts += if *said { origins } else { 0 };
        }
    }

    /// Origins that say this of a use, for some page.
    pub fn with(&self, use_: Use, preference: Preference) -> u64 {
        self.origins[use_ as usize][preference as usize]
    }
}

// Origins that are unreachable.

/// The seconds of a day.
pub(super) const DAY: i64 = 86_400;

/// The ages that unreachable origins are counted by: below how many seconds, and in words.
pub(super) const AGES: [(i64, &str); 4] =
    [(DAY, "less than a day"), (7 * DAY, "1 to 7 days"), (30 * DAY, "7 to 30 days"), (i64::MAX, "30 days or longer")];

/// The unreachable origins of a policy, whether or not the run has lines of them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UnreachableOrigins {
    pub all: u64,
    /// By how long they have been unreachable, in the order of [`AGES`].
    pub ages: [u64; AGES.len()],
    /// Those of which no answer has a time.
    pub unknown: u64,
    /// Since when the first of the others has been unreachable, in seconds of Unix time.
    pub first: Option<i64>,
}

impl UnreachableOrigins {
    /// Counts them at a time, in seconds of Unix time.
    pub fn of(policy: &Policy, now: i64) -> UnreachableOrigins {
        let mut counts = UnreachableOrigins::default();
        let records = policy.records().filter(|(_, record)| record.origin_status.is_unreachable());
        for (_, record) in records {
            counts.all += 1;
            match record.state().answered.failing_since() {
                Some(since) => {
                    counts.first = Some(counts.first.map_or(since, |first| first.min(since)));
                    let age = now.saturating_sub(since);
                    counts.ages[AGES.iter().position(|(below, _)| age < *below).unwrap_or(AGES.len() - 1)] += 1;
                }
                None => counts.unknown += 1,
            }
        }
        counts
    }
}
