//! Ages: judged only on request, at the given time.

use crate::support::program::{Bench, said};

/// A robots.txt that blocks `/no`, with these additional fields.
fn answer(fields: &str) -> String {
    format!(
        "{{\"origin\":\"http://a.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\\n\"{fields}}}\n"
    )
}

/// The outcome for `/no` under a dialect, with a robots.txt from noon on 12 January 2026 judged at `now`.
fn at(fields: &str, dialect: &str, max_age: &str, now: &str) -> String {
    let bench = Bench::new();
    bench.file("in.jsonl", answer(&format!(",\"fetched_at\":\"2026-01-12T12:00:00Z\"{fields}")));
    let options = format!("--robots in.jsonl --dialect {dialect} --max-age {max_age} --on-stale defer --now {now}");
    bench.outcome(&options, "http://a.example/no")
}

const FRESH: &str = "blocked rules";
const STALE: &str = "deferred stale";

#[test]
fn age_is_off_by_default() {
    let bench = Bench::new();
    bench.file("in.jsonl", answer(",\"fetched_at\":1,\"expires\":2"));
    let options = "--robots in.jsonl --now 2026-01-12T12:00:00Z";
    assert_eq!(bench.outcome(options, "http://a.example/no"), FRESH);
    assert_eq!(bench.outcome(options, "http://a.example/yes"), "allowed rules");
}

#[test]
fn stale_answers_are_reported_and_on_stale_uses_the_dialects_lifetime() {
    let bench = Bench::new();
    bench.file("in.jsonl", answer(",\"fetched_at\":1"));
    bench.file("urls", "http://a.example/no\n");
    let options = "--robots in.jsonl --now 2026-01-12T12:00:00Z --count urls";
    let done = bench.filter(options).assert().success();
    said(
        &done.get_output().stderr,
        &["of 1 robots.txt of known age, 1 (100.0%) is older than 1 day, the lifetime in rfc9309; ", "--on-stale"],
    );
    for silent in ["--quiet", "--max-age 1d", "--on-stale use"] {
        let done = bench.filter(&format!("{options} {silent}")).assert().success();
        assert!(!String::from_utf8_lossy(&done.get_output().stderr).contains("older"), "{silent}");
    }
    let options = "--robots in.jsonl --on-stale defer --now 2026-01-12T12:00:00Z";
    assert_eq!(bench.outcome(options, "http://a.example/no"), STALE);
}

#[test]
fn a_duration_is_a_limit() {
    for (max_age, last, first) in [
        ("36h", "2026-01-14T00:00:00Z", "2026-01-14T00:00:01Z"),
        ("7d", "2026-01-19T12:00:00Z", "2026-01-19T13:00:01+01:00"),
        ("PT90S", "2026-01-12T12:01:30Z", "2026-01-12T12:01:31Z"),
        ("1d12h", "2026-01-14T00:00:00Z", "2026-01-14T00:00:01Z"),
    ] {
        assert_eq!(at("", "rfc9309", max_age, last), FRESH, "{max_age}");
        assert_eq!(at("", "rfc9309", max_age, first), STALE, "{max_age}");
    }
}

#[test]
fn each_dialect_has_its_lifetime() {
    for (dialect, last, first) in [
        ("rfc9309", "2026-01-13T12:00:00Z", "2026-01-13T12:00:01Z"),
        ("google", "2026-01-13T12:00:00Z", "2026-01-13T12:00:01Z"),
        ("mandelbot", "2026-01-14T12:00:00Z", "2026-01-14T12:00:01Z"),
        ("extended-2008", "2026-01-13T12:00:00Z", "2026-01-13T12:00:01Z"),
        ("draft-1996", "2026-01-19T12:00:00Z", "2026-01-19T12:00:01Z"),
        ("original-1994", "2026-01-19T12:00:00Z", "2026-01-19T12:00:01Z"),
    ] {
        assert_eq!(at("", dialect, "dialect", last), FRESH, "{dialect}");
        assert_eq!(at("", dialect, "dialect", first), STALE, "{dialect}");
    }
}

#[test]
fn expires_counts_where_the_dialect_knows_it() {
    let expires = ",\"expires\":\"2026-02-01T00:00:00Z\"";
    assert_eq!(at(expires, "draft-1996", "dialect", "2026-02-01T00:00:00Z"), FRESH);
    assert_eq!(at(expires, "draft-1996", "dialect", "2026-02-01T00:00:01Z"), STALE);
    assert_eq!(at(expires, "rfc9309", "dialect", "2026-01-14T00:00:00Z"), STALE, "it knows no Expires");
    let soon = ",\"expires\":\"2026-01-12T13:00:00Z\"";
    assert_eq!(at(soon, "draft-1996", "dialect", "2026-01-12T14:00:00Z"), STALE, "earlier than seven days");
}

