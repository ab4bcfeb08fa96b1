//! The columns of the files of a set.

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::file::metadata::KeyValue;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

use super::metadata::{Columns, FileMetadata, OUR_COLUMNS};
use super::path_fields::PathFields;
use super::shared::DroppedKey;
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::columnar::{Malformed, guarded};
use crate::formats::shown;
use crate::input::list::line_columns::{LINE, LineColumns, URL};
use crate::input::list::{List, ParquetList, common_head};
use crate::input::path_columns::PathColumns;
use crate::output::columns::{Column, Kind};
use crate::output::error::columns_differ;
use crate::output::folder::{CRAWLER, VERDICT};
use crate::output::form::{OutputMode, OutputOptions, REFUSED, Splits, labelled};

/// Separates their names.
const COMMA: char = ',';

/// The metadata key under which a file keeps the head line of a text.
const HEAD_LINE: &str = "robosieve.head";

/// The columns of a set's files.
#[derive(Debug, Clone)]
pub(crate) struct TableSchema {
    /// The columns as the files name and describe them, and as batches have them: [as stored](crate::formats::columnar).
    pub(super) schema: SchemaDescPtr,
    pub(super) batch_schema: SchemaRef,
    /// The number of fields that are in the files of lists. Those of their folders come next, then ours.
    pub(super) list_fields: usize,
    pub(super) paths: PathFields,
    pub(super) line_columns: LineColumns,
    pub(super) metadata: Arc<Vec<KeyValue>>,
    /// The keys of the lists' metadata that the files do not have, each with the place of a list.
    dropped: Vec<(usize, DroppedKey)>,
    /// The rows of the run's files.
    pub(super) files: OutputOptions,
}

/// A field of a file, and the same in batches.
type Fields = Vec<(TypePtr, FieldRef)>;

impl TableSchema {
    /// The table of files with the rows of these lists, of which the first has this number. Lists without lines are ignored.
    ///
    /// # Errors
    ///
    /// If the lists have different columns or head lines, if one of their columns has the name of one of ours, or if their folders have
    /// the names of other columns.
    pub fn of(
        lists: &[&List],
        number: usize,
        files: OutputOptions,
        splits: &Splits,
        paths: PathColumns,
    ) -> Result<TableSchema, Error> {
        let mut others = lists.iter().filter(|list| !list.is_empty);
        let first = others.next();
        let fields_of = |list: &&List| guarded(|| fields_of(list));
        let fields = first.map_or_else(|| Ok(text_fields()), fields_of)?;
        for other in others {
            if let (Some(one), false) = (first, fields_of(other)? == fields) {
                return Err(columns_differ(&one.path, &other.path));
            }
        }
        let paths = PathFields::of(lists, number, paths)?;
        paths.check(lists, |name| fields.iter().any(|(field, _)| field.name() == name))?;
        let head = common_head(lists)?;
        let ours = own_columns(files, splits);
        let is_taken = |name: &&str| {
            fields.iter().any(|(field, _)| field.name() == *name) || paths.names.iter().any(|path| path == name)
        };
        let taken = ours.iter().map(|(own, _)| own.as_str()).chain(hive_columns(files)).find(is_taken);
        if let (Some(list), Some(own)) = (first, taken) {
            let list = shown(&list.path);
            let message = format!(
                "the list {list}, or its folder, already has a column {own:?}, a name that the output needs; rename it, or write text"
            );
            return Err(ErrorKind::Output.of(message).about(About::ColumnName));
        }
        let list = first.and_then(|list| list.parquet_list());
        let list_fields = fields.len();
        let added: Vec<(String, Kind)> =
            paths.fields().iter().map(|name| (name.clone(), Kind::Text)).chain(ours).collect();
        let others = added.iter().map(|(name, kind)| added_field(name, *kind));
        let all: Fields = fields.into_iter().chain(others).collect();
        let table = guarded(|| TableSchema::with(all, list, files))?;
        let table = TableSchema { list_fields, paths, ..table };
        Ok(table.with_metadata(lists, &added, head))
    }

    /// Whether files of both are one dataset.
    pub fn has_columns_of(&self, other: &TableSchema) -> bool {
        self.schema.root_schema() == other.schema.root_schema()
    }

