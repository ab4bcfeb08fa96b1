//! A disk that loses what was not synced.
//!
//! The calls that make files durable are recorded, each with all files below a folder as they are after it. From that follows what a
//! power cut may leave: of each file the bytes at its last sync, and any part of those written since, or zeros in their place; of each
//! folder the names at its last sync, and any of the later changes, each on its own.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use robosieve::internals::formats::durable::{self, Call};

use crate::union::random::Random;

/// The bytes of the files at these paths; a folder has none.
pub type Files = BTreeMap<PathBuf, Option<Arc<[u8]>>>;

/// The number of a file or folder, which it keeps when it is renamed.
type Node = usize;

/// All that is below a folder after a call.
struct Moment {
    call: Option<(Call, PathBuf)>,
    names: BTreeMap<PathBuf, Node>,
    bytes: HashMap<Node, Arc<[u8]>>,
}

/// Takes moments. It holds all files open, so that no later file gets the number of one that was deleted.
struct Camera {
    root: PathBuf,
    nodes: HashMap<u64, Node>,
    open: Vec<File>,
    moments: Vec<Moment>,
}

impl Camera {
    fn take(&mut self, call: Option<(Call, PathBuf)>) {
        let (mut names, mut bytes) = (BTreeMap::new(), HashMap::new());
        // A lock that is left behind is taken over.
        for path in below(&self.root).into_iter().filter(|path| path.extension().is_none_or(|end| end != "lock")) {
            let file = File::open(&path).expect("a file");
            let there = file.metadata().expect("metadata");
            let node = *self.nodes.entry(there.ino()).or_insert_with(|| {
                self.open.push(file);
                self.open.len()
            });
            if there.is_file() {
                bytes.insert(node, fs::read(&path).expect("a file").into());
            }
            names.insert(path, node);
        }
        self.moments.push(Moment { call, names, bytes });
    }
}

/// All files and folders below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(below(&path));
        }
        found.push(path);
    }
    found
}

/// The files below a folder.
pub fn read(root: &Path) -> Files {
    let bytes = |path: &Path| path.is_file().then(|| fs::read(path).expect("a file").into());
    below(root).into_iter().map(|path| (path.clone(), bytes(&path))).collect()
}

/// Makes these the only files below a folder.
pub fn write(root: &Path, files: &Files) {
    if root.exists() {
        fs::remove_dir_all(root).expect("removed");
    }
    fs::create_dir(root).expect("a folder");
    for (path, bytes) in files {
        match bytes {
            None => fs::create_dir(path).expect("a folder"),
            Some(bytes) => fs::write(path, bytes).expect("a file"),
        }
    }
}

/// The calls of a command on files below a folder.
pub struct Recording {
    moments: Vec<Moment>,
}

/// Only one command at a time is recorded.
static RECORDED: Mutex<()> = Mutex::new(());

impl Recording {
    /// Records a command. Whatever is below `root` before is durable.
    pub fn of(root: &Path, command: impl FnOnce()) -> Recording {
        let _alone = RECORDED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let camera = Camera { root: root.to_owned(), nodes: HashMap::new(), open: Vec::new(), moments: Vec::new() };
        let camera = Arc::new(Mutex::new(camera));
        camera.lock().expect("no panic").take(None);
        let recorder = Arc::clone(&camera);
        let root = root.to_owned();
        durable::record(Some(Box::new(move |call, path| {
            if path.starts_with(&root) {
                recorder.lock().expect("no panic").take(Some((call, path.to_owned())));
            }
        })));
        command();
        durable::record(None);
        let mut camera = camera.lock().expect("no panic");
        camera.take(None);
        Recording { moments: std::mem::take(&mut camera.moments) }
    }

    /// The number of calls.
    pub fn calls(&self) -> usize {
        self.moments.len() - 2
    }

