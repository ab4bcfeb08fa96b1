//! A live policy says what a policy says that was compiled from the same answers, whenever it is asked.

mod memory;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use robosieve::internals;
use robosieve::policy::source::Answer;
use robosieve::policy::{ErrorKind, LivePolicy, Policy, PutEffect, WriteLock};
use robosieve::run::{Job, Progress};
use robosieve::{Agents, Choices, Dialect, Fallback, LiveMatcher, MaxAge, Partition, Reason};

use crate::union::random::{Random, Told};
use crate::union::{columns, compiled, overrides, urls};

fn put(live: &LivePolicy, one: &Told) {
    match one {
        Told::Answer(capture) => {
            let put = internals::put_capture(live, capture.clone()).unwrap();
            assert_ne!(put.effect, PutEffect::Full);
        }
        Told::Override(text) => live.put_overrides(&overrides(text)).unwrap(),
    }
}

fn written(live: &LivePolicy, path: &Path) -> Policy {
    live.write(&WriteLock::take(path, |_| ()).unwrap()).unwrap();
    Policy::open(path).unwrap()
}

/// The choices that differ most: by default, and by every state and age.
fn choices() -> [Choices; 2] {
    let by_age = Choices::at(90 * 86_400).on_unreachable(Fallback::Use).max_age(Some(MaxAge::Dialect));
    [Choices::at(0), by_age.unreachable_as_unavailable(Some(40 * 86_400)).statuses("404 = 'defer'".parse().unwrap())]
}

/// Asserts that a live policy judges as a compiled one, and explains alike.
fn judge_alike(live: &LivePolicy, all: &Policy, urls: &[String], told: &str) {
    for choices in
        choices().into_iter().chain([choices()[0].www_fallback(true).require("train-ai!=n".parse().unwrap())])
    {
        for agent in ["examplebot", "other", "other, examplebot"] {
            let Ok(expected) = all.matcher_with(agent, choices) else { continue };
            let found = live.matcher(agent, choices).unwrap();
            let mut outcomes = Vec::new();
            found.judge_all(urls, &mut outcomes);
            assert_eq!(outcomes.len(), urls.len());
            for (url, outcome) in urls.iter().zip(outcomes) {
                let one = expected.judge(url);
                assert_eq!((outcome, found.judge(url)), (one, one), "{told} {agent} {url:?}");
                if agent == "examplebot" {
                    assert_eq!(found.explain(url), expected.explain(url), "{told} {url:?}");
                }
            }
        }
    }
}

#[test]
fn puts_in_any_order_judge_and_write_as_what_is_compiled() {
    let (folder, all_urls) = (tempfile::tempdir().unwrap(), urls());
    let urls = &all_urls[..16].iter().chain(&all_urls[all_urls.len() - 26..]).cloned().collect::<Vec<_>>()[..];
    for seed in 0..40 {
        let path = folder.path().join(format!("{seed}.rsv"));
        let mut random = Random::new(seed);
        let dialect = Dialect::named(Dialect::ALL[random.below(Dialect::ALL.len())].name).unwrap();
        let mut told = random.told();
        random.shuffle(&mut told);
        let of_base = random.below(told.len() + 1) * random.below(2);
        let live = LivePolicy::new(columns(), dialect);
        let live = if of_base > 0 { live.over(compiled(&told[..of_base], dialect)) } else { live };
        let matcher = live.matcher("examplebot", choices()[1]).unwrap();
        for at in of_base..told.len() {
            put(&live, &told[at]);
            // What is derived here must not outlive later answers.
            urls.iter().step_by(1 + random.below(4)).for_each(|url| _ = matcher.judge(url));
            match random.below(12) {
                0 => judge_alike(&live, &compiled(&told[..=at], dialect), urls, &format!("{seed} {at}")),
                1 => {
                    let file = written(&live, &path);
                    assert!(file.bytes() == compiled(&told[..=at], dialect).bytes(), "{seed} {at}");
                    live.rebase(file).unwrap();
                    assert_eq!(live.statistics().urls, 0, "{seed} {at}: the file has all");
                }
                _ => {}
            }
        }
        let all = compiled(&told, dialect);
        judge_alike(&live, &all, urls, &format!("{seed}"));
        assert!(written(&live, &path).bytes() == all.bytes(), "{seed}");
    }
}

