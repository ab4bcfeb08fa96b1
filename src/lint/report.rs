//! The findings in a file.

use serde::Serialize;
use std::borrow::Cow;

use super::effects::Effects;
use super::finding::{Finding, Findings};
use super::inherited::File;
use super::kind::FindingKind;
use super::{audience, inherited, lines, proposals, records, redundant, side_records, unreachable};
use crate::dialect::Dialect;
use crate::robots::{self, BodyProblem, NoteKind, Robots};

/// The bytes of a file that every crawler should read (RFC 9309 2.5, Google's documentation): 500 KiB.
const READ_BY_ALL: usize = 500 << 10;

/// The findings in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The findings in file order; those about the whole file come first.
    pub findings: Vec<Finding>,
    /// The number of findings beyond the first 100,000, which are only counted.
    pub left_off: usize,
    /// The number of rules for which the search for a shadowing rule was cut short.
    pub not_searched: usize,
    /// The number of questions about the effect of lines that were not decided, because the rules have too many wildcards or are too many.
    /// What was not decided is not reported.
    pub undecided: usize,
    /// The work done by the search for shadowing rules, which the size of the file limits, in units: one for each pair of patterns
    /// tried, one for every eight bytes compared, and sixteen for every segment looked for.
    pub work: usize,
}

/// Reports what the author of a robots.txt probably did not mean, for crawlers that read it by `dialect`.
///
/// The file is taken as served and may contain any bytes; it may be compressed. The time is near-linear in its size.
///
/// ```
/// use robosieve::lint::{self, FindingKind};
/// use robosieve::Dialect;
///
/// let file = b"User-agent: *\nDisallow: /tmp /private\nDisallow: /a\nAllow: /a*\n";
/// let report = lint::check(file, Dialect::DEFAULT);
/// let found: Vec<_> = report.findings.iter().map(|finding| (finding.line, finding.kind)).collect();
/// assert_eq!(found, [(2, FindingKind::SeveralPaths), (3, FindingKind::UnreachableRule)]);
/// ```
pub fn check(file: &[u8], dialect: &Dialect) -> Report {
    let file = match robots::body_text(Cow::Borrowed(file), &[], robots::body_limit([dialect])) {
        Ok(file) => file,
        Err(problem) => return no_text(problem, dialect),
    };
    let file = &*file;
    let mut notes = Vec::new();
    let text = robots::decode(file, dialect, &mut notes);
    let robots = Robots::parse(&text, dialect);
    let mut findings = Findings::new(dialect);
    for note in notes {
        whole_file(note.kind, &text, dialect, &mut findings);
    }
    size(file, dialect, &mut findings);
    if is_utf16(file) {
        findings.add(FindingKind::Utf16, 0, "the file is UTF-16; save it as UTF-8, which all crawlers read");
    }
    if file.starts_with(b"\xef\xbb\xbf") {
        let reason = "the file begins with a byte order mark, which some crawlers take for a part of the first line";
        findings.add(FindingKind::ByteOrderMark, 1, reason);
    }
    lines::check(&text, &robots, dialect, &mut findings);
    let group_lines = records::check(&text, &robots, dialect, &mut findings);
    let audiences = audience::audiences(&robots, dialect);
    side_records::check_delays(&robots, &audiences, dialect, &mut findings);
    let search = unreachable::check(&text, &robots, dialect, &mut findings);
    let file = File { robots: &robots, dialect, lines: &group_lines, audiences: &audiences };
    let undecided = effects(&file, &mut findings) + proposals::check(&text, &file, &mut findings);
    let (findings, left_off) = findings.in_order(&text);
    Report { findings, left_off, not_searched: search.not_searched, undecided, work: search.done }
}

/// The report on a file that is no robots.txt.
fn no_text(problem: BodyProblem, dialect: &Dialect) -> Report {
    let mut findings = Findings::new(dialect);
    let reason = format!("the file is no robots.txt: {problem}; crawlers may read it as one that forbids nothing");
    findings.add(FindingKind::NotText, 0, reason);
    let (findings, left_off) = findings.in_order(b"");
    Report { findings, left_off, ..Report::default() }
}

/// Reports what lines come to for all paths, and returns the number of questions that were not decided.
fn effects(file: &File<'_>, findings: &mut Findings<'_>) -> usize {
    let mut effects = Effects::new(file.dialect);
    let inherit = inherited::check(file, &mut effects, findings);
    redundant::check(file, &inherit, &mut effects, findings);
    effects.unanswered
}

/// Whether a file is UTF-16: it has the byte order mark, without which it is no text.
fn is_utf16(file: &[u8]) -> bool {
    file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff")
}

