//! Parquet files, written and read with the library that the program uses, too.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, FixedLenByteArrayType, Int32Type, Int96};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;

use super::program::Bench;

/// The values of a column; each may be missing.
pub enum Values {
    Bytes(Vec<Option<Vec<u8>>>),
    Texts(Vec<Option<&'static str>>),
    Int32(Vec<Option<i32>>),
    Int64(Vec<Option<i64>>),
    Days(Vec<Option<u32>>),
    Doubles(Vec<Option<f64>>),
}

use Values::{Days, Doubles, Int32, Int64, Texts};

fn split<T: Clone, U>(values: &[Option<T>], as_written: impl Fn(T) -> U) -> (Vec<U>, Vec<i16>) {
    (
        values.iter().flatten().cloned().map(as_written).collect(),
        values.iter().map(|v| i16::from(v.is_some())).collect(),
    )
}

/// Noon, this many days after 1 January 1970, in the format of Impala and old Spark.
fn noon(days: u32) -> Int96 {
    let nanos = 12 * 3600 * 1_000_000_000_u64;
    let mut noon = Int96::new();
    noon.set_data(nanos as u32, (nanos >> 32) as u32, 2_440_588 + days);
    noon
}

/// A Parquet file with columns of these types (`optional int64 status`); all row groups have the same values.
pub fn parquet(columns: &[(&str, Values)], groups: usize, compression: Compression) -> Vec<u8> {
    parquet_with(columns, groups, WriterProperties::builder().set_compression(compression).build())
}

/// Like [`parquet`], written with these properties.
pub fn parquet_with(columns: &[(&str, Values)], groups: usize, properties: WriterProperties) -> Vec<u8> {
    let fields: String = columns.iter().map(|(field, _)| format!("{field};")).collect();
    table(&format!("message answers {{{fields}}}"), properties, groups, |_, group| {
        for (_, values) in columns {
            next_column(group, |column| write(column.untyped(), values));
        }
    })
}

/// A Parquet file with row groups that `fill` writes, given their numbers.
pub fn table(
    schema: &str,
    properties: WriterProperties,
    groups: usize,
    mut fill: impl FnMut(usize, &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>),
) -> Vec<u8> {
    let schema = parse_message_type(schema).expect("a schema");
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::new(properties)).expect("a writer");
    for number in 0..groups {
        let mut group = writer.next_row_group().expect("a group");
        fill(number, &mut group);
        group.close().expect("a group");
    }
    writer.close().expect("a file");
    file
}

