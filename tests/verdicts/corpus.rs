//! Real robots.txt files and URLs with the verdicts of Google's C++ library; the `google` dialect must match them all.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use crate::support::{Engines, front_passes, google_path, say, shared, verdict};
use robosieve::Agents;
use robosieve::internals::automaton::{self, PAIRS, Paths, ReachSpace, Reached, Scratch, front};
use robosieve::internals::rules::AskedPaths;
use robosieve::internals::{self, Axes, PolicyParts, RuleSetParts};
use robosieve::policy::{Captures, Crawlers, Policy, WriteLock, source};
use robosieve::{Dialect, RuleSet, Verdict};
use url::Url;

/// The number of verdicts in the eight files.
const VERDICTS: usize = 396_440;

const AGENTS: [&str; 4] = ["Googlebot", "Bingbot", "GPTBot", "examplebot"];

/// Counts for one agent.
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
    // By host, those of each agent.
    let mut hosts: BTreeMap<String, [Verdicts; AGENTS.len()]> = BTreeMap::new();
    for (number, agent) in AGENTS.into_iter().enumerate() {
        for (host, verdicts) in ["urls", "probes"].into_iter().flat_map(|list| verdicts(&corpus, list, agent)) {
            hosts.entry(host).or_default()[number].extend(verdicts);
        }
    }
    let mut tallies = AGENTS.map(|_| Tally::default());
    for (host, verdicts) in hosts {
        judge(&corpus, &host, verdicts, &mut tallies);
    }
    say("corpus, dialect google, every verdict by the chosen engine, by cursors and by explanation:");
    for (agent, Tally { verdicts, wrong, groups, over_budget }) in AGENTS.iter().zip(&tallies) {
        say(&format!(
            "  {agent:<20} {verdicts:>7} verdicts, {wrong} wrong; {groups} groups, {over_budget} over the DFA's budget"
        ));
    }
    assert_eq!(tallies.iter().map(|tally| tally.wrong).sum::<usize>(), 0);
    assert_eq!(tallies.iter().map(|tally| tally.verdicts).sum::<usize>(), VERDICTS);
}

/// The verdicts of all engines on URLs, or how they differ.
type Judged = HashMap<Vec<u8>, Result<Verdict, String>>;

/// Judges the URLs of one host for all agents. Those that have the same rules have one verdict.
fn judge(corpus: &Path, host: &str, verdicts: [Verdicts; AGENTS.len()], tallies: &mut [Tally; AGENTS.len()]) {
    let dialect = Dialect::named("google").expect("a dialect");
    let file = fs::read(corpus.join("robots").join(host)).expect("a robots.txt");
    let mut known: Vec<(Engines, Judged)> = Vec::new();
    for ((agent, verdicts), tally) in AGENTS.iter().zip(verdicts).zip(tallies) {
        let agents = agent.parse().expect("a product token");
        let rules = RuleSet::compile(&file, &agents, dialect);
        let is_same = |other: &RuleSet| (other.rules(), other.flaw()) == (rules.rules(), rules.flaw());
        let at = known.iter().position(|(engines, _)| is_same(&engines.rules)).unwrap_or_else(|| {
            known.push((Engines::bounded(&file, &agents, dialect), HashMap::new()));
            known.len() - 1
        });
        let (engines, judged) = &mut known[at];
        tally.groups += 1;
        tally.over_budget += usize::from(engines.is_over_budget());
        for (url, expected) in verdicts {
            tally.verdicts += 1;
            let got = judged.entry(url.clone()).or_insert_with_key(|url| engines.verdict(&google_path(url)));
            if *got != Ok(expected) {
                tally.wrong += 1;
                say(&format!("  {host} {}, {agent}: {got:?}, Google {expected:?}", url.escape_ascii()));
            }
        }
    }
}

/// URLs, each with Google's verdict.
type Verdicts = Vec<(Vec<u8>, Verdict)>;

