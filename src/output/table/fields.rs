//! The columns that are put beside those of a list.

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

use crate::input::list::List;
use crate::input::list::line_columns::{LINE, URL};
use crate::output::folder::crawler_labels;
use crate::output::form::Form;
use crate::robots::Agents;

/// What stands after the names of our columns, for each crawler whose verdicts stand in a file.
pub(super) fn labels(form: Form, agents: &[&Agents]) -> Vec<String> {
    match form {
        Form::Partitions => vec![String::new()],
        Form::Verdicts => crawler_labels(agents),
    }
}

pub(super) fn named(column: &str, label: &str) -> String {
    if label.is_empty() { column.to_owned() } else { format!("{column}.{label}") }
}

pub(super) fn fields_of(list: &List) -> Vec<TypePtr> {
    let of_table = |table: &crate::input::list::TableFile| {
        table.file.metadata().file_metadata().schema_descr().root_schema().get_fields().to_vec()
    };
    list.table_file().map_or_else(text_fields, of_table)
}

/// The columns of a list that is no table.
pub(super) fn text_fields() -> Vec<TypePtr> {
    let line = Type::primitive_type_builder(LINE, PhysicalType::BYTE_ARRAY).with_repetition(Repetition::OPTIONAL);
    vec![text_field(URL, Repetition::OPTIONAL), Arc::new(line.build().expect("a column of bytes"))]
}

pub(super) fn text_field(name: &str, repetition: Repetition) -> TypePtr {
    let text = Type::primitive_type_builder(name, PhysicalType::BYTE_ARRAY).with_repetition(repetition);
    Arc::new(text.with_logical_type(Some(LogicalType::String)).build().expect("a column of text"))
}
