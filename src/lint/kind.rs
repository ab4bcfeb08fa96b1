//! The kinds of findings: what each means, with an example. The list in the documentation is made from this.

use serde::Serialize;

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
        /// `User-agent: * *`: a star with other text after it, or a word in place of it.
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
        /// A rule or a delay before any agent, or outside every record.
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
        /// A record of its own that lacks rules of `*`, so that its crawler may fetch what everybody else may not.
        NotInherited = "not-inherited",
        /// The same, where the record says that all is allowed.
        RulesLifted = "rules-lifted",
        /// Everything is blocked for all crawlers that no other record names.
        BlocksEverything = "blocks-everything",
        /// A record that allows all, beside another one of the same crawler that does not.
        AllowAllOverruled = "allow-all-overruled",
        /// A rule without which all paths would have the same verdict.
        RuleWithoutEffect = "rule-without-effect",
        /// A `Disallow` without a value beside one that has one.
        EmptyDisallow = "empty-disallow",
        /// A crawl delay that is no number.
        CrawlDelayNoNumber = "crawl-delay-no-number",
        /// A second crawl delay for the same crawler.
        CrawlDelayRepeated = "crawl-delay-repeated",
        /// A crawl delay with decimals, which not all crawlers read.
        CrawlDelayDecimals = "crawl-delay-decimals",
        /// Several agents on one line, which names one crawler at most.
        AgentsOnOneLine = "agents-on-one-line",
        /// A comment as in HTML or another language.
        ForeignComment = "foreign-comment",
        /// A rule with a host, perhaps after a scheme.
        RuleWithHost = "rule-with-host",
        /// A `$` that is not at the end of a rule.
        DollarInside = "dollar-inside",
        /// A backslash in a rule, where paths that are fetched have a slash.
        Backslash = "backslash",
        /// A record that no crawler is known to read any more.
        DeadRecord = "dead-record",
        /// Several sitemaps on one line.
        SeveralSitemaps = "several-sitemaps",
        /// A sitemap that is there twice.
        SitemapRepeated = "sitemap-repeated",
        /// More than one `*` in a row.
        RepeatedStar = "repeated-star",
        /// A record that few crawlers read.
        RecordOfFew = "record-of-few",
        /// A byte order mark, which some crawlers read as a part of its line.
        ByteOrderMark = "byte-order-mark",
        /// A name with `.*` in it, which matches less than one with `*`.
        DotStar = "dot-star",
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
            | FindingKind::AgentsOnOneLine
            | FindingKind::ForeignComment
            | FindingKind::RuleWithHost
            | FindingKind::SeveralSitemaps
            | FindingKind::DollarInside
            | FindingKind::Backslash
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
            | FindingKind::NotInherited
            | FindingKind::AllowAllOverruled
            | FindingKind::RuleWithoutEffect
            | FindingKind::EmptyDisallow
            | FindingKind::CrawlDelayNoNumber
            | FindingKind::CrawlDelayRepeated
            | FindingKind::DeadRecord
            | FindingKind::SitemapRepeated
            | FindingKind::UnknownContentSignal => Severity::Warning,
            FindingKind::FileWithoutDisallow
            | FindingKind::DotStar
            | FindingKind::ByteOrderMark
            | FindingKind::RecordOfFew
            | FindingKind::RepeatedStar
            | FindingKind::CrawlDelayDecimals
            | FindingKind::BlocksEverything
            | FindingKind::RulesLifted
            | FindingKind::Unescaped
            | FindingKind::CrawlDelayIgnored => Severity::Note,
        }
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

impl FindingKind {
    /// Its meaning, with an example.
    pub fn explained(self) -> Explained {
        let (meaning, example) = texts(self);
        Explained { meaning, example: Some(example).filter(|example| !example.is_empty()) }
    }
}