#[test]
fn the_operator_says_what_becomes_of_stale_answers() {
    let bench = Bench::new();
    bench.file("in.jsonl", answer(",\"fetched_at\":\"2026-01-12T12:00:00Z\""));
    let stale = "--robots in.jsonl --max-age 1h --now 2026-01-12T14:00:00Z";
    let with =
        |choice: &str, path: &str| bench.outcome(&format!("{stale} {choice}"), format!("http://a.example{path}"));
    for path in ["/no", "/yes"] {
        assert_eq!(with("--on-stale allow", path), "allowed stale");
        assert_eq!(with("--on-stale block", path), "blocked stale");
        assert_eq!(with("--on-stale defer", path), "deferred stale");
    }
    for default in ["", "--on-stale use"] {
        assert_eq!(with(default, "/no"), "blocked stale", "used, and counted");
        assert_eq!(with(default, "/yes"), "allowed stale", "used, and counted");
    }
    bench.file("urls", "http://a.example/x\nhttp://a.example/y\n");
    let split = bench.split(&format!("{stale} --on-stale defer"), &["urls"]);
    assert_eq!(split.needed_rows(), [["http://a.example/robots.txt", "stale", "2", "200"]]);
}

#[test]
fn an_unknown_age_is_no_proof_of_freshness() {
    let bench = Bench::with_site();
    let options = "--robots sites --max-age 1000d --on-stale defer";
    assert_eq!(bench.outcome(options, "http://a.example/yes"), STALE);
}

#[test]
fn last_good_rules_are_as_old_as_they_are() {
    let bench = Bench::new();
    let failure = "{\"origin\":\"http://a.example\",\"status\":503,\"fetched_at\":\"2026-01-12T15:00:00Z\"}\n";
    bench.file("in.jsonl", answer(",\"fetched_at\":\"2026-01-12T12:00:00Z\"") + failure);
    let options = "--robots in.jsonl --max-age 1h --on-unreachable use --on-stale block";
    let now = |now: &str| bench.outcome(&format!("{options} --now {now}"), "http://a.example/yes");
    assert_eq!(now("2026-01-12T13:00:00Z"), "allowed last-good");
    assert_eq!(now("2026-01-12T15:30:00Z"), "blocked stale");
}

#[test]
fn without_now_it_is_the_time_of_the_run() {
    let bench = Bench::new();
    bench.file("in.jsonl", answer(",\"fetched_at\":\"2026-01-12T12:00:00Z\""));
    assert_eq!(bench.outcome("--robots in.jsonl --max-age 1s --on-stale defer", "http://a.example/yes"), STALE);
    let now = jiff::Timestamp::now();
    bench.file("in.jsonl", answer(&format!(",\"fetched_at\":\"{now}\"")));
    assert_eq!(bench.outcome("--robots in.jsonl --max-age 1d --on-stale defer", "http://a.example/no"), FRESH);
}

/// The outcome for an origin that answers 503, with these additional fields and options, on 31 January 2026.
fn unreachable(fields: &str, options: &str) -> String {
    let bench = Bench::new();
    let good = answer(",\"fetched_at\":\"2025-12-01T00:00:00Z\"");
    bench.file("in.jsonl", format!("{good}{{\"origin\":\"http://a.example\",\"status\":503{fields}}}\n"));
    let options = format!("--robots in.jsonl --now 2026-01-31T00:00:00Z {options}");
    bench.outcome(&options, "http://a.example/no")
}

#[test]
fn an_origin_that_is_unreachable_for_long_counts_as_without_a_robots_txt() {
    let since = |time: &str| format!(",\"fetched_at\":\"2026-01-30T00:00:00Z\",\"unreachable_since\":\"{time}\"");
    let (long, short) = (since("2026-01-01T00:00:00Z"), since("2026-01-01T00:00:01Z"));
    let option = "--unreachable-as-unavailable 30d";
    assert_eq!(unreachable(&long, ""), "deferred unreachable", "only if it is asked for");
    for more in ["", "--on-unreachable block", "--on-unreachable use", "--max-age 1h --on-stale block"] {
        assert_eq!(unreachable(&long, &format!("{option} {more}")), "allowed long-unreachable", "{more}");
    }
    assert_eq!(unreachable(&short, option), "deferred unreachable");
    assert_eq!(unreachable(&short, &format!("{option} --on-unreachable use")), "blocked last-good");
    let answered = |time: &str| format!(",\"fetched_at\":\"{time}\"");
    assert_eq!(unreachable(&answered("2026-01-01T00:00:00Z"), option), "allowed long-unreachable");
    assert_eq!(unreachable(&answered("2026-01-01T00:00:01Z"), option), "deferred unreachable");
}

#[test]
fn the_receipt_says_how_long_is_long() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    let split = bench.split("--robots sites --unreachable-as-unavailable 30d", &["urls"]);
    assert_eq!(split.receipt["options"]["unreachable_as_unavailable"], 30 * 86_400);
    for (wrong, because) in [("91d", "at most 90d"), ("-1d", "expected a duration"), ("dialect", "expected a duration")]
    {
        let words = format!("--robots sites --unreachable-as-unavailable={wrong} --out out urls");
        Bench::with_site().refused(&words, &["--unreachable-as-unavailable", wrong, because]);
    }
}
