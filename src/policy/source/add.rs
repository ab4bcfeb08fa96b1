//! Adds sources in files: of answers, folders, a single robots.txt.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use super::answer::bare_origin;
use super::directory;
#[cfg(not(all(feature = "parquet", feature = "warc")))]
use super::error::without;
use super::error::{in_source, not_read, of_kind, unreadable};
use super::fields::FieldNames;
#[cfg(feature = "cli")]
use super::intake::Newest;
use super::intake::{Intake, take};
use super::json_lines;
use super::kind::{MARK, START, SourceKind};
use super::opened::{OpenSource, Start, is_file, is_folder, is_of_damage};
use super::options::Options;
#[cfg(feature = "parquet")]
use super::parquet;
use super::passed_over::Reason;
use super::robots::Robots;
#[cfg(feature = "warc")]
use super::warc::Archives;
#[cfg(feature = "cli")]
use crate::dialect::Dialect;
use crate::error::policy::{Error, ErrorKind};
#[cfg(feature = "cli")]
use crate::formats::compression::DEFAULT_WINDOW;
use crate::formats::compression::{Compression, Damaged, Reader, with_help};
#[cfg(feature = "parquet")]
use crate::formats::seekable;
use crate::formats::{coding, shown};
use crate::policy::Captures;
#[cfg(feature = "cli")]
use crate::robots::{Agents, body_limit};

/// Adds all captures of all sources: directories, and files of answers, in any order.
///
/// Pass all sources at once, because a redirect in one source may lead to a page in another, and archives are read
/// again for such pages.
///
/// # Errors
///
/// If a source cannot be read or is malformed in part, or a folder is empty.
pub fn add(sources: &[impl AsRef<Path>], options: &Options, captures: &mut Captures) -> Result<(), Error> {
    let sources: Vec<&Path> = sources.iter().map(AsRef::as_ref).collect();
    take(options, captures, |intake| add_all(&sources, intake)?.finish(intake, |intake| intake.take_targets()))
}

/// Adds all captures of the sources, except other pages of archives. Returns the archives.
fn add_all(sources: &[&Path], intake: &mut Intake<'_>) -> Result<Archives, Error> {
    let mut archives = Archives::default();
    for &path in sources {
        if is_folder(path).map_err(unreadable(path))? {
            intake.time_of_source = None;
            directory::add(path, intake)?;
        } else {
            let source = OpenSource::open(path).map_err(unreadable(path))?;
            add_open(source, &mut archives, intake)?;
        }
    }
    Ok(archives)
}

/// Adds all captures of a source that is not a folder. Passes over damaged parts if the options say so.
fn add_open(source: OpenSource, archives: &mut Archives, intake: &mut Intake<'_>) -> Result<(), Error> {
    let path = &source.path.clone();
    intake.time_of_source = intake.times.of_file(path)?;
    match add_file(source, archives, intake) {
        Err(error) if intake.options.skip_bad && is_of_damage(&error) => {
            intake.captures.statistics.captures.cut_sources += 1;
            intake.pass_over(path, Reason::Rest, || in_source(&error, path));
            Ok(())
        }
        added => added,
    }
}

fn add_file(source: OpenSource, archives: &mut Archives, intake: &mut Intake<'_>) -> Result<(), Error> {
    let memory = intake.decompressor();
    let path = &source.path.clone();
    let mut reader = Reader::within(source.bytes, memory).map_err(unreadable(path))?;
    let compression = reader.compression();
    let is_file = is_file(path);
    let is_damaged = |start: &[u8]| is_damaged_archive(path, compression, start, memory);
    let mut start = Vec::new();
    if let Err(error) = reader.by_ref().take(MARK as u64).read_to_end(&mut start) {
        // Its first record may be shorter than the marks of other files.
        let is_archive = is_file && SourceKind::of_text(&start) == SourceKind::Warc;
        if Damaged::of(&error).is_some() && (is_archive || is_damaged(b"")?) {
            return archives.add(path, io::empty(), compression, intake);
        }
        return Err(unreadable(path)(error));
    }
    let mut text = io::Cursor::new(start.clone()).chain(reader);
    match (SourceKind::of_text(&start), compression.filter(|_| is_file)) {
        (kind, _) if kind.is_not_read() => Err(not_read(path, kind)),
        (SourceKind::Warc, _) => archives.add(path, text, compression, intake),
        (SourceKind::Parquet, _) => add_parquet(path, compression.is_none(), &mut text, intake),
        (SourceKind::RobotsTxt, Some(_)) if is_damaged(&start)? => archives.add(path, text, compression, intake),
        (_, None) => json_lines::add(path, text, intake),
        (_, Some(compression)) => {
            drop(text);
            let room = intake.room_ahead();
            let read = |text: &mut dyn BufRead| json_lines::add(path, text, intake);
            let file = File::open(path).map_err(unreadable(path))?;
            with_help(&file, compression, memory, room, read).map_err(unreadable(path))?
        }
    }
}

