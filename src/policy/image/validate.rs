//! Opens an image, and checks it before any of it is used.
//!
//! The checksum shows that the bytes have not changed since they were written. Everything else is checked as well,
//! because anyone who can write a file can write a checksum: every section is walked sequentially, so that every place
//! is known to be the start of an item. Only the tables of DFAs are not read, because walks through them are
//! [total](crate::automaton::check_item). After that, only the facts in the file must be trusted: which rules an origin
//! has.
//!
//! Sections refer to one another only by places, so they are checked in parallel.

use memmap2::Mmap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

use super::answers::{self, MARKED, Pointer, UrlRecords};
use super::format::{HEADER, Header, Section};
use super::pool::{NONE, Problem, Starts};
use super::record::{Record, checked_end, starts};
use super::sections::{Content, Image, Meta, Trust};
use crate::dialect::Dialect;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::error::json_problem;
use crate::formats::{memory, seekable, shown};
use crate::policy::crawlers::check_set;
use crate::policy::groups::{Group, Row};
use crate::policy::url_answers::{StoredAnswer, StoredRules};
use crate::policy::{lookup, provenance, side_records};
use crate::{automaton, threads};

const CHECKED_A_MILLISECOND: usize = 1 << 20;

/// Checks an image whose header is valid. A small one is checked by this thread alone.
pub(super) fn check(image: &Image, trust: Trust) -> Result<Content, Error> {
    let checksum = || match trust {
        Trust::Nothing if xxh3_128(&image.bytes()[HEADER..]) != image.header.checksum => {
            Err(ErrorKind::NoPolicy.of("it is damaged: its checksum differs; copy or compile it again"))
        }
        _ => Ok(()),
    };
    let milliseconds = image.bytes().len() / CHECKED_A_MILLISECOND;
    threads::on(threads::worth_starting(milliseconds, usize::MAX), || {
        let (checksum, content) = threads::both(checksum, || structure(image));
        checksum.and(content)
    })
}

fn structure(image: &Image) -> Result<Content, Error> {
    if !image.section(Section::Preferences).is_empty() {
        let at = image.header.sections[Section::Preferences as usize].start;
        return Err(damage(Section::Preferences, at, "it is not empty"));
    }
    let content = meta(image)?;
    let width = content.columns.count();
    let (items, records) = (image.items(), image.section(Section::Origins));
    let damaged = |section: Section| {
        let start = image.header.sections[section as usize].start;
        move |(at, problem): Problem| damage(section, start + at as u64, problem)
    };
    let ((automata, rules), side) = threads::both(
        || {
            threads::both(
                || items.automata.check(automaton),
                || items.rules.check(|rules| within(provenance::check(rules))),
            )
        },
        || {
            let sets = items.crawlers.check(|set| within(check_set(set, width)));
            (items.side.check(|list| within(side_records::check(list, width))), sets)
        },
    );
    let (side, sets) = side;
    let (automata, rules) = (automata.map_err(damaged(Section::Automata))?, rules.map_err(damaged(Section::Rules))?);
    let side = side.map_err(damaged(Section::Side))?;
    let sets = sets.map_err(damaged(Section::Crawlers))?;
    let row = |content| {
        let is_item = |place: u32, starts: &Starts| place != NONE && starts.has(place as usize);
        let is_group = |group: Group| is_item(group.automaton, &automata) && is_item(group.rules, &rules);
        let set = |place: u32| is_item(place, &sets).then(|| items.crawlers.item(place));
        within(Row(content).check(width, is_group, set))
    };
    let rows = items.rows.check(row).map_err(damaged(Section::Rows))?;
    let record_parts = check_records(records, &rows, &side).map_err(damaged(Section::Origins))?;
    let of_most = |row: u32| Row(items.rows.item(row)).first();
    let (pointers, found) = threads::both(
        || answers(image.section(Section::Answers), records, &rows, &side).map_err(damaged(Section::Answers)),
        || lookup::check(image.section(Section::Lookup), records, &record_parts, of_most, lookup::hash_of),
    );
    let mut pointers = pointers?;
    pointers.sort_unstable_by_key(|pointer| pointer.order());
    if pointers != image.pointers() {
        return Err(damaged(Section::Pointers)((0, "it does not have the redirects among the answers")));
    }
    let count = found.map_err(damaged(Section::Lookup))?;
    if count as u64 != content.statistics.origins {
        return Err(damaged(Section::Meta)((0, "its number of origins is wrong")));
    }
    Ok(content)
}