#[rustfmt::skip]
fn texts(kind: FindingKind) -> (&'static str, &'static str) {
    use FindingKind as Kind;
    match kind {
        Kind::LooksLikeHtml => ("an HTML page", "<!doctype html>"),
        Kind::Utf16 => ("UTF-16 instead of UTF-8", ""),
        Kind::EncodingMended => ("UTF-16 that is damaged", ""),
        Kind::FileWithoutDisallow => ("a file without any record", "# nothing to say"),
        Kind::FileCut => ("lines beyond what crawlers of the dialect read", ""),
        Kind::FileTooLong => ("lines beyond the 500 KiB that all crawlers read", ""),
        Kind::LineCut => ("the end of a line beyond what crawlers of the dialect read", ""),
        Kind::MissingColon => ("no colon after the key", "Disallow /private/"),
        Kind::MisspeltKey => ("a key that is nearly another one", "Dissallow: /private/"),
        Kind::UnknownRecord => ("a key that nobody knows", "Robots: none"),
        Kind::AgentCut => ("an agent of which only a part counts, or nothing", "User-agent: examplebot/1.0\nDisallow: /"),
        Kind::StarNotAlone => ("a star with other text, or a word in place of it", "User-agent: * all\nDisallow: /"),
        Kind::AgentRepeated => ("a second record for one crawler", "User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y"),
        Kind::EverybodyRepeated => ("a second record for everybody", "User-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y"),
        Kind::SeveralAgents => ("more agents than crawlers of 1994 read", "User-agent: a\nUser-agent: b\nDisallow: /x"),
        Kind::RecordWithoutDisallow => ("a record that forbids nothing", "User-agent: a\nAllow: /x"),
        Kind::BlankLineInRecord => ("a blank line that does not do what it seems to", "User-agent: a\n\nUser-agent: b\nDisallow: /x"),
        Kind::RuleOutsideGroup => ("a rule or a delay that belongs to no agent", "Disallow: /x\nUser-agent: *\nDisallow: /y"),
        Kind::AllowIgnored => ("`Allow`, where the dialect has none", "Allow: /x"),
        Kind::RuleWithoutSlash => ("a rule that is no path", "Disallow: private/"),
        Kind::SeveralPaths => ("several paths on a line", "Disallow: /a /b"),
        Kind::RegularExpression => ("a regular expression", "Disallow: /[0-9]+/"),
        Kind::LiteralWildcard => ("a wildcard, where the dialect has none", "User-agent: example*\nDisallow: /x"),
        Kind::Unescaped => ("a character that should be percent-encoded", "Disallow: /a b"),
        Kind::DotSegment => ("a rule for paths that nobody asks for", "Disallow: /a/../b"),
        Kind::UnreachableRule => ("a rule against which another one always wins", "Allow: /a*\nDisallow: /a"),
        Kind::RelativeSitemap => ("a sitemap without scheme and host", "Sitemap: /sitemap.xml"),
        Kind::CrawlDelayOutOfRange => ("a delay that its crawler does not accept", "User-agent: bingbot\nDisallow: /x\nCrawl-delay: 60"),
        Kind::CrawlDelayIgnored => ("a delay, where crawlers of the dialect ignore it", "Crawl-delay: 5"),
        Kind::BrokenContentUsage => ("preferences that cannot be read", "Content-Usage: train-ai=no"),
        Kind::UnknownContentUsage => ("a preference about an unknown use", "Content-Usage: ai=n"),
        Kind::BrokenContentSignal => ("signals that cannot be read", "Content-Signal: ai-train=n"),
        Kind::UnknownContentSignal => ("an unknown signal", "Content-Signal: training=no"),
        Kind::NotInherited => ("a record that lacks what `*` blocks", "User-agent: *\nDisallow: /search\n\nUser-agent: a\nCrawl-delay: 5"),
        Kind::RulesLifted => ("the same, where the record says that all is allowed", "User-agent: *\nDisallow: /search\n\nUser-agent: a\nAllow: /"),
        Kind::BlocksEverything => ("everything is blocked for all crawlers that are not named", "User-agent: *\nDisallow: /"),
        Kind::AllowAllOverruled => ("an allow-all beside a record of the same crawler that blocks something", "User-agent: a\nAllow: /\n\nUser-agent: a\nDisallow: /x"),
        Kind::RuleWithoutEffect => ("a rule without which nothing would be otherwise", "Disallow: /a/\nDisallow: /a/b"),
        Kind::EmptyDisallow => ("a `Disallow` without a value beside others", "Disallow: /a\nDisallow:"),
        Kind::CrawlDelayNoNumber => ("a delay that is no number", "Crawl-delay: 0,5"),
        Kind::CrawlDelayRepeated => ("a second delay for one crawler", "Crawl-delay: 1\nCrawl-delay: 2"),
        Kind::CrawlDelayDecimals => ("a delay with decimals, which some crawlers ignore", "Crawl-delay: 2.5"),
        Kind::AgentsOnOneLine => ("several agents on a line", "User-agent: Googlebot, Bingbot\nDisallow: /x"),
        Kind::ForeignComment => ("a comment without `#`", "Disallow: /x <!-- old -->"),
        Kind::RuleWithHost => ("a rule with a host", "Disallow: /https://www.example.com/x"),
        Kind::DollarInside => ("a `$` that is not at the end", "Disallow: /*.php$*"),
        Kind::Backslash => ("a `\\` instead of a `/`", "Disallow: /a\\b"),
        Kind::DeadRecord => ("a record that nobody reads any more, with what replaced it", "Noindex: /x"),
        Kind::SeveralSitemaps => ("several sitemaps on a line", "Sitemap: https://example.com/a.xml, https://example.com/b.xml"),
        Kind::SitemapRepeated => ("a sitemap that is there twice", "Sitemap: https://example.com/s.xml\nSitemap: https://example.com/s.xml"),
        Kind::RepeatedStar => ("more than one `*` in a row", "Disallow: /a**b"),
        Kind::DotStar => ("`.*` after a name, which is less than `*`", "Disallow: /foo.*"),
        Kind::RecordOfFew => ("a record that few read, with who does", "Clean-param: ref /shop/"),
        Kind::ByteOrderMark => ("a byte order mark", "\u{feff}User-agent: *\nDisallow: /x"),
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
