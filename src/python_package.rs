//! What the Python package of this repository uses besides the front. It is no part of the promise: any version may change it.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use crate::diff::{self, Diff};
use crate::error::{About, Problem};
use crate::export::{Export, Table};
use crate::policy::Captures;
use crate::policy::source::FieldNames;
use crate::robots::{SideKey, proposed_token};
use crate::run::verify::uncounted as uncounted_files;
use crate::run::{Progress, Receipt, Verification};
use crate::{Agents, Dialect, InvalidUrl, LiveMatcher, LivePolicy, Outcome, Policy, policy, run};

#[cfg(feature = "parquet")]
pub use crate::formats::columnar::panics_are_caught;
pub use crate::formats::time_text::{float as time_of_number, parse as time_of_text};
pub use crate::input::{NameEnd, UrlParts, lists_named_in, matched, with_tables};
pub use crate::judge::choices_text::{known_unreachable, unreachable_for};
pub use crate::policy::source::add::{Part, add_pages, add_part, add_single};
pub use crate::policy::source::error::no_answer;
pub use crate::policy::source::fields::Field;
pub use crate::policy::source::headers::headers_of_json;
pub use crate::run::memory::DEFAULT_MEMORY;
pub use crate::run::start::{EarlierRun, earlier_run};
pub use crate::show::export::tables::{Column, Kind, Value};
pub use crate::threads::{Stopped, at_once, check as check_stop, stoppable};

/// The warnings about keys of the lists' metadata that the files of a run do not have.
pub fn about_metadata(receipt: &Receipt) -> Vec<String> {
    receipt.about_metadata()
}

/// Receives rows.
type Each<'e, E> = dyn FnMut(&[Value<'_>]) -> Result<(), E> + 'e;

/// The columns of a table.
pub fn columns_of(table: Table) -> &'static [Column] {
    table.columns()
}

/// Passes all rows of a table to `each`, until its first error.
pub fn rows_of<E>(export: &Export<'_>, each: &mut Each<'_, E>) -> Result<(), E> {
    export.rows(each)
}

/// The columns of a table of changes.
pub fn columns_of_changes(table: diff::Table) -> &'static [Column] {
    table.columns()
}

/// Passes all rows of a table of changes to `each`, until its first error.
pub fn rows_of_changes<E>(diff: &Diff<'_>, table: diff::Table, each: &mut Each<'_, E>) -> Result<(), E> {
    diff.rows(table, each).map(drop)
}

/// The columns that hold the fields of answers, by what `find` says of names; or the name of one that is needed and not there.
pub fn answer_columns(names: &FieldNames, find: impl Fn(&str) -> Option<usize>) -> Result<Vec<(Field, usize)>, String> {
    names.columns(find)
}

/// Lines and bytes that are judged, and how much of the lists that is, if their size is known.
pub fn progress_of(progress: &Progress) -> (u64, u64, Option<f64>) {
    let snapshot = progress.snapshot();
    let share = snapshot.source_bytes_known.map(|all| snapshot.source_bytes as f64 / (all.max(1)) as f64);
    (snapshot.lines, snapshot.bytes, share)
}

/// What tells how many answers were read and compiled, and the bytes of their bodies.
pub fn progress_of_captures(captures: &Captures) -> impl Fn() -> (u64, u64) + use<> {
    let progress = captures.progress();
    move || (progress.read(), progress.bytes())
}

/// Why a run failed, and the folder in which its work is kept, if it is.
pub fn kept_work(error: &run::Error) -> Option<(String, &Path)> {
    let Problem { message, kept, .. } = error.problem();
    Some((message.clone(), kept.as_deref()?))
}

/// Why lines could not be written to where a run prints them, if that is why it failed.
pub fn unprinted(error: run::Error) -> Result<io::Error, run::Error> {
    if !error.is_about(About::StandardOutput) {
        return Err(error);
    }
    Ok(Problem::from(error).source.unwrap_or_else(|| io::ErrorKind::Other.into()))
}

/// Of each list with lines that are invalid for a tab inside: its path, how many there are, and the first.
pub fn tabbed_lists(receipt: &Receipt) -> impl Iterator<Item = (&str, u64, u64)> {
    let tabbed = receipt.lists.iter().filter_map(|list| Some((list, list.tabbed?)));
    tabbed.map(|(list, tabbed)| (&*list.path, tabbed.lines, tabbed.first + u64::from(list.head.is_some())))
}

/// The files beside the output of a run that its readers would count.
pub fn uncounted(receipt: &Receipt, folder: &Path) -> Vec<(PathBuf, String)> {
    uncounted_files(receipt, folder)
}

/// A file that was read again.
#[derive(Debug)]
pub struct CheckedFile<'v> {
    /// Its path.
    pub path: &'v Path,
    /// Its role: `output`, `list` or `extra`.
    pub role: &'static str,
    /// Its lines and bytes, if it was read.
    pub found: Option<(u64, u64)>,
    /// How it differs from the receipt.
    pub problem: Option<&'v str>,
    /// How many parts of a list were skipped.
    pub skipped: usize,
}

/// The files that were read again.
pub fn checked_files(verification: &Verification) -> impl Iterator<Item = CheckedFile<'_>> {
    verification.files.iter().map(|file| CheckedFile {
        path: &file.path,
        role: file.role.name(),
        found: file.found.map(|found| (found.lines, found.bytes)),
        problem: file.problem.as_deref(),
        skipped: file.skipped,
    })
}

/// The contradictions in a receipt.
pub fn contradictions(verification: &Verification) -> &[String] {
    &verification.contradictions
}

/// The path that is judged of the rest of a URL behind its origin.
pub fn judged_path<'u>(dialect: &Dialect, rest: &'u [u8]) -> Cow<'u, [u8]> {
    dialect.url_path.of(rest)
}

/// Judges URLs by one version of a live policy; returns a policy of nothing but their origins, which says the same of them.
pub fn judge_all_with_policy(
    matcher: &LiveMatcher,
    urls: &[&[u8]],
    outcomes: &mut Vec<Outcome>,
) -> Result<Policy, policy::Error> {
    matcher.judge_all_with_policy(urls, outcomes)
}

/// A policy of nothing but the origin of a URL, which says of it what a live policy does now.
pub fn policy_of(matcher: &LiveMatcher, url: &[u8]) -> Result<Policy, policy::Error> {
    matcher.policy_of(&[url])
}

/// The robots.txt to fetch next for the origin of a URL, and the time from which it may be fetched; `None` for at once.
pub fn next_fetch(live: &LivePolicy, url: &[u8]) -> Result<Option<(String, Option<i64>)>, InvalidUrl> {
    live.next_fetch(url)
}

/// The names of the keys of records other than rules.
pub fn side_keys() -> impl Iterator<Item = &'static str> {
    SideKey::all().map(SideKey::name)
}

/// The product token of a user agent; if there is none, the user agent itself.
pub fn product_token(user_agent: &str) -> String {
    match user_agent.parse::<Agents>() {
        Ok(agents) => agents.to_string(),
        Err(error) if error.is_about(About::WholeUserAgent) => proposed_token(user_agent),
        Err(_) => user_agent.to_owned(),
    }
}
