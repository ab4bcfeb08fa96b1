//! A problem, before a layer says of which kind it is.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use super::About;
#[cfg(feature = "batch")]
use crate::formats::compression::WindowTooLarge;
use crate::formats::error::{Malformed, NO_ROOM, in_words};
use crate::formats::shown;

/// A problem: its message, its source, and what is decided by it.
#[derive(Debug)]
pub(crate) struct Problem {
    pub message: String,
    /// The error of the system, or of what it read.
    pub source: Option<io::Error>,
    pub about: Option<About>,
    /// The folder of a run whose work is kept.
    pub kept: Option<PathBuf>,
}

impl Problem {
    /// Turns the system's error into one that says what could not be done, such as `read` or `read the policy`, and to which file.
    pub fn with_file<'p>(doing: &'static str, path: &'p Path) -> impl Fn(io::Error) -> Problem + Copy + use<'p> {
        move |error| Problem::from(error).within(format_args!("cannot {doing} {}: ", shown(path)))
    }

    /// The error behind that of the system, if it is of this type.
    pub fn cause<C: std::error::Error + 'static>(&self) -> Option<&C> {
        self.source.as_ref()?.get_ref()?.downcast_ref()
    }

    /// Adds what it is about.
    pub fn about(self, about: About) -> Problem {
        Problem { about: Some(about), ..self }
    }

    /// The same, which is about memory if it is that a window of compressed data has no room, and more memory would help.
    pub fn of_window(self) -> Problem {
        #[cfg(feature = "batch")]
        if self.cause::<WindowTooLarge>().is_some_and(WindowTooLarge::is_of_budget) {
            return self.about(About::Memory);
        }
        self
    }

    /// Says something before it.
    pub fn within(self, before: impl Display) -> Problem {
        Problem { message: format!("{before}{}", self.message), ..self }
    }
}

impl From<String> for Problem {
    fn from(message: String) -> Problem {
        Problem { message, source: None, about: None, kept: None }
    }
}

impl From<&str> for Problem {
    fn from(message: &str) -> Problem {
        Problem::from(message.to_owned())
    }
}

impl From<Malformed> for Problem {
    fn from(malformed: Malformed) -> Problem {
        let about = malformed.0.contains(NO_ROOM).then_some(About::MemoryOrSkipped);
        Problem { about, ..Problem::from(io::Error::other(malformed)) }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        let message = in_words(&error);
        Problem { source: Some(error), ..Problem::from(message) }
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.kept {
            Some(folder) => write!(f, "; the work so far is kept in {}; resume the run to continue", shown(folder)),
            None => Ok(()),
        }
    }
}
