//! The axes on which dialects differ. The doc comment of each value cites the text that defines it, or says "ours" if no text does;
//! it is data as well, which [`Dialect::axes`](super::Dialect::axes) gives to documents and other programs.
//!
//! "RFC" is RFC 9309; "C++" is the library google/robotstxt; "1994" is the standard for robot exclusion of 30 June 1994; "1996" is
//! draft-koster-robots-00; "2008" is the SearchTools page on the elements of robots.txt; "Mandelbot" is Fractle's page on Mandelbot's
//! robots.txt support; "URL" is the URL Standard (WHATWG), which curl, requests, yarl, reqwest and browsers follow.

use std::borrow::Cow;

use super::statuses::StatusMeaning;

/// One point on which the documents differ, and what a dialect does about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Axis {
    /// Its name, such as `precedence`.
    pub name: Cow<'static, str>,
    /// The question that the axis answers, such as "Which matching rule decides when several match."
    pub question: &'static str,
    /// The dialect's value, such as `longest`.
    pub value: Cow<'static, str>,
    /// The meaning of the value, with the text that defines it, such as "(RFC 2.2.2)"; "ours" if no text does.
    pub meaning: Cow<'static, str>,
}

/// Defines axes with a few named values each, from one list: what the doc comments say is data.
macro_rules! axes {
    ($(
        $(#[doc = $question:literal])+
        $field:ident: $Axis:ident {
            $($(#[doc = $meaning:literal])+ $Value:ident = $name:literal,)+
        }
    )+) => {
        $(
            $(#[doc = $question])+
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum $Axis {
                $($(#[doc = $meaning])+ $Value,)+
            }

            impl $Axis {
                /// The axis, with this value.
                pub(super) fn axis(self) -> Axis {
                    let (value, meaning) = match self {
                        $($Axis::$Value => ($name, concat!($($meaning),+)),)+
                    };
                    // Each line of a doc comment begins with a space.
                    let [question, meaning] = [concat!($($question),+), meaning].map(str::trim_start);
                    Axis::new(stringify!($field).replace('_', "-"), question, value, meaning)
                }
            }
        )+
    };
}

axes! {
    /// Whether `Allow` lines are rules.
    allow: AllowLines {
        /// `Allow` lines are rules (RFC 2.2.2, 1996 3.2.2, 2008, Mandelbot, C++).
        Rules = "rules",
        /// `Allow` lines are unrecognised headers and ignored (1994, "The Format").
        Ignored = "ignored",
    }

    /// Which matching rule decides when several match.
    precedence: Precedence {
        /// The longest pattern; `Allow` wins a tie (RFC 2.2.2, Mandelbot, C++; 2008: ours, unstated).
        Longest = "longest",
        /// The first match in file order (1996 3.2.2).
        FirstMatch = "first-match",
        /// Any matching `Disallow` (1994).
        AnyDisallow = "any-disallow",
    }

    /// Whether `*` and a final `$` are special in a rule.
    wildcards: Wildcards {
        /// `*` matches any run of bytes; a final `$` matches the end of path and query (RFC 2.2.3, 2008, Mandelbot, C++).
        Special = "special",
        /// Both are literal bytes (1994: globbing is not supported; 1996 3.2.2: plain prefixes).
        Literal = "literal",
    }

    /// How the value of a `User-agent` line names crawlers.
    agent_line: AgentValue {
        /// Its leading run of `[A-Za-z0-9_-]`, compared as a whole, ignoring case; `*` alone means every crawler
        /// (RFC 2.2.1; accepting digits and trailing text: ours, the common reading).
        Token = "token",
        /// Its leading run of `[A-Za-z_-]`, compared as a whole, ignoring case; `*`, alone or before a blank, means every crawler
        /// (C++).
        LettersToken = "letters-token",
        /// The whole value is the name, ignoring case (Mandelbot).
        Whole = "whole",
        /// The value, without its version, occurs in the crawler's name, ignoring case; an empty value names no crawler (1994).
        OccursInName = "occurs-in-name",
        /// The value contains the crawler's name, ignoring case (1996 3.2.1).
        ContainsName = "contains-name",
    }

    /// The meaning of a list of product tokens for one crawler.
    agent_list: AgentList {
        /// The first token with a group of its own applies, then `*` (ours: the documents know only single tokens).
        Preference = "preference",
        /// The groups of all the tokens are merged (C++).
        Merge = "merge",
    }

    /// What to do when several groups name one crawler.
    groups: Groups {
        /// Merge their rules (RFC 2.2.1, C++; Mandelbot calls it invalid: ours, merged with a note; 2008: order is irrelevant).
        Merged = "merged",
        /// Use the first (1996 3.2.1; 1994: ours, unstated).
        First = "first",
    }

    /// Where a group's list of agents ends, and where the group ends.
    boundary: Boundary {
        /// An `Allow` or `Disallow` line ends the list of agents; the next `User-agent` line begins a new group
        /// (RFC 2.1 and 2.2, C++, Mandelbot, 2008).
        RuleLine = "rule-line",
        /// A blank line ends the record, as does a `User-agent` line after a rule; a comment line does not
        /// (1994, "The Format"; 1996 3.2).
        BlankLine = "blank-line",
    }

    /// Which values of an `Allow` or `Disallow` line can be rules.
    rule_start: RuleStart {
        /// Those that begin with `/` or `*` (RFC 2.2 `path-pattern`; 2008; Mandelbot: ours, unstated).
        SlashOrStar = "slash-or-star",
        /// Those that begin with `/`: no other value can be a prefix of a path (1994, 1996).
        Slash = "slash",
        /// Any value; one that begins with neither `/` nor `*` matches no path (C++).
        Any = "any",
    }

    /// How the key of a line is recognised.
    keys: Keys {
        /// By the exact name, ignoring case, before a colon (RFC 2.2, 1994, 1996, 2008, Mandelbot).
        Exact = "exact",
        /// By prefix, including known misspellings; the colon is optional on a line of exactly two words (C++).
        Lenient = "lenient",
    }

    /// Whether `Allow: /dir/index.htm*` also allows `/dir/` itself.
    directory_index: DirectoryIndex {
        /// No: a rule matches what it is written for (RFC, 1994, 1996, 2008, Mandelbot).
        Literal = "literal",
        /// Yes: it also allows `/dir/`, and nothing behind it (C++).
        AllowsFolder = "allows-folder",
    }

    /// Which path of a URL is judged. "URL" is the URL Standard (WHATWG), which curl, requests, yarl, reqwest and browsers follow.
    url_path: UrlPath {
        /// The path that a fetcher asks for: tabs and line ends are removed, `\` before the query is `/`, and segments `.` and `..`,
        /// also written with `%2e`, are resolved (URL 4.4, path state; RFC 2.2.2 matches the path of a URI, whose dot segments RFC 3986
        /// 5.2.4 removes; the others: ours, unstated).
        AsFetched = "as-fetched",
        /// The path as it is given (C++ leaves all this to its caller).
        AsWritten = "as-written",
    }

    /// How percent-encoding is compared.
    encoding: Encoding {
        /// Both sides in normal form: escapes of unreserved bytes are decoded, bytes that are neither unreserved nor
        /// reserved are escaped, hex digits are in upper case; `*` equals `%2A` and `$` equals `%24`
        /// (RFC 2.2.2 and 2.2.3; Mandelbot and 2008: ours); `'` equals `%27`, because fetchers escape it in queries and not in
        /// paths (URL 1.3).
        NormalForm = "normal-form",
        /// The rule's non-ASCII bytes are escaped and the hex digits of its escapes put in upper case; the URL is untouched (C++).
        RuleOnly = "rule-only",
        /// `%xx` is decoded on both sides, except `%2F` (1996 3.2.2; keeping the query: ours).
        DecodedExceptSlash = "decoded-except-slash",
        /// Bytes are compared as they are (1994) in a URL as fetched, so bytes that fetchers escape anywhere, in the path or the query,
        /// are escaped on both sides (URL 1.3); `'`, which nearly always stays, is unescaped instead.
        Escaped = "escaped",
    }

    /// Whether `/robots.txt` itself is subject to the rules.
    robots_txt: RobotsTxtPath {
        /// No: it is always allowed (RFC 2.2.2, 1996 3.2.2).
        AlwaysAllowed = "always-allowed",
        /// Yes: it is judged like any other path (C++; Mandelbot, 2008, 1994: ours, unstated).
        ByRules = "by-rules",
    }

    /// The bytes skipped or decoded at the start of the file.
    file_start: FileStart {
        /// A UTF-8 byte order mark is skipped; UTF-16 with a byte order mark is decoded (RFC 2.3: a bridge for encoding
        /// mismatches; the others: ours).
        Decoded = "decoded",
        /// A UTF-8 byte order mark is skipped, even if cut short (C++).
        PartialMark = "partial-mark",
    }

    /// The meaning of a NUL byte in a line.
    nul: NulByte {
        /// An ordinary byte (ours: unstated).
        Ordinary = "ordinary",
        /// It ends the line (C++: lines are C strings).
        EndsLine = "ends-line",
    }

    /// What `Crawl-delay` means to the crawler.
    crawl_delay: CrawlDelay {
        /// Nothing: the document gives it no meaning, and the raw value is kept for the operator (RFC, C++, 1996, 1994).
        Kept = "kept",
        /// Seconds, with optional decimals (2008).
        Seconds = "seconds",
        /// Nothing: kept as written but not obeyed (Mandelbot).
        NotObeyed = "not-obeyed",
    }
}

/// How many bytes of a line are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineLimit {
    /// All of them (RFC, 1994, 1996, 2008, Mandelbot: no limit is stated).
    None,
    /// At most this many; the excess is dropped and the bytes before it count (C++: 16,663).
    Bytes(usize),
}

/// How redirects are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redirects {
    /// The most hops to follow.
    pub hops: u8,
    /// The meaning of a longer chain (RFC 2.3.1.2: unavailable).
    pub beyond: StatusMeaning,
}

/// How long a fetched robots.txt may be used, where age is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// Seconds from the fetch.
    pub seconds: u64,
    /// Whether the server's `Expires` header takes their place (1996 3.4).
    pub expires_header: bool,
}

impl Axis {
    pub(super) fn new(
        name: impl Into<Cow<'static, str>>,
        question: &'static str,
        value: impl Into<Cow<'static, str>>,
        meaning: impl Into<Cow<'static, str>>,
    ) -> Axis {
        Axis { name: name.into(), question, value: value.into(), meaning: meaning.into() }
    }
}

/// How many bytes of a file are read.
pub(super) fn file_limit(bytes: usize) -> Axis {
    let meaning = "Bytes, in whole lines (RFC 2.5 asks for at least 500 KiB: ours is about eight times that; C++: no limit, ours \
                   keeps offsets within 32 bits).";
    Axis::new("file-limit", "How many bytes of a file are read.", bytes.to_string(), meaning)
}

impl LineLimit {
    pub(super) fn axis(self) -> Axis {
        let (value, meaning) = match self {
            LineLimit::None => ("none".into(), "All are read (RFC, 1994, 1996, 2008, Mandelbot: no limit is stated)."),
            LineLimit::Bytes(bytes) => (
                bytes.to_string(),
                "Bytes; the excess is dropped and the bytes before it count (C++: eight times 2,083, less the NUL).",
            ),
        };
        Axis::new("line-limit", "How many bytes of a line are read.", value, meaning)
    }
}

impl Redirects {
    pub(super) fn axis(self) -> Axis {
        let meaning = match self.beyond {
            StatusMeaning::Unavailable => "Hops; a longer chain is unavailable (RFC 2.3.1.2).",
            _ => {
                "Hops; a longer chain has no verdict (ours: they are followed to the end, and the bound only stops loops)."
            }
        };
        Axis::new("redirects", "How many redirects are followed.", self.hops.to_string(), meaning)
    }
}

impl Lifetime {
    pub(super) fn axis(self) -> Axis {
        let meaning = match self.expires_header {
            true => "Hours, unless the server's `Expires` header says another time (1996 3.4).",
            false => "Hours (RFC 2.4: 24; Mandelbot: 48; 1994, 2008: ours, unstated).",
        };
        let question = "How long a fetched robots.txt may be used, where age is enforced.";
        Axis::new("lifetime", question, (self.seconds / 3600).to_string(), meaning)
    }
}
