//! Messages are in words of those who read them: one place for each problem, long values cut, no types of a program.

use crate::support::program::{Bench, said};

/// What libraries say of their own types.
const WORDS_OF_LIBRARIES: [&str; 24] = [
    "invalid type",
    "invalid value: ",
    "EOF",
    " at line ",
    "trailing characters",
    "expected value",
    "missing field",
    "unknown field",
    "unknown variant",
    "os error",
    "f64",
    "u64",
    "sequence",
    "map, expected",
    "wanted string",
    "Utf8Error",
    "Parquet error",
    "invalid digit",
    "failed to parse",
    "Some(",
    "Os {",
    "Error(",
    "`x`",
    "Invalid symbol",
];

/// Runs the program, which must fail with a message of these words.
fn refused(bench: &Bench, words: &str, message: &[&str]) -> String {
    let done = bench.program(words).assert().code(2);
    let text = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    said(text.as_bytes(), message);
    for word in WORDS_OF_LIBRARIES {
        assert!(!text.contains(word), "{words}: {word:?} is in: {text}");
    }
    text
}

#[test]
fn a_bad_line_is_told_in_words_of_its_author_with_one_place() {
    let good = "{\"origin\":\"http://a\",\"status\":404}\n";
    for (line, message) in [
        ("{", "in.jsonl, line 2 (byte 36): this line cannot be read: the JSON ends too early; "),
        ("hello", "line 2 (byte 35): this line cannot be read: JSON is expected; expected JSON Lines"),
        ("[]", "this answer cannot be read: a list where an answer, which is an object, is expected"),
        ("{\"a\":1} {}", "line 2 (byte 43): this line cannot be read: more follows the end of the JSON"),
        ("{\"url\":5,\"status\":404}", "line 2 (byte 42): this answer cannot be read: 5 where a text is expected"),
        ("{\"url\":{},\"status\":404}", "an object where a text is expected"),
        ("{'url':1}", "line 2 (byte 36): this line cannot be read: a key in JSON has no double quotes"),
        ("{\"url\":\"http://a/\",\"status\":404,}", "nothing follows a comma"),
        ("{\"url\":\"http://a/\",\"url\":\"http://a/\"}", "the key \"url\" occurs twice"),
        ("{\"url\":\"http://a/robots.txt\"}", "this answer has no \"status\", which is null if nobody answered"),
        ("{\"origin\":\"http://a\",\"status\":200,\"body_base64\":\"?\"}", "its body is not Base64"),
        (
            "{\"origin\":\"http://a\",\"status\":404,\"fetched_at\":\"yesterday\"}",
            "\"yesterday\" is not an RFC 3339 time, such as 2026-01-12T08:00:00Z\n",
        ),
    ] {
        let bench = Bench::new();
        bench.file("in.jsonl", [good, line, "\n"].concat());
        for words in ["compile --agent me in.jsonl -o p.rsv", "check --agent me --robots in.jsonl http://a/"] {
            refused(&bench, words, &[message]);
        }
    }
}

