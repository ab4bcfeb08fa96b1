//! Builds, searches and damages tables, with the real hash and with hashes that an attacker would wish for.

use super::key::hash_of;
use super::table::check;
use super::{Lookup, LookupTable};
use crate::formats::memory::FileMemory;
use crate::policy::image::{Problem, RECORD_UNIT, push_record, record_starts};
use crate::policy::state::{Answered, OriginState, OriginStatus};

type Hash = fn(&[u8], u64) -> u64;

/// The records of sorted origins; the row of each is its index.
fn records(origins: &[Vec<u8>]) -> Vec<u8> {
    let mut records = Vec::new();
    for (row, origin) in origins.iter().enumerate() {
        let origin_status = OriginStatus::ALL[row % OriginStatus::ALL.len()];
        let state = OriginState::new(origin_status, Answered::default());
        push_record(origin, row as u32, 0, &state, &mut records).unwrap();
    }
    records
}

fn of_most(row: u32) -> (u32, u32) {
    (row % 5 * 77, row % 3)
}

/// A cache line, because sections begin at one.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

fn aligned(section: &[u8]) -> Vec<Line> {
    let mut lines = vec![Line([0; 8]); section.len() / 64];
    bytemuck::cast_slice_mut(&mut lines).copy_from_slice(section);
    lines
}

fn section(records: &[u8], hash: Hash) -> Vec<u8> {
    let memory = FileMemory::new(&std::env::temp_dir(), 1 << 20);
    let (table, mut section) = (LookupTable::build(records, hash, &memory).unwrap(), Vec::new());
    let write = |part: &[u8]| {
        section.extend_from_slice(part);
        Ok(())
    };
    table.write(records, of_most, write).unwrap();
    assert_eq!(section.len() as u64, table.length());
    section
}

/// Checks a section in two parts.
fn checked(section: &[u8], records: &[u8], hash: Hash) -> Result<usize, Problem> {
    let middle = record_starts(records, 0).find(|&at| at >= records.len() / 2).unwrap_or(records.len());
    check(section, records, &[0..middle, middle..records.len()], of_most, hash)
}

/// All origins are found in their places, and none of the others is found.
fn assert_finds(section: &[u8], records: &[u8], origins: &[Vec<u8>], others: &[Vec<u8>], hash: Hash) {
    let table = Lookup::of(section, records);
    let find = |origin: &[u8]| table.find_hashed(origin, hash(origin, table.seed()));
    for ((row, origin), at) in origins.iter().enumerate().zip(record_starts(records, 0)) {
        let entry = find(origin).unwrap_or_else(|| panic!("{}", origin.escape_ascii()));
        assert_eq!((entry.row(), entry.record() as usize), (row as u32, at / RECORD_UNIT));
        assert_eq!(
            (entry.automaton(), entry.set(), entry.length() as usize),
            (of_most(row as u32).0, of_most(row as u32).1, origin.len())
        );
        assert_eq!(table.record(entry).origin, origin);
    }
    for other in others {
        assert_eq!(find(other), None, "{}", other.escape_ascii());
    }
}

/// Origins of all lengths near the critical ones, prefixes of each other, with NULs and non-ASCII bytes; and others like
/// them.
fn odd_origins() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let long: Vec<u8> = b"https://".iter().copied().chain((0..400).map(|at| b"abcdefghij-."[at * 7 % 12])).collect();
    let mut all = Vec::new();
    for length in (1..90).chain([255, 256, 300, 400]) {
        all.push(long[..length].to_vec());
        all.push([&long[..length], b"\0"].concat());
        all.push([&long[..length - 1], b"\xff"].concat());
        all.push([&long[..length.min(40)], &vec![0; length][..]].concat());
    }
    all.push(vec![0; 5]);
    all.push(vec![b'x'; usize::from(u16::MAX)]);
    all.sort();
    all.dedup();
    let (known, mut others): (Vec<_>, Vec<_>) = all.into_iter().enumerate().partition(|(number, _)| number % 3 > 0);
    others.push((0, Vec::new()));
    others.push((0, vec![b'x'; usize::from(u16::MAX) + 1]));
    (known.into_iter().map(|(_, origin)| origin).collect(), others.into_iter().map(|(_, origin)| origin).collect())
}

