//! Makes URL lists and the robots.txt files of their hosts, of any size and always the same for the
//! same options.
//!
//! ```text
//! generate robots --lines 10M --out robots.jsonl     # one entry for each origin that was fetched
//! generate urls   --lines 10M --out urls.txt         # the list, shuffled
//! generate stats  --lines 10M                        # what shape the two have
//! ```
//!
//! Lists and files match if the commands get the same options. Every host, rule and line is a pure
//! function of the seed and its number: nothing is kept in memory, and any number of threads makes
//! the same bytes.
//!
//! `datasets/README.md` compares the shape with its requirements.

mod emit;
mod rng;
mod robots;
mod rules;
mod shape;
mod site;
mod sorted;
mod stats;
mod text;
mod urls;
mod vocabulary;

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::site::{Choices, Status, World};
use crate::sorted::Sorted;
use crate::text::Line;

/// Makes URL lists and robots.txt files of realistic shape.
#[derive(Parser)]
#[command(name = "generate", version = "1")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The output to make.
#[derive(Subcommand)]
enum Command {
    /// Write the robots.txt of every origin, as JSON Lines or as files.
    Robots {
        #[command(flatten)]
        shape: ShapeArgs,
        /// Write one file per host into this directory; it then holds only the hosts whose robots.txt
        /// was found.
        #[arg(long, conflicts_with = "out")]
        dir: Option<PathBuf>,
        /// Write to this file instead of standard output.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Write the list of URLs.
    Urls {
        #[command(flatten)]
        shape: ShapeArgs,
        /// The order of the lines.
        #[arg(long, value_enum, default_value_t = Order::Shuffled)]
        order: Order,
        /// Write to this file instead of standard output.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Print the shape of both: line lengths, rules, shares.
    Stats {
        #[command(flatten)]
        shape: ShapeArgs,
        /// Judge and measure this many lines, the first of the shuffled list.
        #[arg(long, value_parser = count, default_value = "200k")]
        sample: u64,
    },
}

/// The order of a list.
#[derive(Clone, Copy, ValueEnum)]
enum Order {
    /// Any line may follow any other.
    Shuffled,
    /// Sorted by host name; takes 32 bytes of memory per host.
    Sorted,
}

/// The options that shape the hosts; `robots` and `urls` must get the same ones.
#[derive(Args)]
struct ShapeArgs {
    /// The seed of everything.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Lines of the list; k, M and G stand for thousands, millions and billions.
    #[arg(long, value_parser = count, default_value = "1M")]
    lines: u64,
    /// Hosts of the list [default: a fiftieth of the lines].
    #[arg(long, value_parser = count)]
    origins: Option<u64>,
    /// The exponent of Zipf's law, which distributes lines over hosts.
    #[arg(long, default_value_t = 0.9)]
    exponent: f64,
    /// The median number of rules in a file.
    #[arg(long, default_value_t = 12.0)]
    median_rules: f64,
    /// The standard deviation of the logarithm of the number of rules.
    #[arg(long, default_value_t = 1.5)]
    rule_sigma: f64,
    /// The maximum number of rules in a file.
    #[arg(long, default_value_t = 20_000)]
    max_rules: u32,
    /// The share of hosts whose file is a stock one, shared with other hosts.
    #[arg(long, value_parser = share, default_value = "0.39")]
    shared: f64,
    /// The share of hosts whose robots.txt answers 404.
    #[arg(long, value_parser = share, default_value = "0.05")]
    absent: f64,
    /// The share of hosts whose robots.txt answers 503.
    #[arg(long, value_parser = share, default_value = "0.01")]
    unavailable: f64,
    /// The share of hosts whose robots.txt was never fetched.
    #[arg(long, value_parser = share, default_value = "0.02")]
    missing: f64,
    /// The share of lines made from a rule of their host.
    #[arg(long, value_parser = share, default_value = "0.4")]
    ruled: f64,
    /// The number of threads [default: one per core].
    #[arg(long)]
    threads: Option<usize>,
}

impl ShapeArgs {
    /// The world that these options describe.
    fn world(&self) -> World {
        World::new(&Choices {
            seed: self.seed,
            lines: self.lines,
            hosts: self.origins.unwrap_or(self.lines / 50).max(1),
            exponent: self.exponent,
            median_rules: self.median_rules,
            sigma: self.rule_sigma,
            max_rules: self.max_rules,
            shared: self.shared,
            absent: self.absent,
            unavailable: self.unavailable,
            missing: self.missing,
            ruled: self.ruled,
        })
    }

    /// The number of threads to use.
    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// Reads a count such as `250`, `10k`, `100M`, `1G` or `1_000`.
fn count(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 1_000),
        Some(b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits.replace('_', "").parse().map_err(|e| format!("{e}; write a count like 250, 10k or 1G"))?;
    number.checked_mul(unit).ok_or_else(|| "too large".to_owned())
}

/// Reads a share between 0 and 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("write a share between 0 and 1".to_owned()),
    }
}

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the pipe, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("generate: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command.
fn run(command: &Command) -> io::Result<()> {
    match command {
        Command::Robots { shape, dir: Some(dir), .. } => write_directory(&shape.world(), dir),
        Command::Robots { shape, dir: None, out } => {
            let world = shape.world();
            let make = |range, buffer: &mut Vec<u8>| make_entries(&world, range, buffer);
            emit::ordered(world.hosts, 1024, shape.threads(), &mut *open(out.as_deref())?, &make)
        }
        Command::Urls { shape, order, out } => {
            let world = shape.world();
            let sorted = matches!(order, Order::Sorted).then(|| Sorted::new(&world));
            let make = |range, buffer: &mut Vec<u8>| match &sorted {
                Some(sorted) => make_sorted(&world, sorted, range, buffer),
                None => make_shuffled(&world, range, buffer),
            };
            emit::ordered(world.lines, 1 << 15, shape.threads(), &mut *open(out.as_deref())?, &make)
        }
        Command::Stats { shape, sample } => stats::print(&shape.world(), *sample, &mut io::stdout().lock()),
    }
}

/// Opens the output.
fn open(path: Option<&Path>) -> io::Result<Box<dyn Write + Send>> {
    Ok(match path {
        Some(path) => Box::new(File::create(path)?),
        None => Box::new(io::stdout()),
    })
}

/// Appends the entries of a range of hosts.
fn make_entries(world: &World, hosts: Range<u64>, buffer: &mut Vec<u8>) {
    let (mut line, mut body) = (Line::new(), Vec::new());
    for rank in hosts {
        robots::entries(&world.site(rank), &mut line, &mut body, buffer);
    }
}

/// Appends a range of the shuffled list.
fn make_shuffled(world: &World, lines: Range<u64>, buffer: &mut Vec<u8>) {
    let (mut scratch, mut line) = (Line::new(), Line::new());
    for i in lines {
        let (rank, k) = world.shuffled(i);
        line.clear();
        urls::url(world, rank, k, &world.site(rank), &mut scratch, &mut line);
        line.byte(b'\n');
        buffer.extend_from_slice(line.as_bytes());
    }
}

/// Appends a range of the sorted list.
fn make_sorted(world: &World, sorted: &Sorted, lines: Range<u64>, buffer: &mut Vec<u8>) {
    let (mut scratch, mut line) = (Line::new(), Line::new());
    for (rank, numbers) in sorted.hosts(lines) {
        let site = world.site(rank);
        for k in numbers {
            line.clear();
            urls::url(world, rank, k, &site, &mut scratch, &mut line);
            line.byte(b'\n');
            buffer.extend_from_slice(line.as_bytes());
        }
    }
}

/// Writes the robots.txt files that were found into a directory, named by host, or by origin if the
/// port is not the default.
fn write_directory(world: &World, dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let (mut line, mut body) = (Line::new(), Vec::new());
    for rank in 0..world.hosts {
        let site = world.site(rank);
        if site.status != Status::Found {
            continue;
        }
        body.clear();
        robots::body(&site, &mut line, &mut body);
        line.clear();
        if site.port.is_some() {
            site.origin(true, &mut line);
        } else {
            site.host(&mut line);
        }
        let name = String::from_utf8_lossy(line.as_bytes()).replace(':', "%3A").replace('/', "%2F");
        std::fs::write(dir.join(name), &body)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small world with all kinds of hosts.
    fn small() -> World {
        let cli = Cli::parse_from(["generate", "urls", "--lines", "20k", "--origins", "500"]);
        let Command::Urls { shape, .. } = cli.command else { unreachable!() };
        shape.world()
    }

    #[test]
    fn both_orders_hold_the_same_lines() {
        let world = small();
        let (mut shuffled, mut in_order) = (Vec::new(), Vec::new());
        make_shuffled(&world, 0..world.lines, &mut shuffled);
        let sorted = Sorted::new(&world);
        for from in (0..world.lines).step_by(777) {
            make_sorted(&world, &sorted, from..(from + 777).min(world.lines), &mut in_order);
        }
        let split = |text: &[u8]| {
            let mut lines: Vec<_> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            lines.sort();
            lines
        };
        assert_ne!(shuffled, in_order);
        assert_eq!(split(&shuffled), split(&in_order));
    }

    #[test]
    fn host_names_are_unique() {
        let world = small();
        let mut names = std::collections::HashSet::new();
        for rank in 0..world.hosts {
            let mut line = Line::new();
            world.site(rank).host(&mut line);
            assert!(names.insert(line.as_bytes().to_vec()));
        }
    }

    #[test]
    fn counts_have_units() {
        assert_eq!(count("10k"), Ok(10_000));
        assert_eq!(count("1_5M"), Ok(15_000_000));
        assert!(count("ten").is_err());
    }
}
