//! In place of a file: chunks that wait elsewhere, in memory, too.

use std::sync::Arc;

use crate::error::run::Error;
use crate::input::list::Buffer;

pub struct Store;

pub struct StoredChunk(Buffer);

impl Store {
    pub fn new(_folder: std::path::PathBuf) -> Store {
        Store
    }

    pub fn has_room(&self) -> bool {
        true
    }

    pub fn take(self: &Arc<Self>, buffer: &mut Buffer) -> Option<StoredChunk> {
        Some(StoredChunk(std::mem::take(buffer)))
    }
}

impl StoredChunk {
    pub fn read_back(self, buffer: &mut Buffer) -> Result<(), Error> {
        *buffer = self.0;
        Ok(())
    }
}
