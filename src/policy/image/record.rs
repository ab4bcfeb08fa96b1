//! Records: one for each origin, sorted by origin. Fields that a verdict needs come first; fields that only ages and
//! reports need come after the name.
//!
//! ```text
//! record   row u32 | length of the origin u16 | status u8 | fields u8 | origin | fields, as far as they are there |
//!          a zero where the length is odd
//! status   the number of the class of the origin, as if it were not paused
//! fields   a bit for each: 0 status u16, 1 place of the side records u32; then times, each 6 bytes, in seconds of Unix
//!          time, signed: 2 fetched at, 3 expires, 4 unreachable since, 5 last good one fetched at, 6 last good one
//!          expires, 7 paused by the operator until
//! ```

use super::pool::NONE;
use crate::error::policy::{Error, ErrorKind};
use crate::policy::state::{Answered, Class, LastGood, OriginState, OriginStatus, OverrideState, Ruling, Times};

/// Places of records count units of this many bytes.
pub(crate) const UNIT: usize = 2;

const HEAD: usize = 8;

// The fields, in order.
const STATUS: usize = 0;
const SIDE: usize = 1;
const FETCHED_AT: usize = 2;
const EXPIRES: usize = 3;
const UNREACHABLE_SINCE: usize = 4;
const GOOD_FETCHED_AT: usize = 5;
const GOOD_EXPIRES: usize = 6;
const PAUSED_UNTIL: usize = 7;
const WIDTHS: [usize; 8] = [2, 4, 6, 6, 6, 6, 6, 6];

/// The longest time that fits, in either direction: four million years.
const LONGEST_TIME: i64 = (1 << 47) - 1;

/// An origin's record, for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'i> {
    /// The origin in canonical form.
    pub origin: &'i [u8],
    /// The row of its groups.
    pub row: u32,
    /// The origin status after its last answer.
    pub origin_status: OriginStatus,
    /// The origin status after the last good answer, if there is one and the last answer is not a verdict.
    pub last_good: Option<OriginStatus>,
    /// The operator's ruling in place of the robots.txt.
    pub ruling: Option<Ruling>,
    /// Whether the robots.txt in use looks like an HTML page.
    pub html_page: bool,
    fields: u8,
    /// The bytes from the end of the name on.
    cold: &'i [u8],
}

/// The size in bytes of the fields with these bits. A table, because every walk over the records needs it.
const WIDTH: [u8; 256] = {
    let mut widths = [0; 256];
    let mut bits = 1;
    while bits < widths.len() {
        widths[bits] = widths[bits & (bits - 1)] + WIDTHS[bits.trailing_zeros() as usize] as u8;
        bits += 1;
    }
    widths
};

fn width(fields: u8) -> usize {
    usize::from(WIDTH[usize::from(fields)])
}

/// The end of the record that begins at `at` with this head.
fn end(at: usize, head: &[u8]) -> usize {
    let length = usize::from(u16::from_le_bytes([head[4], head[5]]));
    (at + HEAD + length + width(head[7])).next_multiple_of(UNIT)
}

/// The positions of the records in a checked section, from the one at `first` on.
pub(crate) fn starts(records: &[u8], first: usize) -> impl Iterator<Item = usize> + use<'_> {
    let mut at = first;
    std::iter::from_fn(move || {
        (at < records.len()).then(|| {
            let next = end(at, &records[at..at + HEAD]);
            std::mem::replace(&mut at, next)
        })
    })
}

/// The end of the record that begins at `at`, in an untrusted section.
pub(crate) fn checked_end(records: &[u8], at: usize) -> Result<usize, &'static str> {
    let head = records.get(at..at + HEAD).ok_or("a record reaches beyond the end")?;
    Some(end(at, head)).filter(|&end| end <= records.len()).ok_or("a record reaches beyond the end")
}

