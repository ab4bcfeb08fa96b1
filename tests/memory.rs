//! Memory is bounded whatever is in a robots.txt: all of the process is counted, so this is a program of its own.

use robosieve::Dialect;
use robosieve::automaton;
use robosieve::pattern::Patterns;
use robosieve::policy::{Answered, Capture, Captures, Columns, WriteError};
use robosieve::robots::{self, Agents, Robots};

#[path = "hostile/counting.rs"]
mod counting;
#[path = "hostile/generate.rs"]
#[allow(dead_code)]
mod generate;

/// Files that take aim at memory: many lines, records, rules, agents, and octets that become three.
const DENSE: [&str; 12] = [
    ":\n",
    "x\n",
    "allow:/\n",
    "allow:/a\nallow:/b\n",
    "user-agent:a\n",
    "user-agent:a\nallow:/\n",
    "sitemap:/\n",
    "disallow:*a\n",
    "allow:/\u{e9}*\n",
    "allow:/%\n",
    "allow:/index.htm\n",
    "crawl-delay:1\n",
];

/// All files of about so many octets.
fn files(octets: usize) -> Vec<(String, Vec<u8>)> {
    let hostile = generate::FILES.iter().map(|(name, file)| ((*name).to_owned(), file(octets)));
    let dense = DENSE.iter().map(|line| {
        let file = ["user-agent:*\n", &line.repeat(octets / line.len())].concat();
        (format!("{line:?} again and again"), file.into_bytes())
    });
    let each = |line: &dyn Fn(usize) -> String| (0..octets / 16).map(line).collect::<String>().into_bytes();
    let numbered = [
        ("sitemaps", each(&|number| format!("sitemap:{number}\n"))),
        ("unknown records", each(&|number| format!("x{number}:\n"))),
        ("rules", [b"user-agent:*\n".to_vec(), each(&|number| format!("allow:/{number}*\n"))].concat()),
        ("escapes in one pattern", [b"user-agent:*\nallow:/".to_vec(), "*\u{e9}".repeat(octets / 3).into()].concat()),
    ];
    let plain: Vec<_> = hostile.chain(dense).chain(numbered.map(|(name, file)| (name.to_owned(), file))).collect();
    let utf16 =
        |text: &[u8]| [b"\xff\xfe", &text.iter().flat_map(|&octet| [octet, 0]).collect::<Vec<u8>>()[..]].concat();
    let wide = ["one pattern of stars", "escapes in one pattern"].map(|name| {
        let (_, file) = plain.iter().find(|(other, _)| other == name).expect("a known file");
        (format!("{name}, in UTF-16"), utf16(&file[..octets / 2]))
    });
    // Half of UTF-16 that does not decode, which is three octets in UTF-8, and nine of a pattern.
    let broken = [utf16(b"user-agent:*\nallow:/"), b"\x00\xd8".repeat(octets / 2)].concat();
    plain.into_iter().chain(wide).chain([("UTF-16 that is none".to_owned(), broken)]).collect()
}

/// A file in which every crawler has a group of nearly all rules, and each another one.
fn shared_by(crawlers: &[String], octets: usize) -> Vec<u8> {
    let agents: String = crawlers.iter().map(|name| format!("user-agent: {name}\n")).collect();
    let own: String = crawlers.iter().map(|name| format!("\nuser-agent: {name}\ndisallow: /{name}\n")).collect();
    [agents, format!("disallow: /{}\n", "*a".repeat(octets / 2)), own].concat().into_bytes()
}

fn capture(number: usize, body: &[u8]) -> Capture {
    Capture {
        url: format!("http://{number}.example/robots.txt"),
        origin: Some(format!("http://{number}.example")),
        answered: Answered { status: Some(200), ..Answered::default() },
        body: Some([body, format!("\n# {number}").as_bytes()].concat().into()),
        ..Capture::default()
    }
}

/// Compiling takes no more than was said before; returns which part of it.
fn assert_bounded(name: &str, body: &[u8], dialect: &'static Dialect) -> f64 {
    let text = robots::decode(body, dialect, &mut Vec::new());
    let robots = Robots::parse(&text, dialect);
    let patterns = Patterns::rank(robots.select(&Agents::everybody(), dialect).rules(&robots), dialect);
    let most = automaton::memory(patterns.octets());
    let compile = || {
        let mut words = Vec::new();
        automaton::compile(&patterns, &mut words);
        words.len() as u64 * 4
    };
    // In a thread of its own, which has no space left over from another file.
    let alone = || counting::peak_of(compile);
    let (made, peak) = std::thread::scope(|threads| threads.spawn(alone).join().expect("it does not panic"));
    assert!(
        peak as u64 <= most.compiling && made <= most.automaton,
        "{name}, {}: {peak} {made} {most:?}",
        dialect.name
    );
    peak as f64 / most.compiling as f64
}

/// Adds five captures of a file, which take no more than there is; returns whether there was enough.
fn added(name: &str, body: &[u8], columns: &Columns, dialect: &'static Dialect, memory: u64) -> bool {
    let folder = std::env::temp_dir();
    let captures: Vec<Capture> = (0..5).map(|number| capture(number, body)).collect();
    let given: usize = captures.iter().filter_map(|capture| Some(capture.body.as_ref()?.len())).sum();
    let (added, peak) = counting::peak_of(|| {
        let mut into = Captures::within(memory, &folder, columns.clone(), dialect);
        into.add(captures)
    });
    assert!(peak + given <= memory as usize, "{name}: {peak} octets of {memory}, {}", dialect.name);
    match added {
        Ok(()) => true,
        Err(WriteError::File { octets, wanted, room, .. }) => {
            assert!(octets > 0 && wanted > room && room < memory, "{name}: {octets} {wanted} {room}");
            false
        }
        Err(WriteError::Memory { taken, limit, .. }) => {
            assert!(taken > limit, "{name}: {taken} {limit}");
            false
        }
        Err(other) => panic!("{name}: {other}"),
    }
}

#[test]
fn no_robots_txt_takes_more_memory_than_there_is() {
    const OCTETS: usize = 60_000;
    let names: Vec<String> = (b'a'..=b'p').map(|letter| format!("bot{}", char::from(letter))).collect();
    let columns = |names: &[String]| {
        Columns::new(names.iter().map(|name| name.parse().expect("a name")).collect()).expect("different names")
    };
    let (one, all) = (columns(&names[..1]), columns(&names));
    let mut files = files(OCTETS);
    files.push(("a group of all".to_owned(), shared_by(&names, OCTETS)));
    let bounded = |(name, body): &(String, Vec<u8>)| assert_bounded(name, body, Dialect::DEFAULT);
    let closest = files.iter().map(bounded).fold(0.0, f64::max);
    assert!(closest > 0.4, "{closest}: the bound is far from what the worst takes");
    for dialect in Dialect::ALL {
        for (name, body) in &files {
            let fits = [2, 8, 32, 64].map(|mebi| added(name, body, &one, dialect, mebi << 20));
            assert!(!fits[0], "{name}: its bound has no room in two MiB");
            // Of UTF-16 that is none, nine octets are made of two, and of rules that name an index two.
            let is_little = !["UTF-16 that is none", DENSE[10]].iter().any(|large| name.contains(large.trim_end()));
            assert!(fits[3] || !is_little, "{name}, {}: 60 kB are little", dialect.name);
            added(name, body, &all, dialect, 64 << 20);
            assert!(added(name, body, &all, dialect, 256 << 20), "{name} for 16 crawlers");
        }
    }
}
