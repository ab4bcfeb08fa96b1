//! The findings in a file.

use super::finding::{Finding, Findings};
use super::kind::FindingKind;
use super::{lines, records, unreachable};
use crate::dialect::Dialect;
use crate::robots::{self, NoteKind, Robots};

/// The bytes of a file that every crawler should read (RFC 9309 2.5, Google's documentation): 500 KiB.
const READ_BY_ALL: usize = 500 << 10;

/// The findings in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The findings in file order; those about the whole file come first.
    pub findings: Vec<Finding>,
    /// The number of findings beyond the first 100,000, which are only counted.
    pub left_off: usize,
    /// The number of rules for which the search for a shadowing rule was cut short.
    pub not_searched: usize,
    /// The work done by this search, which the size of the file limits, in units: one for each pair of patterns tried, one for
    /// every eight bytes compared, and sixteen for every segment looked for.
    pub work: usize,
}

/// Reports what the author of a robots.txt probably did not mean, for crawlers that read it by `dialect`.
///
/// The file is taken as served and may contain any bytes. The time is near-linear in its size.
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
    lines::check(&text, &robots, dialect, &mut findings);
    records::check(&text, &robots, dialect, &mut findings);
    records::check_crawl_delays(&robots, dialect, &mut findings);
    let search = unreachable::check(&text, &robots, dialect, &mut findings);
    let (findings, left_off) = findings.in_order(&text);
    Report { findings, left_off, not_searched: search.not_searched, work: search.done }
}

/// Whether a file is UTF-16: it has a byte order mark, or every other byte of its beginning is NUL.
fn is_utf16(file: &[u8]) -> bool {
    let is_nul =
        |at: usize| file.len() >= 4 && file.chunks_exact(2).take(16).all(|pair| pair[at] == 0 && pair[1 - at] != 0);
    file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff") || is_nul(0) || is_nul(1)
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
        _ => findings.add(kind.into(), 0, "the file is invalid UTF-16; the invalid parts were replaced by U+FFFD"),
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
    use crate::lint::finding::Related;
    use crate::lint::kind::Citation;

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
    const NOT_GOOGLE: [&str; 5] = ["rfc9309", "mandelbot", "extended-2008", "draft-1996", "original-1994"];

    #[test]
    fn a_file_as_it_should_be_has_no_findings() {
        let file = "# All robots\nUser-agent: *\nDisallow: /tmp/\nDisallow: /a%20b\n\n# One\nUser-agent: foo-bot\n\
                    Disallow:\n\nSitemap: https://a.example/sitemap.xml\n";
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
        expect(group("Noindex: /a"), "3 unknown-record", &ALL);
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
    fn agents() {
        let one = |agent: &str| format!("User-agent: foo\nDisallow: /\n\nUser-agent: {agent}\nDisallow: /1\n");
        expect(one("* *"), "4 star-not-alone", &ALL);
        expect(one("* *"), "4 agent-cut", &[]);
        expect(one("bar/1.0"), "4 agent-cut", &["rfc9309", "google", "extended-2008", "original-1994"]);
        expect(one(""), "4 agent-cut", &ALL);
        expect(one("bar*"), "4 literal-wildcard", &["mandelbot", "extended-2008", "draft-1996", "original-1994"]);
        expect(one("FOO"), "4 agent-repeated", &ALL);
        expect(one("fo"), "4 agent-repeated", &[]);
        expect("User-agent: a\nUser-agent: A\nDisallow: /\n", "2 agent-repeated", &ALL);
        expect("User-agent: a\nUser-agent: b\nDisallow: /\n", "2 several-agents", &["original-1994"]);
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
        let of = |agent: &str, delay: &str| format!("User-agent: {agent}\nDisallow: /\nCrawl-delay: {delay}\n");
        let kind = "3 crawl-delay-out-of-range";
        for delay in ["0.5", "31", "0", "x"] {
            let with_text: &[&str] = if delay == "x" { &["rfc9309", "extended-2008"] } else { &["rfc9309"] };
            expect(of("bingbot", delay), kind, with_text);
            expect(of("*", delay), kind, with_text);
        }
        for delay in ["1", "30", "2.5"] {
            expect(of("bingbot", delay), kind, &[]);
        }
        expect(of("other", "60"), kind, &[]);
        expect(of("other", "5"), "3 crawl-delay-ignored", &["google", "mandelbot"]);
        let own = of("*", "60") + "\n" + &of("bingbot", "5");
        expect(own, kind, &[]);
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
        expect(b"U\0s\0e\0r\0", "0 utf16", &ALL);
        expect(b"\0U\0s\0e\0r", "0 utf16", &ALL);
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