#[cfg(feature = "parquet")]
fn add_parquet(
    path: &Path,
    is_stored_as_read: bool,
    text: &mut impl BufRead,
    intake: &mut Intake<'_>,
) -> Result<(), Error> {
    let file = seekable::or_copied(path, is_stored_as_read, text).map_err(unreadable(path))?;
    parquet::add(path, file, intake)
}

#[cfg(not(feature = "parquet"))]
fn add_parquet(path: &Path, _: bool, _: &mut impl BufRead, _: &mut Intake<'_>) -> Result<(), Error> {
    Err(without(path, SourceKind::Parquet, "parquet"))
}

/// Archives; a program built without WARC has none.
#[cfg(not(feature = "warc"))]
#[derive(Default)]
pub(super) struct Archives {}

#[cfg(not(feature = "warc"))]
impl Archives {
    pub fn add(
        &mut self,
        path: &Path,
        _text: impl BufRead,
        _compression: Option<crate::formats::compression::Compression>,
        _intake: &mut Intake<'_>,
    ) -> Result<(), Error> {
        Err(without(path, SourceKind::Warc, "warc"))
    }

    pub fn is_damaged(
        _path: &Path,
        _compression: crate::formats::compression::Compression,
        _memory: u64,
    ) -> io::Result<bool> {
        Ok(false)
    }

    pub fn add_for_pages(&mut self, path: &Path, _intake: &Intake<'_>) -> Result<(), Error> {
        Err(without(path, SourceKind::Warc, "warc"))
    }