const NOW: i64 = 1_790_000_000;

fn live() -> (LivePolicy, LiveMatcher) {
    let live = LivePolicy::new("examplebot".parse::<Agents>().unwrap(), Dialect::DEFAULT);
    let matcher = live.matcher("examplebot", Choices::at(NOW)).unwrap();
    (live, matcher)
}

fn found(origin: &str, body: &str, at: i64) -> Answer {
    Answer::found(origin, body.as_bytes(), at)
}

fn status(origin: &str, status: i64, at: i64) -> Answer {
    Answer::new(format!("{origin}/robots.txt"), Some(status)).fetched_at(Some(at))
}

fn redirect(origin: &str, target: &str, at: i64) -> Answer {
    status(origin, 301, at).location(Some(format!("{target}/robots.txt")))
}

const CLOSED: &str = "User-agent: *\nDisallow: /\n";

#[test]
fn a_put_tells_what_it_did_and_what_to_ask_next() {
    let (live, matcher) = live();
    let effect = |answer: Answer| live.put(answer).unwrap().effect;
    assert_eq!(effect(found("https://a.example", CLOSED, 5)), PutEffect::Changed);
    assert_eq!(effect(found("https://a.example", CLOSED, 5)), PutEffect::Older, "the same");
    assert_eq!(effect(found("https://a.example", "", 4)), PutEffect::Older);
    assert_eq!(effect(found("https://a.example", "", 5)), PutEffect::Tie);
    assert_eq!(matcher.judge("https://a.example/").partition(), Partition::Blocked);
    assert_eq!(effect(status("https://a.example", 503, 6)), PutEffect::Changed);
    assert_eq!(effect(status("https://a.example", 404, 3)), PutEffect::Changed, "of another kind");
    assert_eq!(effect(status("https://a.example", 503, 5)), PutEffect::Changed, "it fails for longer");
    assert_eq!(effect(status("https://a.example", 503, 5)), PutEffect::Older);
    let ask = |answer: Answer| live.put(answer).unwrap().ask;
    assert_eq!(
        ask(redirect("http://b.example", "http://c.example", 5)).as_deref(),
        Some("http://c.example/robots.txt")
    );
    assert_eq!(ask(redirect("http://c.example", "http://b.example", 5)), None, "in circles");
    assert_eq!(ask(redirect("http://c.example", "https://a.example", 6)), None, "it has an answer");
    assert_eq!(
        ask(redirect("http://d.example", "http://e.example", 6)).as_deref(),
        Some("http://e.example/robots.txt")
    );
    assert_eq!(
        ask(redirect("http://f.example", "http://d.example", 6)).as_deref(),
        Some("http://e.example/robots.txt")
    );
    let put = live.put(found("https://g.example", "GIF89a", 6)).unwrap();
    assert!(put.problem.is_some_and(|problem| problem.contains("GIF")) && put.ask.is_none());
    for (wrong, part) in [
        (Answer::found("https://a.example", *b"", None), "it has no time"),
        (Answer::new("ftp://a.example/robots.txt", Some(200)).fetched_at(Some(5)), "ftp"),
        (Answer::new("https://a.example/robots.txt", Some(200)).fetched_at(Some(5)), "body"),
        (status("https://a.example", 404, i64::MAX), "beyond the year"),
    ] {
        let error = live.put(wrong).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Source);
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn what_a_crawler_asks_of_an_origin() {
    let (live, _) = live();
    let body = "Sitemap: https://a.example/s.xml\nUser-agent: *\nCrawl-delay: 2\nSitemap: t\n";
    live.put(found("https://a.example", body, NOW)).unwrap();
    live.put(status("https://a.example", 503, NOW + 60)).unwrap();
    live.put(redirect("http://b.example", "https://a.example", NOW + 70)).unwrap();
    let state = |url: &str| live.state(url).unwrap();
    let of_a = state("https://A.example/some/page").unwrap();
    assert_eq!((of_a.answered.status, of_a.answered.fetched_at), (Some(503), Some(NOW + 60)));
    assert_eq!(of_a.usable_until, Some(NOW + 86_400), "the last good answer");
    assert_eq!(of_a.sitemaps, ["https://a.example/s.xml", "t"]);
    let of_b = state("http://b.example").unwrap();
    assert_eq!((of_b.answered.status, of_b.sitemaps), (Some(301), of_a.sitemaps));
    assert_eq!(state("http://c.example"), None);
    assert!(live.state("c.example").is_err());
    let delays = LivePolicy::new("examplebot".parse::<Agents>().unwrap(), Dialect::named("draft-1996").unwrap());
    delays.put_overrides(&overrides("['http://a.example']\ncrawl-delay = 7\n")).unwrap();
    let state = delays.state("http://a.example").unwrap().unwrap();
    assert_eq!((state.crawl_delay, state.is_overridden), (Some(7.0), false), "a delay overrides no answer");
}

#[test]
fn beyond_its_memory_it_is_full_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.rsv");
    let (live, matcher) = live();
    let live = live.with_memory(60 << 10);
    let origin = |number: usize| format!("https://{number}.example");
    let body = |number: usize| format!("User-agent: *\nDisallow: /{number}/*/x\n");
    let mut count = 0;
    while live.put(found(&origin(count), &body(count), 5)).unwrap().effect == PutEffect::Changed {
        count += 1;
        assert!(count < 1000, "it is never full");
    }
    assert!((20..200).contains(&count), "{count}");
    let before = live.statistics();
    assert_eq!((before.urls, before.files), (count, count));
    let outcome = matcher.judge(format!("{}/{count}/a/x", origin(count)));
    assert_eq!(outcome.reason(), Reason::Unfetched, "it closes: nothing is forgotten, nothing opens");
    assert_eq!(
        live.put(found(&origin(0), CLOSED, 6)).unwrap().effect,
        PutEffect::Changed,
        "it takes no more than before"
    );
    live.put_overrides(&overrides("['https://closed.example']\nverdict = 'forbid-all'\n")).unwrap();
    let file = written(&live, &path);
    live.rebase(file).unwrap();
    assert_eq!((live.statistics().urls, live.statistics().files), (0, 0));
    assert_eq!(live.put(found(&origin(count), CLOSED, 5)).unwrap().effect, PutEffect::Changed);
    for number in 1..count {
        let url = format!("{}/{number}/a/x", origin(number));
        assert_eq!(matcher.judge(&url).partition(), Partition::Blocked, "{url}");
    }
    for closed in [origin(0), origin(count), "https://closed.example".to_owned()] {
        assert_eq!(matcher.judge(format!("{closed}/y")).partition(), Partition::Blocked, "{closed}");
    }
}