    /// The last of so many calls.
    pub fn name(&self, calls: usize) -> String {
        let (call, path) = self.moments[calls].call.as_ref().map_or(("none", Path::new("")), |(call, path)| {
            let call = match call {
                Call::Name => "a change of",
                Call::Sync => "a sync of",
                Call::SyncFolder => "a sync of the folder",
            };
            (call, path)
        });
        format!("{calls} calls, the last of which was {call} {}", path.display())
    }

    /// All files after so many calls.
    pub fn at(&self, calls: usize) -> Files {
        let Moment { names, bytes, .. } = &self.moments[calls];
        names.iter().map(|(path, node)| (path.clone(), bytes.get(node).cloned())).collect()
    }

    /// What may be on the disk after a power cut, with the number of calls made before it: after each call, or before the next one
    /// ended. Of the many subsets of what was not synced, none, all, each alone, all but each, and some others.
    pub fn states(&self, random: &mut Random) -> Vec<(usize, Files)> {
        let mut disk = Disk::new(&self.moments[0]);
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        for (calls, pair) in self.moments.windows(2).enumerate() {
            let [now, next] = pair else { unreachable!() };
            if calls > 0 {
                disk.apply(&self.moments[calls - 1], now);
            }
            disk.written(next);
            for files in disk.states(random) {
                // After the last call, less may be there than before.
                let is_new = known.insert((calls == self.calls(), files.clone()));
                if is_new {
                    found.push((calls, files));
                }
            }
        }
        found
    }
}

/// A change of names that is not durable by itself; a renaming is one change.
#[derive(Clone, Default)]
struct Change {
    removed: Vec<PathBuf>,
    added: Vec<(PathBuf, Node)>,
}

/// The bytes of a file.
struct Content {
    /// At its last sync.
    synced: Arc<[u8]>,
    /// Written since.
    now: Arc<[u8]>,
    /// As many of them as certainly are on the disk.
    certain: usize,
}

/// The bytes and names that are certainly on the disk, and those that a power cut may lose.
struct Disk {
    names: BTreeMap<PathBuf, Node>,
    changes: Vec<Change>,
    contents: HashMap<Node, Content>,
}

/// How many subsets of the changes are taken at random.
const SAMPLED: usize = 2;

/// Which bytes of files are on the disk.
#[derive(Clone, Copy)]
enum Bytes {
    Synced,
    Now,
    /// As many as were written, but those since the last sync are zeros.
    Zeros,
    /// Any of these for each file, or a part.
    Mixed,
}

impl Disk {
    fn new(first: &Moment) -> Disk {
        let content = |(node, bytes): (&Node, &Arc<[u8]>)| {
            (*node, Content { synced: bytes.clone(), now: bytes.clone(), certain: bytes.len() })
        };
        Disk { names: first.names.clone(), changes: Vec::new(), contents: first.bytes.iter().map(content).collect() }
    }

    /// Notes the bytes that files have now.
    fn written(&mut self, now: &Moment) {
        for (node, bytes) in &now.bytes {
            let none: Arc<[u8]> = Arc::new([]);
            let content = self.contents.entry(*node).or_insert(Content { synced: none.clone(), now: none, certain: 0 });
            let same = content.synced.iter().zip(bytes.iter()).take_while(|(one, other)| one == other).count();
            (content.now, content.certain) = (bytes.clone(), content.certain.min(same));
        }
    }

    /// Makes a call, whose changes are those between two moments.
    fn apply(&mut self, before: &Moment, now: &Moment) {
        self.changes.extend(changes(&before.names, &now.names));
        self.written(now);
        match &now.call {
            Some((Call::Sync, path)) => {
                let content = self.contents.get_mut(&now.names[path]).expect("a file");
                (content.synced, content.certain) = (content.now.clone(), content.now.len());
            }
            Some((Call::SyncFolder, folder)) => {
                let is_there = |path: &Path| path.parent() == Some(folder);
                let is_durable = |change: &mut Change| {
                    change.added.iter().map(|(path, _)| path).chain(&change.removed).all(|path| is_there(path))
                };
                self.changes
                    .extract_if(.., is_durable)
                    .collect::<Vec<_>>()
                    .iter()
                    .for_each(|change| make(&mut self.names, change));
            }
            Some((Call::Name, _)) | None => {}
        }
    }

