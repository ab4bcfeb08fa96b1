//! `robosieve check`.

mod answer;
mod judge;
mod run;

pub use run::run;
