//! Opens images: an image is checked before any of it is used.

use memmap2::Mmap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use super::format::{HEADER, Header};
use super::sections::{Content, Image, Trust};
use super::validate;
use crate::formats::error::FileError;
use crate::formats::mmap;
use crate::policy::error::{ImageError, OpenError};

impl Image {
    /// Reads a file into memory and checks it.
    pub fn read(path: &Path, trust: Trust) -> Result<(Image, Content), OpenError> {
        let (mut file, metadata) = opened(path)?;
        let unreadable = FileError::of("read the policy", path);
        let wrong = |problem| OpenError::Image { path: path.to_owned(), problem };
        if !metadata.is_file() {
            return Err(unreadable(io::Error::other("it is not a regular file")).into());
        }
        let length = metadata.len();
        // A large file of another kind takes no memory.
        let mut header = Vec::new();
        (&mut file).take(HEADER as u64).read_to_end(&mut header).map_err(unreadable)?;
        Header::decode(&header, length).map_err(wrong)?;
        let mut memory = mmap::try_memory(length as usize).map_err(unreadable)?;
        memory[..HEADER].copy_from_slice(&header);
        file.read_exact(&mut memory[HEADER..]).map_err(unreadable)?;
        Image::checked(mmap::read_only(memory), None, trust).map_err(wrong)
    }

    /// Maps a file and checks it.
    ///
    /// # Safety
    ///
    /// Callers must ensure that nobody changes the bytes of the file, or shortens it, while the image is there.
    pub unsafe fn map(path: &Path, trust: Trust) -> Result<(Image, Content), OpenError> {
        let (file, _) = opened(path)?;
        // SAFETY: as the caller ensures.
        let map = unsafe { mmap::map(&file) }.map_err(FileError::of("read the policy", path))?;
        let checked = Image::checked(map, Some(file), trust);
        checked.map_err(|problem| OpenError::Image { path: path.to_owned(), problem })
    }

    /// Copies an image from these bytes and checks it.
    pub fn copied(bytes: &[u8], trust: Trust) -> Result<(Image, Content), ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty);
        }
        let mut memory = mmap::memory(bytes.len());
        memory.copy_from_slice(bytes);
        Image::checked(mmap::read_only(memory), None, trust)
    }

    fn checked(bytes: Mmap, file: Option<File>, trust: Trust) -> Result<(Image, Content), ImageError> {
        let header = Header::decode(&bytes, bytes.len() as u64)?;
        let image = Image { file, bytes, header };
        let content = validate::check(&image, trust)?;
        Ok((image, content))
    }
}

/// Opens a file that is neither a folder nor empty.
fn opened(path: &Path) -> Result<(File, Metadata), OpenError> {
    let unreadable = FileError::of("read the policy", path);
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(unreadable(io::Error::from(io::ErrorKind::IsADirectory)).into());
    }
    if metadata.is_file() && metadata.len() == 0 {
        return Err(OpenError::Image { path: path.to_owned(), problem: ImageError::Empty });
    }
    Ok((file, metadata))
}
