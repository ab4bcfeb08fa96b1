//! The look-up table: from an origin to all that most lines need of it, in one cache line.
//!
//! A perfect hash table with an entry of 64 bytes for each origin. The hash of an origin chooses a bucket; the bucket's
//! pilot, a small number found when the table was made, sends the origins of the bucket to slots that are theirs alone.
//! So a look-up reads one pilot and one entry, and compares the key that the entry holds; a hash alone decides nothing.
//!
//! [`key`] has the hash, [`entry`] what a slot holds, [`place`] finds the pilots, [`build`] writes the section,
//! [`check`] validates it, and [`table`] is the view that answers.
//!
//! ```text
//! section  header | pilots, u16 each, zeros up to a multiple of 64 | entries, one a slot | overflow, entries as well
//! header   seed u64 | number of pilots u64 | number of slots u64 | number of entries in the overflow u64 | 32 zeros
//! ```
//!
//! The overflow holds the origins that no pilot could place. It is empty unless an attacker constructs origins of equal
//! hashes; it is searched last, in the order of origins.

mod build;
mod check;
mod entry;
mod key;
mod layout;
mod place;
mod table;

pub(super) use build::LookupTable;
pub(super) use check::check;
pub(crate) use entry::Entry;
pub(crate) use key::hash;
pub use table::Lookup;

#[cfg(test)]
mod tests;