#[test]
fn replaced_answers_leave_nothing_behind() {
    let (live, matcher) = live();
    let round = |round: i64| {
        for origin in 0..50 {
            let origin = format!("https://{origin}.example");
            let answer = match round % 5 {
                0 => redirect(&origin, "https://7.example", round),
                1 => status(&origin, 503, round),
                _ => found(&origin, &format!("User-agent: *\nDisallow: /{:05}*x\n", round % 10_000), round),
            };
            live.put(answer).unwrap();
            matcher.judge(&origin);
        }
        live.statistics()
    };
    (0..20).for_each(|number| _ = round(number));
    let early = round(24);
    let late = (25..200).map(round).fold(early, |_, late| late);
    assert_eq!((early.urls, early.files, early.bytes), (late.urls, late.files, late.bytes));
}

#[test]
fn a_put_touches_its_own_url_only() {
    let (live, matcher) = live();
    for number in 0..2000 {
        live.put(redirect(&format!("https://{number}.example"), "https://target.example", 5)).unwrap();
    }
    let judged = |number: usize| matcher.judge(format!("https://{number}.example/"));
    for (at, body, expected) in
        [(6, CLOSED, Partition::Blocked), (7, "", Partition::Allowed), (8, CLOSED, Partition::Blocked)]
    {
        live.put(found("https://target.example", body, at)).unwrap();
        assert_eq!(live.statistics().files, 1);
        (0..2000).step_by(97).for_each(|number| assert_eq!(judged(number).partition(), expected));
    }
}

