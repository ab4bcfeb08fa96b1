//! The floor: reads the same lines and writes them to one file, with no other work.
//!
//! `--mode` selects how: `chunks` (default) copies chunks at their own offsets without examining them; `lines` first
//! finds and counts the lines of each chunk; `split` gives every thread its own file; `each` writes line by line
//! through one buffered writer (one thread). Without `--out` nothing is written; with `lines`, that is the floor of
//! `--count`.
//!
//! Linux lets one thread at a time write to a file, so a second thread gains nothing in `chunks`; `split` shows what
//! two threads can do without that lock.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use peers::Result;
use peers::args::Args;
use peers::list;
use peers::report::Report;

/// Bytes that a thread copies at once.
const CHUNK: usize = 4 << 20;

/// The treatment of each chunk.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Chunks,
    Lines,
    Split,
    Each,
}

fn main() -> std::process::ExitCode {
    peers::exit_with(copy())
}

fn copy() -> Result<()> {
    let args = Args::from_env()?;
    let name = args.mode.as_deref().unwrap_or("chunks");
    let mode = match name {
        "chunks" => Mode::Chunks,
        "lines" => Mode::Lines,
        "split" => Mode::Split,
        "each" => Mode::Each,
        _ => return Err(format!("unknown mode {name}").into()),
    };
    let data = list::map(args.urls()?)?;
    let start = Instant::now();
    let count = if mode == Mode::Split { args.threads } else { 1 };
    let files = match &args.out {
        Some(dir) => create(dir, count)?,
        None => Vec::new(),
    };
    let lines = if mode == Mode::Each {
        copy_each(&data, files.into_iter().next())?
    } else {
        copy_chunks(&data, &files, args.threads, mode)?
    };
    let seconds = start.elapsed().as_secs_f64();
    Report::new("copy")
        .text("mode", name)
        .number("threads", args.threads)
        .number("bytes", data.len())
        .number("lines", lines)
        .number("filter_seconds", seconds)
        .memory()
        .print();
    Ok(())
}

fn create(dir: &Path, count: usize) -> Result<Vec<File>> {
    std::fs::create_dir_all(dir)?;
    let create = |at| File::create(dir.join(format!("copy-{at}.txt")));
    Ok((0..count).map(create).collect::<std::io::Result<_>>()?)
}

/// Copies line by line through one buffered writer.
fn copy_each(data: &[u8], file: Option<File>) -> Result<u64> {
    let mut writer = file.map(|file| BufWriter::with_capacity(1 << 18, file));
    let mut lines = 0;
    for line in list::lines(data) {
        lines += 1;
        if let Some(writer) = &mut writer {
            writer.write_all(line)?;
        }
    }
    if let Some(mut writer) = writer {
        writer.flush()?;
    }
    Ok(lines)
}

/// Copies chunks, each at its own offset, by several threads that take the next chunk from a counter.
fn copy_chunks(data: &[u8], files: &[File], threads: usize, mode: Mode) -> Result<u64> {
    let next = AtomicUsize::new(0);
    let lines = AtomicU64::new(0);
    let work = |file: Option<&File>| -> std::io::Result<()> {
        let mut end = 0;
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= data.len() {
                return Ok(());
            }
            let chunk = &data[start..data.len().min(start + CHUNK)];
            if mode == Mode::Lines {
                let found = memchr::memchr_iter(b'\n', chunk).count();
                lines.fetch_add(found as u64, Ordering::Relaxed);
            }
            if let Some(file) = file {
                let offset = if mode == Mode::Split { end } else { start as u64 };
                file.write_all_at(chunk, offset)?;
                end = offset + chunk.len() as u64;
            }
        }
    };
    let file = |at: usize| files.get(at.min(files.len().saturating_sub(1)));
    std::thread::scope(|scope| -> Result<()> {
        let work = &work;
        let others: Vec<_> = (1..threads).map(|at| scope.spawn(move || work(file(at)))).collect();
        work(file(0))?;
        for other in others {
            other.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })?;
    Ok(lines.into_inner())
}
