//! The headers of answers in a column of Parquet: a text in JSON; a map; a list of pairs; or a struct with a field for each header.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::schema::types::{SchemaDescriptor, Type};

use super::headers::{headers_of_json, matters};
use crate::formats::columnar::Malformed;
use crate::formats::value_column::{ValueColumn, ValueKind};

/// A column with the headers of answers.
pub(super) struct HeaderColumn {
    name: String,
    leaves: Vec<usize>,
    form: Form,
}

enum Form {
    /// A text in JSON.
    Json(ValueColumn),
    /// Pairs, in a map or a list.
    Pairs,
    /// A struct, whose fields are headers.
    Fields,
}

impl HeaderColumn {
    /// The first column of a file that is in the top-level column with this name.
    pub fn find(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
        schema.columns().iter().position(|column| column.path().parts().first().is_some_and(|root| root == name))
    }

    /// The top-level column that has the column with this number.
    pub fn at(schema: &SchemaDescriptor, number: usize) -> Result<HeaderColumn, Malformed> {
        let root = schema.get_column_root(number);
        let place = schema.get_column_root_idx(number);
        let leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == place).collect();
        let form = match root {
            Type::PrimitiveType { .. } => Form::Json(ValueColumn::new(schema, number, ValueKind::Text)?),
            Type::GroupType { basic_info, .. } => {
                let is_list = matches!(basic_info.logical_type_ref(), Some(LogicalType::List | LogicalType::Map))
                    || basic_info.converted_type() != ConvertedType::NONE
                    || basic_info.repetition() == Repetition::REPEATED;
                if is_list { Form::Pairs } else { Form::Fields }
            }
        };
        Ok(HeaderColumn { name: root.name().to_owned(), leaves, form })
    }

    /// The numbers of the columns that it consists of.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.leaves.iter().copied()
    }

    /// The headers of a row that matter, by name and value.
    pub fn of(&self, batch: &RecordBatch, row: usize) -> Result<Vec<(String, String)>, String> {
        if let Form::Json(column) = &self.form {
            let Some(text) = column.text(batch, row) else { return Ok(Vec::new()) };
            return headers_of_json(text);
        }
        let Some(column) = batch.column_by_name(&self.name).filter(|column| column.is_valid(row)) else {
            return Ok(Vec::new());
        };
        let mut headers = Vec::new();
        let mut add = |name: &str, values: Vec<String>| {
            if matters(name) {
                headers.extend(values.into_iter().map(|value| (name.to_owned(), value)));
            }
        };
        match self.form {
            Form::Fields => {
                let Some(fields) = column.as_struct_opt() else { return Err(self.malformed()) };
                for (field, values) in fields.fields().iter().zip(fields.columns()) {
                    if matters(field.name()) {
                        add(field.name(), texts(values, row).ok_or_else(|| self.malformed())?);
                    }
                }
            }
            _ => {
                for pair in elements(column, row).ok_or_else(|| self.malformed())? {
                    let (name, values) = pair_of(&pair).ok_or_else(|| self.malformed())?;
                    add(&name, values);
                }
            }
        }
        Ok(headers)
    }

    fn malformed(&self) -> String {
        format!("its {} are no pairs of texts", self.name)
    }
}

/// The struct or list inside a struct of one field, because logical types of the schema are not known here.
fn inner(array: &ArrayRef) -> &ArrayRef {
    match array.as_struct_opt() {
        Some(only) if only.num_columns() == 1 => inner(only.column(0)),
        _ => array,
    }
}

/// The elements of the list in a row, each in an array of its own.
fn elements(array: &ArrayRef, row: usize) -> Option<Vec<ArrayRef>> {
    let list = inner(array).as_list_opt::<i32>()?;
    let values = list.value(row);
    Some((0..values.len()).map(|at| values.slice(at, 1)).collect())
}

/// All texts in a row of an array.
fn texts(array: &ArrayRef, row: usize) -> Option<Vec<String>> {
    if !array.is_valid(row) {
        return Some(Vec::new());
    }
    if let Some(bytes) = array.as_binary_view_opt() {
        return Some(vec![String::from_utf8_lossy(bytes.value(row)).into_owned()]);
    }
    if let Some(list) = array.as_list_opt::<i32>() {
        let values = list.value(row);
        return (0..values.len()).map(|at| texts(&values, at)).collect::<Option<Vec<_>>>().map(|all| all.concat());
    }
    let all = array.as_struct_opt()?;
    all.columns().iter().map(|column| texts(column, row)).collect::<Option<Vec<_>>>().map(|all| all.concat())
}

