//! Errors of malformed files. A panic of the library that reads them becomes one, too.

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use std::cell::Cell;
use std::io;
use std::panic::{self, AssertUnwindSafe};

/// A sentence about what is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(pub String);

impl From<io::Error> for Malformed {
    fn from(error: io::Error) -> Malformed {
        Malformed(error.to_string())
    }
}

impl From<ParquetError> for Malformed {
    fn from(error: ParquetError) -> Malformed {
        Malformed(match error {
            // The wrapper adds nothing to the message.
            ParquetError::External(error) => error.to_string(),
            ParquetError::General(problem) | ParquetError::NYI(problem) | ParquetError::EOF(problem) => problem,
            other => other.to_string(),
        })
    }
}

impl From<ArrowError> for Malformed {
    fn from(error: ArrowError) -> Malformed {
        Malformed(match error {
            ArrowError::ParquetError(problem) => problem,
            ArrowError::ExternalError(error) => error.to_string(),
            other => other.to_string(),
        })
    }
}

thread_local!(static IS_GUARDED: Cell<bool> = const { Cell::new(false) });

/// Whether a panic in this thread would be caught and become an error.
///
/// A malformed Parquet file can break assertions of the library that reads it. Where this crate calls that library, it catches
/// such panics, but the program's panic hook runs first, and by default prints a message. A program that reads or writes Parquet
/// through this crate can install a hook that stays silent if this is true.
pub fn panics_are_caught() -> bool {
    IS_GUARDED.get()
}

/// Calls into the Parquet library. A malformed file can break its assertions, so a panic becomes an error; the data it worked
/// on is not used again.
pub(crate) fn guarded<T, E: From<Malformed>>(run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    IS_GUARDED.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(run));
    IS_GUARDED.set(false);
    let broken = || Malformed("it is malformed: reading it failed an assertion".to_owned()).into();
    done.unwrap_or_else(|_| Err(broken()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_library_is_an_error() {
        let broken: Result<(), Malformed> = guarded(|| panic!("a broken assertion"));
        assert!(broken.is_err_and(|Malformed(problem)| problem.contains("malformed")));
        assert_eq!(guarded(|| Ok::<_, Malformed>(7)), Ok(7));
    }
}
