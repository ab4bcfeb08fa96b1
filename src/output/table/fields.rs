//! The columns added to those of a list.

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

use crate::input::list::List;
use crate::input::list::line_columns::{LINE, URL};
use crate::output::folder::crawler_labels;
use crate::output::form::Form;
use crate::robots::Agents;

/// The metadata key under which a file lists our columns, which are ignored when it is read as a list.
pub(super) const OUR_COLUMNS: &str = "robosieve.columns";

/// Separates their names.
pub(super) const COMMA: char = ',';

/// The suffixes of our columns' names, one for each crawler with verdicts in the file.
pub(super) fn labels(form: Form, agents: &[&Agents]) -> Vec<String> {
    match form {
        Form::Partitions => vec![String::new()],
        Form::Verdicts => crawler_labels(agents),
    }
}

pub(super) fn named(column: &str, label: &str) -> String {
    if label.is_empty() { column.to_owned() } else { format!("{column}.{label}") }
}

/// The columns of a list, without those that an earlier run added at its end.
pub(super) fn fields_of(list: &List) -> Vec<TypePtr> {
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
pub(super) fn text_fields() -> Vec<TypePtr> {
    let line = Type::primitive_type_builder(LINE, PhysicalType::BYTE_ARRAY).with_repetition(Repetition::OPTIONAL);
    vec![text_field(URL, Repetition::OPTIONAL), Arc::new(line.build().expect("a column of bytes"))]
}

pub(super) fn text_field(name: &str, repetition: Repetition) -> TypePtr {
    let text = Type::primitive_type_builder(name, PhysicalType::BYTE_ARRAY).with_repetition(repetition);
    Arc::new(text.with_logical_type(Some(LogicalType::String)).build().expect("a column of text"))
}