fn damage(section: Section, at: u64, problem: impl Into<String>) -> Error {
    let (section, problem) = (section.name(), problem.into());
    ErrorKind::NoPolicy.of(format!("it is damaged: {section} (byte {at}): {problem}; copy or compile it again"))
}

fn meta(image: &Image) -> Result<Content, Error> {
    let wrong = |problem: String| damage(Section::Meta, image.header.sections[Section::Meta as usize].start, problem);
    let Meta { dialect, agents, statistics } =
        serde_json::from_slice(image.section(Section::Meta)).map_err(|error| wrong(json_problem(&error)))?;
    let dialect = Dialect::named(&dialect).map_err(|error| wrong(error.to_string()))?;
    Ok(Content { dialect, columns: agents, statistics })
}

fn within(checked: Result<(), &'static str>) -> Result<(), Problem> {
    checked.map_err(|problem| (0, problem))
}

fn automaton(content: &[u8]) -> Result<(), Problem> {
    if !content.len().is_multiple_of(4) {
        return Err((0, "an automaton does not consist of whole words"));
    }
    let words = bytemuck::cast_slice(content);
    automaton::check_item(words).map_err(|damage| (4 * damage.word, damage.problem))
}

/// Checks the answers: that they answer for all origins, and lead to rows and side records. Returns the redirects among them.
fn answers(section: &[u8], of_origins: &[u8], rows: &Starts, side: &Starts) -> Result<Vec<Pointer>, Problem> {
    let (marks, records) = answers::split(section).map_err(|problem| (0, problem))?;
    let first = section.len() - records.len();
    let origins = starts(of_origins, 0).map(|at| Record::at(of_origins, at));
    let mut urls = UrlRecords::new(records, origins, 0);
    let (mut places, mut marks) = (starts(of_origins, 0), marks.iter().map(answers::places));
    let (mut before, mut count, mut pointers) = (None, 0, Vec::new());
    let mut place = places.next();
    let leads = |rules: StoredRules| rows.has(rules.row as usize) && side.has(rules.side as usize);
    loop {
        let at = records.len() - urls.left();
        let wrong = |problem| (first + at, problem);
        let Some(url) = urls.read().map_err(wrong)? else { break };
        let key = Some((url.origin, url.path));
        if before >= key {
            return Err(wrong("the URLs are not in order"));
        }
        before = key;
        let replaced = url.stored.placement.iter().map(|placement| placement.robots_txt);
        if !url.stored.kept.answers().iter().map(StoredAnswer::rules).chain(replaced).all(leads) {
            return Err(wrong("an answer does not lead to a row and to side records"));
        }
        pointers.extend(Pointer::of(&url.stored.kept, at as u64, place.unwrap_or(of_origins.len()) as u64));
        if !url.is_of_origin() {
            continue;
        }
        if place.is_none() {
            return Err(wrong("it answers for an origin that there is not"));
        }
        if count % MARKED == 0 && marks.next() != place.map(|place| [place as u64, at as u64]) {
            return Err(wrong("a mark does not lead to an origin and its answers"));
        }
        count += 1;
        place = places.next();
    }
    let is_left = urls.has_origins() || marks.next().is_some();
    if is_left { Err((0, "there are origins or marks without answers")) } else { Ok(pointers) }
}

/// About how many bytes of records a thread checks at a time.
const CHECKED_AT_ONCE: usize = 1 << 18;

