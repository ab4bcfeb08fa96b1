//! What the HTTP status of a robots.txt means, in each dialect: one table.

use std::fmt::Write;
use std::ops::RangeInclusive;

named! {
    /// The kind of an answer, by its status alone. Which kinds mean what is chosen later, so the newest answer of each kind is
    /// kept. In a tie, the later kind counts: what closes before what opens.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum AnswerKind {
        /// 4xx, except those with a kind of their own.
        Unavailable = "unavailable",
        /// A refusal, such as 403.
        Refused = "refused",
        /// An answer that says "not now", such as 408.
        TryAgain = "try-again",
        /// 429.
        TooManyRequests = "too-many-requests",
        /// 3xx, except 304.
        Redirect = "redirect",
        /// 304: the client's copy is current.
        NotModified = "not-modified",
        /// 5xx, a status without a meaning, a body that did not arrive whole or is no text, or no answer at all.
        Failed = "failed",
        /// 2xx with a body that looks like an HTML page.
        HtmlPage = "html-page",
        /// 2xx with any other body.
        RobotsTxt = "robots-txt",
    }
}

named! {
    /// The meaning of the HTTP status of a robots.txt response.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
    pub enum StatusMeaning {
        /// The body is a robots.txt (2xx).
        Parse = "parse",
        /// The answer is at another URL (3xx but 304).
        Redirect = "redirect",
        /// The robots.txt is the one that the crawler has (304; RFC 9110 15.4.5).
        NotModified = "not-modified",
        /// There is no robots.txt: everything is allowed (RFC 2.3.1.3).
        Unavailable = "unavailable",
        /// Everything is forbidden (1996 3.1, for 401 and 403).
        Forbidden = "forbidden",
        /// There is no verdict for now (RFC 2.3.1.4).
        Unreachable = "unreachable",
    }
}

/// What some statuses mean.
#[derive(Debug)]
pub(super) struct StatusRow {
    statuses: &'static [RangeInclusive<u16>],
    /// The kind by which their answers are kept. Statuses that a dialect tells apart need kinds of their own.
    kind: AnswerKind,
    meaning: StatusMeaning,
    /// The dialects in which they mean something else, by name.
    pub by_dialect: &'static [(&'static str, StatusMeaning)],
    /// The text that says so.
    pub source: &'static str,
}

/// What statuses mean: the first row with a status counts. A status in no row, below 200 or above 599, is no final answer, so there
/// is no verdict.
pub(super) const STATUSES: &[StatusRow] = &[
    StatusRow {
        statuses: &[200..=299],
        kind: AnswerKind::RobotsTxt,
        meaning: StatusMeaning::Parse,
        by_dialect: &[],
        source: "It is there (RFC 2.3.1.1).",
    },
    StatusRow {
        statuses: &[304..=304],
        kind: AnswerKind::NotModified,
        meaning: StatusMeaning::NotModified,
        by_dialect: &[],
        source: "The crawler's copy is current (RFC 9110 15.4.5).",
    },
    StatusRow {
        statuses: &[300..=399],
        kind: AnswerKind::Redirect,
        meaning: StatusMeaning::Redirect,
        by_dialect: &[],
        source: "It is elsewhere (RFC 2.3.1.2).",
    },
    StatusRow {
        statuses: &[401..=401, 403..=403],
        kind: AnswerKind::Refused,
        meaning: StatusMeaning::Unavailable,
        by_dialect: &[("draft-1996", StatusMeaning::Forbidden)],
        source: "As other 4xx, everything may be fetched (RFC 2.3.1.3, C++); 1996 3.1: everything is forbidden.",
    },
    // 408, 425 and 429 say "not now", and nothing of whether there is a robots.txt. A crawler "MAY access any resources" after 4xx
    // (RFC 2.3.1.3), so it may as well wait: known rules must not end because it asked too fast.
    StatusRow {
        statuses: &[408..=408, 425..=425],
        kind: AnswerKind::TryAgain,
        meaning: StatusMeaning::Unreachable,
        by_dialect: &[("google", StatusMeaning::Unavailable)],
        source: "Not now: known rules stay (ours, unstated); as other 4xx by the page of Google on its robots.txt specification.",
    },
    StatusRow {
        statuses: &[429..=429],
        kind: AnswerKind::TooManyRequests,
        meaning: StatusMeaning::Unreachable,
        by_dialect: &[],
        source: "Not now: known rules stay (the page of Google on its robots.txt specification; the others: ours, unstated).",
    },
    StatusRow {
        statuses: &[400..=499],
        kind: AnswerKind::Unavailable,
        meaning: StatusMeaning::Unavailable,
        by_dialect: &[],
        source: "There is no robots.txt, so everything may be fetched (RFC 2.3.1.3).",
    },
    StatusRow {
        statuses: &[500..=599],
        kind: AnswerKind::Failed,
        meaning: StatusMeaning::Unreachable,
        by_dialect: &[],
        source: "There is no verdict (RFC 2.3.1.4).",
    },
];

impl StatusRow {
    fn of(status: u16) -> Option<&'static StatusRow> {
        STATUSES.iter().find(|row| row.statuses.iter().any(|range| range.contains(&status)))
    }

    /// What these statuses mean in the dialect with this name.
    pub fn meaning_in(&self, dialect: &str) -> StatusMeaning {
        let own = self.by_dialect.iter().find(|(name, _)| *name == dialect);
        own.map_or(self.meaning, |(_, meaning)| *meaning)
    }

    /// The statuses as text, such as "401, 403" or "500 to 599".
    pub fn written(&self) -> String {
        let mut written = String::new();
        for range in self.statuses {
            let separator = if written.is_empty() { "" } else { ", " };
            let _ = match range.start() == range.end() {
                true => write!(written, "{separator}{}", range.start()),
                false => write!(written, "{separator}{} to {}", range.start(), range.end()),
            };
        }
        written
    }
}

impl StatusMeaning {
    /// The meaning of a status in the dialect with this name. One that is not a final answer (below 200, or 600 and above) is none.
    pub(super) fn of(status: u16, dialect: &str) -> StatusMeaning {
        StatusRow::of(status).map_or(StatusMeaning::Unreachable, |row| row.meaning_in(dialect))
    }
}

impl AnswerKind {
    /// The kind of an answer that arrived whole. One with a file is [`AnswerKind::RobotsTxt`], whatever its body looks like.
    pub(crate) fn of_status(status: Option<u16>) -> AnswerKind {
        status.and_then(StatusRow::of).map_or(AnswerKind::Failed, |row| row.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    /// Statuses that are kept as one kind mean the same in each dialect: of the answers of a kind, only the newest is kept.
    #[test]
    fn what_a_dialect_tells_apart_has_kinds_of_its_own() {
        for one in STATUSES {
            for other in STATUSES.iter().filter(|other| other.kind == one.kind) {
                for dialect in Dialect::ALL {
                    assert_eq!(
                        one.meaning_in(dialect.name),
                        other.meaning_in(dialect.name),
                        "{} {}",
                        dialect.name,
                        one.written()
                    );
                }
            }
            let unknown = one.by_dialect.iter().find(|(name, _)| Dialect::named(name).is_err());
            assert_eq!(unknown, None);
        }
    }

    #[test]
    fn a_status_without_a_row_is_no_answer() {
        for status in [0, 100, 199, 600, 999] {
            assert_eq!(AnswerKind::of_status(Some(status)), AnswerKind::Failed);
            assert_eq!(Dialect::DEFAULT.status_meaning(status), StatusMeaning::Unreachable);
        }
        assert_eq!(AnswerKind::of_status(None), AnswerKind::Failed);
    }
}
