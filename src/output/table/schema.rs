//! The columns of the files of a set.

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

use crate::formats::columnar::{Malformed, guarded};
use crate::formats::parquet_mark::PARQUET_MARK;
use crate::input::list::line_columns::{LINE, LineColumns, URL};
use crate::input::list::{List, ParquetList, common_head};
use crate::outcome::Partition;
use crate::output::error::OutputError;
use crate::output::folder::{CRAWLER, VERDICT, crawler_labels};
use crate::output::form::{Form, Rows};
use crate::robots::Agents;

/// The column after the verdict.
const REASON: &str = "reason";

/// The metadata key under which a file lists our columns, which are ignored when it is read as a list.
const OUR_COLUMNS: &str = "robosieve.columns";

/// Separates their names.
const COMMA: char = ',';

/// The metadata key under which a file keeps the head line of a text.
const HEAD_LINE: &str = "robosieve.head";

/// The columns of a set's files, and how they are written.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(super) schema: TypePtr,
    properties: WriterPropertiesPtr,
    /// The number of leaf columns that are the list's; the others are ours.
    pub(super) list_columns: usize,
    pub(super) line_columns: LineColumns,
    /// The rows of the run's files.
    pub(super) files: Rows,
}

impl Table {
    /// The table of files with the rows of these lists, for the crawlers of these agents. Lists without lines are ignored.
    ///
    /// # Errors
    ///
    /// [`OutputError::ColumnsDiffer`] if the lists have different columns,
    /// [`ListError::HeadsDiffer`](crate::input::ListError::HeadsDiffer) if they have different head lines,
    /// [`OutputError::ColumnTaken`] if one of their columns has the name of one of ours.
    pub fn of(lists: &[&List], files: Rows, agents: &[&Agents]) -> Result<Table, OutputError> {
        let mut others = lists.iter().filter(|list| !list.is_empty);
        let first = others.next();
        let fields = first.map_or_else(text_fields, |list| fields_of(list));
        if let (Some(one), Some(other)) = (first, others.find(|list| fields_of(list) != fields)) {
            return Err(OutputError::ColumnsDiffer { one: one.path.clone(), other: other.path.clone() });
        }
        let head = common_head(lists)?;
        let ours = own_columns(files, agents);
        let is_taken = |name: &&str| fields.iter().any(|field| field.name() == *name);
        let taken = ours.iter().map(|own| own.name()).chain(hive_columns(files)).find(is_taken);
        if let (Some(list), Some(own)) = (first, taken) {
            return Err(OutputError::ColumnTaken { path: list.path.clone(), column: own.to_owned() });
        }
        let list = first.and_then(|list| list.parquet_list());
        let made = guarded(|| Table::with(fields, ours, list, head, files));
        made.map_err(|Malformed(problem)| OutputError::Table { problem })
    }

    fn with(
        fields: Vec<TypePtr>,
        ours: Vec<TypePtr>,
        list: Option<&ParquetList>,
        head: &[u8],
        files: Rows,
    ) -> Result<Table, Malformed> {
        let root = |fields| Type::group_type_builder("schema").with_fields(fields).build().map(Arc::new);
        let list_columns = SchemaDescriptor::new(root(fields.clone())?).num_columns();
        let names: Vec<&str> = ours.iter().map(|own| own.name()).collect();
        let our_columns = KeyValue::new(OUR_COLUMNS.to_owned(), names.join(&COMMA.to_string()));
        let schema = root(fields.into_iter().chain(ours.iter().cloned()).collect())?;
        let line_columns = match list {
            Some(list) => list.line_columns,
            None => LineColumns::of_text(&SchemaDescriptor::new(Arc::clone(&schema)))?,
        };
        let plain = (0..list_columns)
            .filter(|at| is_unique(line_columns, *at) || list.is_some_and(|list| is_idle_dictionary(list, *at)));
        let properties = properties(&schema, plain).set_key_value_metadata(Some(key_values(our_columns, head)));
        Ok(Table { schema, properties: Arc::new(properties.build()), list_columns, line_columns, files })
    }

