//! The table of doors: each question that several ways into the program ask, as cases, each through every door that can ask it.

mod files;
mod lines;
#[cfg(feature = "parquet")]
mod pages;
