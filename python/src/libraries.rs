//! Objects of libraries that are not imported to recognise them.

use pyo3::prelude::*;

/// Whether an object is of a class of this library: never, unless the library was imported.
pub fn is_a(object: &Bound<'_, PyAny>, library: &str, class: &str) -> PyResult<bool> {
    let modules = object.py().import("sys")?.getattr("modules")?;
    let Ok(library) = modules.get_item(library) else { return Ok(false) };
    // A module that is still being imported may lack its classes.
    library.getattr_opt(class)?.map_or(Ok(false), |class| object.is_instance(&class))
}