#[test]
fn a_base_that_does_not_fit_is_refused_by_every_call() {
    let other = compiled(&[], Dialect::DEFAULT);
    let folder = tempfile::tempdir().unwrap();
    let live = LivePolicy::new("examplebot".parse::<Agents>().unwrap(), Dialect::DEFAULT).over(other.clone());
    let lock = WriteLock::take(folder.path().join("p.rsv"), |_| ()).unwrap();
    let errors = [
        live.put(found("https://a.example", "", 5)).map(|_| ()),
        live.put_overrides(&overrides("['http://a.example']\ncrawl-delay = 7\n")),
        live.matcher("examplebot", Choices::default()).map(|_| ()),
        live.write(&lock).map(|_| ()),
        live.rebase(other),
    ];
    for error in errors {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Differ);
    }
}

#[test]
fn what_is_needed_is_handed_out_once_and_comes_back_after_a_pause() {
    let (live, matcher) = live();
    let judge = |url: &str, times: usize| (0..times).for_each(|_| _ = matcher.judge(url));
    let needed = |now: i64| -> Vec<String> {
        live.needed(NOW + now, 10).into_iter().map(|needed| format!("{} {}", needed.url, needed.lines)).collect()
    };
    judge("https://a.example/x", 2);
    judge("https://b.example/y", 3);
    judge("https://c.example/robots.txt", 1);
    let all = ["https://b.example/robots.txt 3", "https://a.example/robots.txt 2", "https://c.example/robots.txt 0"];
    assert_eq!(needed(0), all);
    assert!(needed(599).is_empty());
    assert_eq!(needed(600), all, "no answer came for ten minutes");
    live.put(found("https://b.example", CLOSED, NOW + 610)).unwrap();
    live.put(redirect("https://a.example", "https://b.example", NOW + 610)).unwrap();
    live.put(redirect("https://c.example", "https://d.example", NOW + 610)).unwrap();
    judge("https://e.example/", 4);
    judge("https://d.example/", 1);
    judge("https://c.example/z", 2);
    assert_eq!(needed(611), ["https://e.example/robots.txt 4", "https://d.example/robots.txt 3"], "of c and of d");
    let failed = |at: i64| live.put(status("https://e.example", 503, NOW + at)).unwrap();
    failed(620);
    assert!(needed(679).is_empty());
    assert_eq!(
        live.needed(NOW + 680, 10)[0].to_string(),
        format!("https://e.example/robots.txt\tunfetched\t4\t503\t2026-09-21T14:23:40Z")
    );
    failed(690);
    assert!(needed(690 + 69).is_empty() && needed(690 + 119).is_empty());
    assert_eq!(needed(690 + 120), ["https://e.example/robots.txt 4"]);
    failed(4000);
    assert!(needed(4000 + 3379).iter().all(|url| !url.contains("e.example")));
    assert!(needed(4000 + 3380).iter().any(|url| url.contains("e.example")), "as long as it failed before");
    live.put(status("https://e.example", 404, NOW + 9000)).unwrap();
    live.put(status("https://d.example", 404, NOW + 9000)).unwrap();
    assert!(needed(9001).is_empty() && live.statistics().waiting == 0, "{:?}", live.statistics());
}

