//! Files of the URLs that runs have seen, or that are in a shard's lists: their keys as sorted 128-bit hashes, 16 bytes a URL.
//!
//! FORMAT.md describes them. A file is only ever read and written from front to back: what is added is merged into a new file,
//! which replaces the old one.
//!
//! No shard of a job can know what the others have. So each first writes the keys of its lines to such a file, and then, when all
//! have, judges: a line whose URL is in the file of an earlier shard is repeated. That leaves the first line of each URL, as in
//! an undivided run. All shards must read the same files, or a URL would be left out by one for another that does not have it;
//! the receipts say which they were, and those of other files are not joined. A shard also checks that its own file has its
//! lines' keys, and no others.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_128};

use super::error::{not_seen, other_key};
use crate::error::run::{Error, ErrorKind};
use crate::formats::external_sort::{KeysInOrder, Merge};
use crate::formats::marks::{FileMark, SEEN_MARK};
use crate::formats::replace::{FileKind, begins_with, start};
use crate::formats::seekable::{self, FileAt};
use crate::formats::shown;
use crate::formats::summed::Summed;
use crate::formats::write_lock::{LockNotice, WriteLock};
use crate::input::shard::Shard;
use crate::judge::same_url::SameUrl;
use crate::output::receipt::Hex;
use crate::threads;

/// How every such file begins.
const MAGIC: [u8; 8] = SEEN_MARK;

/// The version of the format.
const VERSION: u32 = 1;

/// The length of the header in bytes.
const HEADER: usize = 64;

/// The length of a key in bytes.
const KEY: usize = size_of::<u128>();

/// Bytes that are read or written at once.
const BLOCK: usize = 256 << 10;

/// Files of seen URLs, of any version.
pub(crate) const SEEN_FILE: FileKind =
    FileKind { name: "a file of seen URLs", is_ours: |file| begins_with(file, &MAGIC) };

/// Files of the keys of lists, which have no URLs that runs have seen.
pub(crate) const KEYS_FILE: FileKind = FileKind {
    name: "a file of the keys of lists",
    is_ours: |file| {
        let start = start(file, HEADER)?;
        Ok(start.starts_with(&MAGIC) && start.get(24..32).is_some_and(|shard| shard != [0; 8]))
    },
};

/// A file of seen URLs, as its header describes it.
#[derive(Debug)]
#[non_exhaustive]
pub struct SeenFile {
    /// Its path.
    pub path: PathBuf,
    /// Which URLs are the same.
    pub same: SameUrl,
    /// The shard of whose lists it has all URLs; `None` if it has those that runs have seen.
    pub shard: Option<Shard>,
    /// The number of URLs.
    pub count: u64,
    /// The checksum of its keys, and of what else the header says.
    pub(crate) checksum: Hex,
    file: File,
}

impl SeenFile {
    /// The checksum of its keys, and of what else the header says.
    pub fn checksum(&self) -> u128 {
        self.checksum.0
    }

