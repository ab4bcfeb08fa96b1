//! The kinds of findings.

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
        /// A rule with a scheme and a host.
        RuleWithHost = "rule-with-host",
        /// A `$` that is not at the end of a rule.
        DollarInside = "dollar-inside",
        /// A backslash in a rule, where paths that are fetched have a slash.
        Backslash = "backslash",
        /// A record that no crawler is known to read any more.
        DeadRecord = "dead-record",
        /// A sitemap that is there twice.
        SitemapRepeated = "sitemap-repeated",
        /// More than one `*` in a row.
        RepeatedStar = "repeated-star",
        /// A record that few crawlers read.
        RecordOfFew = "record-of-few",
        /// A byte order mark, which some crawlers read as a part of the first line.
        ByteOrderMark = "byte-order-mark",
        /// A name with `.*` at its end, which matches less than one with `*`.
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
