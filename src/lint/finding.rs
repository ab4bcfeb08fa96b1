//! Findings, their collection, and the document that each cites.
//!
//! Each dialect has a table: the passages of its own documents on each kind of finding. Where these are silent, the
//! passage is borrowed from RFC 9309, today's standard. Findings that rest on a single document are made only for
//! dialects that have it.

use serde::Serialize;

use super::kind::FindingKind::*;
use super::kind::{FindingKind, Severity};
use crate::dialect::Dialect;
use crate::formats::visible;
use crate::robots::{self, Rule};

/// Another line that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Related {
    /// The line, counted from 1.
    pub line: u32,
    /// Its text, cut if it is long.
    pub text: String,
}

impl Related {
    /// The line of a rule, as it is usually written.
    pub(super) fn rule(rule: &Rule<'_>) -> Related {
        let key = if rule.allow { "Allow" } else { "Disallow" };
        Related { line: rule.line, text: format!("{key}: {}", excerpt(rule.value)) }
    }
}

/// One thing that the author probably did not mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// How severe it is.
    pub severity: Severity,
    /// The line, counted from 1; 0 for the whole file.
    pub line: u32,
    /// The text of the line, cut if it is long.
    pub text: String,
    /// The defect, in one sentence.
    pub reason: String,
    /// The author's probable meaning, if it can be guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// The other line involved, such as the rule that always wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) related: Option<Related>,
    /// The document that says so.
    #[serde(flatten)]
    pub(crate) citation: Citation,
}

impl Finding {
    /// The other line involved, such as the rule that always wins: its number, counted from 1, and its text, cut if it is long.
    pub fn related(&self) -> Option<(u32, &str)> {
        self.related.as_ref().map(|other| (other.line, &*other.text))
    }

    /// The document that says so, for example `RFC 9309`, and the section, rule or function in it, empty if it has no parts.
    pub fn source(&self) -> [&'static str; 2] {
        [self.citation.document, self.citation.section]
    }
}

/// The maximum number of findings kept. Further ones are only counted, so that a report never outgrows memory.
const MAX: usize = 100_000;

/// The findings for one file in one dialect.
#[derive(Debug)]
pub(super) struct Findings<'d> {
    dialect: &'d Dialect,
    list: Vec<Finding>,
    left_off: usize,
}

impl<'d> Findings<'d> {
    pub fn new(dialect: &'d Dialect) -> Findings<'d> {
        Findings { dialect, list: Vec::new(), left_off: 0 }
    }

    /// Adds a finding, unless there is nothing to cite for it.
    pub fn add(&mut self, kind: FindingKind, line: u32, reason: impl Into<String>) {
        self.add_with(kind, line, reason, None, None);
    }

    /// Adds a finding with a proposal and a related line, unless there is nothing to cite for it.
    pub fn add_with(
        &mut self,
        kind: FindingKind,
        line: u32,
        reason: impl Into<String>,
        proposal: Option<String>,
        related: Option<Related>,
    ) {
        let Some(citation) = citation(kind, self.dialect) else { return };
        if self.list.len() == MAX {
            self.left_off += 1;
            return;
        }
        // One that was cut is of no use.
        let proposal = proposal.filter(|proposal| !proposal.contains(CUT));
        let (severity, text, reason) = (kind.severity(), String::new(), reason.into());
        self.list.push(Finding { kind, severity, line, text, reason, proposal, related, citation });
    }

    /// Those that propose something, in any order.
    pub fn proposing(&mut self) -> impl Iterator<Item = &mut Finding> {
        self.list.iter_mut().filter(|finding| finding.proposal.is_some())
    }

    /// Those so far, in any order.
    pub fn so_far(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter()
    }

    /// The findings in file order, with the texts of their lines, and the number left off.
    pub fn in_order(mut self, text: &[u8]) -> (Vec<Finding>, usize) {
        self.list.sort_by_key(|finding| (finding.line, finding.kind));
        let mut lines = robots::lines(text, self.dialect).peekable();
        for finding in &mut self.list {
            while lines.next_if(|line| line.number < finding.line).is_some() {}
            if let Some(line) = lines.peek().filter(|line| line.number == finding.line) {
                finding.text = excerpt(line.text);
            }
        }
        (self.list, self.left_off)
    }
}

/// The maximum number of bytes shown of a line.
const EXCERPT: usize = 160;

/// What stands for the rest of a line.
const CUT: char = '…';

/// Text of a file for people: cut if it is long, without what a terminal would obey.
pub(super) fn excerpt(text: &[u8]) -> String {
    let text = text.trim_ascii();
    let shown = visible(String::from_utf8_lossy(&text[..text.len().min(EXCERPT)]));
    if text.len() > EXCERPT { format!("{shown}{CUT}") } else { shown.to_string() }
}

/// A place in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Citation {
    /// The document, for example `RFC 9309`.
    pub document: &'static str,
    /// The section, rule or function in it; empty if the document has no parts.
    pub section: &'static str,
    /// Whether the dialect's own documents are silent, so that another one is cited.
    pub borrowed: bool,
}

