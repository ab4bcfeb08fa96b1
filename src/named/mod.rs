//! What names give to types: to enums, those of their variants; to structs, setters named like their fields.

#[macro_use]
mod enums;
mod error;
#[macro_use]
mod setters;

pub use error::UnknownName;