    /// Opens a file, and checks its header and length.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is none of seen URLs, or is damaged.
    pub fn open(path: &Path) -> Result<SeenFile, Error> {
        let invalid = |problem: &str| not_seen(path, problem);
        let read = || -> io::Result<(File, u64, Vec<u8>)> {
            let file = seekable::open(path)?;
            let (length, mut header) = (file.metadata()?.len(), Vec::new());
            FileAt::new(&file, length).take(HEADER as u64).read_to_end(&mut header)?;
            Ok((file, length, header))
        };
        let (file, length, header) = read().map_err(ErrorKind::Seen.with_file("read", path))?;
        if !header.starts_with(&MAGIC) {
            let named = FileMark::of(&header)
                .map(|mark| format!("is {}, not a file of seen URLs; {}", mark.name, mark.remedy()));
            return Err(invalid(named.as_deref().unwrap_or("is no file of seen URLs")));
        }
        let header: [u8; HEADER] = header.try_into().map_err(|_| invalid("is cut short"))?;
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        if word(8) != VERSION {
            return Err(invalid(&format!("has version {}, and this program reads {VERSION}", word(8))));
        }
        if long(56) != xxh3_64(&header[..56]) {
            return Err(invalid("is damaged: the checksum of its header is wrong"));
        }
        let count = long(16);
        if (count.checked_mul(KEY as u64)).and_then(|keys| keys.checked_add(HEADER as u64)) != Some(length) {
            return Err(invalid(&format!("is damaged: {count} URLs do not take {length} bytes")));
        }
        let same = SameUrl::ALL.get(word(12) as usize).copied();
        let same = same.ok_or_else(|| invalid("has keys of a kind that this program does not know"))?;
        let shard = Shard::new(word(24), word(28));
        if shard.is_none() && long(24) != 0 {
            return Err(invalid("is damaged: it is of no shard that can be"));
        }
        let checksum = Hex(u128::from(long(32)) | u128::from(long(40)) << 64);
        Ok(SeenFile { path: path.to_owned(), same, shard, count, checksum, file })
    }

    /// Reads all of it, and checks that the keys are in order and have the checksum.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is none of seen URLs, or is damaged.
    pub fn check(&self) -> Result<(), Error> {
        self.keys().try_for_each(|key| key.map(drop))
    }

    /// Which of these keys, in ascending order, it has. Reads all of it, and checks it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is none of seen URLs, or is damaged.
    pub fn contains_each(&self, keys: &[u128]) -> Result<Vec<bool>, Error> {
        let (mut found, mut next) = (vec![false; keys.len()], 0);
        for key in self.keys() {
            let key = key?;
            next += keys[next..].iter().take_while(|&&wanted| wanted < key).count();
            while keys.get(next) == Some(&key) {
                found[next] = true;
                next += 1;
            }
        }
        Ok(found)
    }

    /// The permissions of the file.
    pub(crate) fn permissions(&self) -> io::Result<std::fs::Permissions> {
        Ok(self.file.metadata()?.permissions())
    }

    /// Its keys in ascending order, checked as they are read.
    pub(crate) fn keys(&self) -> Keys<'_> {
        let at = FileAt::new(&self.file, HEADER as u64 + self.count * KEY as u64).from(HEADER as u64);
        Keys { of: self, rest: at, sum: sum(self.same), left: self.count, block: Vec::new(), at: 0, last: 0 }
    }

    /// Calls `each` with the keys whose first `bits` bits are `first`, in order. They are not checked against the checksum, which takes
    /// all keys.
    pub(crate) fn each_beginning(&self, first: u128, bits: u32, mut each: impl FnMut(u128)) -> Result<(), Error> {
        let begin = |key: u128| key >> (u128::BITS - bits);
        let failed = ErrorKind::Seen.with_file("read", &self.path);
        let file = FileAt::new(&self.file, HEADER as u64 + self.count * KEY as u64);
        let from = |number: u64| file.from(HEADER as u64 + number * KEY as u64);
        let mut bytes = [0; KEY];
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            from(middle).read_exact(&mut bytes).map_err(failed)?;
            if begin(u128::from_be_bytes(bytes)) < first { low = middle + 1 } else { high = middle }
        }
        let mut keys = BufReader::with_capacity(BLOCK, from(low));
        for _ in low..self.count {
            keys.read_exact(&mut bytes).map_err(failed)?;
            let key = u128::from_be_bytes(bytes);
            if begin(key) != first {
                break;
            }
            each(key);
        }
        Ok(())
    }

    /// The error that something is wrong with it.
    pub(super) fn invalid(&self, problem: &str) -> Error {
        not_seen(&self.path, problem)
    }
}

/// The keys of a file.
pub(crate) struct Keys<'s> {
    of: &'s SeenFile,
    rest: FileAt<&'s File>,
    sum: Xxh3,
    /// Keys that are not yet in the block.
    left: u64,
    block: Vec<u8>,
    /// Where the next key is in the block.
    at: usize,
    last: u128,
}

