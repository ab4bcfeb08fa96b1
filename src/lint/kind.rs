//! The kinds of findings: how severe each is, and what it means, with an example. The list in the documentation is made from this.

use serde::Serialize;

use crate::robots::NoteKind;

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

/// What a kind of finding means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explained {
    /// Its meaning, as a part of a sentence.
    pub meaning: &'static str,
    /// The lines of a robots.txt in which it is found; none if it is about a whole file, or a long one. Without a `User-agent` line,
    /// they are part of a record.
    pub example: Option<&'static str>,
}

/// Defines the kinds: each with its name, its severity, its meaning, and an example, which is empty if there is none.
macro_rules! kinds {
    ($($Kind:ident = $name:literal, $severity:ident, $meaning:literal, $example:literal;)+) => {
        named! {
            /// A kind of finding.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
            #[non_exhaustive]
            pub enum FindingKind {
                $(#[doc = $meaning] $Kind = $name,)+
            }
        }

        impl FindingKind {
            /// How severe findings of this kind are.
            pub fn severity(self) -> Severity {
                match self {
                    $(FindingKind::$Kind => Severity::$severity,)+
                }
            }

            /// Its meaning, with an example.
            pub fn explained(self) -> Explained {
                let (meaning, example): (_, &str) = match self {
                    $(FindingKind::$Kind => ($meaning, $example),)+
                };
                Explained { meaning, example: Some(example).filter(|example| !example.is_empty()) }
            }
        }
    };
}

kinds! {
    LooksLikeHtml = "looks-like-html", Error, "an HTML page", "<!doctype html>";
    Utf16 = "utf16", Warning, "UTF-16 instead of UTF-8", "";
    EncodingMended = "encoding-mended", Error, "UTF-16 that is damaged", "";
    FileWithoutDisallow = "file-without-disallow", Note, "a file without any record", "# nothing to say";
    FileCut = "file-cut", Error, "lines beyond what crawlers of the dialect read", "";
    FileTooLong = "file-too-long", Warning, "lines beyond the 500 KiB that all crawlers read", "";
    LineCut = "line-cut", Error, "the end of a line beyond what crawlers of the dialect read", "";
    MissingColon = "missing-colon", Error, "no colon after the key", "Disallow /private/";
    MisspeltKey = "misspelt-key", Error, "a key that is nearly another one", "Dissallow: /private/";
    UnknownRecord = "unknown-record", Warning, "a key that nobody knows", "Robots: none";
    AgentCut = "agent-cut", Warning, "an agent of which only a part counts, or nothing",
        "User-agent: examplebot/1.0\nDisallow: /";
    StarNotAlone = "star-not-alone", Error, "a star with other text, or a word in place of it",
        "User-agent: * all\nDisallow: /";
    AgentRepeated = "agent-repeated", Warning, "a second record for one crawler",
        "User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y";
    EverybodyRepeated = "everybody-repeated", Warning, "a second record for everybody",
        "User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y";
    SeveralAgents = "several-agents", Warning, "more agents than crawlers of 1994 read",
        "User-agent: a\nUser-agent: b\nDisallow: /x";
    RecordWithoutDisallow = "record-without-disallow", Warning, "a record that forbids nothing",
        "User-agent: a\nAllow: /x";
    BlankLineInRecord = "blank-line-in-record", Warning, "a blank line that does not do what it seems to",
        "User-agent: a\n\nUser-agent: b\nDisallow: /x";
    RuleOutsideGroup = "rule-outside-group", Error, "a rule or a delay that belongs to no agent",
        "Disallow: /x\nUser-agent: *\nDisallow: /y";
    AllowIgnored = "allow-ignored", Error, "`Allow`, where the dialect has none", "Allow: /x";
    RuleWithoutSlash = "rule-without-slash", Error, "a rule that is no path", "Disallow: private/";
    SeveralPaths = "several-paths", Error, "several paths on a line", "Disallow: /a /b";
    RegularExpression = "regular-expression", Error, "a regular expression", "Disallow: /[0-9]+/";
    LiteralWildcard = "literal-wildcard", Error, "a wildcard, where the dialect has none",
        "User-agent: example*\nDisallow: /x";
    Unescaped = "unescaped", Note, "a character that should be percent-encoded", "Disallow: /a b";
    DotSegment = "dot-segment", Warning, "a rule for paths that nobody asks for", "Disallow: /a/../b";
    UnreachableRule = "unreachable-rule", Warning, "a rule against which another one always wins",
        "Allow: /a*\nDisallow: /a";
    RelativeSitemap = "relative-sitemap", Warning, "a sitemap without scheme and host", "Sitemap: /sitemap.xml";
    CrawlDelayOutOfRange = "crawl-delay-out-of-range", Warning, "a delay that its crawler does not accept",
        "User-agent: bingbot\nDisallow: /x\nCrawl-delay: 60";
    CrawlDelayIgnored = "crawl-delay-ignored", Note, "a delay, where crawlers of the dialect ignore it",
        "Crawl-delay: 5";
    BrokenContentUsage = "broken-content-usage", Error, "preferences that cannot be read", "Content-Usage: train-ai=no";
    UnknownContentUsage = "unknown-content-usage", Warning, "a preference about an unknown use", "Content-Usage: ai=n";
    BrokenContentSignal = "broken-content-signal", Error, "signals that cannot be read", "Content-Signal: ai-train=n";
    UnknownContentSignal = "unknown-content-signal", Warning, "an unknown signal", "Content-Signal: training=no";
    NotInherited = "not-inherited", Warning, "a record that lacks what `*` blocks",
        "User-agent: *\nDisallow: /search\n\nUser-agent: a\nCrawl-delay: 5";
    RulesLifted = "rules-lifted", Note, "the same, where the record says that all is allowed",
        "User-agent: *\nDisallow: /search\n\nUser-agent: a\nAllow: /";
    BlocksEverything = "blocks-everything", Note, "everything is blocked for all crawlers that are not named",
        "User-agent: *\nDisallow: /";
    AllowAllOverruled = "allow-all-overruled", Warning, "an allow-all beside a record of the same crawler that blocks something",
        "User-agent: a\nAllow: /\n\nUser-agent: a\nDisallow: /x";
    RuleWithoutEffect = "rule-without-effect", Warning, "a rule without which nothing would be otherwise",
        "Disallow: /a/\nDisallow: /a/b";
    EmptyDisallow = "empty-disallow", Warning, "a `Disallow` without a value beside others", "Disallow: /a\nDisallow:";
    CrawlDelayNoNumber = "crawl-delay-no-number", Warning, "a delay that is no number", "Crawl-delay: 0,5";
    CrawlDelayRepeated = "crawl-delay-repeated", Warning, "a second delay for one crawler",
        "Crawl-delay: 1\nCrawl-delay: 2";
    CrawlDelayDecimals = "crawl-delay-decimals", Note, "a delay with decimals, which some crawlers ignore",
        "Crawl-delay: 2.5";
    AgentsOnOneLine = "agents-on-one-line", Error, "several agents on a line",
        "User-agent: Googlebot, Bingbot\nDisallow: /x";
    ForeignComment = "foreign-comment", Error, "a comment without `#`", "Disallow: /x <!-- old -->";
    RuleWithHost = "rule-with-host", Error, "a rule with a host", "Disallow: /https://www.example.com/x";
    DollarInside = "dollar-inside", Error, "a `$` that is not at the end", "Disallow: /*.php$*";
    Backslash = "backslash", Error, "a `\\` instead of a `/`", "Disallow: /a\\b";
    DeadRecord = "dead-record", Warning, "a record that nobody reads any more, with what replaced it", "Noindex: /x";
    SeveralSitemaps = "several-sitemaps", Error, "several sitemaps on a line",
        "Sitemap: https://example.com/a.xml, https://example.com/b.xml";
    SitemapRepeated = "sitemap-repeated", Warning, "a sitemap that is there twice",
        "Sitemap: https://example.com/s.xml\nSitemap: https://example.com/s.xml";
    RepeatedStar = "repeated-star", Note, "more than one `*` in a row", "Disallow: /a**b";
    RecordOfFew = "record-of-few", Note, "a record that few read, with who does", "Clean-param: ref /shop/";
    ByteOrderMark = "byte-order-mark", Note, "a byte order mark", "\u{feff}User-agent: *\nDisallow: /x";
    DotStar = "dot-star", Note, "`.*` after a name, which is less than `*`", "Disallow: /foo.*";
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::lint::check;

    #[test]
    fn each_example_is_one() {
        for kind in FindingKind::ALL {
            let Some(example) = kind.explained().example else { continue };
            let is_whole = example.to_ascii_lowercase().contains("user-agent") || example.starts_with(['#', '<']);
            let file = if is_whole {
                example.to_owned()
            } else {
                format!("User-agent: examplebot\nDisallow: /1\n{example}\n")
            };
            let is_found =
                |dialect: &Dialect| check(file.as_bytes(), dialect).findings.iter().any(|found| found.kind == kind);
            assert!(Dialect::ALL.iter().any(is_found), "{}: {example}", kind.name());
        }
        let without = FindingKind::ALL.into_iter().filter(|kind| kind.explained().example.is_none()).count();
        assert_eq!(without, 5, "only those about whole files and long lines");
    }
}