/// The hosts of one list, each with its URLs and Google's verdicts on them for one agent. A line of the verdict file
/// is `HOST`, a tab, and one bit per URL.
fn verdicts(corpus: &Path, list: &str, agent: &str) -> Vec<(String, Verdicts)> {
    let text = fs::read_to_string(corpus.join(format!("google/{list}.{agent}.tsv"))).expect("verdicts");
    let host = |line: &str| {
        let (host, bits) = line.split_once('\t').expect("two columns");
        let urls = fs::read(corpus.join(list).join(host)).expect("a list");
        let mut urls = urls.split(|&byte| byte == b'\n');
        let expected = |bit: u8| (urls.next().expect("as many URLs as bits").to_vec(), verdict(bit == b'1'));
        let verdicts = bits.bytes().map(expected).collect();
        assert!(urls.all(<[u8]>::is_empty), "{host}: as many bits as URLs");
        (host.to_owned(), verdicts)
    };
    text.lines().map(host).collect()
}

#[test]
fn googles_verdicts_by_one_policy_file_for_all_agents() {
    let Some(corpus) = shared("corpus") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let policy = policy_file(&corpus, &AGENTS, "google", folder.path());
    let mut scratch = Scratch::default();
    let mut judged = 0;
    for agent in AGENTS {
        let crawler = policy.crawler(Some(&agent.parse().expect("a product token"))).expect("one of the columns");
        let groups = policy.groups(&crawler);
        for (host, verdicts) in ["urls", "probes"].into_iter().flat_map(|list| verdicts(&corpus, list, agent)) {
            let record = policy.lookup().get(format!("http://{host}").as_bytes()).expect("an origin");
            let words = groups.group(record.row).map(|group| groups.automaton(group));
            let mut verdict = |url: &[u8]| {
                let path = policy.dialect().encoding().path(&google_path(url)).into_owned();
                words.map_or(Verdict::Allowed, |words| automaton::verdict(words, &path, &mut scratch))
            };
            for (url, expected) in verdicts {
                judged += 1;
                assert_eq!(verdict(&url), expected, "{host} {} {agent}", url.escape_ascii());
            }
        }
    }
    assert_eq!(judged, VERDICTS);
    policy_file(&corpus, &["examplebot"], "rfc9309", folder.path());
}

#[test]
fn fronts_and_the_hot_path_agree_with_the_slow_way() {
    fronts(0);
}

#[test]
fn fronts_and_the_hot_path_agree_with_the_slow_way_in_older_dialects() {
    fronts(3);
}

