//! Joins the receipts of shards.
//!
//! Shards are consecutive parts of one text. So their results are appended in order, and the sums and order checksums
//! equal those of an undivided run, whether the partitions are in one folder or in many. The ranges of the shards prove
//! that nothing is missing: in every list, the first shard begins at the start, each other shard begins where the
//! previous one ends, and the last ends at the end.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use super::stored::StoredRun;
use super::totals::append_tabbed;
use super::verify::account::contradictions;
use super::verify::files::{outputs, robots_needed};
use super::verify::read_receipt;
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::memory_budget::{self, MemoryBudget};
use crate::formats::{seekable, shown};
use crate::judge::tally::Tally;
use crate::output::error::unwritable;
use crate::output::file_layout::FileLayout;
use crate::output::folder::{FolderLock, NEEDED, split_list_folder, table_part};
use crate::output::form::FileFormat;
use crate::output::missing_robots::{self, Asked, MissingRobots, Waiting};
use crate::output::partitions::Output;
use crate::output::receipt::{FilePart, Part, PartitionPart, Receipt, ReceiptOptions};
use crate::threads;

/// The memory for the origins to fetch of all shards.
const ORIGINS: MemoryBudget = MemoryBudget::new(160 << 20);

/// The bytes of a file that are copied at a time.
const COPIED_AT_ONCE: u64 = 16 << 20;

/// The most numbers of missing shards that an error lists.
const MISSING_SHOWN: usize = 20;

/// Joins the receipts in the folders `shards`, given in any order, into one receipt in `directory`, beside a joined
/// `robots-needed.tsv`; with `concat`, it joins the partitions as well. `force` replaces an earlier run's files there.
///
/// # Errors
///
/// If a shard is missing or does not fit the others; then nothing is written.
pub fn join(shards: &[PathBuf], directory: &Path, concat: bool, force: bool) -> Result<Receipt, Error> {
    let read = |path: &PathBuf| Ok((path.clone(), read_receipt(path)?));
    let mut shards = shards.iter().map(read).collect::<Result<Vec<_>, Error>>()?;
    shards.sort_by_key(|(_, receipt)| receipt.options.shard.map(|shard| shard.number()));
    let names: Vec<String> = shards.iter().map(|(folder, _)| seen_from(directory, folder)).collect();
    let mut joined = joined(&shards, &names)?;
    for (folder, receipt) in &shards {
        prove(folder, receipt, concat)?;
    }
    if concat && joined.options.split_size.is_some() && joined.options.format == FileFormat::Text {
        let message = "the partitions of these shards are split into numbered files, which cannot be concatenated; join only the receipts";
        return Err(ErrorKind::Shards.of(message).about(About::Numbered));
    }
    let own = directory.canonicalize().ok();
    if let Some((path, _)) = shards.iter().find(|(path, _)| own.is_some() && path.canonicalize().ok() == own) {
        let message = format!("the output would replace the shard in {}; choose another folder", shown(path));
        return Err(ErrorKind::Output.of(message).about(About::Folder));
    }
    let _lock = FolderLock::take(directory).map_err(Error::plain)?;
    let layout = layout(&joined)?;
    let sets = shards.iter().filter(|_| concat).flat_map(|(_, receipt)| sets(receipt, &layout)).collect();
    let mut output = Output::with_room_for(&sets, directory, layout, force).map_err(Error::plain)?;
    if concat {
        joined.shards.clear();
        concatenate(&shards, &mut joined, &mut output)?;
    }
    let needed = needed(&shards, directory)?;
    let asked =
        |url: &str, waiting: &Waiting| Asked { url: url.to_owned(), status: waiting.status, at: waiting.asked_at };
    joined.set_robots_needed(&output.write_file(NEEDED, |mut file| needed.write(asked, &mut file))?);
    output.write_receipt(&joined)?;
    output.commit(None, |_| Ok(()))?;
    Ok(joined)
}

/// The path of a folder as seen from another one, which may not exist yet: relative, so that both can be moved together, or
/// absolute if they share only the root.
fn seen_from(directory: &Path, folder: &Path) -> String {
    let Ok(folder) = folder.canonicalize() else { return folder.display().to_string() };
    let relative = resolved(directory).and_then(|directory| {
        let together = directory.iter().zip(folder.iter()).take_while(|(one, other)| one == other).count();
        let up = directory.iter().skip(together).map(|_| "..");
        let path: PathBuf = up.map(OsStr::new).chain(folder.iter().skip(together)).collect();
        // Not the root, nor the prefix before it on Windows.
        let shared = directory.iter().take(together).filter(|part| Path::new(part).is_relative()).count();
        (shared > 0).then_some(path)
    });
    relative.unwrap_or(folder).display().to_string()
}

