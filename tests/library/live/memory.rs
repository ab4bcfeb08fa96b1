//! What a live policy keeps is counted as long as it keeps it, and is bounded.

use robosieve::policy::PutEffect;

use super::*;

/// The bytes of a live policy that took these answers.
fn bytes_of(answers: &[Answer]) -> u64 {
    let (live, _) = live();
    answers.iter().for_each(|answer| _ = live.put(answer.clone()).unwrap());
    live.statistics().bytes
}

#[test]
fn what_is_kept_is_counted() {
    let long = "x".repeat(1000);
    let to = |path: &str| redirect("https://a.example", &format!("https://b.example/{path}"), 5);
    let file = |lines: &str| found("https://a.example", &format!("User-agent: *\nDisallow: /x\n{lines}"), 5);
    let host = format!("https://{}a.example", "long.".repeat(40));
    let closed = || status("https://a.example", 503, 5);
    for (more, less, at_least) in [
        (vec![to(&long)], vec![to("")], 1000),
        (vec![file(&format!("Sitemap: {long}\n"))], vec![file("")], 1000),
        (vec![file("no record\n")], vec![file("")], 16),
        (vec![status(&host, 503, 5)], vec![closed()], 200),
        (vec![closed(), status("https://a.example", 404, 5)], vec![closed()], 16),
        (vec![closed(), status("https://a.example", 503, 90 * 86_400)], vec![closed()], 16),
    ] {
        let (bytes, fewer) = (bytes_of(&more), bytes_of(&less));
        assert!(fewer > 0 && bytes >= fewer + at_least, "{bytes} {fewer} {more:?}");
    }
    let (live, _) = live();
    live.put(closed()).unwrap();
    let without = live.statistics().bytes;
    live.put_overrides(&overrides("['https://a.example']\ncrawl-delay = 7\n")).unwrap();
    assert!(live.statistics().bytes >= without + 16);
}

/// What redirects lead to is derived when a URL is judged, origins wait, and files are compiled: all of this takes memory besides.
#[test]
fn what_judging_keeps_is_counted_with_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.rsv");
    let large = "User-agent: *\nDisallow: /*a*b\nDisallow: /*c*d\nDisallow: /*e*f\nDisallow: /*g*h\n";
    let base = || {
        let (live, _) = live();
        live.put(redirect("https://from.example", "https://to.example", 5)).unwrap();
        written(&live, &path)
    };
    let grown_by = |urls: &[&str]| {
        let live = live().0.over(base());
        live.put(found("https://large.example", large, 5)).unwrap();
        live.put(found("https://to.example", CLOSED, 5)).unwrap();
        let (matcher, before) = (live.matcher("examplebot", Choices::at(NOW)).unwrap(), live.statistics().bytes);
        urls.iter().for_each(|url| _ = matcher.judge(url));
        live.statistics().bytes - before
    };
    let urls = ["https://from.example/", "https://unknown.example/", "https://large.example/a"];
    let each = urls.map(|url| grown_by(&[url]));
    assert!(each.iter().all(|&bytes| bytes > 0), "{each:?}");
    assert_eq!(grown_by(&urls), each.iter().sum::<u64>());
}

#[test]
fn what_is_gone_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.rsv");
    let (live, matcher) = live();
    assert_eq!(live.statistics().bytes, 0);
    let urls = ["https://a.example/", "https://b.example/", "https://moved.example/", "https://never.example/"];
    urls.iter().for_each(|url| _ = matcher.judge(url));
    assert_eq!(live.needed(NOW, 10).len(), 4);
    assert_eq!(live.statistics().waiting, 4);
    let with_sitemap = "User-agent: *\nDisallow: /x\nSitemap: https://a.example/s.xml\n";
    live.put(found("https://a.example", with_sitemap, NOW)).unwrap();
    live.put(found("https://b.example", with_sitemap, NOW)).unwrap();
    assert_eq!(live.statistics().files, 1, "both have it");
    live.put(found("https://a.example", CLOSED, NOW + 1)).unwrap();
    assert_eq!(live.statistics().files, 2);
    live.put(found("https://b.example", CLOSED, NOW + 1)).unwrap();
    assert_eq!(live.statistics().files, 1, "nobody has the other");
    live.put(redirect("https://moved.example", "https://a.example", NOW)).unwrap();
    live.put(status("https://never.example", 404, NOW)).unwrap();
    assert!(live.needed(NOW + 1, 10).is_empty());
    assert_eq!((live.statistics().urls, live.statistics().waiting), (4, 0));
    live.rebase(written(&live, &path)).unwrap();
    assert_eq!((live.statistics().urls, live.statistics().files, live.statistics().bytes), (0, 0, 0));
}

