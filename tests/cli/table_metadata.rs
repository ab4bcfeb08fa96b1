//! The key-value metadata of Parquet lists, in the files made of their rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::{encode_arrow_schema, parquet_to_arrow_schema};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use serde_json::{Value, json};

use crate::support::program::{Bench, said};
use crate::support::tables::Values::{Int64, Texts};
use crate::support::tables::{parquet_with, reader};

const WRITTEN: &str = "out/lines/verdict=allowed/part-0001.parquet";
const SPARK: &str = "org.apache.spark.sql.parquet.row.metadata";

/// A list with the columns `url` and `when`, and these entries.
pub fn list(entries: &[(&str, &str)]) -> Vec<u8> {
    let columns = [
        ("optional binary url (STRING)", Texts(vec![Some("http://a.example/")])),
        ("optional int64 when (TIMESTAMP(MICROS,true))", Int64(vec![Some(7)])),
    ];
    let entries = entries.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), Some((*value).to_owned())));
    let properties = WriterProperties::builder().set_key_value_metadata(Some(entries.collect()));
    parquet_with(&columns, 1, properties.build())
}

/// The metadata of a file that was written.
fn written(bench: &Bench) -> BTreeMap<String, String> {
    let reader = reader(bench, WRITTEN);
    let entries = reader.metadata().file_metadata().key_value_metadata().expect("metadata");
    entries.iter().map(|entry| (entry.key.clone(), entry.value.clone().unwrap_or_default())).collect()
}

fn split(bench: &Bench, options: &str, lists: &str) -> Value {
    let options = format!("--robots sites --force --format parquet --out out {options} {lists}");
    bench.filter(&options).assert().success();
    bench.program("verify out --inputs").assert().success();
    serde_json::from_slice(&bench.read("out/receipt.json")).expect("a receipt")
}

/// A schema of Arrow with these types of `url` and `when`, and entries of its own.
fn arrow(url: DataType, when: DataType, about: &str) -> Schema {
    let url = Field::new("url", url, true).with_metadata([("about", about), ("unit", "page")]);
    Schema::new_with_metadata(vec![url, Field::new("when", when, true)], [("pandas", "{}"), ("owner", about)])
}

fn zoned(zone: &str) -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some(zone.into()))
}

fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
}

/// The schema that a reader of the file sees.
fn arrow_written(bench: &Bench) -> Arc<Schema> {
    let reader = reader(bench, WRITTEN);
    let of_file = reader.metadata().file_metadata();
    Arc::new(parquet_to_arrow_schema(of_file.schema_descr(), of_file.key_value_metadata()).expect("a schema"))
}

/// Each key that describes columns, the value of a list, and what it becomes with a column `reason`.
#[test]
fn what_describes_columns_describes_ours_too() {
    let fields = |ours: Option<Value>| {
        let of_list = [json!({"name": "url", "type": "x", "metadata": {"comment": "a page"}}), json!({"name": "when"})];
        json!({"type": "record", "fields": of_list.into_iter().chain(ours).collect::<Vec<_>>()})
    };
    let frame = |index: Value, ours: Option<Value>| {
        let of_list = [json!({"name": null, "field_name": "url"}), json!({"name": "when", "field_name": "when"})];
        let columns: Vec<Value> = of_list.into_iter().chain(ours).collect();
        json!({"columns": columns, "index_columns": index, "pandas_version": "3.0.0"})
    };
    let range = json!({"kind": "range", "name": null, "start": 0, "stop": 1, "step": 1});
    let of_pandas = json!({
        "name": "reason", "field_name": "reason", "pandas_type": "unicode", "numpy_type": "object", "metadata": null,
    });
    let of_avro = json!({"name": "reason", "type": "string"});
    let of_spark = json!({"name": "reason", "type": "string", "nullable": false, "metadata": {}});
    let bench = Bench::with_site();
    for (key, value, expected) in [
        ("pandas", frame(json!(["url", range]), None), frame(json!(["url"]), Some(of_pandas))),
        (SPARK, fields(None), fields(Some(of_spark))),
        ("parquet.avro.schema", fields(None), fields(Some(of_avro.clone()))),
        ("avro.schema", fields(None), fields(Some(of_avro))),
        ("geo", json!({"columns": {"shape": {"bbox": [1.5]}}}), json!({"columns": {"shape": {"bbox": [1.5]}}})),
    ] {
        bench.file("list", list(&[(key, &value.to_string()), ("other", "\u{e9}")]));
        let receipt = split(&bench, "", "list");
        let metadata = written(&bench);
        assert_eq!(serde_json::from_str::<Value>(&metadata[key]).expect("JSON"), expected, "{key}");
        assert_eq!((metadata["other"].as_str(), metadata["robosieve.columns"].as_str()), ("\u{e9}", "reason"));
        assert_eq!(receipt["lists"][0].get("dropped_metadata"), None, "{key}");
        // Read again, the columns of the run before are taken away first.
        bench.file("again", bench.read(WRITTEN));
        split(&bench, "", "again");
        assert_eq!(written(&bench), metadata, "{key}");
    }
}

#[test]
fn columns_keep_the_types_and_the_metadata_that_arrow_knows() {
    let bench = Bench::with_site();
    let schema = arrow(dictionary(), zoned("Asia/Kolkata"), "lists");
    bench.file("list", list(&[("ARROW:schema", &encode_arrow_schema(&schema))]));
    split(&bench, "--explain", "list");
    let kept = arrow_written(&bench);
    assert_eq!(&kept.fields()[..2], &schema.fields()[..]);
    let ours: Vec<_> =
        kept.fields()[2..].iter().map(|field| (field.name().as_str(), field.data_type().clone())).collect();
    let captured = DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
    let texts = ["reason", "rule", "agent"].map(|name| (name, DataType::Utf8));
    let [reason, rule, agent] = texts;
    assert_eq!(ours, [reason, rule, ("rule_line", DataType::Int32), agent, ("captured", captured)]);
    assert_eq!(kept.metadata().get("owner").map(String::as_str), Some("lists"));
    assert_eq!(kept.metadata().get("pandas"), None, "the copy was no description");
}

