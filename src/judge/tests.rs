//! Compares the hot path with the slow way, its oracle: for any line, dialect, crawler and instruction set, both must
//! give the same outcome.

use super::batch::{self, JudgeAll};
use super::choices::{Choices, Fallback, MaxAge, Statuses};
use super::isa::{Kernel, Portable};
use super::lines::Lines;
use super::matcher::Matcher;
use super::outcomes::Outcomes;
use super::scratch::Scratch;
use super::urls::{UrlCounts, Urls};
use super::view::JudgeView;
use crate::dialect::Dialect;
use crate::outcome::Outcome;
use crate::policy::{Answered, Capture, Captures, Policy};
use crate::rng::Rng;
use crate::robots::{Agents, BodyFlaw};

/// Origins of all lengths, including some that end where the key does, and some with ports.
pub(super) fn origins() -> Vec<String> {
    let hosts = (1..48).map(|length| format!("http://{}.example", "abcdefghij".repeat(5)[..length].to_owned()));
    let others = [
        "https://a.example",
        "https://a.example:8443",
        "http://a.example:8080",
        "http://xn--bcher-kva.example",
        "http://127.0.0.1",
        "http://[2001:db8::1]",
        "http://a",
        "https://b",
        "http://www.sibling.example",
    ];
    hosts.chain(others.map(str::to_owned)).collect()
}

const BODIES: [&str; 9] = [
    "",
    "User-agent: *\nDisallow: /\n",
    "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: */*.php$\nDisallow: /*?x=\n",
    "User-agent: one\nDisallow: /\nAllow: /$\nAllow: /c\nUser-agent: *\nDisallow: /b\n",
    "User-agent: two\nDisallow: /%61b\nDisallow: /\u{e9}\n",
    "User-agent: *\nDisallow: /a*b*c\nDisallow: /*/d/*e\nAllow: /*f$\n",
    "User-agent: other\nDisallow: /\n",
    "<!DOCTYPE html>\n<title>Welcome</title>\nUser-agent: *\nDisallow: /a\n",
    "User-agent: *\nAllow: /\nDisallow: /long-prefix-of-a-rule/that-is-longer\nDisallow: *private\n",
];

pub(super) fn policy(dialect: &'static Dialect, agents: Vec<Agents>) -> Policy {
    let columns = crate::policy::Crawlers::new(agents).unwrap();
    let mut captures = Captures::new(columns, dialect);
    let capture = |(number, origin): (usize, &String)| {
        let status = [200, 200, 200, 404, 403, 503, 200, 301][number % 8];
        let fetched_at = (number % 3 > 0).then_some(number as i64 * 100);
        Capture {
            url: crate::origin::robots_url(origin),
            origin: Some(origin.clone()),
            answered: Answered { status: Some(status), fetched_at, ..Answered::default() },
            body: (status == 200).then(|| BODIES[number / 2 % BODIES.len()].as_bytes().into()),
            location: (status == 301).then(|| "http://elsewhere.example/robots.txt".to_owned()),
            flaw: match number % 32 {
                9 => Some(BodyFlaw::Incomplete),
                25 => Some(BodyFlaw::NotText),
                _ => None,
            },
            ..Capture::default()
        }
    };
    captures.add(origins().iter().enumerate().map(capture).collect()).unwrap();
    captures.policy().unwrap()
}

