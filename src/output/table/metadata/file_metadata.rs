//! The key-value metadata of a file: that of its lists, kept true.
//!
//! A key that describes the columns of a file is extended by the columns that a run adds, and no longer names those that it takes
//! away, as a row of the [descriptions](super::descriptions) says. If that cannot be, the key is dropped, and the run tells. All other
//! keys pass. Of lists with different metadata, the files keep what all of them have.

use arrow_schema::Schema;
use parquet::file::metadata::KeyValue;

use super::columns::Columns;
use super::descriptions::{ARROW, Entries, TWICE, extended};
use super::{arrow, json};
use crate::formats::columnar::Malformed;
use crate::input::list::List;
use crate::output::table::shared::DroppedKey;

/// The key of what is said of columns with shapes on a map, which may hold the box around all of them.
const GEO: &str = "geo";

/// The metadata of files.
#[derive(Default)]
pub(in crate::output::table) struct FileMetadata {
    arrow: Option<Schema>,
    /// All other keys and their values.
    entries: Entries,
    /// The keys that were dropped, each with the place of a list that had it.
    pub dropped: Vec<(usize, DroppedKey)>,
}

impl FileMetadata {
    /// What these lists, which have the same columns, keep of their metadata. Of a key, the first problem counts.
    pub fn of(lists: &[&List], columns: &Columns<'_>) -> FileMetadata {
        let mut all = FileMetadata::default();
        // Most lists of a dataset have the same.
        let mut known: Option<(Vec<String>, &[KeyValue])> = None;
        for (place, list) in lists.iter().enumerate().filter(|(_, list)| !list.is_empty) {
            let table = list.parquet_list();
            let own = table.and_then(|table| table.file.metadata().file_metadata().key_value_metadata());
            let own = own.map_or(&[][..], Vec::as_slice);
            let fields = table.map_or(&[][..], |table| table.file.schema().root_schema().get_fields());
            let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
            match &known {
                Some((known, of_known)) if *known == names && *of_known == own => {}
                Some(_) => all.share(FileMetadata::of_list(place, own, &names, columns), place, columns),
                None => (all, known) = (FileMetadata::of_list(place, own, &names, columns), Some((names, own))),
            }
        }
        all
    }

    /// What a list with columns of these names keeps of its metadata.
    fn of_list(place: usize, own: &[KeyValue], names: &[String], columns: &Columns<'_>) -> FileMetadata {
        let pairs: Vec<_> = own.iter().map(|entry| (entry.key.as_str(), entry.value.as_deref())).collect();
        let (entries, dropped) = extended(&pairs, columns);
        let mut all = FileMetadata { arrow: None, entries, dropped: Vec::new() };
        dropped.into_iter().for_each(|(key, problem)| all.drop_key(place, key, problem));
        let mut schemas = pairs.iter().filter(|(key, _)| *key == ARROW);
        match (schemas.next(), schemas.next()) {
            (None, _) => {}
            (Some((_, value)), None) => match arrow::extended(value.unwrap_or_default(), names, columns) {
                Ok(schema) => all.arrow = Some(schema),
                Err(Malformed(problem)) => all.drop_key(place, ARROW, problem),
            },
            _ => all.drop_key(place, ARROW, TWICE.to_owned()),
        }
        all
    }

    fn drop_key(&mut self, place: usize, key: &str, problem: String) {
        if self.dropped.iter().all(|(_, known)| known.key != key) {
            self.dropped.push((place, DroppedKey { key: key.to_owned(), problem }));
        }
    }

    /// Keeps what the list at `place` has, too.
    fn share(&mut self, other: FileMetadata, place: usize, columns: &Columns<'_>) {
        let mut differ = Vec::new();
        let (one, mut rest) = (std::mem::take(&mut self.entries), other.entries);
        for (key, value) in one {
            let same = rest.iter().position(|(name, of_other)| *name == key && *of_other == value);
            let alike = || {
                let at = rest.iter().position(|(name, _)| *name == key && key == GEO)?;
                Some((at, json::same_but_for_box(value.as_deref()?, rest[at].1.as_deref()?)?))
            };
            match same.map(|at| (at, value.clone())).or_else(|| alike().map(|(at, shared)| (at, Some(shared)))) {
                Some((at, shared)) => {
                    rest.remove(at);
                    self.entries.push((key, shared));
                }
                None => differ.push(key),
            }
        }
        differ.extend(rest.into_iter().map(|(key, _)| key));
        self.arrow = match (self.arrow.take(), other.arrow) {
            (None, None) => None,
            (Some(one), Some(other)) => match arrow::shared(&one, &other, columns) {
                Ok(schema) => Some(schema),
                Err(Malformed(problem)) => {
                    self.drop_key(place, ARROW, problem);
                    None
                }
            },
            _ => {
                differ.push(ARROW.to_owned());
                None
            }
        };
        other.dropped.into_iter().for_each(|(place, DroppedKey { key, problem })| self.drop_key(place, &key, problem));
        differ.iter().for_each(|key| self.drop_key(place, key, "other lists have none, or another".to_owned()));
    }

    /// The entries of a file: what was kept, and after it `ours`.
    pub fn with(&self, ours: impl IntoIterator<Item = KeyValue>) -> Vec<KeyValue> {
        let arrow = self.arrow.as_ref().map(|schema| KeyValue::new(ARROW.to_owned(), arrow::encoded(schema)));
        let others = self.entries.iter().map(|(key, value)| KeyValue { key: key.clone(), value: value.clone() });
        arrow.into_iter().chain(others).chain(ours).collect()
    }
}
