//! The path that is judged against the one that is fetched: a URL, and what the `url` crate makes of it, have one outcome.
//!
//! The first byte picks the dialect. Then comes a robots.txt, a line `%%`, and URLs, one a line. Lines that begin with `/` get an
//! origin.

#![no_main]

use libfuzzer_sys::fuzz_target;
use robosieve::Agents;
use robosieve::policy::{Capture, Captures};
use robosieve::{Dialect, Matcher, Partition};

use as_fetched::as_fetched;

#[path = "../../tests/verdicts/properties/as_fetched.rs"]
mod as_fetched;

const ORIGIN: &str = "http://a.example";

/// What the slow way and the hot path are compared on: a URL near the end of a text goes the slow way.
const PADDING: usize = 300;

fuzz_target!(|input: &[u8]| {
    let Some((&dialect, text)) = input.split_first() else { return };
    let dialects: Vec<&Dialect> = Dialect::ALL.iter().filter(|dialect| dialect.name != "google").collect();
    let dialect = dialects[usize::from(dialect) % dialects.len()];
    let at = text.windows(4).position(|bytes| bytes == b"\n%%\n").unwrap_or(text.len());
    let (robots, urls) = (&text[..at], text.get(at + 4..).unwrap_or_default());
    let matcher = matcher(dialect, robots);
    for line in urls.split(|&byte| byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        let written = if line.starts_with('/') { format!("{ORIGIN}{line}") } else { line.to_owned() };
        let outcome = matcher.judge(&written);
        let padded = [written.as_bytes(), &[b'/'; PADDING]].concat();
        let mut outcomes = Vec::new();
        matcher.judge_spans(&padded, std::iter::once(0..written.len()), &mut outcomes);
        assert_eq!(outcomes, [outcome], "{written:?}");
        match as_fetched(&written) {
            Ok(fetched) => assert_eq!(outcome, matcher.judge(fetched.as_str()), "{written:?} {fetched}"),
            Err(_) => assert_eq!(outcome.partition(), Partition::Invalid, "{written:?}"),
        }
    }
});

/// A matcher whose only origin has this robots.txt.
fn matcher(dialect: &'static Dialect, robots: &[u8]) -> Matcher {
    let mut captures = Captures::new(Agents::everybody(), dialect);
    captures.add(vec![Capture::found(ORIGIN, robots)]).expect("one answer");
    captures.policy().map(|policy| policy.matcher("*").expect("its crawler")).expect("a policy")
}