impl<'i> Record<'i> {
    /// The record that begins at `at`, in a checked section.
    #[inline]
    pub(crate) fn at(records: &'i [u8], at: usize) -> Record<'i> {
        let head: &[u8; HEAD] = records[at..at + HEAD].try_into().expect("a head");
        let length = usize::from(u16::from_le_bytes([head[4], head[5]]));
        let class = Class::from_number(head[6]).unwrap_or(Class::PAUSED);
        let (origin_status, last_good) = class.origin_status().unwrap_or((OriginStatus::Unfetched, None));
        let name = at + HEAD;
        Record {
            origin: &records[name..name + length],
            row: u32::from_le_bytes([head[0], head[1], head[2], head[3]]),
            origin_status,
            last_good,
            ruling: class.ruling(),
            html_page: class.html_page(),
            fields: head[7],
            cold: &records[name + length..],
        }
    }

    /// Whether the operator overrides its verdicts.
    #[inline]
    pub fn is_overridden(&self) -> bool {
        self.ruling.is_some() || self.is_paused()
    }

    /// Whether the operator has paused it until some time, which may have passed.
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.fields >> PAUSED_UNTIL & 1 == 1
    }

    pub(crate) fn class(&self) -> Class {
        match self.is_paused() {
            true => Class::PAUSED,
            false => Class::new(self.origin_status, self.last_good, self.html_page, self.ruling),
        }
    }

    /// The operator's override.
    pub fn operator_override(&self) -> OverrideState {
        OverrideState { ruling: self.ruling, paused_until: self.time(PAUSED_UNTIL) }
    }

    /// Everything known about the origin except its rules.
    pub fn state(&self) -> OriginState {
        let answered = Answered {
            status: self.field(STATUS).map(|number| (number >> 48) as u16),
            fetched_at: self.time(FETCHED_AT),
            expires: self.time(EXPIRES),
            unreachable_since: self.time(UNREACHABLE_SINCE),
        };
        let times = Times { fetched_at: self.time(GOOD_FETCHED_AT), expires: self.time(GOOD_EXPIRES) };
        let last_good = self.last_good.map(|origin_status| LastGood { origin_status, times });
        OriginState {
            origin_status: self.origin_status,
            answered,
            last_good,
            html_page: self.html_page,
            operator_override: self.operator_override(),
        }
    }

    pub(crate) fn side(&self) -> u32 {
        self.field(SIDE).map_or(NONE, |number| (number >> 32) as u32)
    }

    fn time(&self, field: usize) -> Option<i64> {
        // The field occupies the upper bytes; the shift extends its sign.
        self.field(field).map(|number| number as i64 >> 16)
    }

    /// A field's bytes as the uppermost bytes of a number.
    fn field(&self, field: usize) -> Option<u64> {
        (self.fields >> field & 1 == 1).then(|| {
            let at = width(self.fields & ((1 << field) - 1));
            let mut bytes = [0; 8];
            bytes[8 - WIDTHS[field]..].copy_from_slice(&self.cold[at..at + WIDTHS[field]]);
            u64::from_le_bytes(bytes)
        })
    }

    /// Checks and returns the record that begins at `at`.
    pub(crate) fn check(records: &'i [u8], at: usize) -> Result<Record<'i>, &'static str> {
        checked_end(records, at)?;
        match Class::from_number(records[at + 6]) {
            // A pause is in a field of its own.
            None | Some(Class::PAUSED) => Err("a record has an unknown status"),
            Some(_) => Ok(Record::at(records, at)),
        }
    }
}