    pub fn with_other_pages(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    pub fn finish(
        self,
        _intake: &mut Intake<'_>,
        _next_pages: impl FnMut(&mut Intake<'_>) -> hashbrown::HashSet<u128>,
    ) -> Result<(), Error> {
        Ok(())
    }
}

const NAMES_ORIGINS: &str = "which names its own origins; do not give one";

/// Adds a single robots.txt, for `origin`.
///
/// # Errors
///
/// If the file cannot be read or is something else, its time cannot be meant, or `origin` is not an origin.
pub fn add_single(path: &Path, origin: &str, options: &Options, captures: &mut Captures) -> Result<(), Error> {
    let canonical = bare_origin(origin).map_err(|reason| {
        ErrorKind::Source.of(format!(
            "{origin:?} is not an origin, such as https://example.com or http://example.com:8080: {reason}"
        ))
    })?;
    if is_folder(path).map_err(unreadable(path))? {
        return Err(of_kind(path, SourceKind::Folder, NAMES_ORIGINS));
    }
    let intake = Intake::new(captures, options);
    let mut source = OpenSource::open(path).map_err(unreadable(path))?;
    match kind_of(&mut source, &FieldNames::default(), intake.decompressor())? {
        SourceKind::RobotsTxt => add_robots(source, canonical, intake).map(|_| ()),
        kind => Err(of_kind(path, kind, NAMES_ORIGINS)),
    }
}

/// Adds an open robots.txt for an origin, and returns it.
fn add_robots(source: OpenSource, origin: String, mut intake: Intake<'_>) -> Result<Robots, Error> {
    let path = &source.path.clone();
    let robots = Robots::read(source.bytes, intake.body_limit()).map_err(unreadable(path))?;
    if let Err(problem) = robots.text {
        intake.note_problem(path, problem, || origin.clone());
    }
    intake.time_of_source = intake.times.of_file(path)?;
    intake.add([robots.of(origin, true)])?;
    intake.finish()?;
    Ok(robots)
}

/// The kind of an open source. A source whose first bytes are damaged is an archive if intact records follow; otherwise
/// it is a robots.txt, and the error says what is wrong with that.
///
/// # Errors
///
/// If it cannot be read, is neither a source nor a robots.txt, or is a source of a kind that is not read.
fn kind_of(source: &mut OpenSource, names: &FieldNames, memory: u64) -> Result<SourceKind, Error> {
    let Start { text, compression, damage } = source.start(START, memory).map_err(unreadable(&source.path))?;
    match SourceKind::of_file(&text, names) {
        Err(form) => {
            let message = format!("{} looks like {}, not like a robots.txt", shown(&source.path), form.name());
            Err(ErrorKind::Source.of(message).about(form.about()))
        }
        // Compressed twice: as a robots.txt, it is decoded.
        Ok(_) if coding::is_marked(&text) => Ok(SourceKind::RobotsTxt),
        Ok(kind) if kind.is_not_read() => Err(not_read(&source.path, kind)),
        Ok(SourceKind::RobotsTxt) if damage && is_damaged_archive(&source.path, compression, &text, memory)? => {
            Ok(SourceKind::Warc)
        }
        Ok(kind) => Ok(kind),
    }
}

/// Whether a file is an archive although it begins with damage, or with this text, which is of no source.
fn is_damaged_archive(path: &Path, compression: Option<Compression>, start: &[u8], memory: u64) -> Result<bool, Error> {
    match compression.filter(|_| is_file(path) && !start.trim_ascii().starts_with(b"{")) {
        Some(compression) => Archives::is_damaged(path, compression, memory).map_err(unreadable(path)),
        None => Ok(false),
    }
}

/// Adds a source. If it is a single robots.txt, it counts for `origin`, and is returned.
///
/// # Errors
///
/// As [`add`](super::add()) and [`add_single`].
#[cfg(feature = "cli")]
pub(crate) fn add_for_any(
    path: &Path,
    origin: &str,
    options: &Options,
    captures: &mut Captures,
) -> Result<Option<Robots>, Error> {
    if is_folder(path).map_err(unreadable(path))? {
        return add(&[path], options, captures).map(|()| None);
    }
    let mut source = OpenSource::open(path).map_err(unreadable(path))?;
    let intake = Intake::new(captures, options);
    if kind_of(&mut source, &options.names, intake.decompressor())? == SourceKind::RobotsTxt {
        return add_robots(source, origin.to_owned(), intake).map(Some);
    }
    drop(intake);
    take(options, captures, |intake| {
        let mut archives = Archives::default();
        add_open(source, &mut archives, intake)?;
        archives.finish(intake, |intake| intake.take_targets())
    })?;
    Ok(None)
}

/// The robots.txt files in a file.
#[cfg(feature = "cli")]
pub(crate) enum Whole {
    /// It is one.
    Robots(Robots),
    /// It is a file of answers; the newest robots.txt of each origin.
    Newest(Newest),
}

/// The robots.txt files of a file, a pipe or standard input, as far as a dialect reads.
///
/// # Errors
///
/// As [`add`](super::add()), and if the file is neither a robots.txt nor a source.
#[cfg(feature = "cli")]
pub(crate) fn whole(path: &Path, options: &Options, dialect: &'static Dialect) -> Result<Whole, Error> {
    let mut source = OpenSource::open(path).map_err(unreadable(path))?;
    if kind_of(&mut source, &options.names, DEFAULT_WINDOW)? == SourceKind::RobotsTxt {
        let robots = Robots::read(source.bytes, body_limit([dialect]));
        return robots.map(Whole::Robots).map_err(unreadable(path));
    }
    let mut captures = Captures::new(Agents::everybody(), dialect);
    let mut found = Newest::default();
    take(options, &mut captures, |intake| {
        intake.newest = Some(Newest::default());
        let mut archives = Archives::default();
        add_open(source, &mut archives, intake)?;
        archives.finish(intake, |_| hashbrown::HashSet::new())?;
        found = intake.newest.take().unwrap_or_default();
        Ok(())
    })?;
    found.passed_over = captures.passed_over().to_vec();
    Ok(Whole::Newest(found))
}

// Sources that several processes share.
//
// The merged policies of all parts equal the policy that one process makes of all sources. Parts depend on one another
// only by redirects: a redirect in one part may lead to a page in an archive of another. So each part reports its
// redirect targets, and its archives are read again for the redirect targets of all parts, as one process would read
// them again.

/// The links between a part and the other parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The redirect targets of this part that are not robots.txt files, by the hashes of their URLs.
    pub targets: HashSet<u128>,
    /// The archives of this part, if any of them has pages other than robots.txt files.
    pub archives: Vec<PathBuf>,
    /// How often to add pages at most: longer redirect chains are not followed.
    pub passes: usize,
}

/// Adds all captures of a part of the sources, as [`add`](super::add()) does, except pages of archives to which redirects lead.
/// `add_pages` adds those.
///
/// The originals of `revisit` records must be in the same part.
///
/// # Errors
///
/// As [`add`](super::add()).
pub fn add_part(sources: &[impl AsRef<Path>], options: &Options, captures: &mut Captures) -> Result<Part, Error> {
    let sources: Vec<&Path> = sources.iter().map(AsRef::as_ref).collect();
    let passes = usize::from(captures.dialect().redirects.hops) + 1;
    let mut part = Part { passes, ..Part::default() };
    take(options, captures, |intake| {
        let archives = add_all(&sources, intake)?;
        part.archives = archives.with_other_pages();
        archives.finish(intake, |_| hashbrown::HashSet::new())?;
        part.targets = intake.take_targets().into_iter().collect();
        Ok(())
    })?;
    Ok(part)
}

/// Adds the answers for these pages from the archives of a [`Part`]. Returns the pages to which these answers redirect.
/// Repeat the call with the new pages, for all parts, until there are none.
///
/// # Errors
///
/// If an archive cannot be read.
pub fn add_pages(
    archives: &[impl AsRef<Path>],
    pages: HashSet<u128>,
    options: &Options,
    captures: &mut Captures,
) -> Result<HashSet<u128>, Error> {
    let paths: Vec<&Path> = archives.iter().map(AsRef::as_ref).collect();
    let (mut targets, mut pages) = (HashSet::new(), pages.into_iter().collect());
    take(options, captures, |intake| {
        let mut archives = Archives::default();
        for path in paths {
            archives.add_for_pages(path, intake)?;
        }
        archives.finish(intake, |_| std::mem::take(&mut pages))?;
        targets = intake.take_targets().into_iter().collect();
        Ok(())
    })?;
    Ok(targets)
}
