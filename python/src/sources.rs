//! What `compile` takes as sources: files, or answers from memory.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};
use robosieve::policy::source::{self, Options};
use robosieve::policy::{Captures, Error};
use robosieve::python_package::add_single;

use crate::answers::{self, Answer, Answers};
use crate::arguments::listed;
use crate::calls::Call;
use crate::{answer_table, error};

/// Sources of robots.txt files.
pub enum Sources<'py> {
    Files(Vec<PathBuf>),
    Answers(Answers<'py>),
}

impl<'py> Sources<'py> {
    /// The sources that a caller gives, whose tables are read with these options.
    pub fn of(given: &Bound<'py, PyAny>, options: &Options, has_columns: bool) -> PyResult<Sources<'py>> {
        if let Some(answers) = answer_table::answers(given, &options.names)? {
            return Ok(Sources::Answers(answers));
        }
        let sources = match given.cast::<PyMapping>() {
            Ok(mapping) => Sources::Answers(answers::of_mapping(mapping)?),
            Err(_) => Sources::listed(given)?,
        };
        match sources {
            Sources::Answers(_) if has_columns => {
                Err(error::parameter("columns", "the answers have no columns; it is for files and tables"))
            }
            sources => Ok(sources),
        }
    }

    /// The sources in an iterable of files or answers.
    fn listed(given: &Bound<'py, PyAny>) -> PyResult<Sources<'py>> {
        let is_single = given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>();
        let iterator = given.try_iter().ok().filter(|_| !is_single && !given.is_instance_of::<Answer>());
        let Some(mut items) = iterator else { return listed("sources", given).map(Sources::Files) };
        let Some(first) = items.next().transpose()? else {
            return Err(error::parameter(
                "sources",
                "the list is empty; give at least one file or folder, or an answer",
            ));
        };
        if first.is_instance_of::<Answer>() {
            return Ok(Sources::Answers(answers::of_iterator(first, items)));
        }
        // What is left of the iterator, after its first item.
        let all: Vec<_> = std::iter::once(Ok(first)).chain(items).collect::<PyResult<_>>()?;
        listed("sources", all.into_pyobject(given.py())?.as_any()).map(Sources::Files)
    }

    /// The files among them, which may not be written to.
    pub fn files(&self) -> &[PathBuf] {
        match self {
            Sources::Files(files) => files,
            Sources::Answers(_) => &[],
        }
    }

    /// Adds them all. `origin` is that of the only one, a single robots.txt.
    pub fn add(
        self,
        py: Python<'_>,
        call: &Call<'_, '_>,
        origin: Option<&str>,
        options: &Options,
        captures: &mut Captures,
    ) -> PyResult<()> {
        let added =
            |add: &mut (dyn FnMut() -> Result<(), Error> + Send)| call.work(py, || add().map_err(error::source));
        match (origin, self) {
            (None, Sources::Files(files)) => added(&mut || source::add(&files, options, captures)),
            (None, Sources::Answers(answers)) => answers::add(py, call, answers, options, captures),
            (Some(origin), Sources::Files(files)) => {
                let [single] = &files[..] else {
                    let count = files.len();
                    let problem = format!("it needs exactly one source, a single robots.txt; {count} were given");
                    return Err(error::parameter("origin", problem));
                };
                let single: &Path = single;
                added(&mut || add_single(single, origin, options, captures))
            }
            (Some(_), Sources::Answers(_)) => Err(error::parameter(
                "origin",
                "it is for a single robots.txt in a file; answers name their own origins",
            )),
        }
    }
}
