//! The keys of all shards of a job, by which each leaves out what an earlier shard has, too.
//!
//! No shard can know what the others have. So each first writes the keys of its lines to a [file](super::seen_file), and then, when all
//! have, judges: a line whose URL is in the file of an earlier shard is repeated. That leaves the first line of each URL, as in an undivided
//! run. All shards must read the same files, or a URL would be left out by one for another that does not have it; the receipts say which
//! they were, and those of other files are not joined. A shard also checks that its own file has its lines' keys, and no others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

use super::seen_file::{SeenError, SeenFile};
use crate::input::shard::Shard;
use crate::judge::same_url::SameUrl;
use crate::output::receipt::Hex;

/// The keys of all shards, as one of them uses them.
#[derive(Debug)]
pub(super) struct ShardKeys {
    /// Those of the shards before it, in order.
    pub earlier: Vec<SeenFile>,
    /// Its own.
    pub own: SeenFile,
    /// The checksum of all files.
    pub checksum: Hex,
}

impl ShardKeys {
    /// Opens the files in a folder, one for each shard, and reads those that a shard needs, to check them.
    ///
    /// # Errors
    ///
    /// [`SeenError`] if a file is missing, damaged, of another job or of another key, or if there is another file.
    pub fn open(folder: &Path, shard: Shard, same: SameUrl) -> Result<ShardKeys, SeenError> {
        let mut files = BTreeMap::new();
        for path in paths(folder).map_err(|error| SeenError::Read { path: folder.to_owned(), error })? {
            let file = SeenFile::open(&path)?;
            if file.same != same {
                return Err(SeenError::OtherKey { path, found: file.same, wanted: same });
            }
            let of = file.shard.filter(|of| of.of() == shard.of());
            let of = of.ok_or_else(|| file.invalid(&format!("has not the URLs of one of {} shards", shard.of())))?;
            if let Some(other) = files.insert(of.number(), file) {
                return Err(other.invalid(&format!("has the URLs of shard {of}, and so has {}", path.display())));
            }
        }
        if let Some(missing) = (1..=shard.of()).find(|number| !files.contains_key(number)) {
            let problem = format!("has no file with the keys of shard {missing}/{}; all must be there", shard.of());
            return Err(SeenError::Invalid { path: folder.to_owned(), problem });
        }
        let checksums: Vec<u8> = files.values().flat_map(|file| file.checksum.0.to_le_bytes()).collect();
        let mut needed = files.into_values().take(shard.number() as usize);
        let earlier: Vec<SeenFile> = needed.by_ref().take(shard.number() as usize - 1).collect();
        let own = needed.next().expect("each shard has a file");
        earlier.iter().chain([&own]).try_for_each(SeenFile::check)?;
        Ok(ShardKeys { earlier, own, checksum: Hex(xxh3_128(&checksums)) })
    }
}

/// The files in a folder, but those that are not complete yet.
fn paths(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}