/// On every path of the corpus, and on paths mutated with pieces of the rules: the fronts of all groups against their walks, and
/// the hot path against the slow way; in three dialects from the one of this number on.
fn fronts(from: usize) {
    let Some(corpus) = shared("corpus") else { return };
    let mut scratch = Scratch::default();
    for (dialect, agent) in Dialect::ALL.iter().zip(AGENTS.into_iter().cycle()).skip(from).take(3) {
        let mut captures = Captures::new(agent.parse::<Agents>().expect("a token"), dialect);
        source::add(&[corpus.join("robots")], &source::Options::default(), &mut captures).expect("a folder");
        let policy = captures.policy().expect("a policy");
        let crawler = policy.crawler(None).expect("one crawler");
        let groups = policy.groups(&crawler);
        let mut rng = Rng(1);
        let (mut counts, mut list) = ([[0usize; 2]; 2], Vec::new());
        for record in policy.lookup().records() {
            let Some(group) = groups.group(record.row) else { continue };
            let item = groups.item(group);
            let mut ask = |path: &[u8], is_real: bool| {
                list.extend([record.origin, path, b"\n"].concat());
                let path = policy.dialect().encoding().path(path);
                let blocked = automaton::verdict(front::words(item), &path, &mut scratch) == Verdict::Blocked;
                let passes = front_passes(item, &path);
                assert!(passes || blocked == front::base_is_blocked(item), "{}", path.escape_ascii());
                counts[usize::from(is_real)][usize::from(passes)] += 1;
            };
            // Each host has one file, which serves both schemes.
            let origin = String::from_utf8_lossy(record.origin);
            let Some(host) = origin.strip_prefix("http://") else { continue };
            let Ok(rules) = fs::read(corpus.join("robots").join(host)) else { continue };
            let read = |list: &str| fs::read(corpus.join(list).join(host)).unwrap_or_default();
            let urls = read("urls");
            urls.split(|&byte| byte == b'\n').for_each(|url| ask(&google_path(url), true));
            let all = [urls, read("probes")].concat();
            for url in all.split(|&byte| byte == b'\n').take(200) {
                ask(&google_path(url), false);
                ask(&rng.mutated(&google_path(url), &rules), false);
            }
        }
        let [[_, made], [kept, passed]] = counts;
        let share = 100.0 * passed as f64 / (kept + passed) as f64;
        say(&format!(
            "corpus, fronts, dialect {}: {share:.1} % of {} paths pass; {made} made ones",
            dialect.name,
            kept + passed
        ));
        assert!(share < 8.0 && made > 1000);
        let (matcher, mut outcomes) = (policy.matcher(agent).expect("its crawler"), Vec::new());
        matcher.judge_lines(&list, &mut outcomes);
        let lines: Vec<&[u8]> = list.split_inclusive(|&byte| byte == b'\n').collect();
        assert_eq!(outcomes.len(), lines.len());
        for (line, outcome) in lines.into_iter().zip(outcomes) {
            let line = &line[..line.len() - 1];
            assert_eq!(outcome, matcher.judge(line), "{} {}", dialect.name, line.escape_ascii());
        }
    }
}

/// A small random number generator with a fixed seed: every run has the same cases.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// A path with pieces of the rules inserted, bytes removed or changed, or a rule's pattern in its place.
    fn mutated(&mut self, path: &[u8], rules: &[u8]) -> Vec<u8> {
        let mut path = path.to_vec();
        for _ in 0..1 + self.below(3) {
            let at = 1 + self.below(path.len());
            let start = self.below(rules.len() + 1);
            let piece: Vec<u8> = rules[start..].iter().copied().take(self.below(40)).collect();
            let line = rules[start..].split(|&byte| byte == b'\n').nth(1).unwrap_or_default();
            match self.below(5) {
                0 => drop(path.splice(at..at, piece)),
                1 => path.truncate(at),
                2 => path[at - 1] = self.below(256) as u8,
                3 => drop(path.splice(at..at, line.iter().copied().skip_while(|&byte| byte != b'/'))),
                _ => {
                    // The pattern of a rule, with each `*` filled in.
                    let pattern = line.iter().copied().skip_while(|&byte| byte != b'/');
                    path = pattern.flat_map(|byte| if byte == b'*' { piece.clone() } else { vec![byte] }).collect();
                }
            }
            path.retain(|&byte| !matches!(byte, b'\n' | b'\r' | b'#'));
            if path.first() != Some(&b'/') {
                path.insert(0, b'/');
            }
        }
        path
    }
}

/// Compiles the corpus into a policy file, checks that it is smaller than the sources, and opens it.
fn policy_file(corpus: &Path, agents: &[&str], dialect: &str, folder: &Path) -> Policy {
    let columns = agents.iter().map(|agent| agent.parse().expect("a product token")).collect();
    let columns = Crawlers::new(columns).expect("some agents");
    let mut captures = Captures::new(columns, Dialect::named(dialect).expect("a dialect"));
    source::add(&[corpus.join("robots")], &source::Options::default(), &mut captures)
        .expect("a folder of robots.txt files");
    let path = folder.join("policy.rsv");
    let statistics = captures.write(&WriteLock::take(&path, |_| ()).expect("a lock")).expect("a policy file");
    let policy = Policy::open(&path).expect("what was just written");
    // The file does not count the captures that it was made from.
    assert_eq!(*policy.statistics(), internals::of_file(&statistics));
    let size = fs::metadata(&path).expect("a file").len();
    let entries = fs::read_dir(corpus.join("robots")).expect("a folder");
    let sources: u64 = entries.map(|entry| entry.and_then(|entry| entry.metadata()).expect("a file").len()).sum();
    let sections: Vec<String> = policy.sections().map(|(name, length)| format!("{name} {length}")).collect();
    say(&format!(
        "corpus, dialect {dialect}, a policy file for {}: {size} bytes for {sources} of robots.txt",
        policy.columns()
    ));
    say(&format!("  {} origins, {} automata; {}", statistics.origins, statistics.automata, sections.join(", ")));
    let bytes_without_names = bytes_without_names(&policy);
    say(&format!("  {bytes_without_names:.1} bytes an origin for index, state and row, beside its name"));
    // A cache line per origin, with a tenth of the slots free, and its record.
    assert!(size < sources && bytes_without_names <= 100.0);
    policy
}

