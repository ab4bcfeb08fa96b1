//! A robots.txt as a live policy stores it: its items, in the form of an image's pools.

use std::sync::Arc;

use crate::policy::capture::Selected;
use crate::policy::error::WriteError;
use crate::policy::groups::Groups;
use crate::policy::image::{ItemSource, Section, SpillFolder, Tables};
use crate::policy::url_answers::StoredRules;

/// The groups of a file. Files with the same groups on the same lines share them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileGroups {
    /// As words, because automata are read so.
    automata: Box<[u32]>,
    rules: Box<[u8]>,
    rows: Box<[u8]>,
    crawlers: Box<[u8]>,
}

impl FileGroups {
    /// The bytes that they take.
    pub fn size(&self) -> usize {
        size_of::<FileGroups>()
            + size_of_val(&*self.automata)
            + self.rules.len()
            + self.rows.len()
            + self.crawlers.len()
    }
}

/// A file: its groups, and its side records.
#[derive(Debug, Clone)]
pub(crate) struct LiveFile {
    pub(super) groups: Arc<FileGroups>,
    /// The pool of its side records.
    pub(super) side: Arc<[u8]>,
}

impl LiveFile {
    /// The file with these groups for policies of `width` columns, and the places of its row and its side records.
    pub(in crate::policy) fn new(selected: Selected, width: usize) -> Result<(LiveFile, StoredRules), WriteError> {
        let mut tables = Tables::new(width, &SpillFolder::none());
        let rules = selected.store(&mut tables)?;
        tables.finish()?;
        let pool = |section| tables.pool(section);
        let groups = FileGroups {
            automata: pool(Section::Automata).chunks_exact(4).map(bytemuck::pod_read_unaligned).collect(),
            rules: pool(Section::Rules).into(),
            rows: pool(Section::Rows).into(),
            crawlers: pool(Section::Crawlers).into(),
        };
        Ok((LiveFile { groups: Arc::new(groups), side: pool(Section::Side).into() }, rules))
    }

    pub fn items(&self) -> ItemSource<'_> {
        let FileGroups { automata, rules, rows, crawlers } = &*self.groups;
        ItemSource::of(|section| match section {
            Section::Automata => bytemuck::cast_slice(automata),
            Section::Rules => rules,
            Section::Rows => rows,
            Section::Crawlers => crawlers,
            Section::Side => &self.side,
            _ => unreachable!("no other section is shared"),
        })
    }

    /// The groups, for the crawler that these columns answer for.
    pub fn groups<'f>(&'f self, columns: &'f [usize]) -> Groups<'f> {
        let ItemSource { rows, crawlers, .. } = self.items();
        Groups::of_pools(rows, crawlers, bytemuck::cast_slice(&self.groups.automata), columns)
    }
}
