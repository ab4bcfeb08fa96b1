//! A live policy says what a policy says that was compiled from the same answers, whenever it is asked.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use robosieve::internals;
use robosieve::policy::source::Answer;
use robosieve::policy::{LivePolicy, Policy, PutEffect, WriteLock};
use robosieve::{Agents, Choices, Dialect, Fallback, LiveMatcher, MaxAge, Outcome, Partition};

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
            for (url, outcome) in urls.iter().zip(outcomes) {
                let one = expected.judge(url);
                assert_eq!((outcome, found.judge(url)), (one, one), "{told} {agent} {url:?}");
                assert_eq!(found.explain(url), expected.explain(url), "{told} {agent} {url:?}");
            }
        }
    }
}

#[test]
fn puts_in_any_order_judge_and_write_as_what_is_compiled() {
    let (folder, all_urls) = (tempfile::tempdir().unwrap(), urls());
    let urls = &all_urls[..16].iter().chain(&all_urls[all_urls.len() - 26..]).cloned().collect::<Vec<_>>()[..];
    for seed in 0..60 {
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
