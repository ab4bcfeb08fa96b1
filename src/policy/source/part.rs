//! Sources that are dealt out to several processes.
//!
//! Merged, the policies of all parts are what one process makes of all sources. Only one thing in a part depends on the others: a
//! redirect in one may lead to a page in an archive of another. So each part tells where its redirects lead, and its archives are
//! read again for the pages that any part's redirects lead to, as one process reads them again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::SourceError;
use super::add::{Options, add_all};
#[cfg(feature = "warc")]
use super::warc::Archives;
#[cfg(not(feature = "warc"))]
use super::without_warc::Archives;
use crate::policy::Captures;

/// What other parts may need of a part, and it of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The pages that its redirects lead to, other than robots.txt files, by the hashes of their URLs.
    pub targets: HashSet<u128>,
    /// Its archives, if any of them has such pages.
    pub archives: Vec<PathBuf>,
    /// How often to call [`add_pages`] at most, for redirects that are followed no further.
    pub passes: usize,
}

/// Adds all captures of a part of the sources, as [`add`](super::add()) does, except pages of archives to which redirects lead.
/// [`add_pages`] adds those.
///
/// The originals of `revisit` records must be in the same part.
///
/// # Errors
///
/// As [`add`](super::add()).
pub fn add_part(sources: &[impl AsRef<Path>], options: &Options, captures: &mut Captures) -> Result<Part, SourceError> {
    let sources: Vec<&Path> = sources.iter().map(AsRef::as_ref).collect();
    let passes = usize::from(captures.dialect().redirects.hops) + 1;
    let mut part = Part { passes, ..Part::default() };
    captures.on_a_reader(|captures| {
        let mut intake = options.intake(captures);
        let archives = add_all(&sources, options, &mut intake)?;
        part.archives = archives.with_other_pages();
        archives.finish(&mut intake, |_| hashbrown::HashSet::new())?;
        part.targets = intake.take_targets().into_iter().collect();
        Ok::<(), SourceError>(intake.finish()?)
    })?;
    Ok(part)
}

/// Adds the answers for these pages in the archives of a [`Part`]. Returns the pages to which those redirect: call it again with
/// those that are new, for all parts, as long as there are any.
///
/// # Errors
///
/// [`SourceError`] if an archive cannot be read.
pub fn add_pages(
    archives: &[impl AsRef<Path>],
    pages: HashSet<u128>,
    options: &Options,
    captures: &mut Captures,
) -> Result<HashSet<u128>, SourceError> {
    let paths: Vec<&Path> = archives.iter().map(AsRef::as_ref).collect();
    let (mut targets, mut pages) = (HashSet::new(), pages.into_iter().collect());
    captures.on_a_reader(|captures| {
        let (mut intake, mut archives) = (options.intake(captures), Archives::default());
        for path in paths {
            archives.add_for_pages(path, &intake)?;
        }
        archives.finish(&mut intake, |_| std::mem::take(&mut pages))?;
        targets = intake.take_targets().into_iter().collect();
        Ok::<(), SourceError>(intake.finish()?)
    })?;
    Ok(targets)
}
