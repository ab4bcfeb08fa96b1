//! A URL is judged by the path that is fetched: its outcome is that of the URL as a fetcher asks for it, which the `url` crate
//! writes, and Node has written for the URLs in `../shared/as-fetched`.

use std::fs;

use robosieve::Agents;
use robosieve::internals::Axes;
use robosieve::policy::{Answered, Capture, Captures, Policy};
use robosieve::{Dialect, Matcher, Outcome, Partition, SameUrl, origin};
use url::Url;

use super::as_fetched::as_fetched;
use crate::oracle;
use crate::support::{say, shared};

/// The origins of the policy, in canonical form; all but the last have rules.
const ORIGINS: [&str; 7] = [
    "http://a.example",
    "https://a.example",
    "http://a.example:8080",
    "https://xn--bcher-kva.example",
    "http://127.0.0.1",
    "http://[2001:db8::1]",
    "https://b.example",
];

/// Rules that tell many paths apart, in all dialects.
const BODIES: [&str; 3] = [
    "User-agent: *\nDisallow: /private\nAllow: /private/b\nDisallow: /*.gif$\nDisallow: /a?\nDisallow: /'\nDisallow: /%7Bx\n",
    "User-agent: *\nDisallow: /\nAllow: /a/\nAllow: /é\nAllow: /?q='\nDisallow: /a/b$\nAllow: /b|\nAllow: /{\nAllow: /$\n",
    "User-agent: *\nDisallow: /*'\nDisallow: /b/..\nDisallow: /*//\nDisallow: /%2e\nDisallow: /x%20\nDisallow: /^\nDisallow: /`\n\
     Disallow: /*\\\nDisallow: /robots.txt\nDisallow: /a b\nDisallow: /%C3\nDisallow: /%5C\nDisallow: /\"\nDisallow: /*%\n",
];

/// The dialects that judge a URL by the path that is fetched.
fn dialects() -> impl Iterator<Item = &'static Dialect> {
    Dialect::ALL.iter().filter(|dialect| dialect.name != "google")
}

fn body_of(origin: &str) -> Option<&'static str> {
    let place = ORIGINS[..ORIGINS.len() - 1].iter().position(|known| *known == origin)?;
    Some(BODIES[place % BODIES.len()])
}

fn policy(dialect: &'static Dialect) -> Policy {
    let mut captures = Captures::new(Agents::everybody(), dialect);
    let capture = |origin: &str| match body_of(origin) {
        Some(body) => Capture::found(origin, body),
        None => Capture::found(origin, "").answered(Answered::default().status(Some(404))),
    };
    captures.add(ORIGINS.map(capture).to_vec()).expect("answers");
    captures.policy().expect("a policy")
}

fn matchers() -> Vec<Matcher> {
    dialects().map(|dialect| policy(dialect).matcher("*").expect("its crawler")).collect()
}

