//! Real robots.txt files and URLs, with the verdicts of Google's C++ library: the dialect `google` gives all of them.

use std::fs;
use std::path::Path;

use robosieve::Dialect;
use robosieve::automaton::Engine;
use support::{Engines, google_path, say, shared, verdict};

mod support;

/// How many verdicts the eight files hold.
const VERDICTS: usize = 396_440;

const AGENTS: [&str; 4] = ["Googlebot", "Bingbot", "GPTBot", "examplebot"];

/// What one file of verdicts came to.
#[derive(Default)]
struct Tally {
    verdicts: usize,
    wrong: usize,
    groups: usize,
    over_budget: usize,
}

#[test]
fn googles_verdicts_on_real_files_and_urls() {
    let Some(corpus) = shared("corpus") else { return };
    let mut total = Tally::default();
    say("corpus, dialect google, every verdict by the chosen engine, by pointers and by explanation:");
    for list in ["urls", "probes"] {
        for agent in AGENTS {
            let tally = judge(&corpus, list, agent);
            say(&line(&format!("{list}, {agent}"), &tally));
            total.verdicts += tally.verdicts;
            total.wrong += tally.wrong;
            total.groups += tally.groups;
            total.over_budget += tally.over_budget;
        }
    }
    say(&line("total", &total));
    assert_eq!(total.wrong, 0);
    assert_eq!(total.verdicts, VERDICTS);
}

fn line(name: &str, tally: &Tally) -> String {
    let Tally { verdicts, wrong, groups, over_budget } = tally;
    format!("  {name:<20} {verdicts:>7} verdicts, {wrong} wrong; {groups} groups, {over_budget} over the DFA's budget")
}

/// Judges the URLs of one list for one agent; a line of verdicts is `HOST`, a tab, and a bit for each URL.
fn judge(corpus: &Path, list: &str, agent: &str) -> Tally {
    let dialect = Dialect::named("google").expect("a dialect");
    let agents = agent.parse().expect("a product token");
    let mut tally = Tally::default();
    let verdicts = fs::read_to_string(corpus.join(format!("google/{list}.{agent}.tsv"))).expect("verdicts");
    for line in verdicts.lines() {
        let (host, bits) = line.split_once('\t').expect("two columns");
        let file = fs::read(corpus.join("robots").join(host)).expect("a robots.txt");
        let urls = fs::read(corpus.join(list).join(host)).expect("a list");
        let mut engines = Engines::bounded(&file, &agents, dialect);
        tally.groups += 1;
        tally.over_budget += usize::from(engines.rules.compiled().engine == Engine::Pointers);
        let mut urls = urls.split(|&octet| octet == b'\n');
        for bit in bits.bytes() {
            let url = urls.next().expect("as many URLs as bits");
            tally.verdicts += 1;
            let got = engines.verdict(&google_path(url));
            if got != Ok(verdict(bit == b'1')) {
                tally.wrong += 1;
                say(&format!("  {host} {}: {got:?}, Google {}", url.escape_ascii(), char::from(bit)));
            }
        }
        assert!(urls.all(<[u8]>::is_empty), "{host}: as many bits as URLs");
    }
    tally
}
