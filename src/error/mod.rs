//! The errors of the library, which all layers above the formats return. What it promises of an error is its kind, its message and its
//! source; what else is known of the problem helps the program to name options.

#[macro_use]
mod opaque;
mod about;
pub(crate) mod policy;
mod problem;
#[cfg(feature = "batch")]
pub(crate) mod run;
mod value;

pub(crate) use about::About;
pub(crate) use problem::Problem;
pub use value::{ValueError, ValueErrorKind};
