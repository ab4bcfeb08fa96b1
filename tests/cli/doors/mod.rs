//! The table of doors: a question that several doors are asked. Each case is a row of data with one meaning, and is put to every door
//! that can express it.

mod bodies;
mod choices;
mod files;
mod lines;
mod locations;
mod meanings;
#[cfg(feature = "parquet")]
mod pages;
mod paths;
mod replaced;
mod times;