    fn states(&self, random: &mut Random) -> Vec<Files> {
        let all: BTreeSet<usize> = (0..self.changes.len()).collect();
        let mut asked: Vec<(BTreeSet<usize>, Bytes)> = Vec::new();
        for subset in [BTreeSet::new(), all.clone()] {
            asked.extend([Bytes::Synced, Bytes::Now, Bytes::Zeros].map(|bytes| (subset.clone(), bytes)));
        }
        for change in &all {
            asked.push(([*change].into(), Bytes::Mixed));
            asked.push((all.iter().copied().filter(|other| other != change).collect(), Bytes::Mixed));
        }
        for _ in 0..SAMPLED {
            asked.push((all.iter().copied().filter(|_| random.below(2) == 0).collect(), Bytes::Mixed));
        }
        asked.into_iter().map(|(subset, bytes)| self.files(&subset, bytes, random)).collect()
    }

    /// The files after these changes, with these bytes.
    fn files(&self, subset: &BTreeSet<usize>, bytes: Bytes, random: &mut Random) -> Files {
        let mut names = self.names.clone();
        subset.iter().for_each(|change| make(&mut names, &self.changes[*change]));
        let mut files = Files::new();
        let is_lost = |path: &Path, files: &Files| {
            let above = path.parent().expect("it is below a folder");
            self.is_folder(above) && !files.contains_key(above)
        };
        for (path, node) in names {
            // Folders come before the files in them.
            if !is_lost(&path, &files) {
                let bytes = self.contents.get(&node).map(|content| content.after_cut(bytes, random));
                files.insert(path, bytes);
            }
        }
        files
    }

    /// Whether a path is that of a folder below the root that may be lost.
    fn is_folder(&self, path: &Path) -> bool {
        let added = self.changes.iter().flat_map(|change| &change.added).map(|(path, _)| path);
        added.chain(self.names.keys()).any(|other| other == path)
    }
}

impl Content {
    fn after_cut(&self, bytes: Bytes, random: &mut Random) -> Arc<[u8]> {
        let bytes = match bytes {
            Bytes::Mixed if self.certain < self.now.len() => {
                let end = self.certain + random.below(self.now.len() - self.certain + 1);
                return match random.below(4) {
                    0 => self.synced.clone(),
                    1 => self.now.clone(),
                    2 => self.now[..end].into(),
                    _ => [&self.now[..end], &vec![0; self.now.len() - end]].concat().into(),
                };
            }
            Bytes::Mixed if random.below(2) == 0 => Bytes::Synced,
            bytes => bytes,
        };
        match bytes {
            Bytes::Synced => self.synced.clone(),
            Bytes::Now | Bytes::Mixed => self.now.clone(),
            Bytes::Zeros => [&self.now[..self.certain], &vec![0; self.now.len() - self.certain]].concat().into(),
        }
    }
}

fn make(names: &mut BTreeMap<PathBuf, Node>, change: &Change) {
    change.removed.iter().for_each(|path| _ = names.remove(path));
    names.extend(change.added.iter().cloned());
}

/// The changes of names between two moments.
fn changes(before: &BTreeMap<PathBuf, Node>, now: &BTreeMap<PathBuf, Node>) -> Vec<Change> {
    let mut removed: BTreeMap<&PathBuf, Node> =
        before.iter().filter(|(path, _)| !now.contains_key(*path)).map(|(path, node)| (path, *node)).collect();
    let mut changes = Vec::new();
    for (path, node) in now.iter().filter(|(path, node)| before.get(*path) != Some(node)) {
        let from = removed.iter().find(|(_, from)| *from == node).map(|(from, _)| *from);
        let from = from.inspect(|from| _ = removed.remove(from));
        changes.push(Change { removed: from.into_iter().cloned().collect(), added: vec![(path.clone(), *node)] });
    }
    changes.extend(removed.into_keys().map(|path| Change { removed: vec![path.clone()], added: Vec::new() }));
    changes
}
