//! A live policy: how many answers it takes in a second, how long judging one URL takes meanwhile, and what a million updates leave.
//!
//! `[FOLDER]` also puts the files of a folder, each for other origins. Every figure comes after its answers were checked. Prints a JSON
//! object: answers a second by two threads, and the processor time of one in microseconds; nanoseconds to judge one URL while another
//! thread puts (half of all, 99 of 100, and 999 of 1,000 take no longer); and the bytes in use before and after a million updates of
//! fifty origins, as counted by the policy and by the system.

use robosieve::policy::PutEffect;
use robosieve::policy::source::Answer;
use robosieve::{Agents, Choices, Dialect, LivePolicy, Partition};
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

mod clock;

/// Answers of one measurement.
const PUTS: usize = 200_000;
/// Updates of fifty origins.
const UPDATES: usize = 1_000_000;
/// Hosts that are judged while others put.
const HOSTS: usize = 3_000;
/// URLs judged one at a time.
const JUDGED: usize = 2_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let own: Vec<Arc<[u8]>> = (0..1000).map(|number| body(number).into_bytes().into()).collect();
    let mut report = json!({ "twenty_rules": puts(&own)? });
    if let Some(folder) = std::env::args().skip(1).find(|word| !word.starts_with('-')) {
        report["folder"] = puts(&bodies(Path::new(&folder))?)?;
    }
    report["judge_while_putting_ns"] = latencies(&own)?;
    report["updates"] = updates(&own)?;
    println!("{report}");
    Ok(())
}

/// A file with twenty rules.
fn body(number: usize) -> String {
    let rule = |rule: usize| match rule % 5 {
        0 => format!("Allow: /{number}/open/{rule}\n"),
        1 => format!("Disallow: /*/{number}-{rule}.php$\n"),
        _ => format!("Disallow: /{number}/{rule}/\n"),
    };
    format!("User-agent: *\n{}", (0..20).map(rule).collect::<String>())
}

fn bodies(folder: &Path) -> Result<Vec<Arc<[u8]>>, Box<dyn Error>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths.iter().map(std::fs::read).map(|body| body.map(Arc::from)).collect::<Result<_, _>>()?)
}

fn origin(number: usize) -> String {
    format!("https://{number}.host.example")
}

fn answer(number: usize, bodies: &[Arc<[u8]>], at: i64) -> Answer {
    Answer::found(origin(number), Arc::clone(&bodies[number % bodies.len()]), at)
}

fn live() -> Result<LivePolicy, Box<dyn Error>> {
    Ok(LivePolicy::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT))
}

/// Puts answers by two threads.
fn puts(bodies: &[Arc<[u8]>]) -> Result<Value, Box<dyn Error>> {
    let live = live()?;
    let (began, before) = (Instant::now(), clock::process_seconds());
    std::thread::scope(|threads| {
        for thread in 0..2 {
            let live = &live;
            threads.spawn(move || {
                for number in (thread..PUTS).step_by(2) {
                    let put = live.put(answer(number, bodies, 1)).expect("an answer");
                    assert_eq!(put.effect, PutEffect::Changed);
                }
            });
        }
    });
    let (seconds, processor) = (began.elapsed().as_secs_f64(), clock::process_seconds() - before);
    assert_eq!(live.statistics().urls, PUTS);
    Ok(json!({
        "puts_a_second": (PUTS as f64 / seconds).round(),
        "processor_us": processor / PUTS as f64 * 1e6,
        "bytes_an_origin": live.statistics().bytes / PUTS as u64,
    }))
}

/// Judges single URLs while a thread puts.
fn latencies(bodies: &[Arc<[u8]>]) -> Result<Value, Box<dyn Error>> {
    let live = live()?;
    for number in 0..HOSTS {
        live.put(answer(number, bodies, 1))?;
    }
    let matcher = live.matcher("examplebot", Choices::default())?;
    let urls: Vec<String> = (0..HOSTS)
        .flat_map(|host| [0, 2].map(|rule| format!("{}/{}/{rule}/x", origin(host), host % bodies.len())))
        .collect();
    let done = AtomicBool::new(false);
    let (mut taken, mut wrong) = (Vec::with_capacity(JUDGED), 0);
    let put = std::thread::scope(|threads| {
        let writer = threads.spawn(|| {
            let mut count = 0;
            while !done.load(Relaxed) {
                live.put(answer(count % (10 * HOSTS), bodies, 2 + count as i64)).expect("an answer");
                count += 1;
            }
            count
        });
        for at in 0..JUDGED {
            let url = &urls[at * 7919 % urls.len()];
            let began = Instant::now();
            let outcome = matcher.judge(url);
            taken.push(began.elapsed().as_nanos() as u64);
            let expected = if url.ends_with("/2/x") { Partition::Blocked } else { Partition::Allowed };
            wrong += usize::from(outcome.partition() != expected);
        }
        done.store(true, Relaxed);
        writer.join().expect("it does not panic")
    });
    assert_eq!(wrong, 0, "all are judged as their files say");
    taken.sort_unstable();
    let at = |part: f64| taken[(JUDGED as f64 * part) as usize];
    Ok(json!({ "half": at(0.5), "p99": at(0.99), "p99_9": at(0.999), "puts_meanwhile": put }))
}

/// Updates fifty origins a million times.
fn updates(bodies: &[Arc<[u8]>]) -> Result<Value, Box<dyn Error>> {
    let live = live()?;
    let matcher = live.matcher("examplebot", Choices::default())?;
    let mut used = Vec::new();
    for at in 0..UPDATES {
        let number = at % 50;
        live.put(Answer::found(origin(number), Arc::clone(&bodies[at / 50 % bodies.len()]), at as i64))?;
        if at % 10 == 0 {
            matcher.judge(origin(number));
        }
        if at == UPDATES / 10 || at == UPDATES - 1 {
            used.push((live.statistics().bytes, resident()));
        }
    }
    let left = live.statistics();
    assert!(left.urls == 50 && left.files <= 2, "{left:?}");
    Ok(json!({ "bytes": [used[0].0, used[1].0], "resident": [used[0].1, used[1].1] }))
}

/// The memory of the process, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}
