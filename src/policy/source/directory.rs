//! A directory: each file is a robots.txt, named by its host or origin.
//!
//! A name is either a host, short for its http and https origins on their default ports, or a percent-encoded origin
//! (`http%3A%2F%2Fexample.com%3A8080`), which wins over the short form. Hidden files, directories and files with other
//! names are passed over and counted. A file may be compressed; then the extension for that (`.gz`) is not part of the host.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::answer::bare_origin;
use super::intake::Intake;
use super::kind::SourceKind;
use super::passed_over::{Reason, is_plausible};
use super::robots::Robots;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::compression::Compression;
use crate::formats::shown;
use crate::policy::Capture;
use crate::policy::source::error::{of_kind, unreadable};
use crate::robots::{BodyFlaw, BodyProblem};
use crate::threads;

/// How many files are read at once; bounds the memory for bodies.
const BATCH: usize = 64;

const ARCHIVES: [&str; 4] = [".warc", ".arc", ".wacz", ".zip"];

pub(super) fn add(path: &Path, intake: &mut Intake<'_>) -> Result<(), Error> {
    let mut named = Vec::<PathBuf>::new();
    let mut odd = Vec::<String>::new();
    for entry in fs::read_dir(path).map_err(unreadable(path))? {
        let entry = entry.map_err(unreadable(path))?;
        let path = entry.path();
        let (whole, stem) = (name(&path, false), name(&path, true));
        let mut origins = origins_of(whole);
        if stem != whole {
            origins.extend(origins_of(stem));
        }
        let is_plausible = origins.iter().any(|(origin, exact)| *exact || is_plausible(origin));
        // The entry mostly says so itself, without a system call; of a symbolic link, its target decides.
        let is_file = match entry.file_type() {
            Ok(kind) if !kind.is_symlink() => kind.is_file(),
            _ => path.is_file(),
        };
        if !whole.starts_with('.') && (!is_plausible || !is_file) {
            odd.push(whole_name(&path));
        }
        if !origins.is_empty() && is_file {
            named.push(path);
        } else {
            intake.captures.count_unnamed_file();
        }
    }
    report_odd_names(path, odd, intake);
    if named.is_empty() {
        let path = shown(path);
        let message = format!("{path} holds no robots.txt: name its files by host or percent-encoded origin");
        return Err(ErrorKind::Source.of(message));
    }
    // The order in a directory depends on the file system; errors and counts should not.
    named.sort_unstable();
    let limit = intake.body_limit();
    let times = intake.times;
    for batch in named.chunks(BATCH) {
        let read: Vec<Result<_, Error>> =
            threads::map(batch, |path| Ok((times.of_file(path)?, read_file(path, limit)?)));
        for (file, read) in batch.iter().zip(read) {
            let (fetched_at, (captures, text)) = read?;
            if captures.is_empty() {
                intake.captures.count_unnamed_file();
                continue;
            }
            if let Err(problem) = text {
                let counts = &mut intake.captures.statistics.captures;
                let (count, reason) = match problem.flaw() {
                    Some(BodyFlaw::NotText) => (&mut counts.not_text, Reason::NotText),
                    _ => (&mut counts.damaged_files, Reason::DamagedFile),
                };
                *count += 1;
                intake.pass_over(path, reason, || format!("{}: {problem}", whole_name(file)));
            } else if text.is_ok_and(|text| text.is_empty()) {
                intake.captures.statistics.captures.empty_files += 1;
                intake.pass_over(path, Reason::EmptyFile, || whole_name(file));
            }
            intake.time_of_source = fetched_at;
            intake.add(captures)?;
        }
    }
    Ok(())
}

/// Reports the names that are not hosts, in order.
fn report_odd_names(path: &Path, mut odd: Vec<String>, intake: &mut Intake<'_>) {
    odd.sort_unstable();
    for name in odd {
        intake.pass_over(path, Reason::Name, || name);
    }
}

/// The captures of a file for the origins that it is named by; and its text, or why it is no robots.txt.
type RobotsFile = (Vec<Capture>, Result<Arc<[u8]>, BodyProblem>);

fn read_file(path: &Path, limit: usize) -> Result<RobotsFile, Error> {
    let robots = Robots::open(path, limit).map_err(unreadable(path))?;
    if let Some(kind) = archive(path, &robots) {
        let problem = "but each file of a folder is a robots.txt; give the archive itself";
        return Err(of_kind(path, kind, problem));
    }
    let origins = origins_of(name(path, robots.was_compressed));
    let captures = origins.into_iter().map(|(origin, exact)| robots.of(origin, exact)).collect();
    Ok((captures, robots.text))
}

/// The kind of a file that is an archive by its name and its content. The content alone does not suffice, because a
/// server may send an archive as its robots.txt.
fn archive(path: &Path, robots: &Robots) -> Option<SourceKind> {
    let is_named = ARCHIVES.iter().any(|ending| name(path, true).ends_with(ending));
    let is_archive = matches!(robots.kind, SourceKind::Warc | SourceKind::Arc | SourceKind::Zip);
    (is_named && is_archive).then_some(robots.kind)
}

fn whole_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name of a file, without the extension for its compression if it is compressed.
fn name(path: &Path, is_compressed: bool) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = Compression::all().find_map(|compression| name.strip_suffix(compression.codec().extension));
    stem.filter(|_| is_compressed).unwrap_or(name)
}

/// The origins that a file name stands for, and whether it names them exactly.
fn origins_of(name: &str) -> Vec<(String, bool)> {
    if name.is_empty() || name.starts_with('.') {
        return Vec::new();
    }
    if name.contains('%') {
        let decoded = percent_encoding::percent_decode_str(name).decode_utf8().ok();
        let origin = decoded.and_then(|origin| bare_origin(&origin).ok());
        return origin.map(|origin| (origin, true)).into_iter().collect();
    }
    if name.contains([':', '@', '\\']) {
        return Vec::new();
    }
    let origins = ["http", "https"].map(|scheme| bare_origin(&format!("{scheme}://{name}")));
    origins.into_iter().flatten().map(|origin| (origin, false)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<String> {
        origins_of(name).into_iter().map(|(origin, exact)| format!("{origin} {exact}")).collect()
    }

    #[test]
    fn a_name_is_a_host_or_an_origin() {
        assert_eq!(names("A.example"), ["http://a.example false", "https://a.example false"]);
        assert_eq!(names("http%3A%2F%2Fa.example%3A8080"), ["http://a.example:8080 true"]);
        assert_eq!(names("https%3A%2F%2F%5B2001%3adb8%3A%3A1%5D"), ["https://[2001:db8::1] true"]);
        for other in [".hidden", "a.example:80", "a b", "http%3A%2F%2Fa%2Fx", "ftp%3A%2F%2Fa", "%ff", "u@a"] {
            assert!(names(other).is_empty(), "{other}");
        }
    }
}
