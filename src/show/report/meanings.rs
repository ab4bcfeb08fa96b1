//! The meanings of names that the page shows.

use crate::outcome::Reason;
use crate::robots::NoteKind;

pub(super) fn reason_meaning(reason: Reason) -> &'static str {
    match reason {
        Reason::Rules => "the rules of the crawler's group decided: one won, or none matched",
        Reason::NoGroup => "the robots.txt has no group for the crawler",
        Reason::Unavailable => "there is no robots.txt (4xx)",
        Reason::Forbidden => "access to robots.txt is refused (401, 403)",
        Reason::RobotsTxt => "it is /robots.txt, which is always allowed",
        Reason::Unfetched => "the robots.txt was never fetched",
        Reason::Unreachable => "the request for robots.txt got a 5xx, 429 or another \"not now\", or no answer",
        Reason::LastGood => "the robots.txt is unreachable, and the last good one decided",
        Reason::LongUnreachable => "unreachable for so long that it counts as no robots.txt",
        Reason::RedirectUnresolved => "the robots.txt redirects to a URL that was not fetched",
        Reason::Incomplete => "the robots.txt was sent in part or damaged",
        Reason::NotText => "the robots.txt is no text, but an archive or an image, for example",
        Reason::NotModified => "the robots.txt was not modified (304), but no earlier one is known",
        Reason::HtmlPage => "the robots.txt looks like an HTML page, and --on-html decided",
        Reason::Stale => "the robots.txt is older than allowed",
        Reason::Override => "the operator's override",
        Reason::Paused => "the operator has paused the origin",
        Reason::Empty => "the line is empty",
        Reason::NotAbsolute => "the URL has no scheme and host",
        Reason::Scheme => "the scheme is neither http nor https",
        Reason::Host => "the host is invalid",
        Reason::Port => "the port is invalid",
        Reason::Column => "the line has no such column",
        Reason::Quote => "a quote is unclosed or misplaced",
        Reason::Json => "the JSON of an index cannot be read",
        Reason::NoUrl => "the entry of an index has no URL",
        Reason::LineBreak => "the URL has a line feed in it",
        Reason::Tab => "the line has a tab inside, so it has fields: --delimiter says which is the URL",
        Reason::Preference => "it is allowed, but what the site says about uses of the page does not meet --require",
    }
}

pub(super) fn note_meaning(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::RuleOutsideGroup => "a rule before the first User-agent line, or outside every record",
        NoteKind::RuleWithoutSlash => "a rule whose path has no leading slash",
        NoteKind::AllowIgnored => "an Allow line where the dialect has none",
        NoteKind::MissingColon => "a line without a colon",
        NoteKind::MisspeltKey => "a key that is a known misspelling",
        NoteKind::UnknownRecord => "an unknown key",
        NoteKind::AgentCut => "a User-agent line of which only the leading token counts",
        NoteKind::AgentRepeated => "an agent that an earlier group names too",
        NoteKind::LineCut => "the rest of a line beyond the limit",
        NoteKind::FileCut => "the rest of a file beyond the limit",
        NoteKind::EncodingMended => "invalid UTF-16",
        NoteKind::LooksLikeHtml => "a file that looks like an HTML page",
    }
}