pub(crate) fn push(origin: &[u8], row: u32, side: u32, state: &OriginState, out: &mut Vec<u8>) -> Result<(), Error> {
    let length = u16::try_from(origin.len()).map_err(|_| {
        let start = String::from_utf8_lossy(&origin[..80]).into_owned();
        let length = origin.len();
        ErrorKind::Capture.of(format!("an origin has {length} bytes, but at most 65,535 are possible: {start}..."))
    })?;
    let OriginState { origin_status, answered, last_good, html_page, operator_override } = state;
    let good = last_good.map(|good| good.times).unwrap_or_default();
    let time = |time: Option<i64>| time.map(|time| time.clamp(-LONGEST_TIME, LONGEST_TIME));
    let fields: [Option<i64>; WIDTHS.len()] = [
        answered.status.map(i64::from),
        (side != NONE).then_some(i64::from(side)),
        time(answered.fetched_at),
        time(answered.expires),
        time(answered.unreachable_since),
        time(good.fetched_at),
        time(good.expires),
        time(operator_override.paused_until),
    ];
    out.extend_from_slice(&row.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    let last_good = last_good.map(|good| good.origin_status);
    out.push(Class::new(*origin_status, last_good, *html_page, operator_override.ruling).number());
    out.push(fields.iter().enumerate().fold(0, |bits, (field, value)| bits | u8::from(value.is_some()) << field));
    out.extend_from_slice(origin);
    for (value, width) in fields.iter().zip(WIDTHS) {
        out.extend_from_slice(&value.unwrap_or(0).to_le_bytes()[..if value.is_some() { width } else { 0 }]);
    }
    out.resize(out.len().next_multiple_of(UNIT), 0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_with_all_their_fields() {
        let time = |number: u32, bit: u32| (number >> bit & 1 == 1).then_some(i64::from(number) * 1_000_000_007 - 9);
        let (mut records, mut expected) = (Vec::new(), Vec::new());
        for number in 0..64 {
            let answered = Answered {
                status: (number % 3 > 0).then_some(if number % 3 == 1 { 0 } else { u16::MAX }),
                fetched_at: time(number, 1),
                expires: time(number, 2),
                unreachable_since: time(number, 3),
            };
            let times = Times { fetched_at: time(number, 4), expires: time(number, 5) };
            let last_good =
                (number >= 16).then_some(LastGood { origin_status: OriginStatus::ALL[number as usize % 3], times });
            let origin_status = OriginStatus::ALL
                [if last_good.is_some() { [3, 4, 6, 7, 8][number as usize % 5] } else { number as usize % 9 }];
            let ruling = (number as usize % 4).checked_sub(1).map(|ruling| Ruling::ALL[ruling]);
            let operator_override = OverrideState { ruling, paused_until: time(number, 0) };
            let in_use = last_good.map_or(origin_status, |good| good.origin_status);
            let html_page = in_use == OriginStatus::RobotsTxt && number % 5 == 0;
            let state = OriginState { origin_status, answered, last_good, html_page, operator_override };
            let origin = "x".repeat(number as usize % 7);
            let side = if number % 2 == 1 { number } else { NONE };
            push(origin.as_bytes(), number * 3, side, &state, &mut records).unwrap();
            expected.push((origin, number * 3, side, state));
        }
        let mut at = 0;
        let expected_end = checked_end(&records, 0).unwrap();
        for (origin, row, side, state) in expected {
            let record = Record::check(&records, at).unwrap();
            assert_eq!((record.origin, record.row), (origin.as_bytes(), row));
            assert_eq!((record.side(), record.state()), (side, state));
            at = checked_end(&records, at).unwrap();
        }
        assert_eq!(at, records.len());
        assert_eq!(starts(&records, 0).count(), 64);
        for byte in 0..=u8::MAX {
            let mut record = records[..expected_end].to_vec();
            record[6] = byte;
            if let Ok(checked) = Record::check(&record, 0) {
                let (mut again, state) = (Vec::new(), checked.state());
                push(checked.origin, checked.row, checked.side(), &state, &mut again).unwrap();
                assert_eq!(again[6], byte, "nothing of it is lost");
                assert_ne!(Class::from_number(byte), Some(Class::PAUSED));
                assert!(!state.html_page || state.origin_status_in_use() == OriginStatus::RobotsTxt);
            }
        }
        for length in (0..records.len()).step_by(UNIT) {
            let mut at = 0;
            while Record::check(&records[..length], at).is_ok() {
                at = checked_end(&records, at).unwrap();
            }
            assert!(at <= length);
        }
    }

    #[test]
    fn times_beyond_all_reason_are_cut() {
        let answered = Answered { fetched_at: Some(i64::MAX), expires: Some(i64::MIN), ..Answered::default() };
        let state = OriginState::new(OriginStatus::RobotsTxt, answered);
        let mut records = Vec::new();
        push(b"a", 0, NONE, &state, &mut records).unwrap();
        let times = Record::at(&records, 0).state().times_in_use();
        assert_eq!((times.fetched_at, times.expires), (Some(LONGEST_TIME), Some(-LONGEST_TIME)));
        assert!(push(&[b'a'; 65_536], 0, NONE, &state, &mut records).is_err());
    }
}
