//! What the author of a robots.txt probably did not mean.
//!
//! A robots.txt is never refused, so nobody tells its author that half of it is ignored. [`lint`] reads a file as a
//! dialect does and reports, line by line, what is dropped, what is read otherwise than it looks, and what has no effect;
//! each [`Finding`] with the reason and the text that says so. It goes the way of the data: `lines` looks at each line
//! alone, `records` at how lines stand together, `unreachable` at how rules win against each other.
//!
//! A rule is called unreachable if one other rule that wins against it matches every path that it matches
//! ([`Patterns::covers`](crate::pattern::Patterns::covers)). That is never a false alarm. It can miss one: a rule that
//! only several others together leave no path is not found, and the search has a bound on its work, linear in the file,
//! beyond which the remaining rules are only compared with their equals and with plain prefixes
//! ([`Report::not_searched`] counts them).

mod citation;
mod crawl_delay;
mod finding;
mod keys;
mod lines;
mod records;
mod shadows;
mod unreachable;

pub use citation::Citation;
pub use finding::{Finding, FindingKind, Related};

use crate::dialect::Dialect;
use crate::robots::{self, NoteKind, Robots};
use finding::Findings;

/// What every crawler should read of a file (RFC 9309 2.5, Google's documentation): 500 KiB.
const READ_BY_ALL: usize = 500 << 10;

/// What was found in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The findings, in the order of the file; those about the whole file first.
    pub findings: Vec<Finding>,
    /// Findings beyond the first 100,000, which are only counted.
    pub left_off: usize,
    /// Rules for which the search for a rule that shadows them was cut short.
    pub not_searched: usize,
    /// The work that this search took, in units that the size of the file bounds.
    pub work: usize,
}

/// Reports what the author of a robots.txt, as served, probably did not mean, if crawlers read it by `dialect`.
///
/// Any octets will do. Takes time near-linear in the file.
///
/// ```
/// use robosieve::lint::{FindingKind, lint};
/// use robosieve::Dialect;
///
/// let file = b"User-agent: *\nDisallow: /tmp /private\nDisallow: /a\nAllow: /a*\n";
/// let report = lint(file, Dialect::DEFAULT);
/// let found: Vec<_> = report.findings.iter().map(|finding| (finding.line, finding.kind)).collect();
/// assert_eq!(found, [(2, FindingKind::SeveralPaths), (3, FindingKind::UnreachableRule)]);
/// ```
pub fn lint(file: &[u8], dialect: &Dialect) -> Report {
    let mut notes = Vec::new();
    let text = robots::decode(file, dialect, &mut notes);
    let robots = Robots::parse(&text, dialect);
    let mut findings = Findings::new(dialect);
    for note in notes {
        whole_file(note.kind, &text, dialect, &mut findings);
    }
    size(file, dialect, &mut findings);
    lines::check(&text, &robots, dialect, &mut findings);
    records::check(&text, &robots, dialect, &mut findings);
    crawl_delay::check(&robots, dialect, &mut findings);
    let search = unreachable::check(&robots, dialect, &mut findings);
    let (findings, left_off) = findings.in_order(&text);
    Report { findings, left_off, not_searched: search.not_searched, work: search.done }
}

/// What was noted before there were lines.
fn whole_file(kind: NoteKind, text: &[u8], dialect: &Dialect, findings: &mut Findings<'_>) {
    match kind {
        NoteKind::FileCut => {
            let first_cut = robots::lines(text, dialect).count() as u32 + 1;
            let limit = dialect.file_limit;
            findings.add(FindingKind::FileCut, first_cut, || {
                format!("from this line on nothing is read: it stands behind the first {limit} octets")
            });
        }
        _ => findings.add(kind.into(), 0, || {
            "the file is UTF-16 that does not decode; what is broken was replaced by U+FFFD".to_owned()
        }),
    }
}

/// Content that not every crawler reads.
fn size(file: &[u8], dialect: &Dialect, findings: &mut Findings<'_>) {
    if file.len() > READ_BY_ALL {
        let short = Dialect { file_limit: READ_BY_ALL, ..dialect.clone() };
        let text = robots::decode(file, &short, &mut Vec::new());
        let first_beyond = robots::lines(&text, dialect).count() as u32 + 1;
        findings.add(FindingKind::FileTooLong, first_beyond, || {
            format!("from this line on crawlers may read nothing: it stands behind the first {READ_BY_ALL} octets")
        });
    }
}