#[test]
fn lists_keep_what_they_share() {
    let bench = Bench::with_site();
    let entries = |schema: &Schema, geo: &str, owner: &str| {
        let schema = encode_arrow_schema(schema);
        list(&[("ARROW:schema", &schema), ("geo", geo), ("owner", owner), ("same", "1")])
    };
    let geo = |more: &str| format!("{{\"columns\": {{\"shape\": {{{more}\"encoding\": \"WKB\"}}}}}}");
    bench.file("one", entries(&arrow(dictionary(), zoned("Asia/Kolkata"), "one"), &geo("\"bbox\": [1, 2],"), "one"));
    bench.file("two", entries(&arrow(dictionary(), zoned("Asia/Tokyo"), "two"), &geo("\"bbox\": [3, 4],"), "two"));
    let receipt = split(&bench, "", "one two one");
    let (metadata, schema) = (written(&bench), arrow_written(&bench));
    assert_eq!(schema.field(0).data_type(), &dictionary());
    assert_eq!(schema.field(0).metadata().iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["unit"]);
    assert_eq!(schema.field(1).data_type(), &zoned("UTC"), "as the file shows without a zone");
    assert_eq!(
        serde_json::from_str::<Value>(&metadata["geo"]).expect("JSON"),
        serde_json::from_str::<Value>(&geo("")).expect("JSON")
    );
    assert_eq!((metadata.get("owner"), metadata["same"].as_str()), (None, "1"));
    let dropped = json!([{"key": "owner", "problem": "other lists have none, or another"}]);
    assert_eq!(
        (receipt["lists"][0].get("dropped_metadata"), &receipt["lists"][1]["dropped_metadata"]),
        (None, &dropped)
    );
    bench.file("other", entries(&arrow(dictionary(), zoned("UTC"), "one"), &geo("\"crs\": null,"), "one"));
    bench.file("none", list(&[]));
    for (lists, keys) in [("one other", &["geo"][..]), ("one none", &["geo", "owner", "same", "ARROW:schema"])] {
        let receipt = split(&bench, "", lists);
        let dropped = receipt["lists"][1]["dropped_metadata"].as_array().expect("a list").clone();
        assert!(
            dropped.iter().map(|dropped| dropped["key"].as_str().expect("a key")).eq(keys.iter().copied()),
            "{dropped:?}"
        );
        keys.iter().for_each(|key| assert_eq!(written(&bench).get(*key), None, "{lists} {key}"));
    }
    // Each list by itself has its own.
    assert_eq!(split(&bench, "--per-input", "one none")["lists"][1].get("dropped_metadata"), None);
}

/// A run drops metadata that is damaged or cannot describe our columns, and says so.
#[test]
fn what_cannot_stay_true_is_dropped_and_told() {
    let bench = Bench::with_site();
    let others = Schema::new(vec![Field::new("url", DataType::Utf8, true)]);
    let swapped = Schema::new(vec![Field::new("when", DataType::Int64, true), Field::new("url", DataType::Utf8, true)]);
    let [others, swapped] = [others, swapped].map(|schema| encode_arrow_schema(&schema));
    let whole = encode_arrow_schema(&arrow(DataType::Utf8, DataType::Int64, ""));
    let cases = [
        ("iceberg.schema", "{\"type\": \"struct\", \"fields\": []}", "ids"),
        ("ARROW:schema", "", "malformed"),
        ("ARROW:schema", "no Base64", "malformed"),
        ("ARROW:schema", &whole[..whole.len() / 2], "malformed"),
        ("ARROW:schema", "/////wAAAAA=", "malformed"),
        ("ARROW:schema", &others, "other columns"),
        ("ARROW:schema", &swapped, "other columns"),
        ("pandas", "{", "malformed"),
        ("pandas", "{\"columns\": []}", "index_columns"),
        (SPARK, "{\"fields\": [{\"name\": \"url\"}]}", "\"when\""),
        (SPARK, "[]", "malformed"),
        ("avro.schema", "\"string\"", "malformed"),
        ("avro.schema", "{\"fields\": [7]}", "malformed"),
    ];
    for (key, value, problem) in cases {
        bench.file("list", list(&[(key, value), ("other", "stays")]));
        let receipt = split(&bench, "", "list");
        let dropped = &receipt["lists"][0]["dropped_metadata"];
        assert_eq!(dropped[0]["key"], key, "{value}");
        assert!(dropped[0]["problem"].as_str().expect("a problem").contains(problem), "{dropped} {value}");
        let run = bench.filter("--robots sites --force --format parquet --out out list").assert().success();
        said(&run.get_output().stderr, &["list", key, problem]);
        let metadata = written(&bench);
        assert!(!metadata.contains_key(key) && metadata["other"] == "stays", "{key} {value}");
    }
    let fields = "{\"fields\": [{\"name\": \"url\"}, {\"name\": \"when\"}]}";
    for (options, entries, key) in [
        ("", &[("avro.schema", fields), ("avro.schema", fields)][..], "avro.schema"),
        ("--agent one-bot --agent two --verdicts", &[("avro.schema", fields)], "avro.schema"),
    ] {
        bench.file("list", list(entries));
        let place = format!("--robots sites --force --format parquet --out out {options} list");
        let run = bench.filter(&place).assert().success();
        said(&run.get_output().stderr, &["list", key]);
    }
}
