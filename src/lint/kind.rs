//! The kinds of findings.

use FindingKind::{
    AgentCut, AgentRepeated, AllowIgnored, BlankLineInRecord, BrokenContentSignal, BrokenContentUsage,
    CrawlDelayIgnored, CrawlDelayOutOfRange, DotSegment, EncodingMended, EverybodyRepeated, FileCut, FileTooLong,
    FileWithoutDisallow, LineCut, LiteralWildcard, LooksLikeHtml, MissingColon, MisspeltKey, RecordWithoutDisallow,
    RegularExpression, RelativeSitemap, RuleOutsideGroup, RuleWithoutSlash, SeveralAgents, SeveralPaths, StarNotAlone,
    Unescaped, UnknownContentSignal, UnknownContentUsage, UnknownRecord, UnreachableRule, Utf16,
};
use serde::Serialize;

use crate::dialect::Dialect;
use crate::robots::NoteKind;

named! {
    /// A kind of finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[non_exhaustive]
    pub enum FindingKind {
        /// The file looks like an HTML page.
        LooksLikeHtml = "looks-like-html",
        /// UTF-16, where UTF-8 is expected.
        Utf16 = "utf16",
        /// Invalid UTF-16.
        EncodingMended = "encoding-mended",
        /// A file without any record, and so without any `Disallow`.
        FileWithoutDisallow = "file-without-disallow",
        /// The rest of the file beyond the dialect's limit, from this line on.
        FileCut = "file-cut",
        /// The rest of the file beyond what every crawler reads, from this line on.
        FileTooLong = "file-too-long",
        /// The rest of a line beyond the dialect's limit, or after a NUL that ends it.
        LineCut = "line-cut",
        /// A line without a colon.
        MissingColon = "missing-colon",
        /// A misspelt key.
        MisspeltKey = "misspelt-key",
        /// A record with an unknown key.
        UnknownRecord = "unknown-record",
        /// A `User-agent` line of which only a part counts, or nothing at all.
        AgentCut = "agent-cut",
        /// `User-agent: * *`: a star with other text after it.
        StarNotAlone = "star-not-alone",
        /// An agent named a second time.
        AgentRepeated = "agent-repeated",
        /// A second record for everybody.
        EverybodyRepeated = "everybody-repeated",
        /// More than one agent in a record, where a document asks for one.
        SeveralAgents = "several-agents",
        /// A record without a `Disallow` line.
        RecordWithoutDisallow = "record-without-disallow",
        /// A blank line inside a record, or between the agents of one.
        BlankLineInRecord = "blank-line-in-record",
        /// A rule before any agent, or outside every record.
        RuleOutsideGroup = "rule-outside-group",
        /// An `Allow` line where the dialect has none.
        AllowIgnored = "allow-ignored",
        /// A rule that does not begin with a slash.
        RuleWithoutSlash = "rule-without-slash",
        /// Several paths on one line.
        SeveralPaths = "several-paths",
        /// A regular expression, which robots.txt does not have.
        RegularExpression = "regular-expression",
        /// A wildcard where the dialect has none.
        LiteralWildcard = "literal-wildcard",
        /// A character that should be percent-encoded.
        Unescaped = "unescaped",
        /// A rule with a dot segment, which no path has that is fetched.
        DotSegment = "dot-segment",
        /// A rule that can never decide, because another one always wins against it.
        UnreachableRule = "unreachable-rule",
        /// A `Sitemap` that is not an absolute URL.
        RelativeSitemap = "relative-sitemap",
        /// A crawl delay that its crawler does not accept.
        CrawlDelayOutOfRange = "crawl-delay-out-of-range",
        /// A crawl delay where the dialect accepts none.
        CrawlDelayIgnored = "crawl-delay-ignored",
        /// A `Content-Usage` line that cannot be read, or says something else than `y` or `n`.
        BrokenContentUsage = "broken-content-usage",
        /// A label of `Content-Usage` that the drafts do not have.
        UnknownContentUsage = "unknown-content-usage",
        /// A `Content-Signal` line that cannot be read, or says something else than `yes` or `no`.
        BrokenContentSignal = "broken-content-signal",
        /// A signal that its publishers do not have.
        UnknownContentSignal = "unknown-content-signal",
    }
}

named! {
    /// How severe a finding is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[non_exhaustive]
    pub enum Severity {
        /// Crawlers do something other than the line says.
        Error = "error",
        /// The line has no effect, or not for all crawlers.
        Warning = "warning",
        /// The line could be better.
        Note = "note",
    }
}

impl From<NoteKind> for FindingKind {
    fn from(kind: NoteKind) -> FindingKind {
        match kind {
            NoteKind::RuleOutsideGroup => FindingKind::RuleOutsideGroup,
            NoteKind::RuleWithoutSlash => FindingKind::RuleWithoutSlash,
            NoteKind::AllowIgnored => FindingKind::AllowIgnored,
            NoteKind::MissingColon => FindingKind::MissingColon,
            NoteKind::MisspeltKey => FindingKind::MisspeltKey,
            NoteKind::UnknownRecord => FindingKind::UnknownRecord,
            NoteKind::AgentCut => FindingKind::AgentCut,
            NoteKind::AgentRepeated => FindingKind::AgentRepeated,
            NoteKind::LineCut => FindingKind::LineCut,
            NoteKind::FileCut => FindingKind::FileCut,
            NoteKind::EncodingMended => FindingKind::EncodingMended,
            NoteKind::LooksLikeHtml => FindingKind::LooksLikeHtml,
        }
    }
}

