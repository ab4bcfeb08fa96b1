//! The JSON line that a program prints, and the memory it used.

use std::fmt::{Display, Write};

/// One JSON object, on one line, with its fields in the order of the calls.
#[derive(Debug, Default)]
pub struct Report(String);

impl Report {
    /// An object that begins with the program's name.
    pub fn new(program: &str) -> Self {
        Self::default().text("program", program)
    }

    /// Adds a string.
    #[must_use]
    pub fn text(self, name: &str, value: &str) -> Self {
        let quoted = quote(value);
        self.number(name, quoted)
    }

    /// Adds a number, or anything else whose text is JSON.
    #[must_use]
    pub fn number(mut self, name: &str, value: impl Display) -> Self {
        let comma = if self.0.is_empty() { "" } else { ", " };
        let _ = write!(self.0, "{comma}{}: {value}", quote(name));
        self
    }

    /// Adds the memory used so far: the peak including mapped pages (`getrusage`), and the anonymous memory now.
    #[must_use]
    pub fn memory(self) -> Self {
        self.number("peak_rss_kib", peak_rss_kib()).number("anonymous_kib", anonymous_kib().unwrap_or(0))
    }

    /// Prints the object.
    pub fn print(self) {
        println!("{{{}}}", self.0);
    }
}

/// A JSON string.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The process's largest resident set, including mapped files.
fn peak_rss_kib() -> i64 {
    // SAFETY: `rusage` is plain numbers, for which zero is valid, and the pointer is to a complete one.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage.ru_maxrss
    }
}

/// The anonymous part of the resident set now (`RssAnon`), where the system reports it.
fn anonymous_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Report, quote};

    #[test]
    fn one_line_of_json() {
        let report = Report::new("a\"b").number("n", 1.5);
        assert_eq!(report.0, r#""program": "a\"b", "n": 1.5"#);
        assert_eq!(quote("\n"), "\"\\u000a\"");
    }
}
