//! robosieve
#![deny(missing_docs)]
pub mod automaton;
pub mod dialect;
pub mod pattern;
pub mod robots;