    /// The bytes after the head of a file without rows.
    pub fn empty_end(&self) -> Result<Vec<u8>, OutputError> {
        let empty = self.writer().and_then(SerializedFileWriter::into_inner);
        let empty = empty.map_err(|error| OutputError::Table { problem: error.to_string() })?;
        Ok(empty[PARQUET_MARK.len()..].to_vec())
    }

    /// A writer to memory.
    pub(super) fn writer(&self) -> Result<SerializedFileWriter<Vec<u8>>, ParquetError> {
        SerializedFileWriter::new(Vec::new(), Arc::clone(&self.schema), Arc::clone(&self.properties))
    }

    /// The crawlers whose verdicts are in a file.
    pub(super) fn crawlers_of(&self, file: usize) -> std::ops::Range<usize> {
        match self.files.form {
            Form::Partitions => file / Partition::COUNT..file / Partition::COUNT + 1,
            Form::Verdicts => 0..self.files.crawlers,
        }
    }
}

/// The suffixes of our columns' names, one for each crawler with verdicts in the file.
fn labels(form: Form, agents: &[&Agents]) -> Vec<String> {
    match form {
        Form::Partitions => vec![String::new()],
        Form::Verdicts => crawler_labels(agents),
    }
}

fn named(column: &str, label: &str) -> String {
    if label.is_empty() { column.to_owned() } else { format!("{column}.{label}") }
}

/// The columns of a list, without those that an earlier run added at its end.
fn fields_of(list: &List) -> Vec<TypePtr> {
    let Some(table) = list.parquet_list() else { return text_fields() };
    let of_file = table.file.metadata().file_metadata();
    let fields = of_file.schema_descr().root_schema().get_fields();
    let entry = of_file.key_value_metadata().into_iter().flatten().find(|entry| entry.key == OUR_COLUMNS);
    let ours = entry.and_then(|entry| entry.value.as_deref()).unwrap_or_default();
    let is_ours = |field: &TypePtr| ours.split(COMMA).any(|name| name == field.name());
    let kept = fields.iter().rposition(|field| !is_ours(field)).map_or(0, |last| last + 1);
    // But such columns stay if the list's URLs are read from one of them.
    let roots = of_file.schema_descr();
    let is_kept = |&at: &usize| fields[..kept].iter().any(|field| field.name() == roots.get_column_root(at).name());
    let has_url = table.line_columns.columns().iter().all(is_kept);
    if has_url { fields[..kept].to_vec() } else { fields.to_vec() }
}

/// The columns of a list that is not a table.
fn text_fields() -> Vec<TypePtr> {
    let line = Type::primitive_type_builder(LINE, PhysicalType::BYTE_ARRAY).with_repetition(Repetition::OPTIONAL);
    vec![text_field(URL, Repetition::OPTIONAL), Arc::new(line.build().expect("a column of bytes"))]
}

fn text_field(name: &str, repetition: Repetition) -> TypePtr {
    let text = Type::primitive_type_builder(name, PhysicalType::BYTE_ARRAY).with_repetition(repetition);
    Arc::new(text.with_logical_type(Some(LogicalType::String)).build().expect("a column of text"))
}

/// The columns that show what blocked a line, in order; `named` gives their names.
fn cause_fields(named: impl Fn(&str) -> String) -> [TypePtr; 4] {
    let text = |name| text_field(&named(name), Repetition::OPTIONAL);
    let number = |name, kind, logical| {
        let name = named(name);
        let number = Type::primitive_type_builder(&name, kind).with_repetition(Repetition::OPTIONAL);
        Arc::new(number.with_logical_type(logical).build().expect("a column of numbers"))
    };
    let time = LogicalType::timestamp(true, TimeUnit::MILLIS);
    [
        text("rule"),
        number("rule_line", PhysicalType::INT32, None),
        text("agent"),
        number("captured", PhysicalType::INT64, Some(time)),
    ]
}