/// Ordinary lines and odd ones.
pub(super) fn text(dice: &mut Rng, origins: &[String]) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..dice.below(700) {
        match dice.below(12) {
            0 => text.extend_from_slice(dice.of(&[
                &b""[..],
                b" ",
                b"x",
                b"http",
                b"http://",
                b"http:///a",
                b"ftp://a.example/",
                b"//a.example/",
                b"\0",
                b"http://a.example\0/a",
                b"HTTP://A.EXAMPLE/a",
                b"http://u:p@a.example/a",
                b"http://a.example:80/a",
                b"http://unknown.example/a",
                b"http://www.abc.example/a/b.php?x=1",
                b"https://www.a.example:8443/b",
                b"http://WWW.b\xc3\xbccher.example/./a",
                b"http://sibling.example/a\t",
                b"http://www.www.sibling.example/a",
                b"http://b\xc3\xbccher.example/a",
                b"http://a.example\\a",
                b"http://a.example?x=1",
                b"http://a.example#x",
                b"https://b/a",
                b"http://unknown.example/robots.txt",
                b"http://unknown.example/a/../robots.txt",
            ])),
            1 | 2 => {
                text.extend_from_slice(origins[dice.below(origins.len())].as_bytes());
                text.extend_from_slice(dice.of(&[
                    &b"/robots.txt"[..],
                    b"/robots.txt",
                    b"/%72obots.txt",
                    b"/x/../robots.txt",
                    b"/robots.txt#x",
                    b"\\robots.txt",
                    b"/robots.txt?x",
                    b"/robots.txt/",
                ]));
            }
            _ => {
                text.extend_from_slice(dice.of(&[&b""[..], b"", b"", b"", b"", b" ", b"\t"]));
                text.extend_from_slice(origins[dice.below(origins.len())].as_bytes());
                for _ in 0..dice.below(7) {
                    text.extend_from_slice(dice.of(&[
                        &b"/"[..],
                        b"/a",
                        b"/a/b",
                        b"/b",
                        b"/c",
                        b"/ab",
                        b"/%61b",
                        b"/%C3%A9",
                        b"\xc3\xa9",
                        b".php",
                        b"?x=1",
                        b"#x",
                        b"/./",
                        b"/../",
                        b"/.",
                        b"\\",
                        b"\\..\\",
                        b"/%2e%2E",
                        b"%\t2e",
                        b"\t",
                        b"\r",
                        b"'",
                        b"%27",
                        b"\xff",
                        b"%",
                        b"%4",
                        b" ",
                        b"d/e",
                        b"f",
                        b"abcabc",
                        b"/robots.txt",
                        b"private",
                        b"\0",
                        b"/long-prefix-of-a-rule/that-is-longer",
                        b"0123456789abcdef0123456789abcdef0123456789abcdef0123456789",
                    ]));
                }
                text.extend_from_slice(dice.of(&[&b""[..], b"", b"", b"\r", b" ", b" \r", b"#"]));
            }
        }
        text.push(b'\n');
    }
    if dice.below(2) == 0 {
        text.pop();
    }
    text
}