/// A random number generator with a fixed seed: every run has the same cases.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.below(all.len())]
    }

    /// Mostly the first of all, sometimes any of them.
    fn mostly(&mut self, all: &[&'static str]) -> &'static str {
        if self.below(4) == 0 { self.of(all) } else { all[0] }
    }

    /// A URL as nobody should write it.
    fn url(&mut self) -> String {
        let mut url = String::new();
        url += self.mostly(&["", " ", "\t", "\u{1}", "\r ", "\u{1f}\t", "\u{85}", "\u{feff}"]);
        url += self.of(SCHEMES);
        url += self.mostly(&["://", ":", ":/", ":\\\\", ":///", ":/\t/", ":\\/", ":/\r\\\t/", "", ":\t//"]);
        url +=
            self.mostly(&["", "u@", "u:p@", "a@b@", "u\t:p@", ":@", "@", "%40:@", "u;x@", "é@", "a\\b@", "u/@", "u?@"]);
        url += self.of(HOSTS);
        url += self.mostly(&["", ":80", ":443", ":8080", ":", ":008080", ":80\t80", ":x", ":99999", ":\r", ":0"]);
        url += self.mostly(&["/", "\\", "", "?", "#", "/.", "\t/", "\\..\\", "/private", "\r"]);
        for _ in 0..self.below(10) {
            let pieces = if self.below(3) == 0 { PIECES } else { &PIECES[..COMMON] };
            url += self.of(pieces);
        }
        url += self
            .mostly(&["", "\r", " ", "\t", "\u{1f}", "\r ", " \u{0}", "/..", "/.", "\\..", "/%2e%2E", "#\t", "\u{a0}"]);
        url
    }
}

const SCHEMES: &[&str] =
    &["http", "http", "http", "https", "https", "HTTP", "hTtPs", "ht\ttp", "h\rttps", "ftp", "http+x", "file", "1http"];

const HOSTS: &[&str] = &[
    "a.example",
    "a.example",
    "a.example",
    "A.EXAMPLE",
    "a.ex\tample",
    "a.ex\rample",
    "%61.example",
    "\u{ff41}.example",
    "a\u{ad}.example",
    "a\u{3002}example",
    "bücher.example",
    "BÜCHER.example",
    "xn--bcher-kva.example",
    "127.0.0.1",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "[2001:db8::1]",
    "[2001:DB8:0::1]",
    "[2001:db8::1",
    "b.example",
    "b.example.",
    "unknown.example",
    "a..example",
    "a b",
    "",
    "a|b",
    "a^b",
    "xn--a",
    "1.2.3.256",
];

/// How many of the pieces come often.
const COMMON: usize = 22;

const PIECES: &[&str] = &[
    "/",
    "/",
    "/",
    "\\",
    ".",
    "..",
    "%2e",
    "%2E",
    "/../",
    "\\.\\",
    "\t",
    "\r",
    "private",
    "a",
    "b",
    "?",
    "%",
    "2",
    "e",
    "'",
    "%27",
    "x",
    "#",
    "|",
    "^",
    "`",
    "{",
    "}",
    "<",
    ">",
    "\"",
    " ",
    "é",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{1f600}",
    "%C3%A9",
    "%c3%a9",
    "%2F",
    "%2f",
    "%5C",
    "%5c",
    "%00",
    "\0",
    "\u{7f}",
    "\u{1f}",
    "\u{b}",
    ";",
    "*",
    "%2A",
    "$",
    "%24",
    "robots.txt",
    "//",
    "%\t2e",
    "%2\re",
    ".gif",
    "?q=",
    "&",
    "=",
    "+",
    "~",
    "%7E",
    "%70",
    "!",
    "@",
    ":",
    "[",
    "]",
    "%7b",
    "%7B",
    "%zz",
    "/c:",
    "C|/..",
    "/C:/..",
    "\\z|",
    "%25",
    "%3F",
    "%23",
    "%09",
    "%0D",
    "A",
    "://",
    "http://a.example/",
];

/// Checks that the outcome of each URL is that of the URL as fetched, and of the slow way.
fn check(matchers: &[Matcher], urls: &[String]) {
    let fetched: Vec<Option<String>> = urls.iter().map(|url| as_fetched(url).ok().map(String::from)).collect();
    let clean: Vec<&str> = fetched.iter().map(|url| url.as_deref().unwrap_or_default()).collect();
    let text = urls.iter().map(|url| format!("{url}\n")).collect::<String>();
    let (mut outcomes, mut of_lines, mut of_fetched) = (Vec::new(), Vec::new(), Vec::new());
    for matcher in matchers {
        let dialect = matcher.policy().dialect().name;
        matcher.judge_all(urls, &mut outcomes);
        matcher.judge_lines(text.as_bytes(), &mut of_lines);
        matcher.judge_all(&clean, &mut of_fetched);
        assert_eq!(outcomes.len(), urls.len());
        for (at, url) in urls.iter().enumerate() {
            let outcome: Outcome = outcomes[at];
            assert_eq!(outcome, of_lines[at], "{dialect} {url:?}");
            assert_eq!(outcome, matcher.judge(url), "{dialect} {url:?}");
            match &fetched[at] {
                Some(fetched) => assert_eq!(outcome, of_fetched[at], "{dialect} {url:?} {fetched:?}"),
                None => assert_eq!(outcome.partition(), Partition::Invalid, "{dialect} {url:?}"),
            }
        }
    }
}

/// Checks this many generated URLs.
fn check_many(count: usize) {
    let (matchers, mut rng) = (matchers(), Rng(36));
    let mut left = count;
    while left > 0 {
        let urls: Vec<String> = (0..left.min(5000)).map(|_| rng.url()).collect();
        left -= urls.len();
        check(&matchers, &urls);
    }
}

#[test]
fn the_outcome_is_that_of_the_url_as_fetched() {
    check_many(20_000);
}

#[test]
#[ignore = "takes long"]
fn many_outcomes_are_those_of_the_urls_as_fetched() {
    check_many(300_000);
}

#[test]
fn every_pair_of_pieces_is_judged_as_fetched() {
    let ends = ["", "/", "x", "?", "#", "\r", "\\", "."];
    let pairs = PIECES.iter().flat_map(|one| PIECES.iter().map(move |other| format!("{one}{other}")));
    let urls: Vec<String> = pairs
        .flat_map(|pair| {
            ends.map(|end| format!("http://a.example/{pair}{end}"))
                .into_iter()
                .chain([format!("https://a.example{pair}")])
        })
        .collect();
    check(&matchers(), &urls);
}

/// The path and query of a URL as fetched.
fn path(url: &Url) -> String {
    url.query().map_or(url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

#[test]
fn the_verdict_is_the_oracles_on_the_path_as_fetched() {
    let (matchers, mut rng, mut judged) = (matchers(), Rng(37), [0; 2]);
    for _ in 0..6000 {
        let written = rng.url();
        let Ok(url) = as_fetched(&written) else { continue };
        let Some(body) = body_of(&url.origin().ascii_serialization()) else { continue };
        for matcher in &matchers {
            let dialect = matcher.policy().dialect().name;
            let allowed = oracle::allowed(dialect, &["*"], body.as_bytes(), path(&url).as_bytes());
            let outcome = matcher.judge(&written);
            assert_eq!(outcome.partition() == Partition::Allowed, allowed, "{dialect} {written:?} {url}");
            let rule = matcher.explain(&written).rule;
            assert!(allowed || rule.is_some_and(|rule| !rule.allow), "{dialect} {written:?}");
            judged[usize::from(allowed)] += 1;
        }
    }
    assert!(judged.iter().all(|&count| count > 2000), "{judged:?}");
}

/// A line feed in a URL is no part of it, wherever it stands; at its end it is that of a line.
#[test]
fn a_url_with_a_line_feed_is_invalid() {
    for dialect in Dialect::ALL {
        let matcher = policy(dialect).matcher("*").expect("its crawler");
        let urls = [
            "http://a.example/x\ny",
            "http://a.example/x\n/../private",
            "http://a.ex\nample/",
            "ht\ntp://a.example/",
            "http://a.example/#\nx",
            "http://unknown.example/\nx",
            "http://a.example/x\n",
        ];
        let mut outcomes = Vec::new();
        matcher.judge_all(&urls, &mut outcomes);
        let padded = urls.map(|url| format!("{url}{}", " ".repeat(200)));
        let mut of_spans = Vec::new();
        let text = padded.concat();
        let mut start = 0;
        let spans = padded.iter().zip(urls).map(|(padded, url)| {
            let span = start..start + url.len();
            start += padded.len();
            span
        });
        matcher.judge_spans(text.as_bytes(), spans.collect::<Vec<_>>(), &mut of_spans);
        for (at, url) in urls.into_iter().enumerate() {
            let expected = if url.ends_with('\n') { "allowed" } else { "invalid" };
            for outcome in [outcomes[at], of_spans[at], matcher.judge(url)] {
                assert_eq!(outcome.partition().name(), expected, "{} {url:?}", dialect.name);
                assert!(expected == "allowed" || outcome.reason().name() == "line-break");
            }
        }
    }
}

#[test]
fn urls_are_judged_by_what_node_makes_of_them() {
    let Some(folder) = shared("as-fetched") else { return };
    let files = ["urls.jsonl", "drives.jsonl"];
    let text = files.map(|file| fs::read_to_string(folder.join(file)).expect("URLs")).concat();
    let records: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let matchers = matchers();
    let mut rewritten = 0;
    for record in &records {
        let written = record["url"].as_str().expect("a URL");
        for matcher in &matchers {
            let dialect = matcher.policy().dialect();
            let outcome = matcher.judge(written);
            let Some(fetched) = record["fetched"].as_str() else {
                assert_eq!(outcome.partition(), Partition::Invalid, "{written:?}");
                continue;
            };
            assert_eq!(outcome, matcher.judge(fetched), "{} {written:?}", dialect.name);
            let path = |url: &str| {
                let (_, rest) = origin::split(url).expect("a URL");
                dialect.encoding().path(&dialect.url_path().of(rest)).into_owned()
            };
            assert_eq!(path(written), path(fetched), "{} {written:?}", dialect.name);
            // Node's have no user information.
            if !written.contains('@') {
                let key = |url: &str| SameUrl::Fetched.key(url.as_bytes()).map(std::borrow::Cow::into_owned);
                assert_eq!(key(written), key(fetched), "{written:?}");
            }
            rewritten += usize::from(written != fetched);
        }
    }
    say(&format!("as-fetched: {} URLs, {rewritten} verdicts on URLs that are fetched otherwise", records.len()));
    assert!(records.len() >= 4210 && rewritten > 5000);
}