const HASHES: [(&str, Hash); 5] = [
    ("the hash", hash_of),
    ("one for all", |_, _| 0x1234_5678_9abc_def0),
    ("few", |origin, seed| (hash_of(origin, seed) % 7) << 61),
    ("none for a quarter", |origin, seed| hash_of(origin, seed) & (u64::from(origin.len() % 4 == 0)).wrapping_sub(1)),
    ("whatever the seed", |origin, _| hash_of(origin, 0) << 20),
];

#[test]
fn odd_origins_are_found_and_no_others_whatever_the_hash_does() {
    let (known, others) = odd_origins();
    for (name, hash) in HASHES {
        for count in [0, 1, 2, 3, known.len()] {
            let (known, more) = known.split_at(count);
            let others = [&others[..], more].concat();
            let records = records(known);
            let section = section(&records, hash);
            assert_eq!(section, self::section(&records, hash), "{name}: the same each time");
            let lines = aligned(&section);
            let section: &[u8] = bytemuck::cast_slice(&lines);
            assert_eq!(checked(section, &records, hash), Ok(count), "{name}");
            assert_finds(section, &records, known, &others, hash);
        }
    }
}

#[test]
fn many_origins_are_found_and_no_others() {
    let name = |number: u32| format!("https://{:x}.host.example", number.wrapping_mul(2_654_435_761)).into_bytes();
    let mut known: Vec<Vec<u8>> = (0..30_000).map(name).collect();
    known.sort();
    let others: Vec<Vec<u8>> = (30_000..60_000).map(name).collect();
    let records = records(&known);
    let lines = aligned(&section(&records, hash_of));
    let section: &[u8] = bytemuck::cast_slice(&lines);
    assert_finds(section, &records, &known, &others, hash_of);
    assert_eq!(checked(section, &records, hash_of), Ok(known.len()));
    assert!(section.len() < 73 * known.len(), "an entry, a tenth more for free slots, and a pilot for three");
}

#[test]
fn each_flipped_bit_is_refused_or_changes_nothing() {
    let (known, others) = odd_origins();
    let known: Vec<Vec<u8>> = known.into_iter().step_by(11).collect();
    let records = records(&known);
    for (name, hash) in HASHES {
        let mut lines = aligned(&section(&records, hash));
        let mut harmless = 0;
        for bit in 0..512 * lines.len() {
            lines[bit / 512].0[bit % 512 / 64] ^= 1 << (bit % 64);
            let section: &[u8] = bytemuck::cast_slice(&lines);
            if checked(section, &records, hash).is_ok() {
                harmless += 1;
                assert_finds(section, &records, &known, &others, hash);
            }
            lines[bit / 512].0[bit % 512 / 64] ^= 1 << (bit % 64);
        }
        // Only pilots of buckets without origins, and, with a constant hash, the parts of the header that it does not need.
        let pilots = 16 * Lookup::of(bytemuck::cast_slice(&lines), &records).pilots().len();
        assert!(harmless <= pilots + 256, "{name}: {harmless}");
        assert_eq!(checked(bytemuck::cast_slice(&lines), &records, hash), Ok(known.len()));
    }
}

#[test]
fn every_cut_and_every_foreign_table_is_refused() {
    let (known, _) = odd_origins();
    let all = records(&known);
    let lines = aligned(&section(&all, hash_of));
    let section: &[u8] = bytemuck::cast_slice(&lines);
    for end in (0..section.len()).step_by(64) {
        assert!(checked(&section[..end], &all, hash_of).is_err(), "{end}");
    }
    let fewer = records(&known[1..]);
    assert!(checked(section, &fewer, hash_of).is_err(), "an entry too many");
    let fewer = aligned(&self::section(&fewer, hash_of));
    assert!(checked(bytemuck::cast_slice(&fewer), &all, hash_of).is_err(), "an entry too few");
    let part = 0..all.len();
    let other_automata =
        check(section, &all, std::slice::from_ref(&part), |row| (of_most(row).0 + 1, of_most(row).1), hash_of);
    assert!(other_automata.is_err());
}
