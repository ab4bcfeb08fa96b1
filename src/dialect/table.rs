//! The six dialects, side by side.

use super::{
    AgentList, AgentValue, AllowLines, Boundary, CrawlDelay, Dialect, Encoding, FileStart, Groups, Keys, Lifetime,
    LineLimit, NulByte, Precedence, Redirects, RobotsTxtPath, RuleStart, StatusMeaning, UrlPath, Wildcards,
};

const HOUR: u64 = 3600;

/// RFC 9309 asks for at least 500 KiB (2.5); ours is about eight times that.
const FILE_LIMIT: usize = 4 << 20;

/// google/robotstxt has no file limit; this one only keeps offsets within 32 bits.
const GOOGLE_FILE_LIMIT: usize = 256 << 20;

/// The line buffer of google/robotstxt: eight times 2,083 bytes, less the terminating NUL.
const GOOGLE_LINE_LIMIT: usize = 2083 * 8 - 1;

/// "at least five consecutive redirects", then unavailable (RFC 2.3.1.2).
const FIVE_THEN_UNAVAILABLE: Redirects = Redirects { hops: 5, beyond: StatusMeaning::Unavailable };

/// Followed to the end; the bound only stops loops, which have no end (ours: no verdict).
const FOLLOWED: Redirects = Redirects { hops: 20, beyond: StatusMeaning::Redirect };

const RFC9309: Dialect = Dialect {
    name: "rfc9309",
    source: "RFC 9309, Robots Exclusion Protocol, September 2022",
    allow: AllowLines::Rules,
    precedence: Precedence::Longest,
    wildcards: Wildcards::Special,
    agent_line: AgentValue::Token,
    agent_list: AgentList::Preference,
    groups: Groups::Merged,
    boundary: Boundary::RuleLine,
    rule_start: RuleStart::SlashOrStar,
    keys: Keys::Exact,
    directory_index: false,
    url_path: UrlPath::AsFetched,
    encoding: Encoding::NormalForm,
    robots_txt: RobotsTxtPath::AlwaysAllowed,
    file_start: FileStart::Decoded,
    nul: NulByte::Ordinary,
    file_limit: FILE_LIMIT,
    line_limit: LineLimit::None,
    unauthorized: StatusMeaning::Unavailable,
    too_many_requests: StatusMeaning::Unavailable,
    redirects: FIVE_THEN_UNAVAILABLE,
    lifetime: Lifetime { seconds: 24 * HOUR, expires_header: false },
    crawl_delay: CrawlDelay::Kept,
};

const GOOGLE: Dialect = Dialect {
    name: "google",
    source: "google/robotstxt, the C++ library",
    agent_line: AgentValue::LettersToken,
    agent_list: AgentList::Merge,
    rule_start: RuleStart::Any,
    keys: Keys::Lenient,
    directory_index: true,
    url_path: UrlPath::AsWritten,
    encoding: Encoding::RuleOnly,
    robots_txt: RobotsTxtPath::ByRules,
    file_start: FileStart::PartialMark,
    nul: NulByte::EndsLine,
    file_limit: GOOGLE_FILE_LIMIT,
    line_limit: LineLimit::Bytes(GOOGLE_LINE_LIMIT),
    too_many_requests: StatusMeaning::Unreachable,
    ..RFC9309
};

const MANDELBOT: Dialect = Dialect {
    name: "mandelbot",
    source: "Fractle's page on Mandelbot's robots.txt support",
    agent_line: AgentValue::Whole,
    robots_txt: RobotsTxtPath::ByRules,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 48 * HOUR, expires_header: false },
    crawl_delay: CrawlDelay::NotObeyed,
    ..RFC9309
};

const EXTENDED_2008: Dialect = Dialect {
    name: "extended-2008",
    source: "SearchTools, Elements of robots.txt, June 2008 (Google, Yahoo, Microsoft)",
    agent_line: AgentValue::OccursInName,
    robots_txt: RobotsTxtPath::ByRules,
    crawl_delay: CrawlDelay::Seconds,
    ..RFC9309
};

const DRAFT_1996: Dialect = Dialect {
    name: "draft-1996",
    source: "draft-koster-robots-00, A Method for Web Robots Control, 1996",
    precedence: Precedence::FirstMatch,
    wildcards: Wildcards::Literal,
    agent_line: AgentValue::ContainsName,
    groups: Groups::First,
    boundary: Boundary::BlankLine,
    rule_start: RuleStart::Slash,
    encoding: Encoding::DecodedExceptSlash,
    unauthorized: StatusMeaning::Forbidden,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 7 * 24 * HOUR, expires_header: true },
    ..RFC9309
};

const ORIGINAL_1994: Dialect = Dialect {
    name: "original-1994",
    source: "A Standard for Robot Exclusion, 30 June 1994",
    allow: AllowLines::Ignored,
    precedence: Precedence::AnyDisallow,
    wildcards: Wildcards::Literal,
    agent_line: AgentValue::OccursInName,
    groups: Groups::First,
    boundary: Boundary::BlankLine,
    rule_start: RuleStart::Slash,
    encoding: Encoding::Escaped,
    robots_txt: RobotsTxtPath::ByRules,
    redirects: FOLLOWED,
    lifetime: Lifetime { seconds: 7 * 24 * HOUR, expires_header: false },
    ..RFC9309
};

impl Dialect {
    /// All dialects, the default (`rfc9309`) first.
    pub const ALL: &'static [Dialect] = &[RFC9309, GOOGLE, MANDELBOT, EXTENDED_2008, DRAFT_1996, ORIGINAL_1994];

    /// RFC 9309, the default.
    pub const DEFAULT: &'static Dialect = &Dialect::ALL[0];
}
