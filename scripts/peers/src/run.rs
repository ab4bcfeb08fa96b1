//! The program around a matcher: read, compile, judge every line, write, report.

use std::time::Instant;

use rayon::prelude::*;

use crate::Result;
use crate::args::Args;
use crate::calls;
use crate::list::{self, CHUNK};
use crate::report::{Report, quote};
use crate::sink::{Buffers, Counts, Files, Sink};
use crate::table::{Peer, Table, read_bodies};

/// Chunks per thread that are judged before their output is written.
const WINDOW: usize = 8;

/// The whole program for one matcher.
///
/// # Errors
///
/// On wrong arguments, unreadable input, or output that cannot be written.
pub fn main<P: Peer>(args: &Args) -> Result<()> {
    let (Some(allowed), Some(blocked)) = (&args.allowed, &args.blocked) else {
        return calls::measure::<P>(args);
    };
    let bodies = read_bodies(args.robots()?)?;
    let table = Table::<P>::build(&args.agent, &bodies);
    let data = list::map(args.urls()?)?;
    let files = Files::create(allowed, blocked)?;

    let start = Instant::now();
    let counts = filter(&table, &data, args.threads, files)?;
    let seconds = start.elapsed().as_secs_f64();

    let refused: Vec<String> = table.refused.iter().map(|text| quote(text)).collect();
    Report::new(P::NAME)
        .number("threads", args.threads)
        .number("files", bodies.len())
        .number("allowed", counts.0[0])
        .number("blocked", counts.0[1])
        .number("other", counts.0[2])
        .number("compile_seconds", table.compile_seconds)
        .number("filter_seconds", seconds)
        .memory()
        .number("refused", format!("[{}]", refused.join(", ")))
        .print();
    Ok(())
}

/// Judges a whole list, and writes it to the files.
fn filter<P: Peer>(table: &Table<P>, data: &[u8], threads: usize, mut files: Files) -> Result<Counts> {
    if threads > 1 {
        return with_threads(threads, || write_chunks(table, data, files, threads));
    }
    let counts = judge_lines(table, data, &mut files)?;
    files.finish()?;
    Ok(counts)
}

/// Runs `work` in a rayon pool of its own; errors leave the pool as text.
fn with_threads(threads: usize, work: impl FnOnce() -> Result<Counts> + Send) -> Result<Counts> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let done = pool.install(|| work().map_err(|error| error.to_string()));
    Ok(done?)
}

/// The plain loop over lines.
fn judge_lines<P: Peer>(table: &Table<P>, data: &[u8], sink: &mut impl Sink) -> Result<Counts> {
    let mut counts = Counts::default();
    for line in list::lines(data) {
        let verdict = table.judge(line);
        counts.add(verdict);
        sink.put(verdict, line)?;
    }
    Ok(counts)
}

/// Writes with several threads, in order: one window of chunks is judged while the previous one is written.
fn write_chunks<P: Peer>(table: &Table<P>, data: &[u8], mut files: Files, threads: usize) -> Result<Counts> {
    let mut counts = Counts::default();
    let mut ready: Vec<(Buffers, Counts)> = Vec::new();
    for window in list::chunks(data, CHUNK).chunks(WINDOW * threads) {
        let (written, judged) = rayon::join(
            || append(&mut files, &ready).map_err(|error| error.to_string()),
            || window.par_iter().map(|chunk| judge_chunk(table, chunk)).collect(),
        );
        counts = counts.plus(written?);
        ready = judged;
    }
    counts = counts.plus(append(&mut files, &ready)?);
    files.finish()?;
    Ok(counts)
}

fn judge_chunk<P: Peer>(table: &Table<P>, chunk: &[u8]) -> (Buffers, Counts) {
    let mut buffers = Buffers::default();
    let counts = judge_lines(table, chunk, &mut buffers).expect("writing to memory does not fail");
    (buffers, counts)
}

fn append(files: &mut Files, ready: &[(Buffers, Counts)]) -> Result<Counts> {
    let mut counts = Counts::default();
    for (buffers, part) in ready {
        files.append(buffers)?;
        counts = counts.plus(*part);
    }
    Ok(counts)
}