#[test]
fn a_stale_answer_is_needed_again() {
    let (live, _) = live();
    let choices = Choices::at(NOW).stale(Some(Fallback::Defer), Some(MaxAge::Seconds(100)));
    let matcher = live.matcher("examplebot", choices).unwrap();
    live.put(found("https://a.example", "", NOW - 200)).unwrap();
    assert_eq!(matcher.judge("https://a.example/").reason(), Reason::Stale);
    assert_eq!(live.needed(NOW, 10).len(), 1);
    live.put(found("https://a.example", "", NOW - 5)).unwrap();
    assert_eq!(matcher.judge("https://a.example/").partition(), Partition::Allowed);
    assert!(live.needed(NOW + 5000, 10).is_empty());
}

#[test]
fn choices_without_a_time_are_those_of_the_clock() {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() as i64;
    let choices = Choices::default().stale(Some(Fallback::Defer), Some(MaxAge::Seconds(10_000)));
    assert_eq!((choices.now, Choices::default()), (Choices::CLOCK, Choices::at(Choices::CLOCK)));
    let live = LivePolicy::new("examplebot".parse::<Agents>().unwrap(), Dialect::DEFAULT);
    live.put(found("https://fresh.example", "", now)).unwrap();
    live.put(found("https://old.example", "", now - 20_000)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let policy = written(&live, &folder.path().join("p.rsv"));
    let (of_live, compiled) =
        (live.matcher("examplebot", choices).unwrap(), policy.matcher_with("examplebot", choices).unwrap());
    for (url, expected) in
        [("https://fresh.example/", Partition::Allowed), ("https://old.example/", Partition::Deferred)]
    {
        assert_eq!((of_live.judge(url).partition(), compiled.judge(url).partition()), (expected, expected));
        let mut outcomes = Vec::new();
        of_live.judge_all(&[url, url], &mut outcomes);
        assert_eq!(outcomes.iter().map(|outcome| outcome.partition()).collect::<Vec<_>>(), [expected; 2]);
    }
    let list = folder.path().join("list.txt");
    std::fs::write(&list, "https://fresh.example/\nhttps://old.example/\n").unwrap();
    let job = Job::new([&list], vec![policy.crawler(None).unwrap()]).choices(choices);
    let receipt = job.run(&policy, &Progress::new()).unwrap();
    let text = serde_json::to_string(&receipt).unwrap();
    assert!(text.contains("\"now\":\"20"), "the time of the run: {text}");
    assert!(receipt.partitions().any(|part| part == ("deferred", 1)));
}

/// Half of the origins redirect to the other half. Each put closes or opens a site as a whole, so judging all pages of both, which uses
/// one version, never finds them apart; and after a put returns, its thread sees it.
#[test]
fn threads_see_puts_whole() {
    let (live, matcher) = live();
    for number in 0..8 {
        let (from, to) = (format!("https://from{number}.example"), format!("https://to{number}.example"));
        live.put(redirect(&from, &to, 1)).unwrap();
        live.put(found(&to, CLOSED, 1)).unwrap();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for writer in 0..2 {
            let (live, matcher, done) = (live.clone(), matcher.clone(), &done);
            threads.spawn(move || {
                for at in 2..400 {
                    let to = format!("https://to{}.example", (at as usize % 4) * 2 + writer);
                    let body = if at % 3 == 0 { "" } else { CLOSED };
                    live.put(found(&to, body, at)).unwrap();
                    let expected = if body.is_empty() { Partition::Allowed } else { Partition::Blocked };
                    assert_eq!(matcher.judge(to.replace("//to", "//from")).partition(), expected);
                }
                done.store(true, Relaxed);
            });
        }
        let (matcher, done) = (matcher.clone(), &done);
        threads.spawn(move || {
            let urls: Vec<String> = (0..8)
                .flat_map(|number| [format!("https://from{number}.example/a"), format!("https://to{number}.example/b")])
                .collect();
            let mut outcomes = Vec::new();
            while !done.load(Relaxed) {
                matcher.judge_all(&urls, &mut outcomes);
                assert_eq!(outcomes.len(), urls.len());
                outcomes.chunks(2).for_each(|pair| assert_eq!(pair[0], pair[1]));
            }
        });
    });
}