/// The passages of one dialect's documents.
struct Texts {
    dialect: &'static str,
    /// The kinds that a place in a document is about, the document, and the place.
    places: &'static [(&'static [FindingKind], &'static str, &'static str)],
}

const RFC: &str = "RFC 9309";
const GOOGLE: &str = "google/robotstxt, robots.cc";
const GOOGLE_PAGE: &str = "Google, How Google interprets the robots.txt specification";
const MANDELBOT: &str = "Fractle's page on Mandelbot's robots.txt support";
const SEARCHTOOLS: &str = "SearchTools, Elements of robots.txt, June 2008";
const DRAFT: &str = "draft-koster-robots-00";
const STANDARD: &str = "A Standard for Robot Exclusion, 30 June 1994";
/// The page by the same author that explains the standard.
const WEB_ROBOTS: &str = "robotstxt.org, About /robots.txt";
/// The standard itself allows several agents; pages that taught it at the time did not.
const TUTORIALS: &str = "tutorials of the format of 1994";
const BING: &str = "Bing Webmaster Blog, To crawl or not to crawl, 3 May 2012";
const URL_STANDARD: &str = "URL Standard";
const ATTACH: &str = "draft-ietf-aipref-attach-05";
const VOCABULARY: &str = "draft-ietf-aipref-vocab-07";
const CONTENT_SIGNALS: &str = "contentsignals.org, September 2025";
const PYTHON: &str = "Python's library, urllib/robotparser.py";
const SITEMAPS: &str = "sitemaps.org, Sitemaps XML format";

const RFC_TEXTS: Texts = Texts {
    dialect: "rfc9309",
    places: &[
        (&[LooksLikeHtml, NotText, Utf16, EncodingMended, ByteOrderMark], RFC, "2.3"),
        (&[FileWithoutDisallow, AgentCut, AgentRepeated, EverybodyRepeated], RFC, "2.2.1"),
        (&[FileCut, FileTooLong, LineCut], RFC, "2.5"),
        (&[MissingColon, StarNotAlone, BlankLineInRecord, RuleWithoutSlash, SeveralPaths], RFC, "2.2"),
        (&[AgentsOnOneLine, ForeignComment, HashInside, RuleWithHost], RFC, "2.2"),
        (&[MisspeltKey, UnknownRecord, DeadRecord, RecordOfFew], RFC, "2.2.4"),
        (&[NotInherited, RulesLifted, AllowAllOverruled], RFC, "2.2.1"),
        (&[RecordWithoutDisallow, RuleOutsideGroup, Unescaped, UnreachableRule, RuleWithoutEffect], RFC, "2.2.2"),
        (&[BlocksEverything, EmptyDisallow], RFC, "2.2.2"),
        (&[RegularExpression, LiteralWildcard, DollarInside, RepeatedStar, DotStar], RFC, "2.2.3"),
        (&[DotSegment, Backslash], URL_STANDARD, "4.4, path state"),
        (&[RelativeSitemap, SeveralSitemaps], SITEMAPS, "Specifying the Sitemap location in your robots.txt file"),
        (&[SitemapRepeated], SITEMAPS, "Specifying the Sitemap location in your robots.txt file"),
        (&[CrawlDelayOutOfRange, CrawlDelayNoNumber, CrawlDelayRepeated], BING, ""),
        (&[CrawlDelayDecimals], PYTHON, "RobotFileParser.parse"),
        (&[BrokenContentUsage], ATTACH, "3.2"),
        (&[UnknownContentUsage], VOCABULARY, ""),
        (&[BrokenContentSignal, UnknownContentSignal], CONTENT_SIGNALS, ""),
    ],
};

