//! Findings as SARIF 2.1.0, which code hosts show beside the lines.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_json::{Error, json};
use std::path::Path;

use super::found::Found;
use crate::formats::json;
use crate::lint::{Finding, FindingKind};

/// The bytes that a reference to a file escapes: all but those that a path consists of.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What begins the log: the program with all kinds of findings. Results follow, one a line, and then [`TAIL`].
pub(super) fn head() -> Result<String, Error> {
    let rules: Vec<_> = FindingKind::all()
        .map(|kind| {
            let (name, level) = (kind.name(), kind.severity().name());
            json!({"id": name, "shortDescription": {"text": kind.explained().meaning}, "defaultConfiguration": {"level": level}})
        })
        .collect();
    let driver = json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let driver = json::to_string(&driver)?;
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    Ok(format!(
        "{{\"$schema\":\"{schema}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"results\":["
    ))
}

/// What ends the log.
pub(super) const TAIL: &str = "]}]}";

/// A finding as a result, with a comma before it if it is not the first. What concerns a whole file is at its first line, because
/// a place is needed.
pub(super) fn result(path: &Path, found: &Found<'_>, is_first: bool) -> Result<String, Error> {
    let place = |line: u32| json!({"physicalLocation": {"artifactLocation": {"uri": uri(path)}, "region": {"startLine": line.max(1)}}});
    let Finding { kind, severity, line, reason, proposal, related, .. } = found.finding;
    let meant = proposal.as_ref().map_or(String::new(), |proposal| format!("\nProbably meant: {proposal}"));
    let mut result = json!({
        "ruleId": kind.name(),
        "ruleIndex": *kind as usize,
        "level": severity.name(),
        "message": {"text": format!("{reason} {}{meant}", found.citations())},
        "locations": [place(*line)],
    });
    if let Some(related) = related {
        let mut other = place(related.line);
        other["message"] = json!({"text": related.text});
        result["relatedLocations"] = json!([other]);
    }
    Ok(format!("{}{}", if is_first { "" } else { "," }, json::to_string(&result)?))
}

/// A reference to a file: a URL as it is, a path relative to where the program runs.
fn uri(path: &Path) -> String {
    match path.to_str() {
        Some(url) if url.contains("://") => url.to_owned(),
        Some(text) if cfg!(windows) => percent_encode(text.replace('\\', "/").as_bytes(), ESCAPED).to_string(),
        _ => percent_encode(path.as_os_str().as_encoded_bytes(), ESCAPED).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_references() {
        for (path, expected) in [
            ("a b/é.txt", "a%20b/%C3%A9.txt"),
            ("a%3A:c", "a%253A%3Ac"),
            ("https://a.example/robots.txt", "https://a.example/robots.txt"),
        ] {
            assert_eq!(uri(Path::new(path)), expected);
        }
        #[cfg(unix)]
        assert_eq!(
            uri(Path::new(std::os::unix::ffi::OsStrExt::from_bytes(b"no\xe9%".as_slice()) as &std::ffi::OsStr)),
            "no%E9%25"
        );
    }
}