/// Checks all records. Returns ranges of the section that begin and end at record boundaries.
fn check_records(records: &[u8], rows: &Starts, side: &Starts) -> Result<Vec<Range<usize>>, Problem> {
    let (mut ranges, mut lasts) = (Vec::new(), Vec::new());
    let (mut at, mut first) = (0, 0);
    while at < records.len() {
        let last = at;
        at = checked_end(records, at).map_err(|problem| (at, problem))?;
        if at - first >= CHECKED_AT_ONCE || at == records.len() {
            ranges.push(first..at);
            lasts.push(last);
            first = at;
        }
    }
    let check = |number: usize| {
        let range = &ranges[number];
        let mut before = number.checked_sub(1).map(|part| Record::at(records, lasts[part]).origin);
        for at in starts(&records[..range.end], range.start) {
            let wrong = |problem| (at, problem);
            let record = Record::check(records, at).map_err(wrong)?;
            if before.is_some_and(|before| before >= record.origin) {
                return Err(wrong("the origins are not in order"));
            }
            if !rows.has(record.row as usize) || !side.has(record.side() as usize) {
                return Err(wrong("a record does not lead to a row and to side records"));
            }
            before = Some(record.origin);
        }
        Ok(())
    };
    threads::map(0..ranges.len(), check).into_iter().collect::<Result<(), _>>()?;
    Ok(ranges)
}

impl Image {
    pub fn read(path: &Path) -> Result<(Image, Content), Error> {
        let (mut file, metadata) = opened(path)?;
        let unreadable = ErrorKind::File.with_file("read the policy", path);
        let wrong = of_image(path);
        if !metadata.is_file() {
            return Err(unreadable(io::Error::other("it is not a regular file")));
        }
        let length = metadata.len();
        // A large file of another kind takes no memory.
        let mut header = Vec::new();
        (&mut file).take(HEADER as u64).read_to_end(&mut header).map_err(unreadable)?;
        Header::decode(&header, length).map_err(wrong)?;
        let mut memory = memory::try_memory(length as usize).map_err(unreadable)?;
        memory[..HEADER].copy_from_slice(&header);
        file.read_exact(&mut memory[HEADER..]).map_err(unreadable)?;
        Image::checked(memory::read_only(memory), None, Trust::Nothing).map_err(wrong)
    }

    /// Maps a file and checks it.
    ///
    /// # Safety
    ///
    /// Callers must ensure that no process changes the bytes of the file, or shortens it, while the image exists.
    pub unsafe fn map(path: &Path, trust: Trust) -> Result<(Image, Content), Error> {
        let (file, _) = opened(path)?;
        // SAFETY: as the caller ensures.
        let map = unsafe { memory::map(&file) }.map_err(ErrorKind::File.with_file("read the policy", path))?;
        let checked = Image::checked(map, Some(file), trust);
        checked.map_err(of_image(path))
    }

    /// Copies an image from these bytes and checks it.
    pub fn copied(bytes: &[u8], trust: Trust) -> Result<(Image, Content), Error> {
        if bytes.is_empty() {
            return Err(Header::empty());
        }
        let mut memory = memory::memory(bytes.len());
        memory.copy_from_slice(bytes);
        Image::checked(memory::read_only(memory), None, trust)
    }

    fn checked(bytes: Mmap, file: Option<File>, trust: Trust) -> Result<(Image, Content), Error> {
        let header = Header::decode(&bytes, bytes.len() as u64)?;
        let image = Image { file, bytes, header };
        let content = check(&image, trust)?;
        Ok((image, content))
    }
}

/// Adds to what is wrong with an image that it is of this policy file.
fn of_image(path: &Path) -> impl Fn(Error) -> Error + Copy + use<'_> {
    move |error| error.within(format_args!("cannot use the policy {}: ", shown(path)))
}

/// Opens a regular file that is not empty.
fn opened(path: &Path) -> Result<(File, Metadata), Error> {
    let unreadable = ErrorKind::File.with_file("read the policy", path);
    if path.is_dir() {
        return Err(unreadable(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let file = seekable::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.len() == 0 {
        return Err(of_image(path)(Header::empty()));
    }
    Ok((file, metadata))
}