/// A path without links, whose last folders may not exist yet.
fn resolved(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let (there, resolved) = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)))?;
    let new = path.strip_prefix(there).ok()?;
    new.components().all(|part| matches!(part, Component::Normal(_))).then(|| resolved.join(new))
}

/// Joins the receipts of all shards, each given with its folder, in the order of their numbers; `names` are the folders' names in
/// the joined receipt.
pub(super) fn joined(shards: &[(PathBuf, Receipt)], names: &[String]) -> Result<Receipt, Error> {
    complete(shards)?;
    let mut shards_of = shards.iter().zip(names);
    let ((first_folder, first), first_name) = shards_of.next().expect("a complete set of shards has a first one");
    for (path, receipt) in shards {
        if let Some(problem) = contradictions(receipt).into_iter().next() {
            let path = shown(path);
            return Err(ErrorKind::Receipt.of(format!("the receipt in {path} contradicts itself: {problem}")));
        }
        if let Some(what) = difference(first, receipt) {
            return Err(differ(first_folder, path, what));
        }
    }
    adjoin(shards)?;
    let mut joined = first.clone();
    joined.options.shard = None;
    joined.lists.iter_mut().for_each(|list| list.range = None);
    in_folder(first_name, &mut joined);
    for ((_, receipt), name) in shards_of {
        append(&mut joined, name, receipt);
    }
    joined.shards = names.to_vec();
    (joined.origins_needed, joined.robots_needed) = (None, None);
    // The shards' clocks are unrelated.
    joined.speed = Vec::new();
    joined.urls_per_second = joined.input.lines as f64 / joined.seconds;
    Ok(joined)
}

/// Checks that these are all shards of a job, each once, in order.
fn complete(shards: &[(PathBuf, Receipt)]) -> Result<(), Error> {
    let mut numbered = Vec::new();
    for (path, receipt) in shards {
        let shard = receipt.options.shard.ok_or_else(|| {
            let message = format!("{} is not a shard, but a run over whole lists", shown(path));
            ErrorKind::Shards.of(message).about(About::Shard)
        })?;
        numbered.push((path, shard));
    }
    let twice = numbered.windows(2).find(|pair| pair[0].1 == pair[1].1);
    if let Some([(path, shard), (other, _)]) = twice {
        let (path, other, number) = (shown(path), shown(other), shard.number());
        return Err(ErrorKind::Shards.of(format!("{path} and {other} are both shard {number}")));
    }
    let of = numbered.first().map_or(1, |(_, shard)| shard.of());
    if let Some((other, _)) = numbered.iter().find(|(_, shard)| shard.of() != of) {
        return Err(differ(numbered[0].0, other, "the number of shards"));
    }
    let there: BTreeSet<u32> = numbered.iter().map(|(_, shard)| shard.number()).collect();
    let missing: Vec<u32> = (1..=of).filter(|number| !there.contains(number)).take(MISSING_SHOWN).collect();
    let more = of as usize - there.len() - missing.len();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Err(ErrorKind::Shards.of(format!("of {of} shards, these are missing: {missing}{more}")))
}

/// The error for shards of different jobs.
fn differ(one: &Path, other: &Path, what: &str) -> Error {
    let (one, other) = (shown(one), shown(other));
    let message = format!("{one} and {other} are shards of different jobs: they differ in {what}");
    ErrorKind::Shards.of(message).about(About::Jobs)
}

/// The first difference between two shards that shards of one job must not have.
fn difference(one: &Receipt, other: &Receipt) -> Option<&'static str> {
    // Workers, chunks and shards change neither verdicts nor the order of lines.
    let asked =
        |receipt: &Receipt| ReceiptOptions { shard: None, threads: 0, chunk_size: 0, ..receipt.options.clone() };
    let lists =
        |receipt: &Receipt| receipt.lists.iter().map(|list| (list.exact_path(), list.file.clone())).collect::<Vec<_>>();
    let checks = [
        (one.robosieve == other.robosieve, "the version of robosieve"),
        (one.options.choices.now == other.options.choices.now, "the time at which ages are judged"),
        (asked(one) == asked(other), "their options"),
        (one.agents == other.agents, "their crawlers"),
        ((one.policy_checksum, &one.dialect) == (other.policy_checksum, &other.dialect), "their policy"),
        (lists(one) == lists(other), "the paths, lengths or modification times of their lists"),
    ];
    checks.into_iter().find(|(same, _)| !same).map(|(_, what)| what)
}

