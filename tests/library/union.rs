//! A policy is a set of answers: compiling parts and merging them is compiling all, byte for byte, and what origins come to is what
//! a plain reading of all answers says.

pub mod random;
mod reading;

use std::ops::Range;

use robosieve::export::{Export, Table};
use robosieve::inspect::{OriginEntry, Summary};
use robosieve::internals::policy::OriginState;
use robosieve::internals::{self, Axes, PolicyParts};
use robosieve::policy::{Capture, Captures, Crawlers, Overrides, Policy, WriteLock, merge};
use robosieve::{Agents, Dialect};
use robosieve::{Choices, Fallback, MaxAge};

use random::{HOSTS, Random, Told};

/// The policy of these answers and overrides.
pub fn compiled(told: &[Told], dialect: &'static Dialect) -> Policy {
    of(Captures::new(columns(), dialect), told)
}

pub fn columns() -> Crawlers {
    let agents: Vec<Agents> = ["examplebot", "other"].map(|agent| agent.parse().unwrap()).to_vec();
    Crawlers::new(agents).unwrap()
}

fn of(mut captures: Captures, told: &[Told]) -> Policy {
    for one in told {
        match one {
            Told::Answer(capture) => captures.add(vec![capture.clone()]).unwrap(),
            Told::Override(text) => captures.add_overrides(&overrides(text)).unwrap(),
        }
    }
    captures.policy().unwrap()
}

pub fn overrides(text: &str) -> Overrides {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overrides.toml");
    std::fs::write(&path, text).unwrap();
    Overrides::read(&path).unwrap()
}

fn merged(policies: &[Policy]) -> Policy {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("merged.rsv");
    merge(policies, None, &WriteLock::take(&path, |_| ()).unwrap()).unwrap();
    Policy::open(&path).unwrap()
}

#[test]
fn merging_parts_is_compiling_all() {
    merged_as_compiled(0..40);
}

#[test]
#[ignore = "takes long"]
fn merging_parts_is_compiling_all_with_many_seeds() {
    merged_as_compiled(40..200);
}

fn merged_as_compiled(seeds: Range<u64>) {
    for seed in seeds {
        let mut random = Random::new(seed);
        let dialect = Dialect::ALL[random.below(Dialect::ALL.len())].name;
        let dialect = Dialect::named(dialect).unwrap();
        let mut told = random.told();
        let all = compiled(&told, dialect);
        random.shuffle(&mut told);
        assert!(compiled(&told, dialect).bytes() == all.bytes(), "{seed}: the order of answers");
        assert!(Policy::from_bytes(all.bytes()).is_ok(), "{seed}");
        // There is memory for three URLs, so that most of them are in runs.
        let within = Captures::within(3 << 10, &std::env::temp_dir(), columns(), dialect);
        assert!(of(within, &told).bytes() == all.bytes(), "{seed}: in little memory");
        let mut parts: Vec<Policy> = random.parts(&told).into_iter().map(|part| compiled(part, dialect)).collect();
        assert!(merged(&parts).bytes() == all.bytes(), "{seed}: merge of {}", parts.len());
        random.shuffle(&mut parts);
        let one_by_one = parts.iter().cloned().reduce(|one, other| merged(&[one, other])).unwrap();
        assert!(one_by_one.bytes() == all.bytes(), "{seed}: one by one");
        let again = [&parts[..], std::slice::from_ref(&all)].concat();
        assert!(merged(&again).bytes() == all.bytes(), "{seed}: nothing counts twice");
        assert!(merged(std::slice::from_ref(&all)).bytes() == all.bytes(), "{seed}: alone");
    }
}

