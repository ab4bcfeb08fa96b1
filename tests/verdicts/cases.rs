//! The public cases in `datasets/cases`: the oracle and every engine must give the answer that each of them states.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robosieve::Agents;
use robosieve::internals::Axes;
use robosieve::{Dialect, origin};
use serde::Deserialize;

use crate::oracle;
use crate::support::{Engines, verdict};

/// The cases and their kinds; `datasets/cases/make` prints both.
const CASES: usize = 3695;
const KINDS: usize = 85;

/// Above this, in bytes, a file is not compiled into a DFA beyond its budget.
const LARGE: usize = 1 << 16;

/// One line; `datasets/README.md` explains the fields.
#[derive(Deserialize)]
struct Case {
    id: String,
    topic: String,
    kind: String,
    agent: String,
    url: String,
    robots: Option<String>,
    robots_b64: Option<String>,
    robots_parts: Option<Vec<(String, usize)>>,
    expect: String,
    sentence: String,
}

impl Case {
    fn robots(&self) -> Vec<u8> {
        match (&self.robots, &self.robots_b64, &self.robots_parts) {
            (Some(text), None, None) => text.clone().into_bytes(),
            (None, Some(base64), None) => BASE64_STANDARD.decode(base64).expect("base64"),
            (None, None, Some(parts)) => {
                parts.iter().flat_map(|(text, times)| text.repeat(*times).into_bytes()).collect()
            }
            _ => panic!("{}: one robots.txt, in one form", self.id),
        }
    }

    /// Path and query as written, without the fragment.
    fn path(&self) -> &[u8] {
        let (_, rest) = origin::split(&self.url).expect("a URL");
        rest.split(|&byte| byte == b'#').next().unwrap_or_default()
    }
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/cases");
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).expect("a file"));
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    texts.flat_map(|text| text.lines().map(parse).collect::<Vec<Case>>()).collect()
}

#[test]
fn the_oracle_and_all_engines_give_the_answers_of_the_public_cases() {
    let cases = cases();
    let mut kinds: Vec<_> = cases.iter().map(|case| (&case.topic, &case.kind)).collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!((cases.len(), kinds.len()), (CASES, KINDS));
    let mut wrong = Vec::new();
    let mut last: Option<(Vec<u8>, &str, Engines)> = None;
    for case in &cases {
        let (robots, agent) = (case.robots(), case.agent.as_str());
        if last.as_ref().is_none_or(|(text, name, _)| (text, *name) != (&robots, agent)) {
            let agents: Agents = agent.parse().expect("a product token");
            let make = if robots.len() > LARGE { Engines::bounded } else { Engines::all };
            last = Some((robots.clone(), agent, make(&robots, &agents, Dialect::DEFAULT)));
        }
        let (_, _, engines) = last.as_mut().expect("just made");
        let rooted = if case.path().starts_with(b"/") { case.path().to_vec() } else { [b"/", case.path()].concat() };
        let expected = case.expect == "allowed";
        let got = engines.verdict(&Dialect::DEFAULT.url_path().of(&rooted));
        let read = oracle::allowed("rfc9309", &[agent], &robots, &rooted);
        if got != Ok(verdict(expected)) || read != expected {
            let Case { id, url, expect, sentence, .. } = case;
            wrong.push(format!("{id}: {url} is {expect} ({sentence}); the oracle says {read}, the engines {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {CASES} cases:\n{}", wrong.len(), wrong.join("\n"));
}