#[test]
fn files_of_options_are_told_in_words_of_their_author() {
    for (overrides, message) in [
        ("[\"http://a\"]\nverdict = 5", "line 2 (byte 23): a text is expected"),
        ("[\"http://a\"]\nverdict = \"x\"", "\"x\" is unknown; expected allow-all or forbid-all"),
        ("[\"http://a\"]\nx = 1", "the key \"x\" is unknown; expected one of verdict, robots-txt, "),
        ("[\"http://a\"]\ncrawl-delay = true", "a number of seconds, or a duration such as \"10s\", is expected"),
        (
            "[\"http://a\"]\ncrawl-delay = \"soon\"",
            "crawl-delay is \"soon\"; expected a duration: numbers with ms, s, m, h, d or w",
        ),
        ("[\"http://a\"]\nrobots-txt-file = \"missing\"", "cannot read missing: No such file or directory\n"),
    ] {
        let message = message.replace("expected one of ", "expected ");
        let bench = Bench::with_site();
        bench.file("o.toml", overrides);
        refused(&bench, "compile --agent me sites --overrides o.toml -o p.rsv", &["o.toml, line 2", &message]);
    }
    let bench = Bench::with_site();
    bench.file("s.toml", "403 = 5\n");
    bench.file("agents.json", "[\"a\"");
    bench.file("short.parquet", "PAR1");
    for (words, message) in [
        ("check --agent me --robots sites --statuses s.toml http://a/", "s.toml: line 1: 5 where a text is expected"),
        ("compile --agents-file agents.json sites -o p.rsv", "agents.json: the JSON ends too early (line 1, column 4)"),
        ("compile --agent me missing -o p.rsv", "cannot read missing: No such file or directory\n"),
        (
            "compile --agent me sites -o missing/p.rsv",
            "missing/p.rsv: No such file or directory; make its folder first, or choose another\n",
        ),
        ("compile --agent me sites --fetched-at noon -o p.rsv", "\"noon\" is not an RFC 3339 time"),
        ("inspect p.rsv --now noon", "'noon' for '--now <TIME>': \"noon\" is not an RFC 3339 time"),
        ("inspect p.rsv --top x", "'x' for '--top <N>': expected a whole number"),
        ("filter --agent me --robots sites --count --threads x urls", "expected a whole number up to 4096"),
        ("merge sites/a.example missing -o p.rsv", "it is not a policy file"),
        ("merge missing -o p.rsv", "cannot read the policy missing: No such file or directory\n"),
    ] {
        refused(&bench, words, &[message]);
    }
    #[cfg(feature = "parquet")]
    refused(&bench, "compile --agent me short.parquet -o p.rsv", &["short.parquet: "]);
}

#[test]
fn a_receipt_that_is_none_is_told_in_plain_words() {
    for (receipt, message) in [
        ("{}", "the key \"robosieve\" is missing (line 1, column 2)"),
        ("{\"robosieve\": 5}", "5 where a text is expected (line 1, column "),
        ("x", "JSON is expected (line 1, column 1)"),
        ("{\"robosieve\": \"1\", \"version\": 9}", "version 9 of receipts is unknown"),
    ] {
        let bench = Bench::new();
        bench.file("out/receipt.json", receipt);
        refused(&bench, "verify out", &["out/receipt.json is not a receipt of robosieve: ", message]);
    }
}

#[test]
fn long_values_are_cut_in_messages() {
    let long = "x".repeat(100_000);
    let bench = Bench::with_site();
    bench.file("agents", format!("[{{\"{long}\": 1}}]"));
    bench.file("names.csv", format!("{long},{long}\nhttp://a.example/\n"));
    bench.file("o.toml", format!("[\"{long}\"]\nverdict = \"allow-all\"\n"));
    bench.file("in.warc", format!("WARC/1.0\r\nContent-Length: {long}\r\n\r\n"));
    for (line, end) in [
        (format!("{{\"url\":\"http://a/robots.txt\",\"status\":\"{long}\"}}"), "or null if nobody answered\n"),
        (format!("{{\"url\":\"{long}\",\"status\":404}}"), "expected an absolute http or https URL\n"),
        (format!("{{\"{long}\":\"http://a/robots.txt\"}}"), "(--columns)\n"),
        (format!("{{\"url\":5,\"status\":\"{long}\"}}"), "with its origin\n"),
    ] {
        let bench = Bench::new();
        bench.file("in.jsonl", format!("{{\"origin\":\"http://b\",\"status\":404}}\n{line}\n"));
        let text = refused(&bench, "compile --agent me in.jsonl -o p.rsv", &["in.jsonl, line 2 (byte ", end]);
        assert!(text.len() < 700, "{text}");
        let done = bench.program("compile --agent me --skip-bad in.jsonl -o p.rsv").assert().success();
        assert!(done.get_output().stderr.len() < 1000, "{done}");
    }
    for words in [
        "compile --agents-file agents sites -o p.rsv",
        "compile --agent me sites --overrides o.toml -o p.rsv",
        "compile --agent me in.warc -o p.rsv",
        "filter --agent me --robots sites --count --delimiter , --column url names.csv",
    ] {
        let text = refused(&bench, words, &[" characters) ..."]);
        assert!(text.len() < 1000, "{words}: {text}");
    }
}