/// URLs of all origins, written in ways that take every path through the judge.
pub fn urls() -> Vec<String> {
    let written = [
        "http://a.test/a",
        "http://A.test/b",
        "http://a.test:80/b",
        "http://a.test.b/a#f",
        "http://a.test:8080/b?x",
        "https://a.test/a\tb",
        "https://a.test/%61",
        "http://b.test",
        "http://b.test/robots.txt",
        "http://c.test/x/../a",
        "http://c.test/b ",
        "http://d.test/a",
        "  http://a.test/b",
        "http://u@a.test/a",
        "not a url",
        "",
    ];
    let long = |host: &str| format!("http://{host}/{}", "b".repeat(300));
    let plain = ["a.test", "a.test.b", "a.test:8080", "b.test", "c.test", "never.test"].map(long);
    let chains = (0..HOSTS).flat_map(|host| ["a", "b"].map(|path| format!("http://h{host}.test/{path}")));
    (0..40).flat_map(|_| written.map(str::to_owned)).chain(plain).chain(chains).collect()
}

/// All that the inspection and the export of a policy show.
fn views(policy: &Policy) -> Vec<String> {
    let crawlers: Vec<_> = columns().all().iter().map(|agents| policy.crawler(Some(agents)).unwrap()).collect();
    let mut views = vec![format!("{:?}", Summary::of(policy, &crawlers, 0, 9).unwrap())];
    for table in Table::all() {
        views.extend(internals::rows(&Export::new(policy, table, &crawlers)));
    }
    let urls = urls();
    let entry = |url: &String| OriginEntry::of(policy, url.as_bytes(), &crawlers, Choices::at(0));
    views.extend(urls.iter().map(|url| format!("{:?}", entry(url))));
    views
}

#[test]
fn layers_judge_as_their_merge_does() {
    layered_as_merged(0..60);
}

#[test]
#[ignore = "takes long"]
fn layers_judge_as_their_merge_does_with_many_seeds() {
    layered_as_merged(60..300);
}

fn layered_as_merged(seeds: Range<u64>) {
    let urls = urls();
    let text = urls.iter().map(|url| format!("{url}\n")).collect::<String>();
    for seed in seeds {
        let mut random = Random::new(seed);
        let dialect = Dialect::ALL[random.below(Dialect::ALL.len())].name;
        let dialect = Dialect::named(dialect).unwrap();
        let told = random.told();
        let parts: Vec<Policy> = random.parts(&told).into_iter().map(|part| compiled(part, dialect)).collect();
        let (merged, mut layered) = (merged(&parts), Policy::layered(parts.clone()).unwrap());
        if random.below(2) == 0 {
            let folder = tempfile::tempdir().unwrap();
            let over = overrides("['http://a.test']\nverdict = 'forbid-all'\n['http://never.test']\ncrawl-delay = 1\n");
            layered = layered.with_overrides(&over, folder.path()).unwrap();
            assert!(layered.bytes() == merged.with_overrides(&over, folder.path()).unwrap().bytes(), "{seed}");
            continue;
        }
        for choices in
            [Choices::at(0), Choices::at(90 * 86_400).on_unreachable(Fallback::Use).max_age(Some(MaxAge::Dialect))]
        {
            let [expected, found] =
                [&merged, &layered].map(|policy| policy.matcher_with("examplebot", choices).unwrap());
            let (mut batch, mut all) = (Vec::new(), Vec::new());
            found.judge_lines(text.as_bytes(), &mut batch);
            found.judge_all(&urls, &mut all);
            for (number, url) in urls.iter().enumerate() {
                let outcome = expected.judge(url);
                let found_one = found.judge(url);
                assert_eq!((batch[number], all[number], found_one), (outcome, outcome, outcome), "{seed} {url:?}");
                assert_eq!(found.explain(url), expected.explain(url), "{seed} {url:?}");
            }
        }
        if seed % 3 == 0 {
            let views = [&layered, &merged].map(views);
            assert_eq!(views[0].len(), views[1].len(), "{seed}");
            views[0].iter().zip(&views[1]).for_each(|(found, expected)| assert_eq!(found, expected, "{seed}"));
        }
        assert_eq!(layered.statistics().origins, merged.statistics().origins, "{seed}");
        assert_eq!(layered.statistics().overridden, merged.statistics().overridden, "{seed}");
        assert_eq!(layered.statistics().last_good, merged.statistics().last_good, "{seed}");
        let reversed = Policy::layered(parts.into_iter().rev().collect()).unwrap();
        assert_eq!(reversed.checksum(), layered.checksum());
        assert!(reversed.flattened(std::path::Path::new("nowhere")).unwrap().bytes() == merged.bytes(), "{seed}");
    }
}

