//! What is known of an origin's robots.txt.

use serde::Serialize;

/// The state of an origin, as its robots.txt was last answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Standing {
    /// There are rules for the crawler, perhaps none of them a rule that blocks.
    Rules = 0,
    /// A robots.txt without a group for the crawler: all is allowed.
    NoGroup = 1,
    /// No robots.txt (4xx): all is allowed.
    Unavailable = 2,
    /// 401 or 403, where the dialect takes it as a refusal: all is blocked.
    Forbidden = 3,
    /// It answered 5xx, or not at all: there is no verdict.
    Unreachable = 4,
    /// It redirects to somewhere of which nothing is known: there is no verdict.
    RedirectUnresolved = 5,
}

impl Standing {
    /// All of them, in the order of their numbers.
    pub const ALL: [Standing; 6] = [
        Standing::Rules,
        Standing::NoGroup,
        Standing::Unavailable,
        Standing::Forbidden,
        Standing::Unreachable,
        Standing::RedirectUnresolved,
    ];

    /// Whether it is a verdict, or leads to one.
    pub fn is_definite(self) -> bool {
        !matches!(self, Standing::Unreachable | Standing::RedirectUnresolved)
    }
}

/// When and how an origin answered: what age and reports are judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Answered {
    /// The HTTP status of the robots.txt itself, before redirects; none where nothing answered.
    pub status: Option<u16>,
    /// When the rules in use were fetched, in seconds of Unix time.
    pub fetched_at: Option<i64>,
    /// The server's `Expires` for them, in seconds of Unix time.
    pub expires: Option<i64>,
    /// Since when the origin has been unreachable, in seconds of Unix time.
    pub unreachable_since: Option<i64>,
}