/// Checks that consecutive shards omit nothing of a list and read nothing twice.
fn adjoin(shards: &[(PathBuf, Receipt)]) -> Result<(), Error> {
    for place in 0..shards[0].1.lists.len() {
        // A head line belongs to no shard, unless the list is compressed and so dealt out whole.
        let list = &shards[0].1.lists[place];
        let mut end = if list.compression.is_some() { 0 } else { list.head.map_or(0, |head| head.bytes) };
        for (number, (path, receipt)) in shards.iter().enumerate() {
            let list = &receipt.lists[place];
            let gap = || {
                let (list, path) = (&list.path, shown(path));
                ErrorKind::Shards.of(format!("the shards leave a gap or overlap in the list {list}, at {path}"))
            };
            let range = list.range.as_ref().ok_or_else(gap)?;
            let length = list.file.as_ref().ok_or_else(gap)?.length;
            let last = number + 1 == shards.len();
            if range.start != end || range.end < end || last && range.end != length {
                return Err(gap());
            }
            end = range.end;
        }
    }
    Ok(())
}

/// Prefixes the names of a run's files with its folder, as seen from outside.
fn in_folder(folder: &str, receipt: &mut Receipt) {
    for file in receipt.file_lists_mut().flatten() {
        file.name = format!("{folder}/{}", file.name);
    }
}

/// Appends the results of a shard.
fn append(joined: &mut Receipt, folder: &str, next: &Receipt) {
    let mut next = next.clone();
    in_folder(folder, &mut next);
    joined.input.append(&next.input);
    append_left_out(joined.left_out_mut(), next.left_out_mut());
    for (change, lines) in next.changes.iter().flatten() {
        *joined.changes.get_or_insert_default().entry(change.clone()).or_default() += lines;
    }
    for (part, next) in joined.partitions.values_mut().zip(next.partitions.values()) {
        let PartitionPart { judged, written, reasons, .. } = part;
        judged.append(&next.judged);
        if let (Some(written), Some(next)) = (written, &next.written) {
            written.append(next);
        }
        for (reason, lines) in &next.reasons {
            *reasons.entry(reason.clone()).or_default() += lines;
        }
    }
    if let (Some(verdicts), Some(next)) = (&mut joined.verdicts, &next.verdicts) {
        verdicts.written.append(&next.written);
    }
    joined.file_lists_mut().zip(next.file_lists_mut()).for_each(|(files, next)| files.append(next));
    for (list, next) in joined.lists.iter_mut().zip(&mut next.lists) {
        append_tabbed(&mut list.tabbed, next.tabbed.as_ref(), list.input.lines);
        list.input.append(&next.input);
        append_left_out(list.left_out_mut(), next.left_out_mut());
        list.skipped.extend(next.skipped.iter().cloned());
        list.partitions.values_mut().zip(next.partitions.values()).for_each(|(part, next)| part.append(next));
    }
    joined.added_line_feeds += next.added_line_feeds;
    joined.skipped += next.skipped;
    joined.urls_with_tabs += next.urls_with_tabs;
    joined.dot_segments += next.dot_segments;
    joined.rewritten_paths += next.rewritten_paths;
    joined.normalised_paths += next.normalised_paths;
    joined.www_fallbacks += next.www_fallbacks;
    // Shards may have run in parallel, so the longest one gives the duration.
    joined.seconds = joined.seconds.max(next.seconds);
    joined.options.threads = joined.options.threads.max(next.options.threads);
}

/// Appends the lines that a shard left out, for each reason.
fn append_left_out(joined: [&mut Option<Part>; 3], next: [&mut Option<Part>; 3]) {
    for (joined, next) in joined.into_iter().zip(next) {
        if let (Some(joined), Some(next)) = (joined, next) {
            joined.append(next);
        }
    }
}

/// Checks the files of a shard that will be read against its receipt.
fn prove(folder: &Path, receipt: &Receipt, partitions: bool) -> Result<(), Error> {
    let files =
        if partitions { outputs(StoredRun::new(receipt, folder, 0)) } else { vec![robots_needed(receipt, folder)] };
    let damaged = files.into_iter().find_map(|file| Some((file.path, file.problem?)));
    damaged.map_or(Ok(()), |(path, problem)| {
        Err(ErrorKind::Receipt.of(format!("{}: {problem}", shown(&path))).about(About::Damaged))
    })
}

/// The layout of a job's files.
fn layout(receipt: &Receipt) -> Result<FileLayout, Error> {
    FileLayout::new(&receipt.options, &receipt.splits())
}

/// The folders of a run's sets of files, and of the columns of their lists.
fn sets<'r>(receipt: &'r Receipt, layout: &FileLayout) -> BTreeSet<(&'r str, &'r str)> {
    let folders = |name: &'r str| {
        let (folder, name) = split_list_folder(name);
        (folder, layout.files.iter().find_map(|file| file.inner(name)).unwrap_or_default())
    };
    receipt.file_lists().flatten().map(|file| folders(&file.name)).collect()
}

