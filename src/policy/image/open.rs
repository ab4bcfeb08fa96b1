//! Opens images: an image is checked before any of it is used.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::path::Path;

use super::error::{ImageError, OpenError};
use super::layout::Header;
use super::meta::{Content, Trust};
use super::validate;
use super::view::Image;
use crate::formats::mmap;

impl Image {
    /// Maps a file and checks it.
    pub fn open(path: &Path, trust: Trust) -> Result<(Image, Content), OpenError> {
        let unreadable = |error| OpenError::Unreadable { path: path.to_owned(), error };
        let wrong = |problem| OpenError::Image { path: path.to_owned(), problem };
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(unreadable(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if metadata.is_file() && metadata.len() == 0 {
            return Err(wrong(ImageError::Empty));
        }
        let map = mmap::map(&file).map_err(unreadable)?;
        Image::checked(map, Some(file), trust).map_err(wrong)
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
        let header = Header::decode(&bytes)?;
        let image = Image { file, bytes, header };
        let content = validate::check(&image, trust)?;
        Ok((image, content))
    }
}
