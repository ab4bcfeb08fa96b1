//! The look-up table: maps an origin to everything that most lines need from it, in one cache line.
//!
//! It is a perfect hash table with an entry of 64 bytes for each origin. The hash of an origin selects a bucket. The
//! bucket's pilot, a small number found when the table is built, sends the origins of the bucket to slots of their own.
//! So a look-up reads one pilot and one entry, and compares the key in the entry; a hash alone decides nothing.
//!
//! [`key`] has the hash, [`pilots`] finds the pilots, [`section`] defines the entries, writes the section and splits it into its
//! parts, and [`table`] validates it and looks origins up.
//!
//! ```text
//! section  header | pilots, u16 each, zeros up to a multiple of 64 | entries, one a slot | overflow, entries as well
//! header   seed u64 | number of pilots u64 | number of slots u64 | number of entries in the overflow u64 | 32 zeros
//! ```
//!
//! The overflow holds the origins that no pilot gave a slot. It is empty unless an attacker constructs origins with equal
//! hashes. It is searched last, and sorted by origin.

mod key;
mod pilots;
mod section;
mod table;

pub(crate) use key::{hash, hash_of};
pub(super) use section::LookupTable;
pub(crate) use section::{Entry, take_out};
pub use table::Lookup;
pub(super) use table::check;

#[cfg(test)]
mod tests;
