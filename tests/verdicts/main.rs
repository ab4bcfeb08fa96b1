//! Verdicts, and what else is said of rules: the witnesses of parsing and matching. They are a program of their own, which is built
//! beside `library`; an edit of runs or policies needs only that one.

mod cases;
mod claims;
mod conformance;
mod corpus;
mod hostile;
mod oracle;
mod properties;
#[path = "../library/random_cases.rs"]
mod random_cases;
mod support;
