//! The lines of a partition, read again from the files of a complete run.

use std::path::{Path, PathBuf};

use super::form::{Form, SEPARATOR, partition_names_of};
use super::list::List;
use super::outcome::Partition;
use super::output::list_folder;
use super::receipt::Receipt;
use super::scan::scan;
use super::verify::VerifyError;
use crate::robots::Agents;

/// Octets of a chunk. What lines come to may depend on where chunks end, so it is the same for every run.
const CHUNK: usize = 1 << 20;

/// What the lines of a partition come to: those of a chunk by `of`, put together in their order by `append`. They are the
/// lines of the crawler at this place of the receipt. `threads` of 0 are as many as there are processors.
///
/// # Errors
///
/// [`VerifyError`] where a file cannot be read.
pub(crate) fn reread<T: Default + Send>(
    (receipt, directory): (&Receipt, &Path),
    (crawler, partition): (usize, Partition),
    threads: usize,
    of: impl Fn(&[&[u8]]) -> T + Sync,
    append: impl Fn(&mut T, &T) + Sync,
) -> Result<T, VerifyError> {
    let agents: Vec<Agents> = receipt.agents.iter().flat_map(|agents| agents.parse()).collect();
    let names = partition_names_of(&agents.iter().collect::<Vec<_>>());
    let Some(name) = names.get(4 * crawler + partition as usize) else { return Ok(T::default()) };
    let file = receipt.options.form.file_name(name);
    let lists = folders(receipt, directory).map(|folder| List::open(&folder.join(&file)));
    let lists = lists.collect::<Result<Vec<_>, _>>()?;
    let of_chunk = |chunk: &[u8], first: bool| match receipt.options.form {
        Form::Partitions => of(&lines(chunk).collect::<Vec<_>>()),
        Form::Verdicts => {
            let behind = lines(chunk).skip(usize::from(first)).filter_map(|line| verdict(line, crawler, agents.len()));
            of(&behind
                .filter(|(verdict, _)| *verdict == partition.name().as_bytes())
                .map(|of| of.1)
                .collect::<Vec<_>>())
        }
    };
    let mut whole = T::default();
    for part in scan(&lists, threads, CHUNK, of_chunk, &append)? {
        append(&mut whole, &part);
    }
    Ok(whole)
}

/// The folders that a run, or its shards, wrote partitions to.
fn folders(receipt: &Receipt, directory: &Path) -> impl Iterator<Item = PathBuf> {
    let shards: Vec<PathBuf> = receipt.shards.iter().map(PathBuf::from).collect();
    let written = if shards.is_empty() { vec![directory.to_owned()] } else { shards };
    let lists: Vec<PathBuf> = if receipt.options.per_input {
        let lists = receipt.lists.iter().enumerate();
        lists.map(|(place, list)| list_folder(place, Path::new(&list.path)).into()).collect()
    } else {
        vec![PathBuf::new()]
    };
    written.into_iter().flat_map(move |folder| lists.clone().into_iter().map(move |list| folder.join(list)))
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&octet| octet == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// The verdict for a crawler of a line that stands behind the verdicts of so many, and the line.
fn verdict(line: &[u8], crawler: usize, crawlers: usize) -> Option<(&[u8], &[u8])> {
    let mut fields = line.splitn(crawlers + 1, |&octet| octet == SEPARATOR);
    let verdict = fields.nth(crawler)?;
    Some((verdict, fields.last()?))
}