/// A policy takes as many bytes as it may, and an answer in place of one as large at any time.
#[test]
fn the_bound_is_the_last_byte() {
    // What the last of so many answers does.
    let put = |live: &LivePolicy, count: i64| {
        let put = |number| live.put(found(&format!("https://{number}.example"), CLOSED, 5)).unwrap().effect;
        (0..count).map(put).fold(None, |_, effect| Some(effect))
    };
    let (unbounded, _) = live();
    assert_eq!(put(&unbounded, 5), Some(PutEffect::Changed));
    let bytes = unbounded.statistics().bytes;
    assert_eq!(put(&live().0.with_memory(bytes), 5), Some(PutEffect::Changed));
    let full = live().0.with_memory(bytes - 1);
    assert_eq!(put(&full, 5), Some(PutEffect::Full));
    assert_eq!(full.statistics().urls, 4);
    let full = full.with_memory(1);
    assert_eq!(full.put(found("https://0.example", CLOSED, 6)).unwrap().effect, PutEffect::Changed);
    let put = full.put(redirect("https://new.example", "https://newer.example", 5)).unwrap();
    assert_eq!((put.effect, put.ask), (PutEffect::Full, None), "it would be forgotten that this was asked for");
}

/// As many origins wait as there is room for, a sixteenth of the memory; the others are counted.
#[test]
fn who_waits_is_bounded_and_the_rest_counted() {
    let judge = |live: &LivePolicy, count: usize| {
        let matcher = live.matcher("examplebot", Choices::at(NOW)).unwrap();
        (0..count).for_each(|number| _ = matcher.judge(format!("https://{number}.example/")));
        (live.statistics().waiting, live.statistics().not_noted)
    };
    let (unbounded, _) = live();
    assert_eq!(judge(&unbounded, 1), (1, 0));
    let of_one = unbounded.statistics().bytes;
    let live = live().0.with_memory(16 * 3 * of_one);
    assert_eq!(judge(&live, 3), (3, 0));
    assert_eq!(judge(&live, 5), (3, 2));
    assert_eq!(live.statistics().bytes, 3 * of_one);
}

/// What a new base does not have is kept, and follows from the new base, not from the one before.
#[test]
fn a_base_that_lacks_answers_takes_their_place_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.rsv");
    let base = |answers: &[Answer]| {
        let (live, _) = live();
        answers.iter().for_each(|answer| _ = live.put(answer.clone()).unwrap());
        written(&live, &path)
    };
    let to = "https://to.example";
    let live = live().0.over(base(&[found(to, CLOSED, 5)]));
    let matcher = live.matcher("examplebot", Choices::at(NOW)).unwrap();
    let judged = |host: &str| matcher.judge(format!("https://{host}.example/")).to_string();
    live.put(redirect("https://from.example", to, 5)).unwrap();
    live.put(found("https://newer.example", CLOSED, 6)).unwrap();
    live.put(status("https://allowed.example", 404, 6)).unwrap();
    live.put_overrides(&overrides("['https://allowed.example']\nverdict = 'forbid-all'\n")).unwrap();
    assert_eq!(judged("from"), "blocked (rules)");
    assert_eq!(judged("waits"), "deferred (unfetched)");
    assert_eq!(live.statistics().waiting, 1);
    let of_base = [
        status(to, 404, 6),
        found("https://newer.example", "", 5),
        status("https://allowed.example", 404, 6),
        status("https://waits.example", 404, 6),
    ];
    live.rebase(base(&of_base)).unwrap();
    assert_eq!(live.statistics().urls, 3);
    assert!(live.needed(NOW, 10).is_empty() && live.statistics().waiting == 0, "the base has it");
    let found = ["from", "newer", "allowed", "waits"].map(judged);
    assert_eq!(found, ["allowed (unavailable)", "blocked (rules)", "blocked (override)", "allowed (unavailable)"]);
    let effect = |answer: Answer| live.put(answer).unwrap().effect;
    assert_eq!(effect(status("https://waits.example", 404, 6)), PutEffect::Older, "the base has it");
    assert_eq!(effect(status("https://waits.example", 410, 7)), PutEffect::Changed);
}
