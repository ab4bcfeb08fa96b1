//! The fields of an answer.

use serde::Serialize;

named! {
    /// A field of an answer: a key of JSON Lines, or a column of Parquet.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum Field {
        /// The requested URL: text.
        Url = "url",
        /// The origin, in place of the URL of its robots.txt: text.
        Origin = "origin",
        /// The HTTP status: an integer, or null if nobody answered.
        Status = "status",
        /// The target of a redirect: text.
        Location = "location",
        /// The body: text, in Parquet also bytes.
        Body = "body",
        /// The body in Base64: text.
        BodyBase64 = "body_base64",
        /// The time of the answer: text in RFC 3339, seconds of Unix time, in Parquet also a time stamp.
        FetchedAt = "fetched_at",
        /// The server's `Expires`, as a time.
        Expires = "expires",
        /// The time since which the origin has been unreachable.
        UnreachableSince = "unreachable_since",
    }
}