const ALL: [Texts; 6] = [
    RFC_TEXTS,
    Texts {
        dialect: "google",
        places: &[
            (&[LooksLikeHtml, NotText, Utf16, EncodingMended, FileTooLong], GOOGLE_PAGE, "File format"),
            (&[LineCut], GOOGLE, "RobotsTxtParser::Parse"),
            (&[MissingColon], GOOGLE, "RobotsTxtParser::GetKeyAndValueFrom"),
            (&[MisspeltKey], GOOGLE, "kAllowFrequentTypos"),
            (&[UnknownRecord], GOOGLE, "ParsedRobotsKey::Parse"),
            (&[AgentCut], GOOGLE, "RobotsMatcher::ExtractUserAgent"),
            (&[StarNotAlone], GOOGLE, "RobotsMatcher::HandleUserAgent"),
            (&[AgentRepeated, EverybodyRepeated, NotInherited], GOOGLE_PAGE, "Order of precedence for user agents"),
            (&[RulesLifted, AllowAllOverruled], GOOGLE_PAGE, "Order of precedence for user agents"),
            (&[RuleOutsideGroup], GOOGLE, "RobotsMatcher::HandleDisallow"),
            (&[RuleWithoutSlash], GOOGLE, "RobotsMatchStrategy::Matches"),
            (&[Unescaped], GOOGLE, "MaybeEscapePattern"),
            (&[UnreachableRule], GOOGLE_PAGE, "Order of precedence for rules"),
            (&[RelativeSitemap, SeveralSitemaps], GOOGLE_PAGE, "sitemap"),
            (&[CrawlDelayIgnored], GOOGLE_PAGE, "Syntax"),
        ],
    },
    Texts {
        dialect: "mandelbot",
        places: &[(
            &[MissingColon, UnknownRecord, AgentRepeated, EverybodyRepeated, Unescaped, CrawlDelayIgnored],
            MANDELBOT,
            "",
        )],
    },
    Texts {
        dialect: "extended-2008",
        places: &[(&[UnreachableRule, CrawlDelayOutOfRange, CrawlDelayNoNumber], SEARCHTOOLS, "")],
    },
    Texts {
        dialect: "draft-1996",
        places: &[
            (&[LooksLikeHtml, NotText], DRAFT, "3.1"),
            (&[FileWithoutDisallow, MisspeltKey, UnknownRecord, BlankLineInRecord, RuleOutsideGroup], DRAFT, "3.2"),
            (&[MissingColon, StarNotAlone, RuleWithoutSlash, SeveralPaths, Unescaped], DRAFT, "3.3"),
            (&[AgentRepeated, EverybodyRepeated], DRAFT, "3.2.1"),
            (&[RecordWithoutDisallow, LiteralWildcard, UnreachableRule], DRAFT, "3.2.2"),
        ],
    },
    Texts {
        dialect: "original-1994",
        places: &[
            (&[FileWithoutDisallow, MissingColon, MisspeltKey, UnknownRecord], STANDARD, "The Format"),
            (&[BlankLineInRecord, RuleOutsideGroup, AllowIgnored], STANDARD, "The Format"),
            (&[AgentCut, StarNotAlone, EverybodyRepeated, NotInherited], STANDARD, "The Format, User-agent"),
            (&[RulesLifted], STANDARD, "The Format, User-agent"),
            (&[SeveralAgents], TUTORIALS, "only one User-agent field per record"),
            (&[RecordWithoutDisallow, RuleWithoutSlash, UnreachableRule], STANDARD, "The Format, Disallow"),
            (&[EmptyDisallow, BlocksEverything], STANDARD, "The Format, Disallow"),
            (&[SeveralPaths, LiteralWildcard], WEB_ROBOTS, "What to put in it"),
        ],
    },
];

