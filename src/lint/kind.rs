//! The kinds of findings.

use serde::Serialize;

use crate::robots::NoteKind;

/// A kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The file looks like an HTML page.
    LooksLikeHtml,
    /// UTF-16, where UTF-8 is expected.
    Utf16,
    /// Invalid UTF-16.
    EncodingMended,
    /// A file without any record, and so without any `Disallow`.
    FileWithoutDisallow,
    /// The rest of the file beyond the dialect's limit, from this line on.
    FileCut,
    /// The rest of the file beyond what every crawler reads, from this line on.
    FileTooLong,
    /// The rest of a line beyond the dialect's limit, or after a NUL that ends it.
    LineCut,
    /// A line without a colon.
    MissingColon,
    /// A misspelt key.
    MisspeltKey,
    /// A record with an unknown key.
    UnknownRecord,
    /// A `User-agent` line of which only a part counts, or nothing at all.
    AgentCut,
    /// `User-agent: * *`: a star with other text after it.
    StarNotAlone,
    /// An agent named a second time.
    AgentRepeated,
    /// A second record for everybody.
    EverybodyRepeated,
    /// More than one agent in a record, where a document asks for one.
    SeveralAgents,
    /// A record without a `Disallow` line.
    RecordWithoutDisallow,
    /// A blank line inside a record, or between the agents of one.
    BlankLineInRecord,
    /// A rule before any agent, or outside every record.
    RuleOutsideGroup,
    /// An `Allow` line where the dialect has none.
    AllowIgnored,
    /// A rule that does not begin with a slash.
    RuleWithoutSlash,
    /// Several paths on one line.
    SeveralPaths,
    /// A regular expression, which robots.txt does not have.
    RegularExpression,
    /// A wildcard where the dialect has none.
    LiteralWildcard,
    /// A character that should be percent-encoded.
    Unescaped,
    /// A rule that can never decide, because another one always wins against it.
    UnreachableRule,
    /// A `Sitemap` that is not an absolute URL.
    RelativeSitemap,
    /// A crawl delay that its crawler does not accept.
    CrawlDelayOutOfRange,
    /// A crawl delay where the dialect accepts none.
    CrawlDelayIgnored,
}

/// How severe a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Crawlers do something other than the line says.
    Error,
    /// The line has no effect, or not for all crawlers.
    Warning,
    /// The line could be better.
    Note,
}

impl Severity {
    /// The name, for example `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
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
    /// All kinds.
    pub const ALL: [FindingKind; 28] = [
        FindingKind::LooksLikeHtml,
        FindingKind::Utf16,
        FindingKind::EncodingMended,
        FindingKind::FileWithoutDisallow,
        FindingKind::FileCut,
        FindingKind::FileTooLong,
        FindingKind::LineCut,
        FindingKind::MissingColon,
        FindingKind::MisspeltKey,
        FindingKind::UnknownRecord,
        FindingKind::AgentCut,
        FindingKind::StarNotAlone,
        FindingKind::AgentRepeated,
        FindingKind::EverybodyRepeated,
        FindingKind::SeveralAgents,
        FindingKind::RecordWithoutDisallow,
        FindingKind::BlankLineInRecord,
        FindingKind::RuleOutsideGroup,
        FindingKind::AllowIgnored,
        FindingKind::RuleWithoutSlash,
        FindingKind::SeveralPaths,
        FindingKind::RegularExpression,
        FindingKind::LiteralWildcard,
        FindingKind::Unescaped,
        FindingKind::UnreachableRule,
        FindingKind::RelativeSitemap,
        FindingKind::CrawlDelayOutOfRange,
        FindingKind::CrawlDelayIgnored,
    ];

    /// The name on the command line, for example `unreachable-rule`.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::LooksLikeHtml => "looks-like-html",
            FindingKind::Utf16 => "utf16",
            FindingKind::EncodingMended => "encoding-mended",
            FindingKind::FileWithoutDisallow => "file-without-disallow",
            FindingKind::FileCut => "file-cut",
            FindingKind::FileTooLong => "file-too-long",
            FindingKind::LineCut => "line-cut",
            FindingKind::MissingColon => "missing-colon",
            FindingKind::MisspeltKey => "misspelt-key",
            FindingKind::UnknownRecord => "unknown-record",
            FindingKind::AgentCut => "agent-cut",
            FindingKind::StarNotAlone => "star-not-alone",
            FindingKind::AgentRepeated => "agent-repeated",
            FindingKind::EverybodyRepeated => "everybody-repeated",
            FindingKind::SeveralAgents => "several-agents",
            FindingKind::RecordWithoutDisallow => "record-without-disallow",
            FindingKind::BlankLineInRecord => "blank-line-in-record",
            FindingKind::RuleOutsideGroup => "rule-outside-group",
            FindingKind::AllowIgnored => "allow-ignored",
            FindingKind::RuleWithoutSlash => "rule-without-slash",
            FindingKind::SeveralPaths => "several-paths",
            FindingKind::RegularExpression => "regular-expression",
            FindingKind::LiteralWildcard => "literal-wildcard",
            FindingKind::Unescaped => "unescaped",
            FindingKind::UnreachableRule => "unreachable-rule",
            FindingKind::RelativeSitemap => "relative-sitemap",
            FindingKind::CrawlDelayOutOfRange => "crawl-delay-out-of-range",
            FindingKind::CrawlDelayIgnored => "crawl-delay-ignored",
        }
    }

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
            | FindingKind::LiteralWildcard => Severity::Error,
            FindingKind::Utf16
            | FindingKind::FileTooLong
            | FindingKind::UnknownRecord
            | FindingKind::AgentCut
            | FindingKind::AgentRepeated
            | FindingKind::EverybodyRepeated
            | FindingKind::SeveralAgents
            | FindingKind::RecordWithoutDisallow
            | FindingKind::BlankLineInRecord
            | FindingKind::UnreachableRule
            | FindingKind::RelativeSitemap
            | FindingKind::CrawlDelayOutOfRange => Severity::Warning,
            FindingKind::FileWithoutDisallow | FindingKind::Unescaped | FindingKind::CrawlDelayIgnored => {
                Severity::Note
            }
        }
    }
}