/// Writes the next column of a row group.
pub fn next_column(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    write: impl FnOnce(&mut SerializedColumnWriter<'_>) -> Result<usize, ParquetError>,
) {
    let mut column = group.next_column().expect("the library").expect("a column");
    write(&mut column).expect("values");
    column.close().expect("a column");
}

fn write(column: &mut ColumnWriter<'_>, values: &Values) -> Result<usize, ParquetError> {
    match (column, values) {
        (ColumnWriter::ByteArrayColumnWriter(writer), Values::Bytes(bytes)) => {
            let (values, levels) = split(bytes, ByteArray::from);
            writer.write_batch(&values, Some(&levels), None)
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Texts(texts)) => {
            let (values, levels) = split(texts, ByteArray::from);
            // Each value is the first of its row; this matters where a row can have several.
            writer.write_batch(&values, Some(&levels), Some(&vec![0; levels.len()]))
        }
        (ColumnWriter::Int32ColumnWriter(writer), Int32(numbers)) => {
            let (values, levels) = split(numbers, |number| number);
            writer.write_batch(&values, Some(&levels), None)
        }
        (ColumnWriter::Int64ColumnWriter(writer), Int64(numbers)) => {
            let (values, levels) = split(numbers, |number| number);
            writer.write_batch(&values, Some(&levels), None)
        }
        (ColumnWriter::Int96ColumnWriter(writer), Days(days)) => {
            let (values, levels) = split(days, noon);
            writer.write_batch(&values, Some(&levels), None)
        }
        (ColumnWriter::DoubleColumnWriter(writer), Doubles(numbers)) => {
            let (values, levels) = split(numbers, |number| number);
            writer.write_batch(&values, Some(&levels), None)
        }
        _ => panic!("values of another type than the column"),
    }
}

/// A row: its values, by column name.
pub type Row = Vec<(String, Field)>;

pub fn reader(bench: &Bench, name: &str) -> SerializedFileReader<File> {
    let file = File::open(bench.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    SerializedFileReader::new(file).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn rows(bench: &Bench, name: &str) -> Vec<Row> {
    reader(bench, name).into_iter().map(|row| row.expect("a row").into_columns()).collect()
}

pub fn columns(bench: &Bench, name: &str) -> Vec<String> {
    let reader = reader(bench, name);
    let fields = reader.metadata().file_metadata().schema_descr().root_schema().get_fields().to_vec();
    fields.iter().map(|field| field.name().to_owned()).collect()
}

pub fn column<'r>(row: &'r Row, name: &str) -> &'r Field {
    &row.iter().find(|(column, _)| column == name).unwrap_or_else(|| panic!("no {name} in {row:?}")).1
}

pub fn text(row: &Row, name: &str) -> String {
    match column(row, name) {
        Field::Str(text) => text.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

/// The rows of one partition in a table of verdicts, as the partition's own table has them.
pub fn of_partition(rows: &[Row], partition: &str) -> Vec<Row> {
    let rows = rows.iter().filter(|row| text(row, "verdict") == partition);
    rows.map(|row| row.iter().filter(|(name, _)| name != "verdict").cloned().collect()).collect()
}

/// A list with columns of many kinds, some nested, in row groups of a few rows.
pub fn nested(urls: &[&str], per_group: usize) -> Vec<u8> {
    let schema = "message list {
        required int32 id; optional binary url (STRING);
        optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
        optional group more { required int32 number; repeated int32 numbers; }
        optional fixed_len_byte_array(2) half; optional boolean flag;
    }";
    table(schema, WriterProperties::default(), urls.len().div_ceil(per_group), |number, group| {
        let urls = &urls[number * per_group..urls.len().min((number + 1) * per_group)];
        let ids: Vec<i32> = (0..urls.len()).map(|row| (number * per_group + row) as i32).collect();
        let texts = |row: &i32, level| ByteArray::from(format!("tag {row} {level}").as_str());
        let mut tags = (Vec::new(), Vec::new(), Vec::new());
        let mut numbers = (Vec::new(), Vec::new(), Vec::new());
        for id in &ids {
            // No list, an empty one, one with a value and a null.
            match id % 3 {
                0 => tags.1.push(0),
                1 => tags.1.push(1),
                _ => {
                    tags.1.extend([3, 2, 3]);
                    tags.0.extend([texts(id, 0), texts(id, 2)]);
                }
            }
            tags.2.extend(&[0, 1, 1][..if id % 3 == 2 { 3 } else { 1 }]);
            let many = (id % 4) as usize;
            numbers.1.extend(vec![2; many]);
            if many == 0 {
                numbers.1.push(1);
            }
            numbers.0.extend((0..many as i32).map(|value| value + id));
            numbers.2.extend((0..many.max(1)).map(|value| i16::from(value > 0)));
        }
        let there = vec![1; ids.len()];
        let urls: Vec<ByteArray> = urls.iter().map(|url| ByteArray::from(*url)).collect();
        let halves: Vec<_> = ids.iter().map(|&id| ByteArray::from(vec![id as u8, 7]).into()).collect();
        let flags: Vec<bool> = ids.iter().map(|id| id % 2 == 0).collect();
        for column in 0..7 {
            next_column(group, |writer| match column {
                0 => writer.typed::<Int32Type>().write_batch(&ids, None, None),
                1 => writer.typed::<ByteArrayType>().write_batch(&urls, Some(&there), None),
                2 => writer.typed::<ByteArrayType>().write_batch(&tags.0, Some(&tags.1), Some(&tags.2)),
                3 => writer.typed::<Int32Type>().write_batch(&ids, Some(&there), None),
                4 => writer.typed::<Int32Type>().write_batch(&numbers.0, Some(&numbers.1), Some(&numbers.2)),
                5 => writer.typed::<FixedLenByteArrayType>().write_batch(&halves, Some(&there), None),
                _ => writer.typed::<BoolType>().write_batch(&flags, Some(&there), None),
            });
        }
    })
}