/// Copies a file in pieces, between which the call may be stopped; returns its length.
fn copy_in_pieces(mut file: File, out: &mut (impl Write + ?Sized)) -> io::Result<u64> {
    let mut length = 0;
    loop {
        threads::check();
        match io::copy(&mut Read::by_ref(&mut file).take(COPIED_AT_ONCE), out)? {
            0 => return Ok(length),
            piece => length += piece,
        }
    }
}

/// Copies the files of all shards: texts of the same name one after the other, with one head; tables as they are, renumbered
/// consecutively.
fn concatenate(shards: &[(PathBuf, Receipt)], joined: &mut Receipt, output: &mut Output) -> Result<(), Error> {
    let mut of_shards: Vec<_> = shards.iter().map(|(_, receipt)| receipt.file_lists()).collect();
    let format = joined.options.format;
    for files in joined.file_lists_mut() {
        let parts = std::mem::take(files);
        let of_shards: Vec<&FilePart> =
            of_shards.iter_mut().flat_map(|lists| lists.next().into_iter().flatten()).collect();
        let mut together: Vec<(&str, Vec<&FilePart>)> = Vec::new();
        for (part, FilePart { name, .. }) in parts.iter().zip(of_shards) {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            output.create_folder(folder)?;
            let place = if format == FileFormat::Text { name } else { folder };
            match together.iter_mut().find(|(known, _)| *known == place) {
                Some((_, parts)) => parts.push(part),
                None => together.push((place, vec![part])),
            }
        }
        for (place, parts) in together {
            match format {
                FileFormat::Text => files.push(copied(place, &parts, output)?),
                FileFormat::Parquet => {
                    for (number, part) in parts.into_iter().enumerate() {
                        files.push(copied(&format!("{place}/{}", table_part(number)), &[part], output)?);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Copies files into one of this name, with the head of the first.
fn copied(name: &str, parts: &[&FilePart], output: &mut Output) -> Result<FilePart, Error> {
    let head_bytes = parts.first().map_or(0, |first| first.head_bytes);
    let lines = Part::of(&Tally::default(), true);
    let mut whole = FilePart { name: name.to_owned(), file_bytes: 0, head_bytes, lines };
    let (mut unreadable, directory) = (None, output.directory().to_owned());
    let written = output.write_file(name, |out| {
        for (number, part) in parts.iter().enumerate() {
            // A failure to read is reported for this file, not for the output.
            let path = directory.join(&part.name);
            match open_at(&path, if number > 0 { part.head_bytes } else { 0 }) {
                Ok(file) => whole.file_bytes += copy_in_pieces(file, out)?,
                Err(error) => {
                    unreadable = Some(ErrorKind::Receipt.with_file("read", &path)(error));
                    return Err(io::ErrorKind::Other.into());
                }
            }
            whole.lines.append(&part.lines);
        }
        Ok(())
    });
    unreadable.map_or(Ok(()), Err)?;
    written?;
    Ok(whole)
}

fn open_at(path: &Path, start: u64) -> io::Result<File> {
    let mut file = seekable::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    Ok(file)
}

/// The robots.txt files to fetch, of all shards.
fn needed(shards: &[(PathBuf, Receipt)], out: &Path) -> Result<MissingRobots, Error> {
    let failed = unwritable(out);
    let mut needed = MissingRobots::new(out, ORIGINS.share(memory_budget::Part::WHOLE), None).map_err(failed)?;
    let mut first = 0;
    for path in shards.iter().map(|(folder, _)| folder.join(NEEDED)) {
        let unreadable = ErrorKind::Receipt.with_file("read", &path);
        for row in missing_robots::rows(seekable::open(&path).map_err(unreadable)?) {
            let (url, waiting) = row.map_err(unreadable)?;
            needed.add_one(&url, Waiting { first, ..waiting }).map_err(failed)?;
            first += 1;
        }
    }
    Ok(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_seen_from_another_unless_they_share_only_the_root() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let shard = place.join("parts").join("1");
        std::fs::create_dir_all(&shard).unwrap();
        for (from, expected) in [("parts", "1"), ("parts/2", "../1"), ("new/folder", "../../parts/1")] {
            assert_eq!(Path::new(&seen_from(&place.join(from), &shard)), Path::new(expected), "{from}");
        }
        if cfg!(unix) {
            assert_eq!(seen_from(Path::new("/nothing-there/folder"), &shard), shard.display().to_string());
        }
    }
}
