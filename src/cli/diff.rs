//! `robosieve diff` and `robosieve history`.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use super::args::{DiffArgs, HistoryArgs};
use super::destination;
use super::error::Failure;
use super::export::forceable;
use super::say::say;
use crate::formats::error::FileError;
use crate::formats::visible;
use crate::judge::Choices;
use crate::origin;
use crate::show::diff::{Diff, Difference, History, OriginChange, Seen, Table};
use crate::show::export;

pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let table = args.table();
    if let (Some(path), Some(format)) = (&args.file.out, table) {
        let policies = [args.old.clone(), args.new.clone()];
        destination::ensure(path, &export::file_kind(format, args.file.force), &policies).map_err(forceable)?;
    }
    let choices = args.view.choices(Choices::now().now)?;
    let [was, now] = args.open()?;
    let diff = Diff::new(&was, &now, &args.agent)?.choices(choices).only(args.only.clone()).shown(args.paths);
    let left_out = diff.left_out();
    if args.agent.is_empty() && !left_out.is_empty() {
        say(format_args!("robosieve: only one of the policies was compiled for {}", left_out.join(", ")));
    }
    let what = if args.summary { Table::Summary } else { Table::Changes };
    let seen = match (&args.file.out, table) {
        (Some(path), Some(format)) => {
            diff.write_file(what, format, path, args.file.force).map_err(FileError::of("write", path))?
        }
        (_, Some(format)) => diff.write(what, format, &mut io::stdout())?,
        (_, None) => text(&diff, &mut BufWriter::new(io::stdout().lock()))?,
    };
    Ok(ExitCode::from(u8::from(seen.changed > 0)))
}

pub fn history(args: &HistoryArgs) -> Result<ExitCode, Failure> {
    let (paths, given) = args.given();
    if paths.is_empty() {
        return Err(Failure::NoPolicies);
    }
    let origin = given.map(|given| {
        let (origin, _) = origin::canonical(origin::trimmed(given.as_encoded_bytes()))
            .map_err(|problem| Failure::Origin { given: given.to_string_lossy().into_owned(), problem })?;
        Ok::<String, Failure>(origin)
    });
    let origin = origin.transpose()?;
    if let Some(path) = &args.file.out {
        destination::ensure(path, &export::file_kind(args.format, args.file.force), paths).map_err(forceable)?;
    }
    let choices = Choices::now().statuses(args.statuses.read()?);
    let policies = paths.iter().map(|path| args.open(path)).collect::<Result<Vec<_>, _>>()?;
    let history = History::new(&policies.iter().collect::<Vec<_>>(), &args.agent)?.choices(choices);
    let origins = match &args.file.out {
        Some(path) => history
            .write_file(origin.as_deref(), args.format, path, args.file.force)
            .map_err(FileError::of("write", path))?,
        None => history.write(origin.as_deref(), args.format, &mut io::stdout())?,
    };
    if let (Some(origin), 0) = (&origin, origins) {
        say(format_args!("robosieve: {origin} is in none of the policies"));
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints each change, and how many origins changed.
fn text(diff: &Diff<'_>, out: &mut impl Write) -> io::Result<Seen> {
    let (names, mut last) = (diff.names(), Vec::new());
    let seen = diff.each(|change| {
        if last != change.origin {
            last = change.origin.to_vec();
            writeln!(out, "{}", visible(&String::from_utf8_lossy(change.origin)))?;
        }
        one(change, &names, out)
    })?;
    writeln!(out, "{} of {} origins changed", seen.changed, seen.origins)?;
    out.flush()?;
    Ok(seen)
}

/// Prints a change of an origin.
fn one(change: &OriginChange<'_>, names: &[String], out: &mut impl Write) -> io::Result<()> {
    let agents: Vec<&str> = change.crawlers.iter().map(|&crawler| &*names[usize::from(crawler)]).collect();
    write!(out, "  {} for {}", change.change.name(), agents.join(", "))?;
    let [group_was, group_now] = change.groups.map(|group| group.name());
    if group_was != group_now {
        write!(out, "; group {group_was} -> {group_now}")?;
    }
    if let [Some(was), Some(now)] = change.statuses
        && was != now
    {
        write!(out, "; status {was} -> {now}")?;
    }
    writeln!(out)?;
    let differences = &change.differences;
    for difference in &differences.shown {
        let Difference { path, was, now } = difference;
        let of = if path.is_empty() { String::new() } else { format!("{}: ", String::from_utf8_lossy(path)) };
        let [was, now] = [was, now].map(|said| if said.is_empty() { "nothing" } else { said });
        writeln!(out, "    {} -> {}", visible(&format!("{of}{was}")), visible(now))?;
    }
    match (differences.count - differences.shown.len() as u64, differences.are_all) {
        (0, true) => Ok(()),
        (0, false) => writeln!(out, "    perhaps more: the rules are too intricate to tell"),
        (more, true) => writeln!(out, "    and {more} more"),
        (more, false) => writeln!(out, "    and {more} more, or more than that: the rules are too intricate to tell"),
    }
}
