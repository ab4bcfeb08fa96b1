//! The summaries of commands fit 80 columns, whatever the numbers.

use robosieve::run::Receipt;
use serde_json::Value;

use crate::support::program::{Bench, SOURCES_NOW};

/// The lines that are wider than the narrowest terminal.
fn too_wide(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.chars().count() > 80).collect()
}

/// Multiplies all counts in a value.
fn scale(value: &mut Value, factor: u64) {
    match value {
        Value::Number(number) => *value = number.as_u64().map_or(value.clone(), |number| (number * factor).into()),
        Value::Array(values) => values.iter_mut().for_each(|value| scale(value, factor)),
        Value::Object(fields) => fields.values_mut().for_each(|value| scale(value, factor)),
        _ => {}
    }
}

#[test]
fn the_summary_of_a_run_fits_80_columns_whatever_its_size() {
    let bench = Bench::new();
    let policy = "compile --agent examplebot --agent facebookexternalhit DATASETS/origins.jsonl -o before.rsv";
    bench.program(policy).assert().success();
    let both = "--agent facebookexternalhit";
    for options in ["", "--unique", both, "--agent facebookexternalhit --unique --against before.rsv"] {
        let words = format!("{SOURCES_NOW} --force --out out {options} DATASETS/urls.txt");
        let done = bench.filter(&words).assert().success();
        let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        let table = &stderr[stderr.find("partition ").expect("a table")..];
        assert_eq!(too_wide(table), [""; 0], "{table}");
        for factor in [1_000, 30_000_000, 1_000_000_000] {
            let mut receipt = bench.receipt("out");
            for name in ["input", "duplicates", "partitions", "changes", "origins_needed"] {
                scale(&mut receipt[name], factor);
            }
            for name in ["origins", "automata", "notes"] {
                scale(&mut receipt["policy"][name], factor / 10);
            }
            receipt["seconds"] = 1_234_567.891.into();
            receipt["skipped"] = factor.into();
            let receipt = receipt.as_object().expect("an object").clone();
            let receipt: Value = receipt.into_iter().filter(|(_, value)| !value.is_null()).collect();
            let receipt: Receipt = serde_json::from_value(receipt).expect("a receipt");
            let table = receipt.to_string();
            assert_eq!(too_wide(&table), [""; 0], "{factor}:\n{table}");
            assert!(table.contains("every line that could be read is accounted for"), "{table}");
            let most = 1846 * factor;
            assert!(options.contains("unique") || table.contains(&most.to_string()), "{table}");
        }
    }
}

#[test]
fn the_tables_of_verify_and_compile_fit_80_columns() {
    let bench = Bench::new();
    bench.file("urls.txt", "http://a.example/\n".repeat(70_000));
    let done = bench.program("compile --agent examplebot DATASETS/sites -o policy.rsv").assert().success();
    let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    let report: Vec<&str> = stderr.lines().filter(|line| !line.starts_with("robosieve: ")).collect();
    assert!(report.len() >= 2, "{stderr}");
    assert_eq!(too_wide(&report.join("\n")), [""; 0], "{stderr}");
    bench.filter("--policy policy.rsv --per-input --compress gz --out out urls.txt").assert().success();
    let done = bench.program("verify out --inputs").assert().success();
    let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert_eq!(too_wide(&table), [""; 0], "{table}");
    assert_eq!(table.matches("matches the receipt").count(), 6, "{table}");
}
