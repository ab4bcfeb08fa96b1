//! `robosieve lint`: `files` reads the robots.txt files, `command` lints them, `found` puts together what several dialects say, and
//! `text`, `json` and `sarif` write it.

mod command;
mod files;
mod found;
mod sarif;

pub use command::run;