#[test]
fn origins_come_to_what_their_answers_say() {
    let mut compared = 0;
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let dialect = Dialect::ALL[random.below(Dialect::ALL.len())].name;
        let dialect = Dialect::named(dialect).unwrap();
        let answers = random.answers_without_ties(reading::kind);
        compared += assert_come_to(&answers, dialect);
    }
    assert!(compared > 5000);
}

/// Asserts that each origin with an answer comes to what a plain reading says; the number of origins.
fn assert_come_to(answers: &[Capture], dialect: &'static Dialect) -> usize {
    let told: Vec<Told> = answers.iter().cloned().map(Told::Answer).collect();
    let (policy, mut compared) = (compiled(&told, dialect), 0);
    for record in policy.lookup().records() {
        let origin = String::from_utf8(record.origin.to_vec()).unwrap();
        let (found, (expected, statuses)) = (record.state(), reading::state(answers, &origin, dialect));
        let told = || format!("{} {origin}\n{answers:#?}", dialect.name);
        assert_eq!(without_since(found), without_since(expected), "{}", told());
        assert_eq!(policy.final_statuses(&record), statuses, "{}", told());
        // Only the first and the last failure of a month are known, so it may be later than the truth, never earlier.
        let [since, truth] =
            [found, expected].map(|state| state.answered.unreachable_since.or(state.answered.fetched_at));
        let is_known = since == truth || expected.last_good.is_some() || is_long(answers);
        assert!(since >= truth && is_known, "{since:?} {truth:?} {}", told());
        compared += 1;
    }
    compared
}

/// Each origin of a chain begins one of its own, so that all lengths are here: up to twice what the dialect follows, because the last
/// good answer may be as far from the last URL as that is from the first. An origin on the way may have a newer answer.
#[test]
fn chains_of_every_length_come_to_what_their_answers_say() {
    const ENDS: [&[u16]; 4] = [&[200], &[200, 304], &[404], &[401, 404, 503]];
    for name in ["rfc9309", "mandelbot"] {
        let dialect = Dialect::named(name).unwrap();
        let hops = usize::from(dialect.redirects().hops);
        let last = 2 * hops + 3;
        let newer = (last - hops - 1..=last - hops + 1).flat_map(|place| [(place, 304), (place, 503)]).map(Some);
        for (number, newer) in [None].into_iter().chain(newer).enumerate() {
            let origin = |place: usize| format!("http://h{place}.test");
            let redirect = |place: usize| {
                let answer = random::answer(&origin(place), 301, Some(place as i64));
                answer.location(Some(format!("{}/robots.txt", origin(place + 1))))
            };
            let mut answers: Vec<Capture> = (0..last).map(redirect).collect();
            let ends = (last..).zip(ENDS[number % ENDS.len()]);
            answers.extend(ends.map(|(time, &status)| random::answer(&origin(last), status, Some(time as i64))));
            answers.extend(newer.map(|(place, status)| random::answer(&origin(place), status, Some(1000))));
            assert_eq!(assert_come_to(&answers, dialect), last + 1);
        }
    }
}

fn without_since(mut state: OriginState) -> OriginState {
    state.answered.unreachable_since = None;
    state
}

/// Whether answers are spread over more than three months, the time for which failures are surely known.
fn is_long(answers: &[Capture]) -> bool {
    let times =
        || answers.iter().flat_map(|answer| [answer.answered.fetched_at, answer.answered.unreachable_since]).flatten();
    times().max().zip(times().min()).is_some_and(|(last, first)| last - first > 90 * 86_400)
}

