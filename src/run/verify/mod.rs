//! Proves a receipt again.
//!
//! First the receipt must be consistent ([`account`]): partitions and lists each add up to the input, and reasons add up to
//! partitions. Then its files are read again ([`files`]), and each must have the lines, bytes and checksums that the receipt
//! gives for it. Together that proves, without reading the input, that every line of it is in exactly one partition, in order,
//! because the checksums are those of the lines as they were read. If the lists still exist, they can be read as well. Last, files
//! that the receipt does not name must not be where readers would count them. All of that is for faults, not for forgers, who
//! could change the receipt, too.

pub(super) mod account;
pub(super) mod files;
#[cfg(test)]
mod tests;
mod verification;

pub(crate) use account::{contradictions, read_receipt, read_receipt_file};
pub(crate) use verification::uncounted;
pub use verification::{Verification, verify};
