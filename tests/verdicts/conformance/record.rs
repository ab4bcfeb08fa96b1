//! The records of the conformance files, as written there.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robosieve::Agents;
use robosieve::internals::Axes;
use robosieve::{Dialect, origin};
use serde::Deserialize;
use serde_json::Value;

use crate::support::google_path;

/// One line of a conformance file; the README.md there explains the fields.
#[derive(Debug, Clone, Deserialize)]
pub struct Record {
    pub id: String,
    pub kind: String,
    pub dialect: String,
    pub expect: Value,
    #[serde(default)]
    robots: Option<String>,
    #[serde(default)]
    robots_b64: Option<String>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    agents: Option<Vec<String>>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    url_b64: Option<String>,
    #[serde(default)]
    pub google_cpp: Option<String>,
    #[serde(default)]
    rfc_model: Option<String>,
    #[serde(default)]
    pub robots_url: Option<String>,
    #[serde(default)]
    pub status: Option<Value>,
    #[serde(default)]
    pub redirects: Option<u8>,
    #[serde(default)]
    pub pattern: Option<String>,
}

/// The records of one file.
pub fn read(file: &Path) -> Vec<Record> {
    let text = fs::read_to_string(file).expect("a conformance file");
    let record = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(record).collect()
}

fn bytes(text: Option<&str>, base64: Option<&str>) -> Vec<u8> {
    match base64 {
        Some(base64) => BASE64_STANDARD.decode(base64).expect("base64"),
        None => text.unwrap_or_default().as_bytes().to_vec(),
    }
}

impl Record {
    /// The robots.txt.
    pub fn robots(&self) -> Vec<u8> {
        bytes(self.robots.as_deref(), self.robots_b64.as_deref())
    }

    /// The URL, or just a path.
    pub fn url(&self) -> Vec<u8> {
        bytes(self.url.as_deref(), self.url_b64.as_deref())
    }

    /// The crawler's name as given by the source.
    pub fn agent(&self) -> &str {
        self.agent.as_deref().unwrap_or("*")
    }

    /// The crawler to ask `dialect` about.
    ///
    /// Callers pass product tokens. A single name that is not a token stays as it is; in a list, names that are not tokens
    /// are left out. Google's library compares a single name as given.
    pub fn agents(&self, dialect: &Dialect) -> Agents {
        let agent = self.agent();
        if agent == "*" {
            return Agents::everybody();
        }
        if let Some(names) = self.agents.as_ref().filter(|names| names.len() > 1) {
            let is_token = |name: &&str| *name != "*" && name.parse::<Agents>().is_ok();
            let tokens: Vec<&str> = names.iter().map(String::as_str).filter(is_token).collect();
            return tokens.join(",").parse().expect("a list of product tokens");
        }
        match agent.parse() {
            Ok(agents) if dialect.name != "google" => agents,
            _ => Agents::verbatim(agent),
        }
    }

    /// Whether the case is beyond dispute: RFC 9309's own, and the RFC's text leaves nothing open.
    pub fn is_strict(&self) -> bool {
        self.dialect == "rfc9309" && self.rfc_model.as_ref().is_some_and(|model| model != "undefined")
    }

    /// Whether the ledger may have it although it is [strict](Record::is_strict): it asks for several names at once, which the RFC
    /// does not cover, or wants dot segments judged as written, though no fetcher asks for them so.
    pub fn may_differ(&self) -> bool {
        self.agents.as_ref().is_some_and(|names| names.len() > 1) || self.id == "crawler-commons/0651"
    }

    /// The path to ask `dialect` about: our own for an absolute URL or a path, for anything else, and under `google`, the
    /// one Google's library makes of it.
    pub fn path(&self, dialect: &Dialect) -> Vec<u8> {
        let url = self.url();
        if dialect.name == "google" {
            return google_path(&url);
        }
        match origin::split(&url) {
            Ok((_, rest)) => dialect.url_path().of(rest).into_owned(),
            Err(_) if url.starts_with(b"/") => dialect.url_path().of(&url).into_owned(),
            Err(_) => google_path(&url),
        }
    }

    /// Our dialect for the name in the record; records that give one library's own opinion have none.
    pub fn named_dialect(&self) -> Option<&'static Dialect> {
        let name = match self.dialect.as_str() {
            "1994" => "original-1994",
            "draft1996" => "draft-1996",
            "extended2008" => "extended-2008",
            name => name,
        };
        Dialect::named(name).ok()
    }
}
