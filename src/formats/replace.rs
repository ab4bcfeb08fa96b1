//! Replaces a file atomically.
//!
//! A command replaces only files of the same kind that it made itself, which it knows by a mark in them; a file that a user made
//! stays. A destination that takes bytes and keeps none has no name to be replaced, and holds nothing of the user's.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::error::NotReplaced;
use super::{durable, seekable, standard_output};

/// A kind of file that is written under a name given by the user.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileKind {
    /// Its name, with an article: `a policy file`.
    pub name: &'static str,
    /// Whether a file that is not empty is of this kind, and ours.
    pub is_ours: fn(&mut File) -> io::Result<bool>,
}

impl FileKind {
    /// Checks that a file of this kind may get a name: nothing has it, or an empty file, one of this kind, or a pipe or device, which
    /// holds nothing.
    ///
    /// # Errors
    ///
    /// [`NotReplaced`] if a file of another kind has the name; also if it is a folder, or cannot be read.
    pub fn ensure_replaceable(&self, path: &Path) -> io::Result<()> {
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            metadata => metadata?,
        };
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if is_stream(path) || metadata.len() == 0 || (self.is_ours)(&mut seekable::open(path)?)? {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, NotReplaced { kind: self.name }))
    }
}

pub(crate) fn begins_with(file: &mut File, mark: &[u8]) -> io::Result<bool> {
    Ok(start(file, mark.len())? == mark)
}

/// The first bytes of a file, at most this many.
pub(crate) fn start(file: &mut File, most: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.take(most as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Where the system names a program's open files. One of these may be a regular file, if a shell redirects the output to it; it
/// is written to, not replaced.
const DESCRIPTORS: [&str; 5] = ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];

/// The names of standard output among them.
const STANDARD_OUTPUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Whether a path names one of the program's open files.
pub(crate) fn is_descriptor(path: &Path) -> bool {
    DESCRIPTORS.iter().any(|names| path.starts_with(names))
}

/// Whether a path is a pipe, a device, or one of the program's open files.
pub fn is_stream(path: &Path) -> bool {
    is_descriptor(path) || std::fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// The most symbolic links that a path leads through, as on Linux.
const MOST_LINKS: usize = 40;

/// How the name of a partial file ends, after so many random letters and digits.
const PARTIAL: &str = ".partial";
const RANDOM: usize = 6;

/// Writes a file next to its final name, then renames it. Readers of an earlier file of that name keep it, and no reader
/// ever sees half a file. The new file has the permissions of the earlier one. A symbolic link stays, and the file that it leads to
/// is replaced.
///
/// What already has the name must be [replaceable](FileKind::ensure_replaceable) by a file of this kind, both before it is written
/// and when it gets the name, which may be an hour later.
pub(crate) fn replace<T, E: From<io::Error>>(
    path: &Path,
    kind: &FileKind,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    kind.ensure_replaceable(path)?;
    if is_stream(path) {
        return stream(path, write);
    }
    let path = &behind_links(path)?;
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::IsADirectory))?;
    let folder = &folder_of(path);
    let mut builder = tempfile::Builder::new();
    let prefix = partial_prefix(name);
    builder.prefix(&prefix).suffix(PARTIAL).rand_bytes(RANDOM);
    // The library's error has the temporary name, which means nothing to a user who gave the final one.
    let mut code = None;
    let is_new = !path.exists();
    let mut create = |path: &Path| {
        let mut options = File::options();
        // Nobody may open it before it has its permissions.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_new { 0o666 } else { 0o600 });
        let file = options.read(true).write(true).create_new(true).open(path);
        file.inspect_err(|error| code = error.raw_os_error())
    };
    let partial = builder.make_in(folder, &mut create);
    let mut partial = partial.map_err(|error| code.map_or(error, io::Error::from_raw_os_error))?;
    // Other systems derive the permissions of a file from its folder.
    #[cfg(unix)]
    if !is_new {
        take_permissions(path, partial.as_file())?;
    }
    let written = write(partial.as_file_mut())?;
    partial.as_file_mut().flush()?;
    durable::sync(partial.as_file(), partial.path())?;
    kind.ensure_replaceable(path)?;
    durable::persist(partial, path, is_new)?;
    durable::sync_folder(folder)?;
    Ok(written)
}

/// How the name of a partial file of the file `name` begins.
fn partial_prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    prefix
}

