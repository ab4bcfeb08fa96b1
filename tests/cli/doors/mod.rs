//! The table of doors: each case is data with one expected meaning, which must be the same at every door that can express it.

mod meanings;
mod paths;
