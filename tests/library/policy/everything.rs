//! Policies that use every feature, and a function that queries everything in a policy.

use robosieve::Dialect;
use robosieve::export::{Export, Format, Table};
use robosieve::inspect::{OriginEntry, Summary};
use robosieve::internals::automaton::front;
use robosieve::internals::{self, PolicyParts};
use robosieve::policy::{Answered, Capture, Captures, Crawler, Crawlers, Overrides, Policy};
use robosieve::{Choices, Fallback, MaxAge};

/// Several crawlers, every status, redirects, a last good answer, side records, and every kind of operator override.
/// draft-1996 has no wildcards, so no cursors: for those see [`with_wildcards`].
pub fn complete() -> Policy {
    let agents = ["examplebot", "other", "*", "x,other"].map(|agent| agent.parse().expect("agents"));
    let columns = Crawlers::new(agents.to_vec()).expect("columns");
    let mut captures = Captures::new(columns, Dialect::named("draft-1996").expect("a dialect"));
    captures.add(sources(&text())).expect("few captures");
    captures.add_overrides(&overrides()).expect("few overrides");
    captures.policy().expect("few origins")
}

fn overrides() -> Overrides {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("overrides.toml");
    let text = "['http://g.example']\nverdict = 'allow-all'\n['http://d.example']\nverdict = 'forbid-all'\n\
                ['http://c.example']\nrobots-txt = \"User-agent: *\\nDisallow: /a\"\ncrawl-delay = 2\n\
                ['http://h.example']\npaused-until = 2026-12-01T00:00:00Z\n";
    std::fs::write(&path, text).expect("a file");
    Overrides::read(&path).expect("overrides")
}

/// The same sources under a dialect with wildcards, so that both engines occur.
pub fn with_wildcards() -> Policy {
    let agents = ["examplebot", "other"].map(|agent| agent.parse().expect("agents"));
    let mut captures = Captures::new(Crawlers::new(agents.to_vec()).expect("columns"), Dialect::DEFAULT);
    captures.add(sources(&text())).expect("few captures");
    captures.policy().expect("few origins")
}

/// A robots.txt that compiles to a DFA for one crawler and, where there are wildcards, to cursors for another.
fn text() -> String {
    let many: String = (b'a'..=b'n').map(|byte| format!("Disallow: /*{0}*{0}x\n", char::from(byte))).collect();
    format!(
        "Sitemap: s\nUser-agent: examplebot\nDisallow: /no\nAllow: /no/but*this$\nDisallow: /*.a\nCrawl-delay: 2\n\n\
         User-agent: other\n{many}Allow: /*q$\n\nUser-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\n\
         Disallow: /d\nDisallow: /e\nDisallow: /f\nDisallow: /g\nDisallow: /h\nDisallow: /i\nDisallow: /j\n"
    )
}

fn sources(text: &str) -> Vec<Capture> {
    let capture = |host: &str, time: i64, status: u16, location: Option<&str>, body: Option<&str>| {
        let answered = Answered::default()
            .status(Some(status))
            .fetched_at(Some(time))
            .expires((time > 5).then_some(time + 1))
            .unreachable_since((status == 503).then_some(time - 1));
        Capture::found(&format!("http://{host}"), "")
            .answered(answered)
            .location(location.map(str::to_owned))
            .body(body.map(|body| body.as_bytes().into()))
    };
    vec![
        capture("a.example", 9, 200, None, Some(text)),
        capture("b.example", 3, 301, Some("http://a.example/robots.txt"), None),
        capture("c.example", 3, 200, None, Some("User-agent: *\nDisallow: /\n")),
        capture("c.example", 7, 503, None, None),
        capture("d.example", 3, 404, None, None),
        capture("e.example", 3, 403, None, None),
        capture("f.example", 3, 302, Some("http://nowhere.example/robots.txt"), None),
        capture("g.example", 3, 200, None, Some("User-agent: nobody\nDisallow: /\n")),
        capture("i.example", 3, 200, None, Some("User-agent: *\n")).flaw(Some(robosieve::BodyFlaw::Incomplete)),
        capture("image.example", 3, 200, None, Some("GIF89a")),
        capture("j.example", 3, 304, None, None),
        capture("k.example", 3, 200, None, Some("<!DOCTYPE html>\nUser-agent: *\nDisallow: /\n")),
        capture("k.example", 7, 304, None, None),
    ]
}

const URLS: [&str; 15] = [
    "http://a.example/no/but/like/this",
    "http://a.example/bbxqq",
    "http://a.example/aabbccddeeffgghhiijjkkllmmnnx",
    "http://a.example/nnx~%7e/x.a",
    "http://a.example/robots.txt",
    "http://b.example/a",
    "http://b.example/zzzz",
    "http://c.example/",
    "http://d.example/",
    "http://e.example/x",
    "http://f.example/x",
    "http://g.example/x",
    "http://h.example/x",
    "HTTP://A.example/../no",
    "http://unknown.example/x",
];

/// Queries everything a policy offers. The results do not matter.
pub fn use_all_of(policy: &Policy) {
    let choices = Choices::at(0).on_unreachable(Fallback::Use).max_age(Some(MaxAge::Dialect));
    let mut outcomes = Vec::new();
    for (column, agents) in policy.columns().all().iter().enumerate() {
        let crawler = policy.crawler(Some(agents)).expect("a column");
        let groups = policy.groups(&crawler);
        internals::matcher(policy, crawler.clone(), choices).judge_all(&URLS, &mut outcomes);
        for record in policy.lookup().records() {
            std::hint::black_box((record.state(), policy.side_records(&record, column)));
            if let Some(group) = groups.group(record.row) {
                std::hint::black_box(policy.rules(group, column).explain(b"/no/but/this"));
                for path in [&b"/"[..], b"/private/x.pdf?a=b", &[b'/'; 150]] {
                    std::hint::black_box(front::passes(groups.item(group), path));
                }
            }
        }
    }
    look_into(policy);
}

/// Runs every inspection and export of a policy.
fn look_into(policy: &Policy) {
    let crawler = |agents| policy.crawler(Some(agents)).expect("a column");
    let crawlers: Vec<Crawler> = policy.columns().all().iter().map(crawler).collect();
    std::hint::black_box(Summary::of(policy, &crawlers, 0, 3).expect("one layer"));
    for record in policy.lookup().records() {
        std::hint::black_box(OriginEntry::of(policy, record.origin, &crawlers, Choices::at(0)).expect("an origin"));
    }
    for (record, crawler) in policy.lookup().records().zip(crawlers.iter().cycle()) {
        std::hint::black_box(internals::show::dot(policy, &record, crawler));
    }
    for table in [Table::Delays, Table::Sitemaps, Table::Agents, Table::Status] {
        for format in [Format::Tsv, Format::JsonLines] {
            let export = Export::new(policy, table, &crawlers);
            export.write(format, &mut std::io::sink()).expect("a sink takes everything");
        }
    }
}