    /// Takes the memory of another where both are alike: a run may have a table for each of many lists.
    pub fn share(&mut self, other: &TableSchema) {
        if self.has_columns_of(other) && self.batch_schema == other.batch_schema {
            (self.schema, self.batch_schema) = (Arc::clone(&other.schema), Arc::clone(&other.batch_schema));
        }
        if self.metadata == other.metadata {
            self.metadata = Arc::clone(&other.metadata);
        }
    }

    fn with(fields: Fields, list: Option<&ParquetList>, files: OutputOptions) -> Result<TableSchema, Malformed> {
        let (list_fields, paths) = (fields.len(), PathFields::default());
        let (columns, of_batch): (Vec<TypePtr>, Vec<FieldRef>) = fields.into_iter().unzip();
        let root = Type::group_type_builder("schema").with_fields(columns).build()?;
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(root)));
        let line_columns = match list {
            Some(list) => list.line_columns,
            None => LineColumns::of_text(&schema)?,
        };
        let batch_schema = Arc::new(Schema::new(of_batch));
        let (metadata, dropped) = (Arc::default(), Vec::new());
        Ok(TableSchema { schema, batch_schema, list_fields, paths, line_columns, metadata, dropped, files })
    }

    /// The same, with the metadata of these lists, which of the columns that were added to theirs are ours, and their head line.
    fn with_metadata(self, lists: &[&List], added: &[(String, Kind)], head: &[u8]) -> TableSchema {
        let columns = Columns { schema: &self.schema, of_list: self.list_fields, added };
        let of_lists = FileMetadata::of(lists, &columns);
        let names: Vec<&str> = added[self.paths.fields().len()..].iter().map(|(name, _)| name.as_str()).collect();
        let ours = KeyValue::new(OUR_COLUMNS.to_owned(), names.join(&COMMA.to_string()));
        let head = (!head.is_empty()).then(|| String::from_utf8_lossy(head).trim_end_matches('\n').to_owned());
        let head = head.map(|head| KeyValue::new(HEAD_LINE.to_owned(), head));
        let metadata = of_lists.with([ours].into_iter().chain(head));
        TableSchema { metadata: Arc::new(metadata), dropped: of_lists.dropped, ..self }
    }

    /// The keys of the lists' metadata that the files do not have, each with the place of a list.
    pub fn dropped_keys(&self) -> &[(usize, DroppedKey)] {
        &self.dropped
    }
}

/// The suffixes of our columns' names, one for each crawler with verdicts in the file.
fn labels(form: OutputMode, splits: &Splits) -> Vec<String> {
    match form {
        OutputMode::Partitions | OutputMode::BlockedFor => vec![String::new()],
        OutputMode::Verdicts => splits.labels(),
    }
}

/// The columns of a list, without those that an earlier run added at its end.
fn fields_of(list: &List) -> Result<Fields, Malformed> {
    let Some(table) = list.parquet_list() else { return Ok(text_fields()) };
    let (of_file, roots) = (table.file.metadata().file_metadata(), table.file.schema());
    let fields = roots.root_schema().get_fields();
    let entry = of_file.key_value_metadata().into_iter().flatten().find(|entry| entry.key == OUR_COLUMNS);
    let ours = entry.and_then(|entry| entry.value.as_deref()).unwrap_or_default();
    let is_ours = |field: &TypePtr| ours.split(COMMA).any(|name| name == field.name());
    let kept = fields.iter().rposition(|field| !is_ours(field)).map_or(0, |last| last + 1);
    // But such columns stay if the list's URLs are read from one of them.
    let is_kept = |&at: &usize| fields[..kept].iter().any(|field| field.name() == roots.get_column_root(at).name());
    let has_url = table.line_columns.columns().iter().all(is_kept);
    let kept = if has_url { kept } else { fields.len() };
    let of_batch = table.file.batch_schema().fields();
    fields[..kept]
        .iter()
        .zip(of_batch)
        .map(|(field, of_batch)| Ok((table.file.written(field)?, Arc::clone(of_batch))))
        .collect()
}