#[test]
fn new_overrides_replace_all_others() {
    let dialect = Dialect::DEFAULT;
    let answers = || vec![Told::Answer(random::answer("http://a.test", 200, Some(3)))];
    let with = |text: &str| compiled(&[answers(), vec![Told::Override(text.to_owned())]].concat(), dialect);
    let one = with("['http://a.test']\nverdict = 'allow-all'\n['http://b.test']\ncrawl-delay = 2\n");
    let other = with("['http://a.test']\nverdict = 'forbid-all'\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("merged.rsv");
    let told = merge(&[one.clone(), other.clone()], None, &WriteLock::take(&path, |_| ()).unwrap()).unwrap();
    assert_eq!(told.contradictions, ["http://a.test"]);
    let new = "['http://c.test']\ncrawl-delay = 1\n";
    let replaced = merge(&[one, other], Some(&overrides(new)), &WriteLock::take(&path, |_| ()).unwrap()).unwrap();
    assert!(replaced.contradictions.is_empty());
    assert!(Policy::open(&path).unwrap().bytes() == with(new).bytes());
}

/// Overrides that are given with a policy count in place of its own, even if these are stricter; of its own, the stricter count.
#[test]
fn overrides_that_are_added_take_precedence() {
    const ALLOW: &str = "['http://a.test']\nverdict = 'allow-all'\n";
    const FORBID: &str = "['http://a.test']\nverdict = 'forbid-all'\n";
    const OTHERS_ALLOW: &str = "['http://b.test']\nverdict = 'allow-all'\n";
    const OTHERS_FORBID: &str = "['http://b.test']\nverdict = 'forbid-all'\n";
    let with = |overrides: &[&str]| {
        let answer = Told::Answer(random::answer("http://a.test", 200, Some(3)));
        compiled(&[answer, Told::Override(overrides.concat())], Dialect::DEFAULT)
    };
    let folder = tempfile::tempdir().unwrap();
    let layers = vec![with(&[FORBID, OTHERS_ALLOW]), with(&[ALLOW, OTHERS_FORBID])];
    for policy in [with(&[FORBID, OTHERS_FORBID]), Policy::layered(layers).unwrap()] {
        for (added, all) in [(ALLOW, [ALLOW, OTHERS_FORBID]), (FORBID, [FORBID, OTHERS_FORBID])] {
            let found = policy.with_overrides(&overrides(added), folder.path()).unwrap();
            assert!(found.bytes() == with(&all).bytes(), "{added}");
        }
    }
}

/// Answers of one URL and one time that differ in one thing, and whether only the bytes of their contents decide.
#[test]
fn in_a_tie_the_order_of_answers_does_not_matter() {
    let found = |text: &str| random::answer("http://a.test", 200, Some(3)).body(Some(text.as_bytes().into()));
    let to = |path: &str| random::answer("http://a.test", 301, Some(3)).location(Some(format!("http://b.test{path}")));
    let rules = |path: &str| format!("User-agent: *\nDisallow: /{path}\n");
    let dropped = |lines: &str| found(&format!("{}{lines}", rules("a")));
    let page = |path: &str| found(&format!("<!DOCTYPE html>\n{}", rules(path)));
    let cases = [
        (found(&rules("a")), found(&rules("b")), true),
        (page("a"), page("b"), true),
        (to("/x/robots.txt"), to("/y/robots.txt"), true),
        (to("/x/robots.txt"), to("/x/robots.txt").location(None), true),
        (dropped("no record\n"), dropped("no record\nno record\n"), false),
        (found(&rules("a")), found(&rules("b")).exact(false), false),
        (found(&rules("a")), page("a"), false),
        (random::answer("http://a.test", 404, Some(3)), random::answer("http://a.test", 410, Some(3)), false),
    ];
    let of_batches = |batches: &[&[&Capture]]| {
        let mut captures = Captures::within(1, &std::env::temp_dir(), columns(), Dialect::DEFAULT);
        for batch in batches {
            captures.add(batch.iter().copied().cloned().collect()).unwrap();
        }
        captures.policy().unwrap()
    };
    for (one, other, is_tied) in &cases {
        let alone = |answer: &Capture| compiled(&[Told::Answer(answer.clone())], Dialect::DEFAULT);
        let together = compiled(&[one, other].map(|answer| Told::Answer(answer.clone())), Dialect::DEFAULT);
        let older = one.clone().answered(one.answered.fetched_at(Some(1)));
        let missing = random::answer("http://a.test", 404, Some(1));
        for [one, other] in [[one, other], [other, one]] {
            assert!(merged(&[alone(one), alone(other)]).bytes() == together.bytes(), "{one:?} {other:?}");
            // Each batch is a run.
            let both: &[&[&Capture]] = &[&[one, other]];
            for batches in [both, &[&[one], &[other]]] {
                let policy = of_batches(batches);
                assert!(policy.bytes() == together.bytes(), "{one:?} {other:?}");
            }
            for batches in
                [both, &[&[&older], &[one, other]], &[&[one, other], &[&missing]], &[&[&missing], &[one], &[other]]]
            {
                let (same_time, without_time, _) = internals::ties(of_batches(batches).statistics());
                assert_eq!((same_time, without_time), (u64::from(*is_tied), 0), "{batches:?}");
            }
        }
    }
}

#[test]
fn of_two_overrides_the_stricter_counts_key_by_key() {
    const ALLOW: &str = "verdict = 'allow-all'\n";
    const FORBID: &str = "verdict = 'forbid-all'\n";
    const FILE: &str = "robots-txt = \"User-agent: *\\nDisallow: /a\"\n";
    const OTHER_FILE: &str = "robots-txt = \"User-agent: *\\nDisallow: /b\"\n";
    const SHORT: &str = "crawl-delay = 3\n";
    const AS_SHORT: &str = "crawl-delay = 3.0\n";
    const LONG: &str = "crawl-delay = 20\n";
    const SOON: &str = "paused-until = 2026-12-01T08:00:00Z\n";
    const LATE: &str = "paused-until = 2026-12-03T08:00:00Z\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("merged.rsv");
    let with = |keys: &[&str]| {
        let answer = Told::Answer(random::answer("http://a.test", 200, Some(3)));
        compiled(&[answer, Told::Override(format!("['http://a.test']\n{}", keys.concat()))], Dialect::DEFAULT)
    };
    type Keys = &'static [&'static str];
    let cases: [(Keys, Keys, Keys, bool); 17] = [
        (&[ALLOW], &[ALLOW], &[ALLOW], false),
        (&[ALLOW], &[FORBID], &[FORBID], true),
        (&[ALLOW], &[FILE], &[FILE], true),
        (&[FILE], &[FORBID], &[FORBID], true),
        (&[FILE], &[FILE], &[FILE], false),
        (&[FILE], &[OTHER_FILE], &[OTHER_FILE], true),
        (&[SHORT], &[SHORT], &[SHORT], false),
        (&[SHORT], &[LONG], &[LONG], true),
        (&[SHORT], &[AS_SHORT], &[SHORT], false),
        (&[SOON], &[SOON], &[SOON], false),
        (&[SOON], &[LATE], &[LATE], true),
        (&[FILE], &[SHORT], &[FILE, SHORT], false),
        (&[FILE], &[SOON], &[FILE, SOON], false),
        (&[SHORT], &[SOON], &[SHORT, SOON], false),
        (&[FILE, LONG], &[OTHER_FILE, SHORT], &[OTHER_FILE, LONG], true),
        (&[FILE, LONG], &[FILE, SHORT], &[FILE, LONG], true),
        (&[SHORT, LATE], &[SHORT, SOON], &[SHORT, LATE], true),
    ];
    for (one, other, both, is_told) in cases {
        for parts in [[one, other], [other, one]] {
            let lock = WriteLock::take(&path, |_| ()).unwrap();
            let told = merge(&parts.map(with), None, &lock).unwrap().contradictions;
            assert_eq!(told, if is_told { vec!["http://a.test"] } else { vec![] }, "{parts:?}");
            assert!(Policy::open(&path).unwrap().bytes() == with(both).bytes(), "{parts:?}");
        }
    }
}
