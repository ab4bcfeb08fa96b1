//! The kinds of answers.

use serde::{Deserialize, Serialize};

named! {
    /// The kind of an answer, by its status alone. Which kinds mean what is chosen later, so the newest answer of each kind is
    /// kept. In a tie, the later kind counts: what closes before what opens.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum AnswerKind {
        /// 4xx, except those with a kind of their own.
        Unavailable = "unavailable",
        /// 401 or 403.
        Refused = "refused",
        /// 429.
        TooManyRequests = "too-many-requests",
        /// 3xx, except 304.
        Redirect = "redirect",
        /// 304: the client's copy is current.
        NotModified = "not-modified",
        /// 5xx, a status without a meaning, a body that did not arrive whole, or no answer at all.
        Failed = "failed",
        /// 2xx with a body that looks like an HTML page.
        HtmlPage = "html-page",
        /// 2xx with any other body.
        RobotsTxt = "robots-txt",
    }
}

/// The status for a client that already has the answer.
const NOT_MODIFIED: u16 = 304;

impl AnswerKind {
    /// The kind of an answer that arrived whole. One with a file is [`AnswerKind::RobotsTxt`], whatever its body looks like.
    pub fn of_status(status: Option<u16>) -> AnswerKind {
        match status {
            Some(200..=299) => AnswerKind::RobotsTxt,
            Some(NOT_MODIFIED) => AnswerKind::NotModified,
            Some(300..=399) => AnswerKind::Redirect,
            Some(401 | 403) => AnswerKind::Refused,
            Some(429) => AnswerKind::TooManyRequests,
            Some(400..=499) => AnswerKind::Unavailable,
            _ => AnswerKind::Failed,
        }
    }

    /// Whether answers of this kind have a body that is read as a robots.txt.
    pub fn has_rules(self) -> bool {
        matches!(self, AnswerKind::RobotsTxt | AnswerKind::HtmlPage)
    }

    /// The bit of this kind in a set of kinds.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}