impl Keys<'_> {
    /// The next key; one of the last block only if all have the checksum.
    #[inline]
    fn read(&mut self) -> Result<Option<u128>, Error> {
        if self.at == self.block.len() && !self.read_block()? {
            return Ok(None);
        }
        let (bytes, _) = self.block[self.at..].split_first_chunk().expect("a block has whole keys");
        let key = u128::from_be_bytes(*bytes);
        if key <= self.last {
            return Err(self.of.invalid("is damaged: its keys are not in order"));
        }
        (self.last, self.at) = (key, self.at + KEY);
        Ok(Some(key))
    }

    /// Reads the next block; returns whether there is one.
    fn read_block(&mut self) -> Result<bool, Error> {
        let now = self.left.min((BLOCK / KEY) as u64);
        self.left -= now;
        self.at = 0;
        self.block.resize(now as usize * KEY, 0);
        let read = self.rest.read_exact(&mut self.block);
        read.map_err(ErrorKind::Seen.with_file("read", &self.of.path))?;
        self.sum.update(&self.block);
        if self.left == 0 && Hex(self.sum.digest128()) != self.of.checksum {
            return Err(self.of.invalid("is damaged: its checksum is wrong"));
        }
        Ok(now > 0)
    }
}

impl Iterator for Keys<'_> {
    type Item = Result<u128, Error>;

    #[inline]
    fn next(&mut self) -> Option<Result<u128, Error>> {
        self.read().transpose()
    }
}

/// Keys in ascending order, for a new file.
pub(crate) enum KeySource<'k> {
    /// Those of an earlier file.
    File(Box<Keys<'k>>),
    /// Those of lines.
    Added(KeysInOrder<'k>),
}

impl Iterator for KeySource<'_> {
    type Item = Result<u128, Unwritten>;

    #[inline]
    fn next(&mut self) -> Option<Result<u128, Unwritten>> {
        match self {
            KeySource::File(keys) => Some(keys.next()?.map_err(Unwritten::from)),
            KeySource::Added(keys) => Some(keys.next()?.map_err(Unwritten::from)),
        }
    }
}

/// Writes a file of the keys of all sources; returns their number and the checksum. It is one for all URLs of a shard, if one is given.
pub(crate) fn write_keys<E>(
    file: &mut File,
    same: SameUrl,
    shard: Option<Shard>,
    sources: Vec<impl Iterator<Item = Result<u128, E>>>,
) -> Result<(u64, Hex), Unwritten>
where
    Unwritten: From<E>,
{
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&[0; HEADER])?;
    let mut out = BufWriter::with_capacity(BLOCK, Summed { out: &mut *file, sum: sum(same) });
    let (mut keys, mut count, mut last) = (Merge::new(sources, u128::cmp)?, 0_u64, 0);
    while let Some((_, key)) = keys.next()? {
        threads::check();
        debug_assert!(key >= last && key > 0);
        // Several sources may have it.
        if key != last {
            out.write_all(&key.to_be_bytes())?;
            (last, count) = (key, count + 1);
        }
    }
    out.flush()?;
    let checksum = out.get_ref().sum.digest128();
    drop(out);
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&(same as u32).to_le_bytes());
    header[16..24].copy_from_slice(&count.to_le_bytes());
    if let Some(shard) = shard {
        header[24..28].copy_from_slice(&shard.number().to_le_bytes());
        header[28..32].copy_from_slice(&shard.of().to_le_bytes());
    }
    header[32..48].copy_from_slice(&checksum.to_le_bytes());
    let own = xxh3_64(&header[..56]);
    header[56..].copy_from_slice(&own.to_le_bytes());
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)?;
    Ok((count, Hex(checksum)))
}

