//! Cites a document for each finding.
//!
//! Each dialect has a table: the passages of its own documents on each kind of finding. Where these are silent, the
//! passage is borrowed from RFC 9309, today's standard. Findings that rest on a single document are made only for
//! dialects that have it.

use super::FindingKind::{
    AgentCut, AgentRepeated, AgentsOnOneLine, AllowAllOverruled, AllowIgnored, Backslash, BlankLineInRecord,
    BlocksEverything, BrokenContentSignal, BrokenContentUsage, ByteOrderMark, CrawlDelayDecimals, CrawlDelayIgnored,
    CrawlDelayNoNumber, CrawlDelayOutOfRange, CrawlDelayRepeated, DeadRecord, DollarInside, DotSegment, DotStar,
    EmptyDisallow, EncodingMended, EverybodyRepeated, FileCut, FileTooLong, FileWithoutDisallow, ForeignComment,
    LineCut, LiteralWildcard, LooksLikeHtml, MissingColon, MisspeltKey, NotInherited, RecordOfFew,
    RecordWithoutDisallow, RegularExpression, RelativeSitemap, RepeatedStar, RuleOutsideGroup, RuleWithHost,
    RuleWithoutEffect, RuleWithoutSlash, RulesLifted, SeveralAgents, SeveralPaths, SeveralSitemaps, SitemapRepeated,
    StarNotAlone, Unescaped, UnknownContentSignal, UnknownContentUsage, UnknownRecord, UnreachableRule, Utf16,
};
use serde::Serialize;

use super::FindingKind;
use crate::dialect::Dialect;

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
        (&[LooksLikeHtml, Utf16, EncodingMended, ByteOrderMark], RFC, "2.3"),
        (&[FileWithoutDisallow, AgentCut, AgentRepeated, EverybodyRepeated], RFC, "2.2.1"),
        (&[FileCut, FileTooLong, LineCut], RFC, "2.5"),
        (
            &[
                MissingColon,
                StarNotAlone,
                BlankLineInRecord,
                RuleWithoutSlash,
                SeveralPaths,
                AgentsOnOneLine,
                ForeignComment,
                RuleWithHost,
            ],
            RFC,
            "2.2",
        ),
        (&[MisspeltKey, UnknownRecord, DeadRecord, RecordOfFew], RFC, "2.2.4"),
        (&[NotInherited, RulesLifted, AllowAllOverruled], RFC, "2.2.1"),
        (
            &[
                RecordWithoutDisallow,
                RuleOutsideGroup,
                Unescaped,
                UnreachableRule,
                RuleWithoutEffect,
                BlocksEverything,
                EmptyDisallow,
            ],
            RFC,
            "2.2.2",
        ),
        (&[RegularExpression, LiteralWildcard, DollarInside, RepeatedStar, DotStar], RFC, "2.2.3"),
        (&[DotSegment, Backslash], URL_STANDARD, "4.4, path state"),
        (
            &[RelativeSitemap, SeveralSitemaps, SitemapRepeated],
            SITEMAPS,
            "Specifying the Sitemap location in your robots.txt file",
        ),
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
            (&[LooksLikeHtml, Utf16, EncodingMended, FileTooLong], GOOGLE_PAGE, "File format"),
            (&[LineCut], GOOGLE, "RobotsTxtParser::Parse"),
            (&[MissingColon], GOOGLE, "RobotsTxtParser::GetKeyAndValueFrom"),
            (&[MisspeltKey], GOOGLE, "kAllowFrequentTypos"),
            (&[UnknownRecord], GOOGLE, "ParsedRobotsKey::Parse"),
            (&[AgentCut], GOOGLE, "RobotsMatcher::ExtractUserAgent"),
            (&[StarNotAlone], GOOGLE, "RobotsMatcher::HandleUserAgent"),
            (
                &[AgentRepeated, EverybodyRepeated, NotInherited, RulesLifted, AllowAllOverruled],
                GOOGLE_PAGE,
                "Order of precedence for user agents",
            ),
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
            (
                &[AgentCut, StarNotAlone, EverybodyRepeated, NotInherited, RulesLifted],
                STANDARD,
                "The Format, User-agent",
            ),
            (&[SeveralAgents], TUTORIALS, "only one User-agent field per record"),
            (
                &[RecordWithoutDisallow, RuleWithoutSlash, UnreachableRule, EmptyDisallow, BlocksEverything],
                STANDARD,
                "The Format, Disallow",
            ),
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
