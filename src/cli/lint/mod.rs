//! `robosieve lint`: `files` reads the robots.txt files, `command` lints them, `found` puts together what several dialects say and
//! writes it; `sarif` writes it for code hosts.

mod command;
mod files;
mod found;
mod sarif;

pub use command::run;