/// Deletes the partial files of a file, as far as that is possible. No process may be writing it: these are of processes that died.
pub(crate) fn remove_partial_files(path: &Path) {
    let Some(prefix) = path.file_name().map(partial_prefix) else { return };
    for entry in fs::read_dir(folder_of(path)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        let random = random.and_then(|rest| rest.strip_suffix(PARTIAL.as_bytes()));
        if random.is_some_and(|random| random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric)) {
            let _ = durable::remove(&entry.path());
        }
    }
}

/// The path of the file that a path leads to through symbolic links; it need not exist.
pub(crate) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut behind = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&behind) else { return Ok(behind) };
        behind = behind.parent().unwrap_or(Path::new("")).join(target);
    }
    // The system's error says that these are too many.
    path.canonicalize()
}

/// Gives a new file the owner, the group and the permissions of the file at `path`.
#[cfg(unix)]
fn take_permissions(path: &Path, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let (there, made) = (fs::metadata(path)?, new.metadata()?);
    let mut mode = there.mode();
    // Only root may give files away.
    let _ = if there.uid() == made.uid() { Ok(()) } else { fchown(new, Some(there.uid()), None) };
    if there.gid() != made.gid() && fchown(new, None, Some(there.gid())).is_err() {
        mode = of_another_group(mode);
    }
    new.set_permissions(fs::Permissions::from_mode(mode & 0o7777))?;
    // Elsewhere, access control lists are not kept.
    #[cfg(target_os = "linux")]
    take_access_list(path, new)?;
    Ok(())
}

/// The mode of a file whose group is another one: it gets no more than everybody.
#[cfg(unix)]
fn of_another_group(mode: u32) -> u32 {
    mode & (!0o070 | (mode & 0o007) << 3)
}