/// The name and the values of a header, in an array of one element.
fn pair_of(element: &ArrayRef) -> Option<(String, Vec<String>)> {
    let element = inner(element);
    let (names, values) = match element.as_struct_opt() {
        Some(pair) if pair.num_columns() == 2 => {
            let by_name = |names: [&str; 2]| names.iter().find_map(|name| pair.column_by_name(name));
            let name = by_name(["name", "key"]).unwrap_or_else(|| pair.column(0));
            (texts(name, 0)?, texts(by_name(["value", "values"]).unwrap_or_else(|| pair.column(1)), 0)?)
        }
        // A list of a name and a value.
        _ => {
            let mut all = texts(element, 0)?;
            let values = if all.is_empty() { Vec::new() } else { all.split_off(1) };
            (all, values)
        }
    };
    Some((names.into_iter().next()?, values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::columnar::{ParquetFile, RowRange};
    use arrow_array::builder::{ListBuilder, MapBuilder, StringBuilder};
    use arrow_array::{StringArray, StructArray};
    use arrow_schema::{DataType, Field};
    use parquet::arrow::ArrowWriter;
    use std::sync::Arc;

    /// The values of the first row of a column, as a file stores it; or the problem with it.
    fn read(column: ArrayRef) -> Result<Vec<String>, String> {
        let rows = column.len();
        let batch = RecordBatch::try_from_iter([("url", Arc::clone(&column)), ("headers", column)]).unwrap();
        let file = tempfile::tempfile().unwrap();
        let mut writer = ArrowWriter::try_new(file.try_clone().unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let file = ParquetFile::open_for_seconds(file).unwrap();
        let number = HeaderColumn::find(file.schema(), "headers").unwrap();
        let headers = HeaderColumn::at(file.schema(), number).unwrap_or_else(|Malformed(problem)| panic!("{problem}"));
        let wanted: Vec<usize> = headers.numbers().collect();
        let range = RowRange { group: 0, first: 0, rows, ends: true };
        let batch = file.batches(range, &wanted, rows).unwrap().next().unwrap().unwrap();
        let found = headers.of(&batch, 0)?;
        assert!((1..rows).all(|row| headers.of(&batch, row) == Ok(Vec::new())), "the others have none");
        Ok(found.into_iter().map(|(_, value)| value).collect())
    }

    fn text(values: &[Option<&str>]) -> ArrayRef {
        Arc::new(StringArray::from(values.to_vec()))
    }

    fn pair(names: [&str; 2], values: [&str; 2]) -> ArrayRef {
        let field = |name: &str| Arc::new(Field::new(name, DataType::Utf8, true));
        let columns = names.iter().zip(values).map(|(name, value)| (field(name), text(&[Some(value)])));
        Arc::new(StructArray::from(columns.collect::<Vec<_>>()))
    }

    /// A column with one row, a list of this array.
    fn listed(values: ArrayRef) -> ArrayRef {
        let field = Arc::new(Field::new("element", values.data_type().clone(), true));
        let offsets = arrow_buffer::OffsetBuffer::from_lengths([values.len()]);
        Arc::new(arrow_array::ListArray::new(field, offsets, values, None))
    }

    #[test]
    fn headers_are_text_a_map_a_list_or_a_struct() {
        let json = text(&[Some(r#"{"content-encoding":["gzip","br"]}"#), None, Some("null"), Some("{}")]);
        assert_eq!(read(json).unwrap(), ["gzip", "br"]);
        assert!(read(text(&[Some("gzip")])).unwrap_err().contains("its headers cannot be read"));
        let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
        map.keys().append_value("Server");
        map.values().append_value("x");
        map.keys().append_value("CONTENT-ENCODING");
        map.values().append_value("gzip");
        map.append(true).unwrap();
        map.append(true).unwrap();
        map.append(false).unwrap();
        assert_eq!(read(Arc::new(map.finish())).unwrap(), ["gzip"]);
        let mut map = MapBuilder::new(None, StringBuilder::new(), ListBuilder::new(StringBuilder::new()));
        map.keys().append_value("Content-Encoding");
        map.values().append_value([Some("gzip"), Some("br")]);
        map.append(true).unwrap();
        assert_eq!(read(Arc::new(map.finish())).unwrap(), ["gzip", "br"]);
        for names in [["name", "value"], ["key", "value"], ["0", "1"]] {
            assert_eq!(read(listed(pair(names, ["Content-Encoding", "gzip"]))).unwrap(), ["gzip"]);
        }
        assert_eq!(read(listed(pair(["value", "name"], ["gzip", "Content-Encoding"]))).unwrap(), ["gzip"]);
        let list = listed(text(&[Some("Content-Encoding"), Some("gzip")]));
        assert_eq!(read(listed(list)).unwrap(), ["gzip"]);
        assert_eq!(read(pair(["Server", "Content-Encoding"], ["x", "gzip"])).unwrap(), ["gzip"]);
        let single: ArrayRef = Arc::new(StructArray::from(vec![(
            Arc::new(Field::new("Content-Encoding", DataType::Utf8, true)),
            text(&[Some("gzip"), None]),
        )]));
        assert_eq!(read(single).unwrap(), ["gzip"]);
    }
}
