//! `robosieve lint`: `files` reads the robots.txt files, and `form` knows those that are none; `command` lints them, `found` puts
//! together what several dialects say and writes it; `sarif` writes it for code hosts.

mod command;
mod files;
mod form;
mod found;
mod sarif;

pub use command::run;
pub use form::Form;
