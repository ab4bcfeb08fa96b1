//! Lines on the standard output, for commands whose exit status is an answer too.

use std::io::{self, StdoutLock, Write};

/// Prints lines; where the reader has gone, the rest is not printed, because the exit status still tells the answer.
pub struct Printer(Option<io::BufWriter<StdoutLock<'static>>>);

impl Printer {
    /// For the standard output.
    pub fn new() -> Printer {
        Printer(Some(io::BufWriter::new(io::stdout().lock())))
    }

    /// Prints a line.
    ///
    /// # Errors
    ///
    /// Prints a line; a closed pipe is no error.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        self.attempt(|out| writeln!(out, "{line}"))
    }

    /// Makes sure that everything is printed.
    ///
    /// # Errors
    ///
    /// Flushes; a closed pipe is no error.
    pub fn finish(mut self) -> io::Result<()> {
        self.attempt(Write::flush)
    }

    fn attempt(
        &mut self,
        write: impl FnOnce(&mut io::BufWriter<StdoutLock<'static>>) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.0.as_mut().map_or(Ok(()), write) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // Into parts, so that it does not try to write again when it is dropped.
                let _ = self.0.take().map(io::BufWriter::into_parts);
                Ok(())
            }
            other => other,
        }
    }
}
