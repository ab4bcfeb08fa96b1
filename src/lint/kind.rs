//! The kinds of findings: how severe each is, and what it means, with an example. The list in the documentation is made from this.

use serde::Serialize;

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

/// Defines the kinds: each with its name, its severity, its meaning, and an example, which is empty if there is none.
macro_rules! kinds {
    ($($(#[$doc:meta])+ $Kind:ident = $name:literal, $severity:ident, $meaning:literal, $example:literal;)+) => {
        named! {
            /// A kind of finding.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
            #[non_exhaustive]
            pub enum FindingKind {
                $($(#[$doc])+ $Kind = $name,)+
            }
        }

        impl FindingKind {
            /// How severe findings of this kind are.
            pub fn severity(self) -> Severity {
                match self {
                    $(FindingKind::$Kind => Severity::$severity,)+
                }
            }

            /// Its meaning, as a part of a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(FindingKind::$Kind => $meaning,)+
                }
            }

            /// The lines of a robots.txt in which it is found; none if it is about a whole file, or a long one. Without a `User-agent`
            /// line, they are part of a record.
            pub fn example(self) -> Option<&'static str> {
                let example = match self {
                    $(FindingKind::$Kind => $example,)+
                };
                Some(example).filter(|example| !example.is_empty())
            }
        }
    };
}

kinds! {
    /// The file looks like an HTML page.
    LooksLikeHtml = "looks-like-html", Error, "an HTML page", "<!doctype html>";
    /// The file is no text.
    NotText = "not-text", Error, "no text: an archive, an image, or compressed data that is damaged, for example", "";
    /// UTF-16, where UTF-8 is expected.
    Utf16 = "utf16", Warning, "UTF-16 instead of UTF-8", "";
    /// Invalid UTF-16.
    EncodingMended = "encoding-mended", Error, "UTF-16 that is damaged", "";
    /// A file without any record, and so without any `Disallow`.
    FileWithoutDisallow = "file-without-disallow", Note, "a file without any record", "# nothing to say";
    /// The rest of the file beyond the dialect's limit, from this line on.
    FileCut = "file-cut", Error, "lines beyond what crawlers of the dialect read", "";
    /// The rest of the file beyond what every crawler reads, from this line on.
    FileTooLong = "file-too-long", Warning, "lines beyond the 500 KiB that all crawlers read", "";
    /// The rest of a line beyond the dialect's limit, or after a NUL that ends it.
    LineCut = "line-cut", Error, "the end of a line beyond what crawlers of the dialect read", "";
    /// A line without a colon.
    MissingColon = "missing-colon", Error, "no colon after the key", "Disallow /private/";
    /// A misspelt key.
    MisspeltKey = "misspelt-key", Error, "a key that is nearly another one", "Dissallow: /private/";
    /// A record with an unknown key.
    UnknownRecord = "unknown-record", Warning, "a key that nobody knows", "Robots: none";
    /// A `User-agent` line of which only a part counts, or nothing at all.
    AgentCut = "agent-cut", Warning, "an agent of which only a part counts, or nothing",
        "User-agent: examplebot/1.0\nDisallow: /";
    /// `User-agent: * *`: a star with other text after it, or a word in place of it.
    StarNotAlone = "star-not-alone", Error, "a star with other text, or a word in place of it",
        "User-agent: * all\nDisallow: /";
    /// An agent named a second time.
    AgentRepeated = "agent-repeated", Warning, "a second record for one crawler",
        "User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y";
    /// A second record for everybody.
    EverybodyRepeated = "everybody-repeated", Warning, "a second record for everybody",
        "User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y";
    /// More than one agent in a record, where a document asks for one.
    SeveralAgents = "several-agents", Warning, "more agents than crawlers of 1994 read",
        "User-agent: a\nUser-agent: b\nDisallow: /x";
    /// A record without a `Disallow` line.
    RecordWithoutDisallow = "record-without-disallow", Warning, "a record that forbids nothing",
        "User-agent: a\nAllow: /x";
    /// A blank line inside a record, or between the agents of one.
    BlankLineInRecord = "blank-line-in-record", Warning, "a blank line that does not do what it seems to",
        "User-agent: a\n\nUser-agent: b\nDisallow: /x";
    /// A rule or a delay before any agent, or outside every record.
    RuleOutsideGroup = "rule-outside-group", Error, "a rule or a delay that belongs to no agent",
        "Disallow: /x\nUser-agent: *\nDisallow: /y";
    /// An `Allow` line where the dialect has none.
    AllowIgnored = "allow-ignored", Error, "`Allow`, where the dialect has none", "Allow: /x";
    /// A rule that does not begin with a slash.
    RuleWithoutSlash = "rule-without-slash", Error, "a rule that is no path", "Disallow: private/";
    /// Several paths on one line.
    SeveralPaths = "several-paths", Error, "several paths on a line", "Disallow: /a /b";
    /// A regular expression, which robots.txt does not have.
    RegularExpression = "regular-expression", Error, "a regular expression", "Disallow: /[0-9]+/";
    /// A wildcard where the dialect has none.
    LiteralWildcard = "literal-wildcard", Error, "a wildcard, where the dialect has none",
        "User-agent: example*\nDisallow: /x";
    /// A character that should be percent-encoded.
    Unescaped = "unescaped", Note, "a character that should be percent-encoded", "Disallow: /a b";
    /// A rule with a dot segment, which no path has that is fetched.
    DotSegment = "dot-segment", Warning, "a rule for paths that nobody asks for", "Disallow: /a/../b";
    /// A rule that can never decide, because another one always wins against it.
    UnreachableRule = "unreachable-rule", Warning, "a rule against which another one always wins",
        "Allow: /a*\nDisallow: /a";
    /// A `Sitemap` that is not an absolute URL.
    RelativeSitemap = "relative-sitemap", Warning, "a sitemap without scheme and host", "Sitemap: /sitemap.xml";
    /// A crawl delay that its crawler does not accept.
    CrawlDelayOutOfRange = "crawl-delay-out-of-range", Warning, "a delay that its crawler does not accept",
        "User-agent: bingbot\nDisallow: /x\nCrawl-delay: 60";
    /// A crawl delay where the dialect accepts none.
    CrawlDelayIgnored = "crawl-delay-ignored", Note, "a delay, where crawlers of the dialect ignore it",
        "Crawl-delay: 5";
    /// A `Content-Usage` line that cannot be read, or says something else than `y` or `n`.
    BrokenContentUsage = "broken-content-usage", Error, "preferences that cannot be read", "Content-Usage: train-ai=no";
    /// A label of `Content-Usage` that the drafts do not have.
    UnknownContentUsage = "unknown-content-usage", Warning, "a preference about an unknown use", "Content-Usage: ai=n";
    /// A `Content-Signal` line that cannot be read, or says something else than `yes` or `no`.
    BrokenContentSignal = "broken-content-signal", Error, "signals that cannot be read", "Content-Signal: ai-train=n";
    /// A signal that its publishers do not have.
    UnknownContentSignal = "unknown-content-signal", Warning, "an unknown signal", "Content-Signal: training=no";
    /// A record of its own that lacks rules of `*`, so that its crawler may fetch what everybody else may not.
    NotInherited = "not-inherited", Warning, "a record that lacks what `*` blocks",
        "User-agent: *\nDisallow: /search\n\nUser-agent: a\nCrawl-delay: 5";
    /// The same, where the record says that all is allowed.
    RulesLifted = "rules-lifted", Note, "the same, where the record says that all is allowed",
        "User-agent: *\nDisallow: /search\n\nUser-agent: a\nAllow: /";
    /// Everything is blocked for all crawlers that no other record names.
    BlocksEverything = "blocks-everything", Note, "everything is blocked for all crawlers that are not named",
        "User-agent: *\nDisallow: /";
    /// A record that allows all, beside another one of the same crawler that does not.
    AllowAllOverruled = "allow-all-overruled", Warning, "an allow-all beside a record of the same crawler that blocks something",
        "User-agent: a\nAllow: /\n\nUser-agent: a\nDisallow: /x";
    /// A rule without which all paths would have the same verdict.
    RuleWithoutEffect = "rule-without-effect", Warning, "a rule without which nothing would be otherwise",
        "Disallow: /a/\nDisallow: /a/b";
    /// A `Disallow` without a value beside one that has one.
    EmptyDisallow = "empty-disallow", Warning, "a `Disallow` without a value beside others", "Disallow: /a\nDisallow:";
    /// A crawl delay that is no number.
    CrawlDelayNoNumber = "crawl-delay-no-number", Warning, "a delay that is no number", "Crawl-delay: 0,5";
    /// A second crawl delay for the same crawler.
    CrawlDelayRepeated = "crawl-delay-repeated", Warning, "a second delay for one crawler",
        "Crawl-delay: 1\nCrawl-delay: 2";
    /// A crawl delay with decimals, which not all crawlers read.
    CrawlDelayDecimals = "crawl-delay-decimals", Note, "a delay with decimals, which some crawlers ignore",
        "Crawl-delay: 2.5";
    /// Several agents on one line, which names one crawler at most.
    AgentsOnOneLine = "agents-on-one-line", Error, "several agents on a line",
        "User-agent: Googlebot, Bingbot\nDisallow: /x";
    /// A comment as in HTML or another language.
    ForeignComment = "foreign-comment", Error, "a comment without `#`", "Disallow: /x <!-- old -->";
    /// A rule with a host, perhaps after a scheme.
    RuleWithHost = "rule-with-host", Error, "a rule with a host", "Disallow: /https://www.example.com/x";
    /// A `$` that is not at the end of a rule.
    DollarInside = "dollar-inside", Error, "a `$` that is not at the end", "Disallow: /*.php$*";
    /// A backslash in a rule, where paths that are fetched have a slash.
    Backslash = "backslash", Error, "a `\\` instead of a `/`", "Disallow: /a\\b";
    /// A record that no crawler is known to read any more.
    DeadRecord = "dead-record", Warning, "a record that nobody reads any more, with what replaced it", "Noindex: /x";
    /// Several sitemaps on one line.
    SeveralSitemaps = "several-sitemaps", Error, "several sitemaps on a line",
        "Sitemap: https://example.com/a.xml, https://example.com/b.xml";
    /// A sitemap that is there twice.
    SitemapRepeated = "sitemap-repeated", Warning, "a sitemap that is there twice",
        "Sitemap: https://example.com/s.xml\nSitemap: https://example.com/s.xml";
    /// More than one `*` in a row.
    RepeatedStar = "repeated-star", Note, "more than one `*` in a row", "Disallow: /a**b";
    /// A record that few crawlers read.
    RecordOfFew = "record-of-few", Note, "a record that few read, with who does", "Clean-param: ref /shop/";
    /// A byte order mark, which some crawlers read as a part of its line.
    ByteOrderMark = "byte-order-mark", Note, "a byte order mark", "\u{feff}User-agent: *\nDisallow: /x";
    /// A name with `.*` in it, which matches less than one with `*`.
    DotStar = "dot-star", Note, "`.*` after a name, which is less than `*`", "Disallow: /foo.*";
    /// A `#` in a path, which begins a comment, so that the rule ends before it.
    HashInside = "hash-inside", Error, "a `#` in a path, which ends the rule", "Disallow: /#anchor";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::lint::check;

    #[test]
    fn each_example_is_one() {
        for kind in FindingKind::ALL {
            let Some(example) = kind.example() else { continue };
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
        let without = FindingKind::ALL.into_iter().filter(|kind| kind.example().is_none()).count();
        assert_eq!(without, 6, "only those about whole files and long lines");
    }
}