/// Bytes per origin: its slot in a bucket, its record without the name, and its share of the rows.
fn bytes_without_names(policy: &Policy) -> f64 {
    let length = |wanted: &str| policy.sections().find(|(name, _)| *name == wanted).expect("a section").1;
    let (names, origins) =
        policy.lookup().records().fold((0, 0), |(names, origins), record| (names + record.origin.len(), origins + 1));
    let rows = length("ROWS") / policy.columns().all().len();
    (length("LOOKUP") + length("ORIGINS") - names + rows) as f64 / f64::from(origins)
}

/// What is said of all paths of a group, against each URL of the corpus that is fetched as the URL Standard has it.
#[test]
fn no_group_claims_more_than_the_urls_show() {
    let Some(corpus) = shared("corpus") else { return };
    let (mut space, mut scratch) = (ReachSpace::default(), Scratch::default());
    for dialect in Dialect::ALL {
        let paths = Paths::new(&AskedPaths::of(dialect));
        let (mut counts, mut judged, mut most) = ([0; 4], 0, 0);
        for (host, verdicts) in verdicts(&corpus, "urls", "GPTBot") {
            let file = fs::read(corpus.join("robots").join(&host)).expect("a robots.txt");
            let rules = RuleSet::compile(&file, &"GPTBot".parse().expect("a product token"), dialect);
            let mut words = Vec::new();
            automaton::compile(rules.patterns(), &mut words);
            let reached = space.reached(&words, &paths, PAIRS);
            most = most.max(space.pairs());
            let has_both = reached.is_none() && automaton::has_both(&words, rules.patterns(), &paths, &mut scratch);
            let reached = if has_both { Some(Reached::Both) } else { reached };
            counts[match reached {
                Some(Reached::Only(Verdict::Allowed)) => 0,
                Some(Reached::Both) => 1,
                Some(Reached::Only(Verdict::Blocked)) => 2,
                None => 3,
            }] += 1;
            for (url, _) in verdicts {
                let Ok(url) = Url::parse(&String::from_utf8_lossy(&url)) else { continue };
                let path = url.query().map_or(url.path().to_owned(), |query| format!("{}?{query}", url.path()));
                let path = dialect.encoding().path(&dialect.url_path().judged(path.as_bytes())).into_owned();
                if path == b"/robots.txt" {
                    continue;
                }
                judged += 1;
                assert!(paths.contains(&path), "{} {}", dialect.name, path.escape_ascii());
                let got = automaton::verdict(&words, &path, &mut scratch);
                let is_claimed = reached.is_none_or(|all| all == Reached::Both || all == Reached::Only(got));
                assert!(is_claimed, "{host} {} {}", dialect.name, path.escape_ascii());
            }
        }
        let [none, some, all, undecided] = counts;
        let name = dialect.name;
        say(&format!(
            "  {name:<13} {none} none, {some} some, {all} all, {undecided} undecided; at most {most} pairs; {judged} URLs"
        ));
        assert!(judged > 10_000 && none > 0 && some > 100 && all > 0);
    }
}