/// Merges files into one, which may replace one of them. Returns it, opened.
///
/// While it reads and writes, it has the [`WriteLock`] of `out`, which it waits for; `tell` gets notices about that.
///
/// # Errors
///
/// If a file is not valid, or they have different keys, or the new one cannot be written; then nothing is.
pub fn merge_seen(files: &[impl AsRef<Path>], out: &Path, tell: impl FnMut(LockNotice)) -> Result<SeenFile, Error> {
    let lock = WriteLock::waited_for(out, tell).map_err(ErrorKind::Seen.with_file("write", out))?;
    let files = files.iter().map(|path| SeenFile::open(path.as_ref())).collect::<Result<Vec<_>, _>>()?;
    let files = &files;
    let same = files.first().map_or(SameUrl::default(), |first| first.same);
    if let Some(other) = files.iter().find(|file| file.same != same) {
        return Err(other_key(&other.path, other.same, same));
    }
    let written =
        lock.replace(&SEEN_FILE, |file| write_keys(file, same, None, files.iter().map(SeenFile::keys).collect()));
    written.map_err(|problem: Unwritten| problem.of(out))?;
    SeenFile::open(out)
}

/// Why a file is not written.
pub(crate) enum Unwritten {
    /// It itself failed.
    Itself(io::Error),
    /// One that is read meanwhile failed.
    Other(Error),
}

impl Unwritten {
    /// The error, if the file to be written is this one.
    pub fn of(self, path: &Path) -> Error {
        match self {
            Unwritten::Itself(error) => ErrorKind::Seen.with_file("write", path)(error),
            Unwritten::Other(error) => error,
        }
    }
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Unwritten {
        Unwritten::Itself(error)
    }
}

impl From<Error> for Unwritten {
    fn from(error: Error) -> Unwritten {
        Unwritten::Other(error)
    }
}