/// The columns after those of the list, in order.
fn own_columns(files: Rows, agents: &[&Agents]) -> Vec<TypePtr> {
    let columns_of = |label: &String| {
        let field_named = |column| text_field(&named(column, label), Repetition::REQUIRED);
        let mut columns: Vec<TypePtr> = match files.form {
            // The verdict is the name of the folder.
            Form::Partitions => vec![field_named(REASON)],
            Form::Verdicts => vec![field_named(VERDICT), field_named(REASON)],
        };
        if files.explain {
            columns.extend(cause_fields(|column| named(column, label)));
        }
        columns
    };
    labels(files.form, agents).iter().flat_map(columns_of).collect()
}

/// The names of the columns of verdicts; none if the verdict is the name of the folder.
pub(super) fn verdict_names(form: Form, agents: &[&Agents]) -> Vec<String> {
    match form {
        Form::Partitions => Vec::new(),
        Form::Verdicts => labels(form, agents).iter().map(|label| named(VERDICT, label)).collect(),
    }
}

/// The columns that readers of a partitioned dataset derive from the names of its folders.
fn hive_columns<'n>(files: Rows) -> impl Iterator<Item = &'n str> {
    let is_partitioned = files.form == Form::Partitions;
    let verdict = is_partitioned.then_some(VERDICT);
    verdict.into_iter().chain((is_partitioned && files.crawlers > 1).then_some(CRAWLER))
}

/// Whether values in a column rarely repeat, so that a dictionary would only get in the way.
fn is_unique(line_columns: LineColumns, column: usize) -> bool {
    !matches!(line_columns, LineColumns::Parts(_)) && line_columns.columns().contains(&column)
}

/// Whether the dictionary of a column saves nothing in the first row group of a list: it is more than half of the stored bytes,
/// or the column takes more, before compression, than its values of fixed width would without one.
fn is_idle_dictionary(list: &ParquetList, column: usize) -> bool {
    let Some(column) = list.file.metadata().row_groups().first().and_then(|group| group.columns().get(column)) else {
        return false;
    };
    let Some(dictionary) = column.dictionary_page_offset() else { return false };
    let value_width = match column.column_type() {
        PhysicalType::INT32 | PhysicalType::FLOAT => 4,
        PhysicalType::INT64 | PhysicalType::DOUBLE => 8,
        PhysicalType::INT96 => 12,
        PhysicalType::FIXED_LEN_BYTE_ARRAY => i64::from(column.column_descr().type_length()),
        PhysicalType::BOOLEAN | PhysicalType::BYTE_ARRAY => i64::MAX,
    };
    column.data_page_offset().saturating_sub(dictionary).saturating_mul(2) > column.compressed_size()
        || column.uncompressed_size() > column.num_values().saturating_mul(value_width)
}

/// The writer properties for these columns; those at the `plain` places get no dictionary.
pub(super) fn properties(schema: &TypePtr, plain: impl Iterator<Item = usize>) -> WriterPropertiesBuilder {
    let builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    let descriptor = SchemaDescriptor::new(Arc::clone(schema));
    let path = |at| ColumnPath::new(descriptor.column(at).path().parts().to_vec());
    plain.map(path).fold(builder, |builder, path| builder.set_column_dictionary_enabled(path, false))
}

/// The metadata of a file: which columns are `ours`, and the head line of its lists.
fn key_values(ours: KeyValue, head: &[u8]) -> Vec<KeyValue> {
    let head = (!head.is_empty()).then(|| String::from_utf8_lossy(head).trim_end_matches('\n').to_owned());
    let head = head.map(|head| KeyValue::new(HEAD_LINE.to_owned(), head));
    [ours].into_iter().chain(head).collect()
}
