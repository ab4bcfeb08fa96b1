//! A crawl frontier's loop against servers on the loopback address: filter, ask each URL of `robots-needed.tsv` once, compile the
//! answers as a layer, merge now and then, filter what waited. It ends: nothing waits that could be answered, and every verdict
//! is that of one `compile` over all answers.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

#[cfg(feature = "warc")]
use crate::support::archives;
use crate::support::program::Bench;

const ROUNDS: usize = 20;

/// The rounds in which days pass; afterwards minutes do, so that nothing becomes stale before the end.
const DAYS: usize = 10;

/// 2026-01-10T00:00:00Z.
const START: i64 = 1_768_003_200;

/// What a server sends for a path.
#[derive(Debug, Clone, Copy)]
enum Sent {
    /// A robots.txt that blocks this path.
    Blocks(&'static str),
    /// A redirect to a path of the server with this number.
    To(usize, &'static str),
    /// A redirect to anything.
    ToText(&'static str),
    Status(u16),
    /// Less than the head says.
    Cut,
    /// Nothing before the fetcher gives up.
    TooLate,
}

use Sent::{Blocks, Cut, Status, To, ToText, TooLate};

const ROBOTS: &str = "/robots.txt";

/// The server of a number: the answers at each path, one after the other; the last one is repeated.
struct Site {
    paths: &'static [(&'static str, &'static [Sent])],
    /// The verdicts of `/a` and `/b` in the end.
    verdicts: [&'static str; 2],
}

const fn site(verdicts: [&'static str; 2], paths: &'static [(&'static str, &'static [Sent])]) -> Site {
    Site { paths, verdicts }
}

const A: [&str; 2] = ["blocked", "allowed"];
const B: [&str; 2] = ["allowed", "blocked"];
const ALL: [&str; 2] = ["allowed"; 2];
const NONE: [&str; 2] = ["deferred"; 2];

const SITES: &[Site] = &[
    site(A, &[(ROBOTS, &[Blocks("/a"), Status(304)])]),
    // To a server that is known, and to one that has its own troubles.
    site(A, &[(ROBOTS, &[To(0, ROBOTS)])]),
    site(B, &[(ROBOTS, &[To(3, ROBOTS)])]),
    site(B, &[(ROBOTS, &[Status(503), To(4, "/x/robots.txt")])]),
    site(
        A,
        &[(ROBOTS, &[Status(503), TooLate, Blocks("/a")]), ("/x/robots.txt", &[TooLate, Status(503), Blocks("/b")])],
    ),
    // Loops mean that there is no robots.txt, as do too many redirects.
    site(ALL, &[(ROBOTS, &[To(6, ROBOTS)])]),
    site(ALL, &[(ROBOTS, &[Status(503), To(5, ROBOTS)])]),
    site(
        ALL,
        &[
            (ROBOTS, &[To(7, "/1")]),
            ("/1", &[To(7, "/2")]),
            ("/2", &[To(7, "/3")]),
            ("/3", &[To(7, "/4")]),
            ("/4", &[To(7, "/5")]),
            ("/5", &[To(7, "/6")]),
            ("/6", &[Blocks("/a")]),
        ],
    ),
    site(ALL, &[(ROBOTS, &[Status(404)])]),
    site(ALL, &[(ROBOTS, &[Status(503), Status(403)])]),
    site(A, &[(ROBOTS, &[Cut, Cut, Blocks("/a")])]),
    site(A, &[(ROBOTS, &[TooLate, Blocks("/a")])]),
    // A 304 of a file that the crawler does not have.
    site(B, &[(ROBOTS, &[Status(304), Blocks("/b")])]),
    // A path that is not named like a robots.txt, and a 304 of the redirect to it.
    site(B, &[(ROBOTS, &[To(13, "/rules"), Status(304)]), ("/rules", &[Cut, Status(304), Blocks("/b"), Status(304)])]),
    // A redirect that leads elsewhere by the time its first target has failed for good.
    site(A, &[(ROBOTS, &[To(15, "/gone"), To(15, "/gone"), To(0, ROBOTS)])]),
    site(NONE, &[(ROBOTS, &[Status(503)]), ("/gone", &[Status(503)])]),
    // Other rules, once the first are stale.
    site(B, &[(ROBOTS, &[Blocks("/a"), Blocks("/b")])]),
    // What cannot be answered.
    site(NONE, &[(ROBOTS, &[Blocks("/a"), Status(503)])]),
    site(NONE, &[(ROBOTS, &[ToText("mailto:someone@a.example")])]),
    site(NONE, &[(ROBOTS, &[TooLate])]),
    site(NONE, &[(ROBOTS, &[To(20, "/down")]), ("/down", &[Cut, TooLate])]),
];

/// Servers, each at a port of its own. A request waits in the system's queue until [`Servers::fetch`] has the server answer it,
/// so there are no threads, and nothing is left when the test ends.
struct Servers {
    listeners: Vec<TcpListener>,
    /// How often each path of each server was asked.
    asked: Vec<Vec<usize>>,
}

impl Servers {
    fn start() -> Servers {
        let listeners: Vec<TcpListener> =
            SITES.iter().map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
        Servers { listeners, asked: SITES.iter().map(|site| vec![0; site.paths.len()]).collect() }
    }

    fn origin(&self, number: usize) -> String {
        format!("http://{}", self.listeners[number].local_addr().expect("an address"))
    }

    /// Asks for a URL once, and returns what arrived.
    fn fetch(&mut self, url: &str) -> Vec<u8> {
        let (number, path) = (0..SITES.len())
            .find_map(|number| Some((number, url.strip_prefix(&self.origin(number))?)))
            .unwrap_or_else(|| panic!("{url} is at no server"));
        let address = self.listeners[number].local_addr().expect("an address");
        let mut client = TcpStream::connect(address).expect("a connection");
        write!(client, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("a request");
        self.serve(number);
        let mut response = Vec::new();
        client.read_to_end(&mut response).expect("a response");
        response
    }

    /// Answers the next request to a server.
    fn serve(&mut self, number: usize) {
        let (mut stream, _) = self.listeners[number].accept().expect("a connection");
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a request");
            request.extend(byte);
        }
        let request = String::from_utf8(request).expect("UTF-8");
        let path = request.split(' ').nth(1).expect("a path");
        let at = SITES[number].paths.iter().position(|(known, _)| *known == path);
        let at = at.unwrap_or_else(|| panic!("nothing leads to {path} of server {number}"));
        let sent = SITES[number].paths[at].1;
        let turn = self.asked[number][at].min(sent.len() - 1);
        self.asked[number][at] += 1;
        let head = |status: u16, fields: &str| format!("HTTP/1.1 {status} Text\r\n{fields}\r\n");
        let text = match sent[turn] {
            Blocks(path) => {
                let body = format!("User-agent: *\nDisallow: {path}\n");
                head(200, &format!("Content-Length: {}\r\n", body.len())) + &body
            }
            To(number, path) => head(301, &format!("Location: {}{path}\r\nContent-Length: 0\r\n", self.origin(number))),
            ToText(location) => head(302, &format!("Location: {location}\r\nContent-Length: 0\r\n")),
            Status(status) => head(status, "Content-Length: 0\r\n"),
            Cut => head(200, "Content-Length: 1000\r\n") + "User-agent: *\nDisallow: /",
            TooLate => String::new(),
        };
        stream.write_all(text.as_bytes()).expect("an answer");
    }
}

/// What arrived from a server, as a line of JSON Lines. What did not arrive whole is no answer.
fn line(url: &str, response: &[u8], time: i64) -> String {
    let response = std::str::from_utf8(response).expect("UTF-8");
    let mut answer = serde_json::json!({"url": url, "status": null, "fetched_at": time});
    if let Some((head, body)) = response.split_once("\r\n\r\n") {
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let length = field("Content-Length").map_or(body.len(), |length| length.parse().expect("a length"));
        if body.len() == length {
            answer["status"] = head.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok()).into();
            answer["location"] = field("Location").into();
            answer["body"] = body.into();
        }
    }
    format!("{answer}\n")
}

/// Writes the answers of a round; every other file is an archive, if those can be read. Returns the names of the files.
fn write(bench: &Bench, round: usize, time: i64, answers: &[(String, Vec<u8>)]) -> Vec<String> {
    let names = vec![format!("round{round}.jsonl")];
    let lines = |answers: &[&(String, Vec<u8>)]| -> String {
        answers.iter().map(|(url, response)| line(url, response, time)).collect()
    };
    let (mut in_lines, mut in_archive): (Vec<_>, Vec<_>) = (answers.iter().collect(), Vec::new());
    if cfg!(feature = "warc") && round % 2 == 1 {
        // Of other pages, an archive keeps only the targets of its own redirects; of no answer, it has no record.
        (in_archive, in_lines) =
            in_lines.into_iter().partition(|(url, response)| url.ends_with(ROBOTS) && !response.is_empty());
    }
    bench.file(&names[0], lines(&in_lines));
    #[cfg(feature = "warc")]
    let names = if in_archive.is_empty() {
        names
    } else {
        let date = jiff::Timestamp::from_second(time).expect("a time");
        let record = |(url, response): &&(String, Vec<u8>)| {
            archives::record("response", &format!("WARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"), response)
        };
        let name = format!("round{round}.warc");
        bench.file(&name, in_archive.iter().flat_map(record).collect::<Vec<u8>>());
        [names, vec![name]].concat()
    };
    assert!(cfg!(feature = "warc") || in_archive.is_empty());
    names
}

fn compile(bench: &Bench, sources: &str, out: &str) {
    bench.program(&format!("compile --quiet --agent examplebot {sources} -o {out}")).assert().success();
}

/// The options of every run at a time.
fn options(time: i64) -> String {
    let now = jiff::Timestamp::from_second(time).expect("a time");
    format!("--now {now} --max-age 5d --on-stale defer --force")
}

#[test]
fn the_loop_of_a_frontier_ends() {
    let (bench, mut servers) = (Bench::new(), Servers::start());
    bench.file("none.jsonl", "");
    compile(&bench, "none.jsonl", "base.rsv");
    let (mut layers, mut sources) = (Vec::<String>::new(), vec!["none.jsonl".to_owned()]);
    let mut waiting = Vec::<String>::new();
    let mut time = START;
    for round in 0..ROUNDS {
        time += if round < DAYS { 86_400 } else { 60 };
        // Pages are found again and again.
        let found = (0..SITES.len()).filter(|number| number % 4 == round % 4);
        let found = found.flat_map(|number| ["a", "b"].map(|page| format!("{}/{page}", servers.origin(number))));
        let list: Vec<String> = waiting.drain(..).chain(found).collect();
        bench.file("list", list.join("\n"));
        let layered = layers.iter().map(|layer| format!(" --policy {layer}")).collect::<String>();
        let split = bench.split(&format!("--policy base.rsv{layered} {}", options(time)), &["list"]);
        if round % 5 == 3 {
            compile(&bench, &sources.join(" "), "all.rsv");
            let all = bench.split(&format!("--policy all.rsv {}", options(time)), &["list"]);
            assert_eq!((&all.partitions, &all.needed), (&split.partitions, &split.needed), "round {round}");
        }
        waiting = split.lines("deferred");
        let rows = split.needed_rows();
        let answers: Vec<(String, Vec<u8>)> =
            rows.iter().map(|row| (row[0].to_owned(), servers.fetch(row[0]))).collect();
        let files = write(&bench, round, time, &answers);
        let layer = format!("round{round}.rsv");
        compile(&bench, &files.join(" "), &layer);
        layers.push(layer);
        sources.extend(files);
        if round % 5 == 4 {
            bench.program(&format!("merge --quiet base.rsv {} -o base.rsv", layers.join(" "))).assert().success();
            layers.clear();
            compile(&bench, &sources.join(" "), "all.rsv");
            assert!(bench.read("base.rsv") == bench.read("all.rsv"), "round {round}");
        }
    }
    let pages = |number: usize| ["a", "b"].map(|page| format!("{}/{page}", servers.origin(number)));
    bench.file("list", (0..SITES.len()).flat_map(pages).collect::<Vec<_>>().join("\n"));
    let split = bench.split(&format!("--policy base.rsv {}", options(time)), &["list"]);
    for (number, site) in SITES.iter().enumerate() {
        for (page, verdict) in pages(number).iter().zip(site.verdicts) {
            assert!(
                split.lines(verdict).contains(page),
                "server {number}: {page} is not {verdict}: {:?}",
                split.needed
            );
        }
    }
}