/// The columns of a list that is not a table.
fn text_fields() -> Fields {
    let line = Type::primitive_type_builder(LINE, PhysicalType::BYTE_ARRAY).with_repetition(Repetition::OPTIONAL);
    let line = Arc::new(line.build().expect("a column of bytes"));
    vec![text_field(URL, true), (line, Arc::new(Field::new(LINE, DataType::BinaryView, true)))]
}

fn text_field(name: &str, is_optional: bool) -> (TypePtr, FieldRef) {
    let text = Type::primitive_type_builder(name, PhysicalType::BYTE_ARRAY);
    let text = text.with_repetition(if is_optional { Repetition::OPTIONAL } else { Repetition::REQUIRED });
    let text = text.with_logical_type(Some(LogicalType::String)).build().expect("a column of text");
    (Arc::new(text), Arc::new(Field::new(name, DataType::BinaryView, is_optional)))
}

fn number_field(
    name: &str,
    kind: PhysicalType,
    logical: Option<LogicalType>,
    of_batch: DataType,
) -> (TypePtr, FieldRef) {
    let number = Type::primitive_type_builder(name, kind).with_repetition(Repetition::OPTIONAL);
    let number = number.with_logical_type(logical).build().expect("a column of numbers");
    (Arc::new(number), Arc::new(Field::new(name, of_batch, true)))
}

/// A column of lists of names. In batches, names are numbers in a dictionary.
fn names_field(name: &str) -> (TypePtr, FieldRef) {
    let (element, of_batch) = (text_field(ELEMENT, false).0, DataType::List(name_of_batch()));
    let group =
        |name, repetition, fields| Type::group_type_builder(name).with_repetition(repetition).with_fields(fields);
    let list = group(LIST, Repetition::REPEATED, vec![element]).build().expect("a group of one column");
    let lists = group(name, Repetition::REQUIRED, vec![Arc::new(list)]).with_logical_type(Some(LogicalType::List));
    let lists = lists.build().expect("a list of text");
    (Arc::new(lists), Arc::new(Field::new(name, of_batch, false)))
}

/// The names of the parts of a list, as the format prescribes.
pub(super) const LIST: &str = "list";
pub(super) const ELEMENT: &str = "element";

/// The items of such a list in batches.
pub(super) fn name_of_batch() -> FieldRef {
    let name = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Binary));
    Arc::new(Field::new(ELEMENT, name, false))
}

/// The field of an added column.
fn added_field(name: &str, kind: Kind) -> (TypePtr, FieldRef) {
    let time = LogicalType::timestamp(true, TimeUnit::MILLIS);
    match kind {
        Kind::Name | Kind::Text => text_field(name, kind.is_optional()),
        Kind::Whole => number_field(name, PhysicalType::INT32, None, DataType::Int32),
        Kind::Time => number_field(name, PhysicalType::INT64, Some(time), DataType::Int64),
        Kind::Names => names_field(name),
    }
}

/// The columns after those of the list, in order; labels tell the crawlers apart.
fn own_columns(files: OutputOptions, splits: &Splits) -> Vec<(String, Kind)> {
    // All files have the same columns.
    let named = |column: Column, label: &String| (labelled(column.name, label), column.kind);
    let columns_of = |label: &String| files.crawler_columns(0).map(|column| named(column, label)).collect::<Vec<_>>();
    labels(files.form, splits).iter().flat_map(columns_of).collect()
}

/// The names of the columns that tell the verdicts; none if the verdict is the name of the folder.
pub(super) fn verdict_names(form: OutputMode, splits: &Splits) -> Vec<String> {
    match form {
        OutputMode::Partitions => Vec::new(),
        OutputMode::BlockedFor => REFUSED.map(str::to_owned).to_vec(),
        OutputMode::Verdicts => labels(form, splits).iter().map(|label| labelled(VERDICT, label)).collect(),
    }
}

/// The columns that readers of a partitioned dataset derive from the names of its folders.
fn hive_columns<'n>(files: OutputOptions) -> impl Iterator<Item = &'n str> {
    let is_partitioned = files.form == OutputMode::Partitions;
    let verdict = is_partitioned.then_some(VERDICT);
    verdict.into_iter().chain((is_partitioned && files.crawlers > 1).then_some(CRAWLER))
}