impl FindingKind {
    /// How severe findings of this kind are.
    pub fn severity(self) -> Severity {
        match self {
            FindingKind::LooksLikeHtml
            | FindingKind::EncodingMended
            | FindingKind::FileCut
            | FindingKind::LineCut
            | FindingKind::MissingColon
            | FindingKind::MisspeltKey
            | FindingKind::StarNotAlone
            | FindingKind::RuleOutsideGroup
            | FindingKind::AllowIgnored
            | FindingKind::RuleWithoutSlash
            | FindingKind::SeveralPaths
            | FindingKind::RegularExpression
            | FindingKind::LiteralWildcard
            | FindingKind::BrokenContentUsage
            | FindingKind::BrokenContentSignal => Severity::Error,
            FindingKind::Utf16
            | FindingKind::FileTooLong
            | FindingKind::UnknownRecord
            | FindingKind::AgentCut
            | FindingKind::AgentRepeated
            | FindingKind::EverybodyRepeated
            | FindingKind::SeveralAgents
            | FindingKind::RecordWithoutDisallow
            | FindingKind::BlankLineInRecord
            | FindingKind::DotSegment
            | FindingKind::UnreachableRule
            | FindingKind::RelativeSitemap
            | FindingKind::CrawlDelayOutOfRange
            | FindingKind::UnknownContentUsage
            | FindingKind::UnknownContentSignal => Severity::Warning,
            FindingKind::FileWithoutDisallow | FindingKind::Unescaped | FindingKind::CrawlDelayIgnored => {
                Severity::Note
            }
        }
    }
}

// Cites a document for each finding.
//
// Each dialect has a table: the passages of its own documents on each kind of finding. Where these are silent, the
// passage is borrowed from RFC 9309, today's standard. Findings that rest on a single document are made only for
// dialects that have it.

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
const SITEMAPS: &str = "sitemaps.org, Sitemaps XML format";

const RFC_TEXTS: Texts = Texts {
    dialect: "rfc9309",
    places: &[
        (&[LooksLikeHtml, Utf16, EncodingMended], RFC, "2.3"),
        (&[FileWithoutDisallow, AgentCut, AgentRepeated, EverybodyRepeated], RFC, "2.2.1"),
        (&[FileCut, FileTooLong, LineCut], RFC, "2.5"),
        (&[MissingColon, StarNotAlone, BlankLineInRecord, RuleWithoutSlash, SeveralPaths], RFC, "2.2"),
        (&[MisspeltKey, UnknownRecord], RFC, "2.2.4"),
        (&[RecordWithoutDisallow, RuleOutsideGroup, Unescaped, UnreachableRule], RFC, "2.2.2"),
        (&[RegularExpression, LiteralWildcard], RFC, "2.2.3"),
        (&[DotSegment], URL_STANDARD, "4.4, path state"),
        (&[RelativeSitemap], SITEMAPS, "Specifying the Sitemap location in your robots.txt file"),
        (&[CrawlDelayOutOfRange], BING, ""),
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
            (&[LooksLikeHtml, Utf16, EncodingMended, FileTooLong], GOOGLE_PAGE, "File format"),
            (&[LineCut], GOOGLE, "RobotsTxtParser::Parse"),
            (&[MissingColon], GOOGLE, "RobotsTxtParser::GetKeyAndValueFrom"),
            (&[MisspeltKey], GOOGLE, "kAllowFrequentTypos"),
            (&[UnknownRecord], GOOGLE, "ParsedRobotsKey::Parse"),
            (&[AgentCut], GOOGLE, "RobotsMatcher::ExtractUserAgent"),
            (&[StarNotAlone], GOOGLE, "RobotsMatcher::HandleUserAgent"),
            (&[AgentRepeated, EverybodyRepeated], GOOGLE_PAGE, "Order of precedence for user agents"),
            (&[RuleOutsideGroup], GOOGLE, "RobotsMatcher::HandleDisallow"),
            (&[RuleWithoutSlash], GOOGLE, "RobotsMatchStrategy::Matches"),
            (&[Unescaped], GOOGLE, "MaybeEscapePattern"),
            (&[UnreachableRule], GOOGLE_PAGE, "Order of precedence for rules"),
            (&[RelativeSitemap], GOOGLE_PAGE, "sitemap"),
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
    Texts { dialect: "extended-2008", places: &[(&[UnreachableRule, CrawlDelayOutOfRange], SEARCHTOOLS, "")] },
    Texts {
        dialect: "draft-1996",
        places: &[
            (&[LooksLikeHtml], DRAFT, "3.1"),
            (&[FileWithoutDisallow, MisspeltKey, UnknownRecord, BlankLineInRecord, RuleOutsideGroup], DRAFT, "3.2"),
            (&[MissingColon, StarNotAlone, RuleWithoutSlash, SeveralPaths, Unescaped], DRAFT, "3.3"),
            (&[AgentRepeated, EverybodyRepeated], DRAFT, "3.2.1"),
            (&[RecordWithoutDisallow, LiteralWildcard, UnreachableRule], DRAFT, "3.2.2"),
        ],
    },
    Texts {
        dialect: "original-1994",
        places: &[
            (
                &[
                    FileWithoutDisallow,
                    MissingColon,
                    MisspeltKey,
                    UnknownRecord,
                    BlankLineInRecord,
                    RuleOutsideGroup,
                    AllowIgnored,
                ],
                STANDARD,
                "The Format",
            ),
            (&[AgentCut, StarNotAlone, EverybodyRepeated], STANDARD, "The Format, User-agent"),
            (&[SeveralAgents], TUTORIALS, "only one User-agent field per record"),
            (&[RecordWithoutDisallow, RuleWithoutSlash, UnreachableRule], STANDARD, "The Format, Disallow"),
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