/// The checksum of no keys of this kind.
fn sum(same: SameUrl) -> Xxh3 {
    let mut sum = Xxh3::new();
    sum.update(&(same as u32).to_le_bytes());
    sum
}

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
    /// If a file is missing, damaged, of another job or of another key, or if there is another file.
    pub fn open(folder: &Path, shard: Shard, same: SameUrl) -> Result<ShardKeys, Error> {
        let mut files = BTreeMap::new();
        for path in paths(folder).map_err(ErrorKind::Seen.with_file("read", folder))? {
            let file = SeenFile::open(&path)?;
            if file.same != same {
                return Err(other_key(&path, file.same, same));
            }
            let of = file.shard.filter(|of| of.of() == shard.of());
            let of = of.ok_or_else(|| file.invalid(&format!("has not the URLs of one of {} shards", shard.of())))?;
            if let Some(other) = files.insert(of.number(), file) {
                return Err(other.invalid(&format!("has the URLs of shard {of}, and so has {}", shown(&path))));
            }
        }
        if let Some(missing) = (1..=shard.of()).find(|number| !files.contains_key(number)) {
            let problem = format!("has no file with the keys of shard {missing}/{}; all must be there", shard.of());
            return Err(not_seen(folder, &problem));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::external_sort::{ChunkKeys, KeyRuns};
    use crate::formats::memory_budget::Share;

    fn written(path: &Path, same: SameUrl, keys: &[u128]) -> SeenFile {
        let mut file = File::create(path).unwrap();
        let keys = vec![keys.iter().copied().map(Ok::<u128, io::Error>)];
        assert!(write_keys(&mut file, same, None, keys).is_ok());
        SeenFile::open(path).unwrap()
    }

    fn keys(file: &SeenFile) -> Vec<u128> {
        file.keys().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn files_are_merged() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let first = written(&path("first"), SameUrl::Fetched, &[1, 5, 5, u128::MAX]);
        let second = written(&path("second"), SameUrl::Fetched, &[2, 5, 1 << 100]);
        let empty = written(&path("empty"), SameUrl::Fetched, &[]);
        assert_eq!((first.count, keys(&first)), (3, vec![1, 5, u128::MAX]));
        assert_eq!((first.count, empty.count, second.count), (3, 0, 3));
        let merged = merge_seen(&["first", "empty", "second"].map(path), &path("first"), |_| ()).unwrap();
        assert_eq!(keys(&merged), [1, 2, 5, 1 << 100, u128::MAX]);
        let alone = written(&path("alone"), SameUrl::Fetched, &keys(&merged));
        assert_eq!(alone.checksum, merged.checksum, "the same URLs make the same file");
        assert_eq!(std::fs::read(path("alone")).unwrap(), std::fs::read(path("first")).unwrap());
        written(&path("other"), SameUrl::Bytes, &[1]);
        let others = merge_seen(&["first", "other"].map(path), &path("new"), |_| ());
        assert!(others.is_err_and(|error| error.to_string().contains("files of different keys")));
        assert!(!path("new").exists());
        std::fs::write(path("text"), "a user's").unwrap();
        let refused = merge_seen(&[path("alone")], &path("text"), |_| ());
        assert!(refused.is_err_and(|error| error.to_string().starts_with("cannot write ")));
    }

    /// Files of several blocks, and keys of lines that do not fit into memory.
    #[test]
    fn keys_of_all_sources_are_merged() {
        let folder = tempfile::tempdir().unwrap();
        let spread = |n: usize| xxhash_rust::xxh3::xxh3_128(&n.to_le_bytes()) >> 9;
        let source = |first: usize| (first..first + 20_000).map(spread).collect::<std::collections::BTreeSet<u128>>();
        let [one, other] = [0, 9000].map(|first| {
            let keys: Vec<u128> = source(first).into_iter().collect();
            assert!(keys.len() * KEY > BLOCK);
            written(&folder.path().join(first.to_string()), SameUrl::Fetched, &keys)
        });
        let (mut added, mut chunk) = (KeyRuns::new(folder.path(), &Share::for_test(0)).unwrap(), ChunkKeys::default());
        chunk.sort(&(25_000..45_000).map(spread).collect::<Vec<u128>>());
        added.add(&chunk).unwrap();
        assert!(added.most_blocks() > 8);
        let files = [&one, &other].map(|file| KeySource::File(Box::new(file.keys())));
        let sources = files.into_iter().chain([KeySource::Added(added.in_order(Share::for_test(0)))]).collect();
        let path = folder.path().join("all");
        assert!(write_keys(&mut File::create(&path).unwrap(), SameUrl::Fetched, None, sources).is_ok());
        let expected: std::collections::BTreeSet<u128> = [0, 9000, 25_000].into_iter().flat_map(source).collect();
        assert!(keys(&SeenFile::open(&path).unwrap()).into_iter().eq(expected));
    }

    #[test]
    fn sorted_keys_are_looked_up() {
        let folder = tempfile::tempdir().unwrap();
        let file = written(&folder.path().join("file"), SameUrl::Fetched, &[2, 5, 9]);
        assert_eq!(file.contains_each(&[1, 2, 2, 3, 9, 9, 10]).unwrap(), [false, true, true, false, true, true, false]);
        assert_eq!(file.contains_each(&[]).unwrap(), [false; 0]);
    }

    #[test]
    fn damage_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        written(&path, SameUrl::Surt, &[7, 9, 1 << 90]);
        let whole = std::fs::read(&path).unwrap();
        let is_sound = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            SeenFile::open(&path).is_ok_and(|file| file.check().is_ok())
        };
        assert!(is_sound(&whole));
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(!is_sound(&changed), "{at}");
            assert!(!is_sound(&whole[..at]), "{at}");
        }
        assert!(!is_sound(&[&whole[..], &[0; 16]].concat()));
    }

    #[test]
    fn keys_are_found_by_their_first_bits() {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<u128> = (1..500).map(|n| n << 115 | n).collect();
        let file = written(&folder.path().join("file"), SameUrl::Fetched, &all);
        for first in 0..1 << 8 {
            let mut found = Vec::new();
            file.each_beginning(first, 8, |key| found.push(key)).unwrap();
            assert!(found.into_iter().eq(all.iter().copied().filter(|key| key >> 120 == first)), "{first}");
        }
    }
}
