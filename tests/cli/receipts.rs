//! Checks receipts against the JSON Schema that documents them.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::support::program::Bench;

/// Checks values against a schema, as far as this one uses: types, constants, lengths, objects, arrays, references.
struct Schema {
    root: Value,
    /// Properties seen in a receipt, by their path in the schema.
    seen: BTreeSet<String>,
}

impl Schema {
    fn read() -> Schema {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/receipt.schema.json");
        let root = serde_json::from_slice(&std::fs::read(path).expect("the schema")).expect("JSON");
        Schema { root, seen: BTreeSet::new() }
    }

    fn check(&mut self, value: &Value, place: &str) {
        let mut place = place.to_owned();
        let mut schema = self.root.pointer(&place).expect("a schema").clone();
        if let Some(to) = schema["$ref"].as_str() {
            place = to.trim_start_matches('#').to_owned();
            schema = self.root.pointer(&place).expect("a definition").clone();
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::String(one) => vec![one],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        assert!(types.is_empty() || types.iter().any(|name| is(value, name)), "{place}: {value}");
        assert!(schema["const"].is_null() || schema["const"] == *value, "{place}: {value}");
        let choices = schema["enum"].as_array();
        assert!(choices.is_none_or(|choices| choices.contains(value)), "{place}: {value}");
        if let (Some(length), Some(text)) = (schema["minLength"].as_u64(), value.as_str()) {
            assert_eq!(text.len() as u64, length, "{place}: {value}");
        }
        if let (Some("date-time"), Some(text)) = (schema["format"].as_str(), value.as_str()) {
            assert!(text.parse::<jiff::Timestamp>().is_ok(), "{place}: {text}");
        }
        match value {
            Value::Object(fields) => self.object(fields, &schema, &place),
            Value::Array(items) => items.iter().for_each(|item| self.check(item, &format!("{place}/items"))),
            _ => {}
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, schema: &Value, place: &str) {
        for name in schema["required"].as_array().into_iter().flatten() {
            assert!(fields.contains_key(name.as_str().expect("a name")), "{place}: {name} is missing");
        }
        for (name, value) in fields {
            if schema["properties"][name].is_object() {
                let property = format!("{place}/properties/{name}");
                self.check(value, &property);
                self.seen.insert(property);
            } else if schema["additionalProperties"].is_object() {
                self.check(value, &format!("{place}/additionalProperties"));
            } else {
                assert!(schema["properties"].is_null(), "{place}: {name} is not in the schema");
            }
        }
    }

    /// The properties defined in the schema.
    fn properties(&self) -> BTreeSet<String> {
        fn gather(schema: &Value, place: &str, found: &mut BTreeSet<String>) {
            for (name, inner) in schema.as_object().into_iter().flatten() {
                let place = format!("{place}/{name}");
                if name == "properties" {
                    let names = inner.as_object().into_iter().flatten();
                    found.extend(names.map(|(name, _)| format!("{place}/{name}")));
                }
                gather(inner, &place, found);
            }
        }
        let mut found = BTreeSet::new();
        gather(&self.root, "", &mut found);
        found
    }
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    }
}

#[test]
fn receipts_are_as_their_schema_says() {
    let bench = Bench::with_site();
    bench.file(
        "urls",
        "http://a.example/\nhttp://a.example/no\nhttp://b.example/\nhttp://a.example/\nhttp://www.a.example/\n",
    );
    bench.file("objects.jsonl", "{\"url\":\"http://a.example/\"}\n");
    for shard in [1, 2] {
        bench.file(&format!("keys/.{shard}"), "");
        bench.program(&format!("keys --shard {shard}/2 -o keys/{shard} urls")).assert().success();
    }
    bench.file("pages", "id,url\n1,http://a.example/no\n");
    bench.file("in.warc", crate::support::archives::answer("http://w.example/robots.txt", 1, "404 Not Found", ""));
    let mut cut = bench.read("DATASETS/urls.txt");
    cut.truncate(60_000);
    bench.file("cut.gz", gzip_cut(&cut));
    bench.file("fields", format!("http://a.example/\tx\n{}\nhttp://a.example/\n", "x".repeat(1_000_000)));
    let now = "--now 2026-01-01T00:00:00Z";
    let mut runs = vec![
        ("plain", "--robots in.warc --statuses common-crawl --www-fallback urls".to_owned()),
        ("packed", "--compress gzip --split-size 1M --per-input --unique --seen seen --explain urls".to_owned()),
        ("columns", "--delimiter , --column url --max-age 7d --unreachable-as-unavailable 30d pages".to_owned()),
        ("verdicts", "--verdicts --preferences search --require train-ai!=n --agent other urls".to_owned()),
        ("refused", "--blocked-for --require train-ai!=n --content-signal everybody --agent other urls".to_owned()),
        ("any", "--allowed-if any --agent other urls".to_owned()),
        ("changed", "--against old.rsv --only-changed urls".to_owned()),
        ("bad", "--skip-bad cut.gz urls".to_owned()),
        ("long", "--skip-bad --memory 64M fields".to_owned()),
        ("part-1", format!("{now} --unique --keys keys --shard 1/2 urls")),
        ("part-2", format!("{now} --unique --keys keys --shard 2/2 urls")),
        ("objects", "objects.jsonl".to_owned()),
    ];
    #[cfg(feature = "parquet")]
    {
        bench.file("day=1/list.parquet", crate::table_metadata::list(&[("iceberg.schema", "{}")]));
        runs.push(("table", "--format parquet urls".to_owned()));
        runs.push(("folders", "--format parquet --path-columns folders day=1/list.parquet".to_owned()));
    }
    bench.file("before/a.example", "User-agent: *\nDisallow: /\n");
    bench.program("compile --agent examplebot --out old.rsv before").assert().success();
    let mut schema = Schema::read();
    for (out, words) in &runs {
        bench.filter(&format!("--robots sites --out {out} {words}")).assert().success();
    }
    bench.program("join --out joined part-1 part-2").assert().success();
    for out in runs.iter().map(|(out, _)| *out).chain(["joined"]) {
        let receipt = bench.receipt(out);
        schema.check(&receipt, "");
    }
    let counted = bench.filter("--robots sites --count --json urls").assert().success();
    schema.check(&serde_json::from_slice(&counted.get_output().stdout).expect("JSON"), "");
    // Rows are left out only of damaged Parquet, and not all systems have names that are not UTF-8; other tests create both.
    let of_tables = ["/format", "/path_columns", "/dropped_metadata"];
    let others = |name: &&String| {
        !name.contains("/rows")
            && !name.ends_with("/path_base64")
            && (cfg!(feature = "parquet") || !of_tables.iter().any(|of_tables| name.contains(of_tables)))
    };
    let never: Vec<_> = schema.properties().difference(&schema.seen).filter(others).cloned().collect();
    assert_eq!(never, [""; 0], "in the schema, but in no receipt");
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/receipt.md")).expect("a page");
    for name in schema.properties().iter().filter_map(|place| place.strip_prefix("/properties/")) {
        assert!(page.contains(&format!("`{name}`")), "docs/receipt.md says nothing of {name}");
    }
}

/// The gzip of a text, cut in half.
fn gzip_cut(text: &[u8]) -> Vec<u8> {
    let mut bytes = crate::support::compression::gzip(text);
    bytes.truncate(bytes.len() / 2);
    bytes
}
