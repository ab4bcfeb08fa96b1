//! Messages on standard error, and lines on standard output.

use std::fmt;
use std::io::{self, StdoutLock, Write};

use crate::formats::standard_output;
use crate::formats::visible::{visible, visible_except};

/// Writes a message of one line, whatever is in it, in one call, so that no other program's output gets in between. If that fails,
/// nobody can be told; what counts is in the output, the receipt and the exit status.
pub(super) fn say(message: impl fmt::Display) {
    say_lines(visible(message));
}

/// Writes a message of several lines. The values in it must be [`visible`], so that all line feeds are ours.
pub(super) fn say_lines(message: impl fmt::Display) {
    let _ = io::stderr().lock().write_all(format!("{}\n", visible_except(&['\n'], message)).as_bytes());
}

/// Prints lines. Once the reader is gone, the rest is dropped, which is no error: the exit status still gives the answer.
pub struct Printer(Option<io::BufWriter<StdoutLock<'static>>>);

impl Printer {
    /// Fails if standard output is closed.
    pub fn new() -> io::Result<Printer> {
        Ok(Printer(Some(io::BufWriter::new(standard_output::open()?.lock()))))
    }

    /// Prints a line, or several; only their tabs and line feeds reach a terminal as they are.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        self.attempt(|out| writeln!(out, "{}", visible_except(&['\t', '\n'], line)))
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.attempt(Write::flush)
    }

    fn attempt(
        &mut self,
        write: impl FnOnce(&mut io::BufWriter<StdoutLock<'static>>) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.0.as_mut().map_or(Ok(()), write) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // Taken apart, so that it does not write again when dropped.
                let _ = self.0.take().map(io::BufWriter::into_parts);
                Ok(())
            }
            other => other,
        }
    }
}

pub fn print(text: &str) -> io::Result<()> {
    let mut printer = Printer::new()?;
    printer.line(text)?;
    printer.finish()
}
