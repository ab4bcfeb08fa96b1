//! A receipt, proved again.
//!
//! The parts of a receipt have to fit together ([`account`]): partitions add up to the input, lists add up to it too, reasons
//! add up to partitions. Then its files are read again ([`files`]), and each must come to the lines, bytes and checksums
//! that the receipt has for it. Together that proves that every line of the input stands in exactly one partition, in
//! order, without looking at the input: its checksums are those of the lines as they were read. Where the lists are still
//! there, they can be read as well.

pub(super) mod account;
mod checked;
mod error;
pub(super) mod files;
mod read;
mod verdicts;
mod verification;

pub use checked::{Checked, Role};
pub use error::VerifyError;
pub(crate) use read::read_receipt;
pub use verification::{Verification, verify};
