//! The URL Standard as an oracle: what fetchers ask for.

/// A word that makes a segment no drive letter.
const NO_DRIVE: &str = "nodrive";

/// A URL as the URL Standard reads it, by the `url` crate. That keeps segments such as `C:` where `..` follows, which the standard does
/// in URLs of files only, so such segments are disguised while it reads them.
pub fn as_fetched(text: &str) -> Result<url::Url, url::ParseError> {
    let text = text.replace(['\t', '\r', '\n'], "");
    let is_end = |char: char| matches!(char, '/' | '\\' | '?' | '#');
    let slashes = text.find(':').map_or(text.len(), |colon| colon + 1);
    let authority = text[slashes..].find(|char| !matches!(char, '/' | '\\')).map_or(text.len(), |at| slashes + at);
    let path = text[authority..].find(is_end).map_or(text.len(), |at| authority + at);
    let (head, rest) = text.split_at(path);
    let mut disguised = head.to_owned();
    for (at, char) in rest.char_indices() {
        let before = rest[..at].chars().rev().take(2).collect::<Vec<_>>();
        let is_drive = matches!(before[..], [letter, '/' | '\\'] if letter.is_ascii_alphabetic());
        let ends = rest[at + char.len_utf8()..].chars().next().is_none_or(|next| is_end(next) || next <= ' ');
        if matches!(char, ':' | '|') && is_drive && ends {
            disguised += NO_DRIVE;
        }
        disguised.push(char);
    }
    let url = url::Url::parse(&disguised)?;
    url::Url::parse(&url.as_str().replace(NO_DRIVE, ""))
}
