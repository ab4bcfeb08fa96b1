//! Findings as JSON Lines.

use serde::Serialize;
use std::path::Path;

use crate::dialect::Dialect;
use crate::formats::json;
use crate::lint::Finding;

/// A finding as a line of JSON.
pub(super) fn line(path: &Path, dialect: &Dialect, finding: &Finding) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct FindingLine<'f> {
        file: String,
        dialect: &'static str,
        #[serde(flatten)]
        finding: &'f Finding,
    }
    json::to_string(&FindingLine { file: path.display().to_string(), dialect: dialect.name, finding })
}