/// Whether a kind rests on a single document, and is no finding for a dialect without that document.
fn needs_own_text(kind: FindingKind) -> bool {
    matches!(kind, FileTooLong | SeveralAgents | CrawlDelayOutOfRange | CrawlDelayIgnored)
}

/// The document to cite for a finding of this kind in a dialect; `None` if none speaks against it.
pub(super) fn citation(kind: FindingKind, dialect: &Dialect) -> Option<Citation> {
    let in_texts = |texts: &Texts| texts.places.iter().find(|place| place.0.contains(&kind));
    let cite = |&(_, document, section), borrowed| Citation { document, section, borrowed };
    if let Some(own) = ALL.iter().find(|texts| texts.dialect == dialect.name).and_then(in_texts) {
        return Some(cite(own, false));
    }
    if needs_own_text(kind) {
        return None;
    }
    // If even the RFC is silent about a kind, the dialect is the caller's own.
    let borrowed = in_texts(&RFC_TEXTS).map(|place| cite(place, true));
    Some(borrowed.unwrap_or(Citation { document: dialect.source, section: "", borrowed: false }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::NoteKind;

    #[test]
    fn a_note_has_the_name_of_a_finding() {
        for note in NoteKind::ALL {
            assert!(FindingKind::from_name(note.name().as_bytes()).is_some(), "{note}");
        }
    }

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        assert_eq!(excerpt(b" Allow: /a\xc3\xa9\t"), "Allow: /aé");
        assert_eq!(excerpt(b"a\x1b[2Jb\0\xff"), "a\\u{1b}[2Jb\\u{0}\u{fffd}");
        let long = excerpt(&[b'a'; 1 << 20]);
        assert_eq!((long.chars().count(), long.ends_with('…')), (EXCERPT + 1, true));
    }

    #[test]
    fn findings_beyond_the_limit_are_counted() {
        let dialect = Dialect::DEFAULT;
        let mut findings = Findings::new(dialect);
        (0..MAX as u32 + 7).for_each(|line| findings.add(FindingKind::MissingColon, line, "x"));
        let (list, left_off) = findings.in_order(b"");
        assert_eq!((list.len(), left_off), (MAX, 7));
    }

    #[test]
    fn every_dialect_has_its_texts_and_every_kind_a_place() {
        for dialect in Dialect::ALL {
            assert_eq!(ALL.iter().filter(|texts| texts.dialect == dialect.name).count(), 1, "{}", dialect.name);
        }
        for kind in FindingKind::ALL {
            let cited = Dialect::ALL.iter().filter_map(|dialect| citation(kind, dialect));
            assert!(cited.into_iter().any(|place| !place.borrowed), "{}", kind.name());
            for texts in &ALL {
                assert!(
                    texts.places.iter().flat_map(|place| place.0).filter(|&&other| other == kind).count() <= 1,
                    "{}",
                    kind.name()
                );
            }
        }
    }

    #[test]
    fn what_a_dialect_does_not_say_is_borrowed_or_no_finding() {
        let of = |name: &str, kind| citation(kind, Dialect::named(name).unwrap());
        assert_eq!(of("mandelbot", SeveralPaths).unwrap(), Citation { document: RFC, section: "2.2", borrowed: true });
        assert_eq!(of("rfc9309", SeveralAgents), None);
        assert_eq!(of("mandelbot", CrawlDelayOutOfRange), None);
        assert_eq!(of("draft-1996", FileTooLong), None);
        let mine = Dialect { name: "mine", source: "my page", ..Dialect::DEFAULT.clone() };
        assert_eq!(citation(AllowIgnored, &mine).unwrap().document, "my page");
    }
}
