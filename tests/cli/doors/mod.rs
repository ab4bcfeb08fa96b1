//! Doors by cases: one question, asked of each door through which its data come in, has one answer. Cases are rows of tables.

mod locations;
mod times;