/// The outcomes of the lines of a text followed by other bytes, with the best instructions and with portable ones.
fn fast(judges: &[JudgeView<'_>], text: &[u8], after: &[u8]) -> [Vec<Vec<Outcome>>; 2] {
    let mut lines = Lines::default();
    lines.find(text);
    let whole = [text, after].concat();
    let urls = Urls::of_lines(&whole, &lines);
    let scratches = || judges.iter().map(|_| Scratch::default()).collect::<Vec<_>>();
    let [mut best, mut portable] = [Outcomes::default(), Outcomes::default()];
    [&mut best, &mut portable].into_iter().for_each(|outcomes| outcomes.clear(judges.len()));
    batch::judge(judges, urls, &mut best, &mut scratches());
    let (scratches, arrays) = (&mut scratches(), &mut Box::default());
    JudgeAll { judges, urls, outcomes: &mut portable, scratches, arrays }.run::<Portable>();
    [best, portable].map(|outcomes| outcomes.by_crawler(&mut Vec::new()).to_vec())
}

#[test]
fn the_hot_path_and_the_slow_way_agree() {
    let origins = origins();
    let mut dice = Rng(1);
    for dialect in Dialect::ALL {
        let agents: Vec<Agents> = ["one", "two", "*"].map(|name| name.parse().unwrap()).to_vec();
        let policy = policy(dialect, agents);
        let named = ["one", "two", "*", "two,one"].map(|name| name.parse::<Agents>().unwrap());
        let crawlers: Vec<_> = named.iter().filter_map(|agents| policy.crawler(Some(agents)).ok()).collect();
        assert!(crawlers.len() >= 3);
        let dated = Choices {
            on_unreachable: Fallback::Use,
            on_html: Fallback::Defer,
            on_stale: Fallback::Block,
            max_age: Some(MaxAge::Seconds(1000)),
            unreachable_as_unavailable: Some(500),
            now: 3000,
            ..Choices::at(0)
        };
        let mut statuses = Statuses::default();
        for (status, meaning) in [("403", Fallback::Defer), ("4xx", Fallback::Block), ("5xx", Fallback::Allow)] {
            statuses.add(status, meaning).unwrap();
        }
        let by_status = Choices { statuses, ..Choices::at(0) };
        for choices in [Choices::at(0), dated, by_status, Choices { statuses, www_fallback: true, ..dated }] {
            let matchers: Vec<Matcher> =
                crawlers.iter().map(|crawler| Matcher::new(&policy, crawler.clone(), choices)).collect();
            let judges: Vec<JudgeView<'_>> = matchers.iter().map(Matcher::view).collect();
            for _ in 0..8 {
                let text = text(&mut dice, &origins);
                let after = [&b""[..], &[b'/'; 300], b"/a\nhttp://a.example/b"][dice.below(3)];
                let [best, portable] = fast(&judges, &text, after);
                assert_eq!(best, portable);
                let count = text.split_inclusive(|&byte| byte == b'\n').count();
                assert!(best.iter().all(|outcomes| outcomes.len() == count));
                let mut scratch = Scratch::default();
                for (judge, outcomes) in judges.iter().zip(&best) {
                    let all: Vec<&[u8]> = text.split(|&byte| byte == b'\n').take(count).collect();
                    for (line, outcome) in all.iter().zip(outcomes) {
                        let slow = judge.judge_line(line, &mut scratch);
                        assert_eq!(*outcome, slow, "{} {}", dialect.name, line.escape_ascii());
                        assert_eq!(
                            judge.judge_one(line, &mut scratch),
                            slow,
                            "{} {}",
                            dialect.name,
                            line.escape_ascii()
                        );
                    }
                    let mut together = Vec::new();
                    judge.judge_all(&all, &mut together, &mut scratch);
                    assert_eq!(together, *outcomes);
                    // Spans in reverse order, each with a foreign byte before and after it.
                    let start = |line: &[u8]| line.as_ptr() as usize - text.as_ptr() as usize;
                    let spans = all.iter().rev().map(|line| start(line)..start(line) + line.len());
                    judge.judge_spans(&text, spans, &mut together, &mut scratch);
                    together.reverse();
                    assert_eq!(together, *outcomes);
                    let spans = all.iter().map(|line| start(line)..start(line) + line.len());
                    judge.judge_spans(&text, spans, &mut together, &mut scratch);
                    assert_eq!(together, *outcomes);
                }
            }
        }
    }
}

/// Files with up to six groups for some of 140 crawlers, `b0` to `b139`, and often one for all.
fn files_of_groups(dice: &mut Rng) -> Vec<String> {
    let rules =
        ["Disallow: /\n", "Disallow: /a\n", "Allow: /a/b\nDisallow: /a\n", "Disallow: */*.php$\n", "Disallow:\n"];
    let group = |dice: &mut Rng| {
        let names = (0..1 + dice.below(30)).map(|_| format!("User-agent: b{}\n", dice.below(140)));
        names.collect::<String>() + dice.of(&rules)
    };
    let file = |dice: &mut Rng| {
        let mut file: String = (0..dice.below(7)).map(|_| group(dice)).collect();
        if dice.below(3) > 0 {
            file += &format!("User-agent: *\n{}", dice.of(&rules));
        }
        file
    };
    (0..60).map(|_| file(dice)).collect()
}

/// Each crawler gets the verdicts of its own rules, in a policy of one layer and of two, whichever crawlers are judged for together.
#[test]
fn crawlers_judged_together_get_the_verdicts_of_their_own_rules() {
    let (origins, mut dice) = (origins(), Rng(41));
    let names: Vec<Agents> = (0..140).map(|number| format!("b{number}").parse().unwrap()).collect();
    let dialect = Dialect::DEFAULT;
    for _ in 0..2 {
        let (files, newer) = (files_of_groups(&mut dice), files_of_groups(&mut dice));
        let policy_of = |files: &[String], every: usize| {
            let columns = crate::policy::Crawlers::new(names.clone()).unwrap();
            let mut captures = Captures::new(columns, dialect);
            let origins = origins.iter().enumerate().step_by(every);
            let found = origins.map(|(number, origin)| {
                let found = Capture::found(origin, &files[number]);
                let fetched_at = Some(every as i64);
                Capture { answered: Answered { fetched_at, ..found.answered }, ..found }
            });
            captures.add(found.collect()).unwrap();
            captures.policy().unwrap()
        };
        let base = policy_of(&files, 1);
        let layered = Policy::layered(vec![base.clone(), policy_of(&newer, 3)]).unwrap();
        for (policy, is_layered) in [(&base, false), (&layered, true)] {
            let mut chosen: Vec<Agents> = names.iter().filter(|_| dice.below(3) > 0).cloned().collect();
            chosen.extend(["b3,b70,b139", "b100,b5"].map(|list| list.parse().unwrap()));
            let crawlers = chosen.iter().map(|agents| policy.crawler(Some(agents)).unwrap());
            let matchers: Vec<Matcher> =
                crawlers.map(|crawler| Matcher::new(policy, crawler, Choices::at(0))).collect();
            let text = text(&mut dice, &origins);
            let [best, portable] = fast(&Matcher::views(&matchers), &text, &[]);
            assert_eq!(best, portable);
            let mut compared = 0;
            for ((agents, matcher), outcomes) in chosen.iter().zip(&matchers).zip(&best) {
                let mut own: std::collections::HashMap<usize, crate::judge::RuleSet> = std::collections::HashMap::new();
                for (line, &outcome) in text.split(|&byte| byte == b'\n').zip(outcomes) {
                    assert_eq!(outcome, matcher.judge(line), "{agents} {}", line.escape_ascii());
                    let Ok((origin, _)) = crate::origin::split(line) else { continue };
                    let Some(number) = origins.iter().position(|known| *known == origin) else { continue };
                    let file = if is_layered && number % 3 == 0 { &newer[number] } else { &files[number] };
                    let compile = || crate::judge::RuleSet::compile(file.as_bytes(), agents, dialect);
                    let rules = own.entry(number).or_insert_with(compile);
                    let is_allowed = rules.verdict_url(line) == Ok(crate::rules::Verdict::Allowed);
                    let allowed = outcome.partition() == crate::outcome::Partition::Allowed;
                    assert_eq!(allowed, is_allowed, "{agents} {}\n{file}", line.escape_ascii());
                    compared += 1;
                }
            }
            assert!(compared > 1000 || text.len() < 10_000, "{compared}");
        }
    }
}

/// The origin itself comes first in every layer, and its sibling, of whatever layer, only if no layer has it.
#[test]
fn an_unknown_origin_is_judged_by_its_sibling() {
    let policy_of = |files: &[(&str, &str)], time| {
        let columns = crate::policy::Crawlers::new(["one", "two"].map(|name| name.parse().unwrap()).to_vec()).unwrap();
        let mut captures = Captures::new(columns, Dialect::DEFAULT);
        let found = files.iter().map(|(origin, body)| {
            let found = Capture::found(origin, body);
            Capture { answered: Answered { fetched_at: Some(time), ..found.answered }, ..found }
        });
        captures.add(found.collect()).unwrap();
        captures.policy().unwrap()
    };
    let all = |path: &str| format!("User-agent: *\nDisallow: {path}\n");
    let two = "User-agent: two\nDisallow: /\n";
    let base = policy_of(
        &[
            ("http://www.base", &all("/base")),
            ("http://own", &all("/own")),
            ("https://bare:81", &all("/bare")),
            ("http://www.two", two),
            ("http://www.old", &all("/old")),
        ],
        1,
    );
    let newer = [("http://www.own", all("/not")), ("http://www.newer", all("/newer")), ("http://www.old", all("/new"))];
    let newer = policy_of(&newer.each_ref().map(|(origin, body)| (*origin, &**body)), 2);
    let layered = Policy::layered(vec![base, newer]).unwrap();
    let (allowed, blocked, unknown) = (("allowed", "rules"), ("blocked", "rules"), ("deferred", "unfetched"));
    let lines = [
        ("http://base/base", blocked, true),
        ("  HTTP://Base:80/b%61se\r", blocked, true),
        ("http://base/", allowed, true),
        ("https://base/base", unknown, false),
        ("http://base:81/base", unknown, false),
        ("http://own/own", blocked, false),
        ("http://own/not", allowed, false),
        ("http://www.own/not", blocked, false),
        ("https://www.bare:81/bare", blocked, true),
        ("http://newer/newer", blocked, true),
        ("http://old/new", blocked, true),
        ("http://old/old", allowed, true),
        ("http://two/x", ("allowed", "no-group"), true),
        ("http://www.www.base/base", blocked, true),
        ("http://unknown/", unknown, false),
        ("http://127.0.0.1/", unknown, false),
    ];
    for www_fallback in [true, false] {
        let choices = Choices::at(0).www_fallback(www_fallback);
        let agents = ["one", "two"].map(|name| name.parse::<Agents>().unwrap());
        let crawlers = agents.iter().map(|agents| layered.crawler(Some(agents)).unwrap());
        let matchers: Vec<Matcher> = crawlers.map(|crawler| Matcher::new(&layered, crawler, choices)).collect();
        let text = lines.map(|(line, ..)| line).join("\n");
        let [best, portable] = fast(&Matcher::views(&matchers), text.as_bytes(), b"\n");
        assert_eq!(best, portable);
        for (at, (line, expected, is_by_sibling)) in lines.into_iter().enumerate() {
            let mut scratch = Scratch::default();
            let outcome = matchers[0].view().judge_line(line.as_bytes(), &mut scratch);
            let expected = if is_by_sibling && !www_fallback { unknown } else { expected };
            assert_eq!((outcome.partition().name(), outcome.reason().name()), expected, "{line}");
            assert_eq!(scratch.counts.www_fallbacks, u64::from(www_fallback && is_by_sibling), "{line}");
            assert_eq!((best[0][at], matchers[0].judge(line)), (outcome, outcome), "{line}");
            let of_two = matchers[1].judge(line);
            assert_eq!(best[1][at], of_two, "{line}");
            let is_refused = www_fallback && line.starts_with("http://two");
            assert!(!is_refused || of_two.partition() == crate::outcome::Partition::Blocked, "{line}");
        }
        let cause = matchers[0].explain("http://newer/newer");
        assert_eq!(cause.rule.map(|rule| rule.line), www_fallback.then_some(2));
    }
}

#[test]
fn what_is_counted_is_the_same_as_well() {
    let (origins, mut dice) = (origins(), Rng(7));
    let policy = policy(Dialect::DEFAULT, vec![Agents::everybody()]);
    let crawler = policy.crawler(None).unwrap();
    let matcher = Matcher::new(&policy, crawler, Choices::at(0));
    let judge = matcher.view();
    for _ in 0..20 {
        let text = text(&mut dice, &origins);
        let (mut fast, mut slow, mut outcomes) = (Scratch::default(), Scratch::default(), Vec::new());
        judge.judge_lines(&text, &mut outcomes, &mut fast);
        for line in text.split(|&byte| byte == b'\n').take(outcomes.len()) {
            judge.judge_line(line, &mut slow);
        }
        assert_eq!(outcomes.len(), text.split_inclusive(|&byte| byte == b'\n').count());
        assert_eq!(fast.counts, slow.counts);
        let UrlCounts { tabs, dot_segments, rewritten, normalised, .. } = slow.counts;
        assert!(text.len() < 10_000 || [tabs, dot_segments, rewritten, normalised].iter().all(|&count| count > 0));
    }
}

/// A text whose last byte is followed by memory that no one may read.
#[cfg(unix)]
#[test]
fn nothing_is_read_after_the_text() {
    use super::lines;
    use super::pieces::{self, Pieces};
    use super::tally::{CrawlerCounts, Tally, count};
    use rustix::mm::{MprotectFlags, mprotect};

    const HALF: usize = 1 << 20;
    let mut map = memmap2::MmapMut::map_anon(2 * HALF).unwrap();
    // SAFETY: nothing refers to the second half.
    unsafe { mprotect(map.as_mut_ptr().add(HALF).cast(), HALF, MprotectFlags::empty()) }.unwrap();
    // SAFETY: the first half can still be read and written; the map lives as long as the test.
    let memory = unsafe { std::slice::from_raw_parts_mut(map.as_mut_ptr(), HALF) };
    let (origins, mut dice) = (origins(), Rng(3));
    let policy = policy(Dialect::DEFAULT, vec![Agents::everybody()]);
    let matcher = Matcher::new(&policy, policy.crawler(None).unwrap(), Choices::at(0));
    for _ in 0..200 {
        let made = text(&mut dice, &origins);
        let text = &mut memory[HALF - made.len()..];
        text.copy_from_slice(&made);
        let (text, mut found, mut outcomes) = (&*text, Lines::default(), Vec::new());
        found.find(text);
        matcher.judge_lines(text, &mut outcomes);
        for stays in [false, true] {
            let mut partitions = vec![Pieces::default(); 4];
            pieces::sort(text, found.starts(), &outcomes, stays, &mut partitions);
            assert!(pieces::prove(text, found.starts(), &outcomes, &partitions));
        }
        let counted = count(text, &found, &Outcomes::of_one(outcomes.clone()), true, &mut [CrawlerCounts::default()]);
        assert_eq!(counted, Tally::of_text(text, |line| line));
        let spans = text.split(|&byte| byte == b'\n').take(outcomes.len()).map(|line| {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            start..start + line.len()
        });
        let mut of_spans = Vec::new();
        matcher.judge_spans(text, spans, &mut of_spans);
        assert_eq!(of_spans, outcomes);
        lines::is_plain(text);
    }
}

#[test]
fn what_depends_on_time_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut overrides = crate::policy::Overrides::default();
    let paused = crate::policy::Override::default().paused_until(Some(1_768_219_200));
    overrides.add("http://a.example", paused).unwrap();
    let plain = policy(Dialect::DEFAULT, vec![Agents::everybody()]);
    let paused = plain.clone().with_overrides(&overrides, folder.path()).unwrap();
    let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
    captures.add_overrides(&overrides).unwrap();
    let layered = Policy::layered(vec![plain.clone(), captures.policy().unwrap()]).unwrap();
    let depends = |policy: &Policy, choices| policy.matcher_with("*", choices).unwrap().depends_on_time();
    let choices = Choices::at(0);
    assert!(!depends(&plain, choices));
    assert!(depends(&plain, choices.max_age(Some(MaxAge::Dialect))));
    assert!(depends(&plain, choices.unreachable_as_unavailable(Some(1))));
    assert!(depends(&paused, choices) && depends(&layered, choices));
}
