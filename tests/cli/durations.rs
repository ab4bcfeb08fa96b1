//! One grammar for every duration that a user writes: options, and the delays of overrides.

use crate::support::program::{Bench, said};

/// Durations, with their whole seconds, and those of a time that must be over.
const ACCEPTED: [(&str, u64, u64); 10] = [
    ("10s", 10, 10),
    ("100ms", 0, 1),
    ("2h", 7200, 7200),
    ("7d", 604_800, 604_800),
    ("1d12h", 129_600, 129_600),
    ("2w", 1_209_600, 1_209_600),
    ("90", 90, 90),
    ("0.5", 0, 1),
    ("1s500ms", 1, 2),
    ("PT36H", 129_600, 129_600),
];

const REFUSED: [&str; 8] = ["soon", "7y", "1e3", "10x", "s", "7d7", "5.", ""];

fn bench() -> Bench {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench
}

/// The options of a receipt of a run with these.
fn options(option: &str) -> serde_json::Value {
    let bench = bench();
    bench.filter(&format!("--robots sites --out out {option} urls")).assert().success();
    bench.receipt("out")["options"].clone()
}

#[test]
fn ages_are_durations() {
    for (given, age, over) in ACCEPTED {
        let options = options(&format!("--max-age {given} --on-stale defer --unreachable-as-unavailable {given}"));
        assert_eq!(options["max_age"]["seconds"], age, "{given}: {options}");
        assert_eq!(options["unreachable_as_unavailable"], over, "{given}");
    }
    for given in REFUSED {
        for option in ["--max-age", "--unreachable-as-unavailable"] {
            let words = [option, "={}"].concat().replace("{}", given);
            bench().refused(
                &format!("--robots sites --out out {words} urls"),
                &[option, "ms, s, m, h, d or w", "number of seconds"],
            );
        }
    }
    bench().refused("--robots sites --out out --max-age fresh urls", &["or `dialect`"]);
    bench().refused("--robots sites --out out --unreachable-as-unavailable 91d urls", &["at most 90d"]);
}

#[test]
fn the_interval_of_checkpoints_is_a_duration() {
    for given in ["0", "5", "0.5", "100ms", "10s", "1h30m", "1d"] {
        options(&format!("--checkpoint {given}"));
    }
    for given in REFUSED {
        let words = format!("--robots sites --out out --checkpoint={given} urls");
        bench().refused(&words, &["--checkpoint", "ms, s, m, h, d or w", "number of seconds"]);
    }
    bench().refused("--robots sites --out out --checkpoint 25h urls", &["at most a day"]);
}

#[test]
fn the_delay_of_an_override_is_a_number_of_seconds_or_a_duration() {
    let compiled = |delay: &str| {
        let bench = bench();
        bench.file("o.toml", format!("['http://a.example']\ncrawl-delay = {delay}\n"));
        (bench.program("compile --agent me sites --overrides o.toml -o p.rsv").assert(), bench)
    };
    for (delay, seconds) in [
        ("2.50", "2.5"),
        ("\"10s\"", "10"),
        ("\"100ms\"", "0.1"),
        ("'2h'", "7200"),
        ("\"90\"", "90"),
        ("\"7d\"", "604800"),
    ] {
        let (done, bench) = compiled(delay);
        done.success();
        let done = bench.program("export p.rsv --what delays --format jsonl").assert().success();
        let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(table.contains(&format!("\"value\":\"{seconds}\"")), "{delay}: {table}");
    }
    for given in REFUSED {
        let (done, _) = compiled(&format!("'{given}'"));
        said(&done.code(2).get_output().stderr, &["o.toml, line 2", "crawl-delay is", "ms, s, m, h, d or w"]);
    }
}
