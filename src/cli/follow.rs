//! Policy files that are replaced while a run judges by them.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::args::{PolicyArgs, PolicySourceArgs};
use super::error::Failure;
use super::journal::Journal;
use crate::formats::shown;
use crate::judge::{Choices, Matcher};
use crate::policy::{Crawler, MergeError, Overrides, Policy};

/// The policy files of a run that follows them, and the layered policy that they make.
pub struct Followed<'a> {
    args: &'a PolicyArgs,
    files: Vec<FollowedFile>,
    overrides: Option<Overrides>,
    /// The dialect that the run began with.
    dialect: &'static str,
}

/// A policy file.
struct FollowedFile {
    path: PathBuf,
    /// Which file had the name when it was last opened; `None` if there was none.
    seen: Option<Identity>,
    /// The last file of that name that could be opened.
    policy: Policy,
}

/// Tells apart the files that have a name one after the other. The number of a file that is gone may be used again, so its size and
/// time count, too.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    number: (u64, u64),
    length: u64,
    modified: Option<std::time::SystemTime>,
}

impl<'a> Followed<'a> {
    /// Opens the policy files; returns the policy that they make.
    pub fn open(source: &'a PolicySourceArgs) -> Result<(Policy, Followed<'a>), Failure> {
        let args = &source.policy;
        let open = |path: &PathBuf| {
            // A file that gets the name between the two is opened again, which does no harm.
            let seen = Identity::of(path);
            Ok(FollowedFile { path: path.clone(), seen, policy: args.open_file(path)? })
        };
        let files = args.policy.iter().map(open).collect::<Result<Vec<_>, Failure>>()?;
        let overrides = source.overrides.as_deref().map(Overrides::read).transpose()?;
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
            let seen = Identity::of(&file.path);
            if seen == file.seen {
                continue;
            }
            file.seen = seen;
            match self.args.open_file(&file.path) {
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
            return Err(Failure::Merge(MergeError::Dialects { one: self.dialect, other: name }));
        }
        let of_policy = crawlers.iter().map(|crawler| policy.crawler(Some(crawler.agents())));
        let crawlers = of_policy.collect::<Result<Vec<_>, _>>()?;
        let matchers = Matcher::for_each(&policy, crawlers, choices);
        Ok((policy, matchers))
    }

    fn layered(&self) -> Result<Policy, Failure> {
        let policies = self.files.iter().map(|file| file.policy.clone()).collect();
        let policy = Policy::layered(policies).map_err(Failure::Merge)?;
        match &self.overrides {
            Some(overrides) => Ok(policy.with_overrides(overrides, &std::env::temp_dir())?),
            None => Ok(policy),
        }
    }
}

/// Reports a file that cannot be used.
fn refuse(journal: &Journal, path: &Path, failure: &Failure) {
    journal.wrong(format_args!("{} was replaced, but the file before it stays in use: {failure}", shown(path)));
}

impl Identity {
    /// The file that has a name; `None` if there is none.
    fn of(path: &Path) -> Option<Identity> {
        let metadata = fs::metadata(path).ok()?;
        Some(Identity { number: number(&metadata), length: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// The number of a file on its device, and the device's.
#[cfg(unix)]
fn number(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Elsewhere, files differ by their size and time.
#[cfg(not(unix))]
fn number(_metadata: &Metadata) -> (u64, u64) {
    (0, 0)
}
