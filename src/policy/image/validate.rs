//! Making sure of an image before anything of it is used.
//!
//! The checksum tells that the octets are those that were written. All else is made sure of as well, because whoever
//! writes a file can write a checksum: every section is walked from front to back, so that whatever is named by a place
//! is known to begin there. What is left to trust is what the file says of the world: which rules an origin has.
//!
//! Sections are independent of one another but for the places that they name, so they are walked in parallel.

use xxhash_rust::xxh3::xxh3_128;

use super::layout::{AUTOMATA_UNIT, HEADER, Section};
use super::pool::{NONE, Pool, Problem};
use super::record::{Record, UNIT};
use super::starts::Starts;
use super::{Content, Image, ImageError, Meta, Parts, Trust, provenance, side_records};
use crate::automaton::{self, CheckSpace};
use crate::dialect::Dialect;
use crate::policy::{groups, index};

/// Makes sure of an image whose header is in order.
pub(super) fn check(image: &Image, trust: Trust) -> Result<Content, ImageError> {
    let checksum = || match trust {
        Trust::Nothing if xxh3_128(&image.octets()[HEADER..]) != image.header.checksum => Err(ImageError::Checksum),
        _ => Ok(()),
    };
    let (checksum, content) = rayon::join(checksum, || structure(image));
    checksum.and(content)
}

fn structure(image: &Image) -> Result<Content, ImageError> {
    let content = meta(image)?;
    let width = content.columns.count();
    let most_agents = content.columns.all().iter().map(|agents| agents.tokens().len()).max().unwrap_or(0);
    let parts = image.parts();
    let damaged = |section: Section| {
        let start = image.header.sections[section as usize].start;
        move |(at, problem): Problem| damage(section, start + at as u64, problem)
    };
    let automata = Pool::new(image.section(Section::Automata), AUTOMATA_UNIT);
    let ((automata, rules), side) = rayon::join(
        || {
            rayon::join(
                || automata.check(automaton),
                || parts.rules.check(|rules, _: &mut ()| within(provenance::check(rules, most_agents))),
            )
        },
        || parts.side.check(|list, _: &mut ()| within(side_records::check(list))),
    );
    let (automata, rules) = (automata.map_err(damaged(Section::Automata))?, rules.map_err(damaged(Section::Rules))?);
    let side = side.map_err(damaged(Section::Side))?;
    let (rows, records) = rayon::join(
        || rows(&parts, width, &automata, &rules).map_err(damaged(Section::Rows)),
        || records(&parts, width, &side).map_err(damaged(Section::Origins)),
    );
    let (starts, count) = rows.and(records)?;
    if count != content.statistics.origins {
        return Err(damaged(Section::Meta)((0, "it counts another number of origins")));
    }
    buckets(&parts, starts, count).map_err(damaged(Section::Buckets))?;
    Ok(content)
}

fn damage(section: Section, at: u64, problem: impl Into<String>) -> ImageError {
    ImageError::Damaged { section: section.name(), at, problem: problem.into() }
}

fn meta(image: &Image) -> Result<Content, ImageError> {
    let wrong = |problem: String| damage(Section::Meta, image.header.sections[Section::Meta as usize].start, problem);
    let Meta { dialect, agents, statistics } =
        serde_json::from_slice(image.section(Section::Meta)).map_err(|error| wrong(error.to_string()))?;
    let dialect = Dialect::named(&dialect).map_err(|error| wrong(error.to_string()))?;
    Ok(Content { dialect, columns: agents, statistics })
}

fn within(checked: Result<(), &'static str>) -> Result<(), Problem> {
    checked.map_err(|problem| (0, problem))
}

fn automaton(content: &[u8], space: &mut CheckSpace) -> Result<(), Problem> {
    if content.len() % 4 != 0 {
        return Err((0, "an automaton is no sequence of words"));
    }
    let words = bytemuck::cast_slice(content);
    automaton::check(words, space).map(drop).map_err(|damage| (4 * damage.word, damage.problem))
}

fn rows(parts: &Parts<'_>, width: usize, automata: &Starts, rules: &Starts) -> Result<(), Problem> {
    if parts.rows.len() % width != 0 || parts.rows.len() < width {
        return Err((0, "it does not consist of rows"));
    }
    for (number, &entry) in parts.rows.iter().enumerate() {
        let wrong = |problem| (number * size_of_val(&entry), problem);
        let Some(group) = groups::check(entry).map_err(wrong)? else { continue };
        let is_item = |place: u32, starts: &Starts| place != NONE && starts.has(place as usize);
        if !is_item(group.automaton, automata) || !is_item(group.rules, rules) {
            return Err(wrong("no automaton or no rules begin where it says"));
        }
        if number < width {
            return Err(wrong("the first row has a group"));
        }
    }
    Ok(())
}

/// Where records begin, and how many there are.
fn records(parts: &Parts<'_>, width: usize, side: &Starts) -> Result<(Starts, u64), Problem> {
    let rows = parts.rows.len() / width;
    let mut starts = Starts::new(parts.records.len() / UNIT);
    let (mut at, mut count) = (0, 0);
    let mut before: Option<&[u8]> = None;
    while at < parts.records.len() {
        let wrong = |problem| (at, problem);
        let record = Record::check(parts.records, at).map_err(wrong)?;
        if before.is_some_and(|before| before >= record.origin) {
            return Err(wrong("the origins are not in order"));
        }
        if record.row as usize >= rows || !side.has(record.side() as usize) {
            return Err(wrong("no row or no side records begin where it says"));
        }
        before = Some(record.origin);
        starts.set(at / UNIT);
        count += 1;
        at = record.end(at);
    }
    Ok((starts, count))
}

/// Every record stands in one bucket, and there is room in some, so that every search ends.
fn buckets(parts: &Parts<'_>, mut starts: Starts, count: u64) -> Result<(), Problem> {
    let (mut used, mut room) = (0, false);
    for (number, bucket) in parts.buckets.iter().enumerate() {
        let wrong = |problem| (number * size_of_val(bucket), problem);
        let before = used;
        for place in index::check(bucket).map_err(wrong)? {
            used += 1;
            if !starts.take(place as usize) {
                return Err(wrong("no record begins where it says, or it is not the only one to say so"));
            }
        }
        room |= used - before < index::BUCKET as u64;
    }
    if used == count && room { Ok(()) } else { Err((0, "an origin stands in no bucket, or all buckets are full")) }
}