/// Gives a new file the access control list of the file at `path`; without one, it has none either.
#[cfg(target_os = "linux")]
fn take_access_list(path: &Path, new: &File) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr, getxattr};
    use rustix::io::Errno;

    const LIST: &str = "system.posix_acl_access";
    const LONGEST: usize = 64 << 10;

    let mut list = vec![0; LONGEST];
    match getxattr(path, LIST, &mut list[..]) {
        Ok(length) => Ok(fsetxattr(new, LIST, &list[..length], XattrFlags::empty())?),
        Err(Errno::NODATA) => match fremovexattr(new, LIST) {
            Err(Errno::NODATA) => Ok(()),
            other => Ok(other?),
        },
        // The file system has none.
        Err(Errno::NOTSUP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Writes to a stream once the output is complete.
fn stream<T, E: From<io::Error>>(path: &Path, write: impl FnOnce(&mut File) -> Result<T, E>) -> Result<T, E> {
    if STANDARD_OUTPUT.iter().any(|name| path == Path::new(name)) {
        standard_output::open()?;
    }
    let mut whole = tempfile::tempfile()?;
    let written = write(&mut whole)?;
    whole.rewind()?;
    io::copy(&mut whole, &mut File::options().write(true).open(path)?)?;
    Ok(written)
}

/// The folder of a file; for a stream, the folder of temporary files.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    if is_stream(path) { std::env::temp_dir() } else { durable::above(path).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn folders_and_files_are_no_streams_wherever_they_are() {
        for path in ["/dev/null", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/2"] {
            assert!(is_stream(Path::new(path)), "{path}");
        }
        for path in ["/dev", "/dev/shm", "/dev/shm/nothing", "/dev/nothing", "nothing", "Cargo.toml"] {
            assert!(!is_stream(Path::new(path)), "{path}");
        }
    }

    const ANY: FileKind = FileKind { name: "any file", is_ours: |_| Ok(true) };
    const MARKED: FileKind = FileKind { name: "a marked file", is_ours: |file| begins_with(file, MARK) };
    const MARK: &[u8] = b"mark";

    #[test]
    fn errors_do_not_show_temporary_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("file");
        let error = replace(&path, &MARKED, |_| Ok::<_, io::Error>(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains("missing") && !error.to_string().contains("partial"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_permissions_of_the_earlier_one() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mode = || fs::metadata(&path).unwrap().mode() & 0o7777;
        let replaced = |content: &[u8]| replace(&path, &ANY, |file| file.write_all(content)).unwrap();
        replaced(b"new");
        let usual = {
            let other = folder.path().join("other");
            fs::write(&other, "").unwrap();
            fs::metadata(other).unwrap().mode() & 0o7777
        };
        assert_eq!(mode(), usual);
        for wanted in [0o600, 0o664, 0o444, 0o640, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            let seen = replace(&path, &ANY, |file| Ok::<_, io::Error>(file.metadata()?.mode() & 0o7777)).unwrap();
            assert_eq!((seen, mode()), (wanted, wanted), "{wanted:o}");
        }
        if std::os::unix::fs::chown(&path, Some(1), Some(1)).is_ok() {
            replaced(b"again");
            let there = fs::metadata(&path).unwrap();
            assert_eq!((there.uid(), there.gid(), mode()), (1, 1, 0o755));
        }
    }

    #[cfg(unix)]
    #[test]
    fn another_group_gets_no_more_than_everybody() {
        for (mode, expected) in
            [(0o640, 0o600), (0o664, 0o644), (0o677, 0o677), (0o646, 0o646), (0o672, 0o622), (0o4755, 0o4755)]
        {
            assert_eq!(of_another_group(0o100_000 | mode), 0o100_000 | expected, "{mode:o}");
        }
    }

    #[test]
    fn a_name_that_cannot_be_looked_up_is_an_error_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(ANY.ensure_replaceable(&path).is_ok());
        fs::write(&path, MARK).unwrap();
        assert!(ANY.ensure_replaceable(&path).is_ok());
        if cfg!(unix) {
            assert!(ANY.ensure_replaceable(&path.join("inside")).is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sub")).unwrap();
        symlink("sub/link", path("link")).unwrap();
        symlink("../file", path("sub/link")).unwrap();
        for content in ["first", "second"] {
            replace(&path("link"), &ANY, |file| file.write_all(content.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(path("file")).unwrap(), content);
        }
        assert!(path("link").is_symlink() && path("sub/link").is_symlink() && !path("file").is_symlink());
        assert_eq!(fs::read_dir(path("sub")).unwrap().count(), 1);
        symlink("loop", path("loop")).unwrap();
        assert!(replace(&path("loop"), &ANY, |_| Ok::<_, io::Error>(())).is_err());
        assert!(path("loop").is_symlink());
    }

    /// A list that gives the file to another user, whose access the group bits of the mode would otherwise give to the group.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_access_control_list_is_kept() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};

        const LIST: &str = "system.posix_acl_access";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "").unwrap();
        // The owner, user 1, the group, the mask, others.
        let entries = [(1_u16, 6_u16, u32::MAX), (2, 6, 1), (4, 0, u32::MAX), (16, 6, u32::MAX), (32, 0, u32::MAX)];
        let entries = entries
            .iter()
            .flat_map(|(tag, access, id)| [&tag.to_le_bytes()[..], &access.to_le_bytes(), &id.to_le_bytes()].concat());
        let list: Vec<u8> = 2_u32.to_le_bytes().into_iter().chain(entries).collect();
        if setxattr(&path, LIST, &list, XattrFlags::empty()).is_err() {
            eprintln!("SKIPPED: this file system has no access control lists");
            return;
        }
        replace(&path, &ANY, |file| file.write_all(b"new")).unwrap();
        let mut kept = [0; 200];
        let length = getxattr(&path, LIST, &mut kept[..]).unwrap();
        assert_eq!(&kept[..length], &list);
    }

    /// Killed while it writes, a process leaves the file that is there now.
    #[test]
    fn partial_files_of_the_same_name_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.rsv");
        let names = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
            names.map(|name| name.into_string().unwrap()).collect::<std::collections::BTreeSet<_>>()
        };
        let others = [".file.partial", ".file.rsv.partial", ".file.rsv.old.abcdef.partial", ".file.rsv.abc-ef.partial"];
        let others = others.into_iter().chain([".file.txt.abcdef.partial", "abcdef.partial"]);
        let others = others.chain([".file.rsv.abcdef.partial.txt", "file.rsv.abcdef.partial", "file.rsv"]);
        others.clone().for_each(|name| fs::write(folder.path().join(name), "").unwrap());
        replace(&path, &ANY, |_| {
            assert_eq!(names().len(), others.clone().count() + 1);
            remove_partial_files(&path);
            assert_eq!(names(), others.map(str::to_owned).collect());
            Ok::<_, io::Error>(())
        })
        .unwrap_err();
    }

    #[test]
    fn a_file_that_a_user_makes_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let write = |file: &mut File| {
            std::fs::write(&path, "mine")?;
            file.write_all(MARK)
        };
        assert_eq!(replace(&path, &MARKED, write).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