/// Adds the finding for a note about the whole file.
fn whole_file(kind: NoteKind, text: &[u8], dialect: &Dialect, findings: &mut Findings<'_>) {
    match kind {
        NoteKind::FileCut => {
            let first_cut = robots::lines(text, dialect).count() as u32 + 1;
            let limit = dialect.file_limit;
            let reason = format!("nothing is read from this line on: it is beyond the first {limit} bytes");
            findings.add(FindingKind::FileCut, first_cut, reason);
        }
        _ => findings.add(
            FindingKind::EncodingMended,
            0,
            "the file is invalid UTF-16; the invalid parts were replaced by U+FFFD",
        ),
    }
}

/// Reports content that not every crawler reads.
fn size(file: &[u8], dialect: &Dialect, findings: &mut Findings<'_>) {
    if file.len() > READ_BY_ALL {
        let short = Dialect { file_limit: READ_BY_ALL, ..dialect.clone() };
        let text = robots::decode(file, &short, &mut Vec::new());
        let first_beyond = robots::lines(&text, dialect).count() as u32 + 1;
        let reason = format!("crawlers may read nothing from this line on: it is beyond the first {READ_BY_ALL} bytes");
        findings.add(FindingKind::FileTooLong, first_beyond, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::finding::{Citation, Related};

    /// The findings in a file: line and kind.
    fn found(file: impl AsRef<[u8]>, dialect: &str) -> Vec<String> {
        let report = check(file.as_ref(), Dialect::named(dialect).unwrap());
        report.findings.iter().map(|finding| format!("{} {}", finding.line, finding.kind.name())).collect()
    }

    /// Expects a finding in exactly these dialects.
    #[track_caller]
    fn expect(file: impl AsRef<[u8]>, finding: &str, dialects: &[&str]) {
        for dialect in Dialect::names() {
            let found = found(&file, dialect);
            let is_found = found.iter().any(|one| one == finding);
            let shown = &found[..found.len().min(9)];
            assert_eq!(is_found, dialects.contains(&dialect), "{finding} under {dialect}: {shown:?}");
        }
    }

    const ALL: [&str; 6] = ["rfc9309", "google", "mandelbot", "extended-2008", "draft-1996", "original-1994"];
    const NEW: [&str; 4] = ["rfc9309", "google", "mandelbot", "extended-2008"];
    const OLD: [&str; 2] = ["draft-1996", "original-1994"];
    const OBEYING_DELAYS: [&str; 4] = ["rfc9309", "extended-2008", "draft-1996", "original-1994"];
    const NOT_GOOGLE: [&str; 5] = ["rfc9309", "mandelbot", "extended-2008", "draft-1996", "original-1994"];

    #[test]
    fn a_file_as_it_should_be_has_no_findings() {
        let file = "# All robots\nUser-agent: *\nDisallow: /tmp/\nDisallow: /a%20b\n\n# One\nUser-agent: foo-bot\n\
                    Disallow: /tmp/\nDisallow: /a%20b\nDisallow: /x\n\nSitemap: https://a.example/sitemap.xml\n";
        for dialect in ALL {
            assert_eq!(found(file, dialect), [""; 0], "{dialect}");
        }
    }

    #[test]
    fn single_lines() {
        let group = |rule: &str| format!("User-agent: *\nDisallow: /1\n{rule}\n");
        expect(group("Disallow: /a /b"), "3 several-paths", &ALL);
        expect(group("Disallow: /a\t*b"), "3 several-paths", &ALL);
        expect(group("Disallow: /a b"), "3 several-paths", &[]);
        expect(group("Disallow: /a b"), "3 unescaped", &ALL);
        expect(group("Disallow: /é"), "3 unescaped", &NOT_GOOGLE);
        expect(group("Disallow: /%6"), "3 unescaped", &ALL);
        expect(group("Disallow: /[0-9]+/"), "3 regular-expression", &ALL);
        expect(group("Disallow: /a*"), "3 literal-wildcard", &OLD);
        expect(group("Disallow: /a$"), "3 literal-wildcard", &OLD);
        expect(group("Disallow: a"), "3 rule-without-slash", &ALL);
        expect(group("Disallow: *a"), "3 rule-without-slash", &OLD);
        expect(group("Allow: /a"), "3 allow-ignored", &["original-1994"]);
        expect(group("Disalow: /a"), "3 misspelt-key", &ALL);
        expect(group("Disallows: /a"), "3 misspelt-key", &ALL);
        expect(group("Noindex: /a"), "3 dead-record", &ALL);
        expect(group("Nobots: /a"), "3 unknown-record", &ALL);
        expect(group("Disallow /a"), "3 missing-colon", &ALL);
        expect(group("Sitemap: /a.xml"), "3 relative-sitemap", &ALL);
        expect(group("Sitemap: a.example/a.xml"), "3 relative-sitemap", &ALL);
        expect(group("Disallow: /a\0b"), "3 line-cut", &["google"]);
        expect(group("Content-Usage: /a train-ai = n"), "3 broken-content-usage", &ALL);
        expect(group("Content-Usage: search=no"), "3 broken-content-usage", &ALL);
        expect(group("Content-Usage: ai=n, train-ai=n"), "3 unknown-content-usage", &ALL);
        expect(group("Content-Usage: /a train-ai=n;x, search=y"), "3 broken-content-usage", &[]);
        expect(group("Content-Usage: train-ai=n, search=y"), "3 unknown-content-usage", &[]);
        expect(group("Content-Signal: ai-train=n"), "3 broken-content-signal", &ALL);
        expect(group("Content-Signal: search-ai=no"), "3 unknown-content-signal", &ALL);
        expect(group("Content-Signal: search=yes, use=full"), "3 unknown-content-signal", &[]);
        expect("Content-Usage: train-ai=n\n".to_owned() + &group("Allow: /b"), "1 rule-outside-group", &ALL);
    }

    #[test]
    fn what_authors_take_for_rules() {
        let group = |rule: &str| format!("User-agent: *\nDisallow: /1\n{rule}\n");
        let but_google = NOT_GOOGLE.as_slice();
        for (line, kind, dialects, proposal) in [
            ("Disallow: /r <!-- c -->", "foreign-comment", &ALL[..], "Disallow: /r # c"),
            ("// a: b", "foreign-comment", &ALL, "# a: b"),
            ("Disallow: /^x", "regular-expression", &ALL, "Disallow: /x"),
            ("Disallow: /foo.*", "dot-star", &NEW, ""),
            ("Disallow: /img.*/x", "dot-star", &NEW, ""),
            ("Disallow: /c.*.pdf", "dot-star", &NEW, ""),
            ("Disallow: /x?id=.*", "regular-expression", &ALL, "Disallow: /x?id="),
            ("Disallow: /a to /b", "several-paths", &ALL, ""),
            ("Disallow: /a$b", "dollar-inside", &NEW, ""),
            ("Disallow: /a$$", "dollar-inside", &NEW, "Disallow: /a$"),
            ("Disallow: /a**b", "repeated-star", &NEW, "Disallow: /a*b"),
            ("Disallow: /a\\b", "backslash", but_google, "Disallow: /a/b"),
            ("Disallow: /a/../b", "dot-segment", but_google, "Disallow: /b"),
            ("Disallow: /http://a.example/x", "rule-with-host", &ALL, "Disallow: /x"),
            ("Disallow: //cdn.example.com/x", "rule-with-host", &ALL, ""),
            ("Disallow: /http:/example.com/x", "rule-with-host", &ALL, ""),
            ("Disallow: example.com/x", "rule-without-slash", &ALL, ""),
            ("Disallow： /x", "missing-colon", &ALL, "Disallow: /x"),
            ("Sitemap：https://a.example/s", "missing-colon", &ALL, "Sitemap: https://a.example/s"),
            ("\u{feff}Disallow: /x", "misspelt-key", &ALL, "Disallow: /x"),
            ("\u{a0}\u{a0}\u{a0}\u{a0}Disallow: /x", "misspelt-key", &ALL, "Disallow: /x"),
            ("\u{feff}# x", "byte-order-mark", &ALL, ""),
            ("Noindex /x", "missing-colon", &ALL, "Noindex: /x"),
            ("Noindex: /x", "dead-record", &ALL, ""),
            (
                "Sitemap: https://a.example/s, https://a.example/t",
                "several-sitemaps",
                &ALL,
                "Sitemap: https://a.example/s\nSitemap: https://a.example/t",
            ),
            (
                "Sitemap: https://a.example/s.xml of all",
                "foreign-comment",
                &ALL,
                "Sitemap: https://a.example/s.xml # of all",
            ),
            ("Disallow: https://a.example/x", "rule-without-slash", &ALL, "Disallow: /x"),
            ("Disallow: http://www.example.com", "rule-without-slash", &ALL, ""),
            ("Disallow: \"/q/\"", "rule-without-slash", &ALL, "Disallow: /q/"),
            ("Disallow: ./rel/", "rule-without-slash", &ALL, "Disallow: /rel/"),
            ("Disallow: /a, /b", "several-paths", &ALL, "Disallow: /a\nDisallow: /b"),
            ("Disallow: /a b", "unescaped", &ALL, "Disallow: /a%20b"),
            ("Sitemap https://a.example/s", "missing-colon", &ALL, "Sitemap: https://a.example/s"),
            ("Crawl-delay 10", "missing-colon", &ALL, "Crawl-delay: 10"),
            ("Host: a.example", "dead-record", &ALL, ""),
            ("Clean-param: a /b", "record-of-few", &ALL, ""),
            ("LLM-Policy: x", "record-of-few", &ALL, ""),
        ] {
            expect(group(line), &format!("3 {kind}"), dialects);
            let found = check(group(line).as_bytes(), Dialect::DEFAULT).findings;
            let found = found.iter().find(|finding| finding.kind.name() == kind).expect(line);
            assert_eq!(found.proposal.as_deref().unwrap_or_default(), proposal, "{line}");
        }
        let google = |line: &str| check(group(line).as_bytes(), Dialect::named("google").unwrap()).findings;
        assert_eq!(google("Sitemap https://a.example/s")[0].proposal.as_deref(), Some("Sitemap: https://a.example/s"));
        assert_eq!(google("Sitemap=https://a.example/s")[0].proposal.as_deref(), Some("Sitemap: https://a.example/s"));
        // It is read as a rule there, by its beginning, but the author meant another record.
        assert_eq!(google("DisallowAITraining: /")[0].proposal, None);
        let latin = check(b"User-agent: *\nDisallow: /caf\xe9\n", Dialect::DEFAULT).findings;
        assert_eq!(latin[0].proposal.as_deref(), Some("Disallow: /caf%C3%A9"));
        for rule in [
            "192.0.2.1/x",
            "/x|/y",
            "*.jpg$|*.png$",
            "/h{1,2}",
            "/a\\*",
            "/a\\$",
            "/\\",
            "/it’s",
            "/«x»/",
            // The whole site is never meant.
            "http://www.example.com/",
            "https://a.example/*",
            "https://a.example/$",
            "/.*",
            "^/",
            "./",
            "\\",
            "/a/..",
            "/<",
            "/\"",
            "/*>",
            "/search?q=\"",
            // Nor are hidden files, doubled backslashes and dot segments.
            ".git",
            "\\\\a\\\\b",
            "a/../b",
        ] {
            for dialect in Dialect::ALL {
                let found = check(group(&format!("Disallow: {rule}")).as_bytes(), dialect).findings;
                let proposals: Vec<&str> = found.iter().filter_map(|finding| finding.proposal.as_deref()).collect();
                assert_eq!(proposals, [""; 0], "{rule} under {}", dialect.name);
            }
        }
        // Where lengths are compared, a star counts.
        let both = check(b"User-agent: *\nAllow: /**b\nDisallow: /*a/\n", Dialect::DEFAULT).findings;
        assert!(both[0].proposal.is_none() && both[0].reason.ends_with("in the length of the rule"), "{both:?}");
        // An ignored rule has no effect, so nothing else is reported of it.
        for ignored in ["$x", "foo.*bar", "private/**"] {
            let found = check(group(&format!("Disallow: {ignored}")).as_bytes(), Dialect::DEFAULT).findings;
            assert_eq!(found.len(), 1, "{ignored}: {found:?}");
        }
        let ignored = check(group("Disallow: x <!-- c -->").as_bytes(), Dialect::DEFAULT).findings;
        assert_eq!(ignored.last().and_then(|found| found.proposal.as_deref()), Some("Disallow: /x # c"));
        let windows = check(b"User-agent: *\nDisallow: /it\x92s\n", Dialect::DEFAULT).findings;
        assert_eq!(windows[0].proposal, None);
        let twice = "Sitemap: https://a.example/s\n".repeat(2);
        expect(group("") + &twice, "5 sitemap-repeated", &ALL);
        expect("\u{feff}".to_owned() + &group(""), "1 byte-order-mark", &ALL);
    }

    #[test]
    fn agents() {
        let one = |agent: &str| format!("User-agent: foo\nDisallow: /\n\nUser-agent: {agent}\nDisallow: /1\n");
        expect(one("* *"), "4 star-not-alone", &ALL);
        expect(one("* *"), "4 agent-cut", &[]);
        for words in ["all", "Any", "all robots", "＊"] {
            expect(one(words), "4 star-not-alone", &ALL);
            expect(one(words), "4 agent-cut", &[]);
            let findings = check(one(words).as_bytes(), Dialect::DEFAULT).findings;
            assert_eq!(findings[0].proposal.as_deref(), Some("User-agent: *"), "{words}");
            // It is no crawler that lacks the rules of others.
            expect(one(words) + "\nUser-agent: *\nDisallow: /2\n", "4 not-inherited", &[]);
        }
        expect(one("All Acronyms Bot"), "4 star-not-alone", &[]);
        expect(one("bar/1.0"), "4 agent-cut", &["rfc9309", "google", "extended-2008", "original-1994"]);
        expect(one(""), "4 agent-cut", &ALL);
        expect(one("bar*"), "4 literal-wildcard", &["mandelbot", "extended-2008", "draft-1996", "original-1994"]);
        let list = one("Googlebot, Bingbot, Slurp");
        expect(&list, "4 agents-on-one-line", &["rfc9309", "google", "mandelbot", "extended-2008", "original-1994"]);
        expect(&list, "4 agent-cut", &[]);
        let found = check(list.as_bytes(), Dialect::DEFAULT).findings;
        assert!(found[0].reason.ends_with("names only Googlebot"), "{found:?}");
        assert_eq!(found[0].proposal.as_deref(), Some("User-agent: Googlebot\nUser-agent: Bingbot\nUser-agent: Slurp"));
        expect(one("FOO"), "4 agent-repeated", &ALL);
        expect(one("fo"), "4 agent-repeated", &[]);
        expect("User-agent: a\nUser-agent: A\nDisallow: /\n", "2 agent-repeated", &ALL);
        expect("User-agent: a\nUser-agent: b\nDisallow: /\n", "2 several-agents", &["original-1994"]);
        let nobody = "User-agent: \"a\"\nDisallow: /\n\nUser-agent: \"b\"\nDisallow: /\n";
        expect(nobody, "5 unreachable-rule", &[]);
        let usual = "User-agent: a\nDisallow: /x\n\nUser-agent: *\nAllow: /\n";
        // Where there is no Allow, it has no rule.
        expect(usual, "4 record-without-disallow", &["original-1994"]);
        let two = "User-agent: *\nDisallow: /\n\nUser-agent: *\nDisallow: /1\n";
        expect(two, "4 everybody-repeated", &ALL);
        expect(two, "4 agent-repeated", &[]);
    }

    #[test]
    fn records() {
        expect("Disallow: /\nUser-agent: *\nDisallow: /1\n", "1 rule-outside-group", &ALL);
        let blank = "User-agent: *\nDisallow: /1\n\n#\nDisallow: /2\nDisallow: /3\n";
        expect(blank, "3 blank-line-in-record", &OLD);
        expect(blank, "6 rule-outside-group", &OLD);
        let between = "User-agent: a\n\n\nUser-agent: b\nDisallow: /1\n";
        expect(between, "2 blank-line-in-record", &NEW);
        expect(between, "1 record-without-disallow", &OLD);
        expect("User-agent: a\n\nDisallow: /\n", "2 blank-line-in-record", &OLD);
        let shared = "User-agent: a\nCrawl-delay: 9\nUser-agent: b\nDisallow: /1\n";
        expect(shared, "1 record-without-disallow", &NEW);
        expect(shared.replace("Crawl-delay", "Sitemap"), "1 record-without-disallow", &[]);
        expect("User-agent: a\nAllow: /\n", "1 record-without-disallow", &ALL);
        expect("User-agent: a\nDisallow:\n", "1 record-without-disallow", &[]);
        expect("User-agent: a\n", "0 file-without-disallow", &[]);
        for file in ["", "# nothing\n", "Sitemap: https://a.example/\n"] {
            expect(file, "0 file-without-disallow", &ALL);
        }
    }

    #[test]
    fn crawl_delays() {
        let of = |agent: &str, delay: &str| format!("User-agent: {agent}\nDisallow: /x\nCrawl-delay: {delay}\n");
        let kind = "3 crawl-delay-out-of-range";
        for delay in ["0.5", "31", "0"] {
            expect(of("bingbot", delay), kind, &["rfc9309"]);
            expect(of("*", delay), kind, &["rfc9309"]);
        }
        for delay in ["1", "30", "2.5", "x"] {
            expect(of("bingbot", delay), kind, &[]);
        }
        expect(of("other", "60"), kind, &[]);
        for delay in ["0,5", "1s", "ten", "x", ""] {
            expect(of("other", delay), "3 crawl-delay-no-number", &ALL);
        }
        expect(of("other", "2.5"), "3 crawl-delay-no-number", &[]);
        expect(of("other", "2.5"), "3 crawl-delay-decimals", &OBEYING_DELAYS);
        for delay in ["1.0", "5."] {
            expect(of("other", delay), "3 crawl-delay-decimals", &OBEYING_DELAYS);
        }
        expect(of("other", "2"), "3 crawl-delay-decimals", &[]);
        expect(of("other", "5"), "3 crawl-delay-ignored", &["google", "mandelbot"]);
        let own = of("*", "60") + "\n" + &of("bingbot", "5");
        expect(own, kind, &[]);
    }

    #[test]
    fn a_delay_outside_every_record_is_for_nobody() {
        for line in ["Crawl-delay: 5", "Crawl-delay: ten", "Request-rate: 1/5", "Visit-time: 0600-0845"] {
            let (before, after) =
                (format!("{line}\nUser-agent: *\nDisallow: /1\n"), format!("User-agent: *\nDisallow: /1\n\n{line}\n"));
            expect(&before, "1 rule-outside-group", &OBEYING_DELAYS);
            expect(&after, "4 rule-outside-group", &OLD);
            expect(before.replace("ten", "2.5"), "1 crawl-delay-decimals", &[]);
        }
        expect("Crawl-delay: 5\nUser-agent: *\nDisallow: /1\n", "1 crawl-delay-ignored", &["google", "mandelbot"]);
        expect("Host: a.example\nUser-agent: *\nDisallow: /1\n", "1 rule-outside-group", &[]);
    }

    #[test]
    fn several_crawlers_are_counted_wherever_one_is_named() {
        let two = |one: &str, other: &str| {
            format!(
                "User-agent: a\nUser-agent: b\nUser-agent: c\n{one}\n\nUser-agent: a\nUser-agent: b\nUser-agent: c\n{other}\n"
            )
        };
        for (file, kind) in [
            (two("Disallow:", "Disallow: /x"), "allow-all-overruled"),
            (two("Crawl-delay: 1\nDisallow: /x", "Crawl-delay: 2\nDisallow: /x"), "crawl-delay-repeated"),
        ] {
            let (_, found) = reason(&file, kind).unwrap();
            assert!(found.contains(" a and 2 others, "), "{found}");
            let (_, found) = reason(&file.replace("User-agent: a", "User-agent: *"), kind).unwrap();
            assert!(found.contains(" every crawler, "), "{found}");
        }
    }

    #[test]
    fn a_second_delay_for_the_same_crawler_does_not_count() {
        let kind = "crawl-delay-repeated";
        let file = "User-agent: a\nCrawl-delay: 1\nCrawl-delay: 2\nDisallow: /1\n\nUser-agent: b\nDisallow: /2\nCrawl-delay: 2\n\n\
                    User-agent: a\nDisallow: /3\nCrawl-delay: 1\n";
        expect(file, &format!("3 {kind}"), &ALL);
        expect(file, &format!("8 {kind}"), &[]);
        // One that is no number is not one that counts.
        let number = file.replace("delay: 1\nCrawl", "delay: ten\nCrawl");
        expect(&number, &format!("3 {kind}"), &[]);
        // Its record is never obeyed where only the first one is.
        expect(file, &format!("12 {kind}"), &NEW);
    }

    /// The reason of the first finding of this kind in a file.
    fn reason(file: &str, kind: &str) -> Option<(u32, String)> {
        let findings = check(file.as_bytes(), Dialect::DEFAULT).findings;
        let found = findings.into_iter().find(|finding| finding.kind.name() == kind);
        found.map(|finding| (finding.line, finding.reason))
    }

    #[test]
    fn what_has_no_effect_is_said_of_all_records_of_a_crawler_together() {
        let kind = "record-without-disallow";
        let two = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: GPTBot\nAllow: /blog/\n";
        expect(two, &format!("4 {kind}"), &[]);
        expect(two.replace("GPTBot", "*"), &format!("4 {kind}"), &[]);
        let nothing = "User-agent: a\nDisallow: /x\n\nUser-agent: a\nAllow: /blog/\n";
        expect(nothing, &format!("4 {kind}"), &NEW);
        // The record lets both fetch something, but only one of them is blocked elsewhere.
        let shared = "User-agent: a\nDisallow: /blog\n\nUser-agent: a\nUser-agent: b\nAllow: /blog/\n";
        expect(shared, &format!("4 {kind}"), &OLD);
        expect("User-agent: *\nDisallow: /x\n\nUser-agent: a\nAllow: /x\n", &format!("4 {kind}"), &[]);
    }

    #[test]
    fn a_rule_without_effect_is_found() {
        let group = |rule: &str| format!("User-agent: *\nDisallow: /a/\nAllow: /a/b/\nDisallow: /c*.pdf$\n{rule}\n");
        let kind = "5 rule-without-effect";
        for rule in ["Allow: /x", "Disallow: /a/c", "Allow: /a/b/c", "Disallow: /a/bc/*.gif", "Disallow: /cc*.pdf$"] {
            for dialect in NEW {
                assert!(found(group(rule), dialect).contains(&kind.to_owned()), "{rule} under {dialect}");
            }
        }
        for rule in
            ["Disallow: /x", "Disallow: /a/b/c", "Allow: /a/c", "Allow: /c/*.pdf$", "Allow: /", "Disallow: /c.pdf"]
        {
            for dialect in NEW {
                assert!(!found(group(rule), dialect).contains(&kind.to_owned()), "{rule} under {dialect}");
            }
        }
        let found = reason(&group("Disallow: /a/c"), "rule-without-effect").unwrap().1;
        assert!(found.ends_with("is blocked without it, by line 2, Disallow: /a/"), "{found}");
        // What another record of the same crawler allows, it blocks again.
        let two = "User-agent: a\nDisallow: /a/\nDisallow: /a/b/c\n\nUser-agent: a\nAllow: /a/b/\n";
        expect(two, "3 rule-without-effect", &[]);
        // Without it, the record would be another one.
        expect("User-agent: a\nDisallow: /\n\nUser-agent: a\nDisallow: /a\n", "5 rule-without-effect", &[]);
    }

    /// The lines that are said to be needless.
    fn needless(file: &str) -> Vec<u32> {
        let kinds = [FindingKind::UnreachableRule, FindingKind::RuleWithoutEffect, FindingKind::EmptyDisallow];
        let findings = check(file.as_bytes(), Dialect::DEFAULT).findings;
        findings.iter().filter(|finding| kinds.contains(&finding.kind)).map(|finding| finding.line).collect()
    }

    #[test]
    fn lines_that_are_needless_because_of_each_other_are_not_all_said_to_be() {
        for (rules, lines) in [
            ("Disallow: /x\nDisallow: /x*\nDisallow: /y", &[2][..]),
            ("Disallow: /x\nDisallow: /x\nDisallow: /y", &[3]),
            ("Disallow: /*a*b\nDisallow: /*ab\nDisallow: /*a*b\nAllow: /z", &[3, 4, 5]),
            // The first lifts what the second forbids, as long as that is there.
            ("Allow: /x*\nDisallow: /x\nDisallow: /y", &[3]),
            // A record keeps one rule.
            ("Allow: /a\nAllow: /b\nDisallow:", &[2]),
        ] {
            assert_eq!(needless(&format!("User-agent: *\n{rules}\n")), lines, "{rules}");
        }
        let both =
            "User-agent: a\nDisallow: /x\nAllow: /x/y\n\nUser-agent: a\nAllow: /x/y*\n\nUser-agent: a\nAllow: /x/y**\n";
        expect(both, "8 record-without-disallow", &[]);
        // The line that stays is the one that is named.
        let (line, found) =
            reason("User-agent: *\nDisallow: /a/b/c\nDisallow: /a/b\nDisallow: /a\n", "rule-without-effect").unwrap();
        assert!(line == 2 && found.ends_with("by line 4, Disallow: /a"), "{line}: {found}");
    }

    #[test]
    fn a_record_of_which_no_rule_decides_is_one_to_remove_as_a_whole() {
        let star = "User-agent: *\nDisallow: /x\nAllow: /tmp\n";
        let of =
            |record: &str| reason(&format!("User-agent: a\nDisallow: /\n\n{record}\n\n{star}"), "unreachable-rule");
        for (record, line, is_whole) in [
            ("User-agent: a\nDisallow: /", 5, true),
            ("User-agent: a\nDisallow: /\nDisallow: /", 5, true),
            ("User-agent: a\nDisallow: /\nAllow: /b", 5, false),
        ] {
            let (found, reason) = of(record).expect(record);
            assert_eq!((found, reason.contains("remove the whole record")), (line, is_whole), "{record}: {reason}");
        }
    }

    #[test]
    fn a_record_of_its_own_does_not_inherit() {
        let star = "User-agent: *\nDisallow: /search\nDisallow: /private/\n\n";
        let of = |record: &str| format!("{star}User-agent: Baiduspider\n{record}\n");
        let (missing, lifted) = ("5 not-inherited", "5 rules-lifted");
        expect(of("Crawl-delay: 5"), missing, &ALL);
        expect(of("Disallow: /search"), missing, &ALL);
        expect(of("Disallow: /search\nDisallow: /private"), missing, &[]);
        expect(of("Disallow: /"), missing, &[]);
        expect(of("Disallow:"), missing, &[]);
        for all in ["Disallow:", "Allow: /", "Allow: *"] {
            let is_read_by_all = all == "Disallow:";
            expect(of(all), lifted, if is_read_by_all { &ALL } else { &ALL[..5] });
        }
        let (line, found) = reason(&of("Crawl-delay: 5"), "not-inherited").unwrap();
        assert_eq!(line, 5);
        assert!(found.ends_with("/search is blocked for everybody else, and allowed to Baiduspider"), "{found}");
        let (_, found) =
            reason(&of("User-agent: b\nUser-agent: c\nCrawl-delay: 5\nDisallow: /a"), "not-inherited").unwrap();
        assert!(found.ends_with("allowed to Baiduspider and 2 others"), "{found}");
        // Nothing to inherit, whatever the lines say.
        expect("User-agent: *\nDisallow: /a\nAllow: /a\n\nUser-agent: x\nDisallow:\n", "5 rules-lifted", &OLD);
        // What one of its records lacks, another one has.
        let two = of("Disallow: /private\n\nUser-agent: baiduspider\nDisallow: /s");
        expect(two, missing, &OLD);
    }

    #[test]
    fn what_blocks_everything_is_noted() {
        let kind = "blocks-everything";
        for (file, line) in [
            ("User-agent: *\nDisallow: /\n", 2),
            ("User-agent: *\nDisallow: /a\nAllow: /robots.txt$\nDisallow: /*\n", 4),
            ("User-agent: a\nUser-agent: *\nDisallow: /\n\nUser-agent: b\nAllow: /\n", 3),
            ("User-agent: *\nDisallow: /\nDisallow: /$\nDisallow: /?\n", 2),
            ("User-agent: *\nDisallow: /$\nDisallow: *\nDisallow: /*.php$\n", 3),
        ] {
            assert_eq!(reason(file, kind).map(|(line, _)| line), Some(line), "{file}");
        }
        for file in [
            "User-agent: *\nDisallow: /\nAllow: /a\n",
            "User-agent: a\nDisallow: /\n",
            "User-agent: *\nDisallow: /\nAllow: /\n",
        ] {
            assert_eq!(reason(file, kind), None, "{file}");
        }
    }

    #[test]
    fn an_allow_all_that_another_record_overrules_is_found() {
        let kind = "allow-all-overruled";
        let of = |one: &str, other: &str| format!("User-agent: a\n{one}\n\nUser-agent: A\n{other}\n");
        for one in ["Disallow:", "Allow: /"] {
            expect(of(one, "Disallow: /private"), &format!("2 {kind}"), &NEW);
            expect(of("Disallow: /private", one), &format!("5 {kind}"), &NEW);
        }
        let (_, found) = reason(&of("Allow: /", "Disallow: /private"), kind).unwrap();
        assert!(found.contains("record at line 4") && found.ends_with("/private is blocked"), "{found}");
        // It wins the tie.
        expect(of("Allow: /", "Disallow: /"), &format!("2 {kind}"), &[]);
        expect(of("Disallow:", "Crawl-delay: 5"), &format!("2 {kind}"), &[]);
        let one = "User-agent: a\nDisallow:\nDisallow: /x\n";
        expect(one, &format!("2 {kind}"), &[]);
        expect(one, "2 empty-disallow", &ALL);
        expect("User-agent: a\nDisallow:\nAllow: /x\n", "2 empty-disallow", &[]);
    }

    #[test]
    fn whole_files() {
        let html = "<!doctype html>\n<p>\nbody { color: red }\nUser-agent: *\nDisalow: /\n";
        expect(html, "1 looks-like-html", &ALL);
        expect(html, "2 missing-colon", &[]);
        expect(html, "5 misspelt-key", &ALL);
        let utf16 = b"\xff\xfeU\0\x00\xd8x\0";
        expect(utf16, "0 encoding-mended", &NOT_GOOGLE);
        expect(utf16, "0 utf16", &ALL);
        for none in [&b"U\0s\0e\0r\0"[..], b"\0U\0s\0e\0r", b"%PDF-1.7\n", b"\x1f\x8b\x08"] {
            expect(none, "0 not-text", &ALL);
        }
        expect(crate::formats::coding::tests::gzip(html.as_bytes()), "5 misspelt-key", &ALL);
        let line = "Disallow: /abc\n";
        let long = "User-agent: *\n".to_owned() + &line.repeat((READ_BY_ALL - 14) / line.len());
        expect(&long, "34134 file-too-long", &[]);
        expect(long.clone() + "Disallow: /x\n", "34134 file-too-long", &["rfc9309", "google"]);
        let longer = "User-agent: *\n".to_owned() + &line.repeat((4 << 20) / line.len());
        expect(longer, "279621 file-cut", &NOT_GOOGLE);
    }

    #[test]
    fn a_finding_says_what_where_and_why() {
        let file = b"User-agent: *\nDisallow: /a \nAllow: /a*\nDissallow: /x # y\n";
        let report = check(file, Dialect::DEFAULT);
        let [unreachable, misspelt] = report.findings.as_slice() else { panic!("{report:?}") };
        assert_eq!((unreachable.line, unreachable.text.as_str()), (2, "Disallow: /a"));
        assert_eq!(unreachable.related, Some(Related { line: 3, text: "Allow: /a*".to_owned() }));
        assert!(unreachable.reason.contains("line 3, Allow: /a*"), "{}", unreachable.reason);
        assert_eq!(unreachable.citation, Citation { document: "RFC 9309", section: "2.2.2", borrowed: false });
        assert_eq!(misspelt.text, "Dissallow: /x # y");
        assert_eq!(misspelt.proposal.as_deref(), Some("Disallow: /x"));
    }
}
