//! What the files of a run look like, whatever lines they get.

use super::FilterError;
use super::form::Form;
use super::frame::{Compressor, FrameFormat};
use super::naming::FileName;
use crate::robots::Agents;

/// What the files of a run look like.
#[derive(Debug)]
pub(super) struct Layout {
    /// One for each file of a set.
    files: Vec<FileName>,
    /// What every file begins with.
    pub head: Vec<u8>,
    /// What a file without any line is.
    pub nothing: Vec<u8>,
}

impl Layout {
    /// That of files of this form for the crawlers of these agents, compressed or not.
    pub fn new(form: Form, agents: &[&Agents], frames: Option<FrameFormat>) -> Result<Layout, FilterError> {
        let files = FileName::all(form, agents, frames);
        if let Some((_, file)) = files.iter().enumerate().find(|(place, file)| files[..*place].contains(file)) {
            return Err(FilterError::SameName { name: file.whole() });
        }
        let (mut head, mut nothing) = (form.head(agents), Vec::new());
        if let Some(format) = frames {
            let mut compressor = Compressor::new(format)?;
            nothing = compressor.frame(b"")?;
            head = if head.is_empty() { head } else { compressor.frame(&head)? };
        }
        Ok(Layout { files, head, nothing })
    }

    /// The names of the files of a set.
    pub fn names(&self) -> Vec<String> {
        self.files.iter().map(FileName::whole).collect()
    }
}
