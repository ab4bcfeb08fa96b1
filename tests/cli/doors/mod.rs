//! The table of doors by cases: the same question, asked at each of the program's doors, has one answer.

mod choices;
mod replaced;
