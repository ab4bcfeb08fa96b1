//! The Python package `robosieve`: the library, with Arrow in and out.
//!
//! Nothing here parses a robots.txt or matches a URL. A column of URLs arrives through Arrow's C data interface
//! ([`capsule`], [`urls`]), a matcher judges it without the interpreter's lock ([`judging`]), and the outcomes become
//! columns ([`verdicts`]).

mod answer_table;
mod answers;
mod arguments;
mod calls;
mod capsule;
mod choices;
mod column;
mod compile;
mod dataset;
mod error;
mod explained;
mod export;
mod filter;
mod headers;
mod inspect;
mod json;
mod judging;
mod libraries;
mod line_sum;
mod lint;
mod live;
mod lost_pages;
mod merge;
mod origin;
mod pandas;
mod parts;
mod polars;
mod policy;
mod program;
mod receipts;
mod robots_txt;
mod said;
mod sources;
mod stream;
mod times;
mod unique;
mod url_parts;
mod urls;
mod verdicts;
mod warm;
mod warn;
mod whole;

use pyo3::prelude::*;

/// Splits URL lists by robots.txt: the compiled half of the package.
#[pymodule]
mod _robosieve {
    #[pymodule_export]
    use crate::answers::Answer;
    #[pymodule_export]
    use crate::choices::Choices;
    #[pymodule_export]
    use crate::compile::compile;
    #[pymodule_export]
    use crate::error::{AgentError, Error, PolicyError, RunError, SourceError, UrlsError};
    #[pymodule_export]
    use crate::export::changes;
    #[pymodule_export]
    use crate::export::table;
    #[pymodule_export]
    use crate::filter::{filter, matched};
    #[pymodule_export]
    use crate::inspect::inspect;
    #[pymodule_export]
    use crate::line_sum::line_sum;
    #[pymodule_export]
    use crate::lint::lint;
    #[pymodule_export]
    use crate::live::LivePolicy;
    #[pymodule_export]
    use crate::merge::merge;
    #[pymodule_export]
    use crate::parts::{answer_columns, compile_pages, compile_part};
    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use crate::program::main;
    #[pymodule_export]
    use crate::receipts::{join, verify};
    #[pymodule_export]
    use crate::robots_txt::{RobotsTxt, product_token};
    #[pymodule_export]
    use crate::stream::Stream;
    #[pymodule_export]
    use crate::unique::{keys, unique};
    #[pymodule_export]
    use crate::verdicts::Verdicts;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("URL_PARTS", robosieve::python_package::UrlParts::COLUMNS)?;
        let columns = robosieve::PreferenceColumn::all();
        module.add("PREFERENCES", columns.map(|column| column.name()).collect::<Vec<_>>())?;
        module.add("DIALECTS", robosieve::Dialect::names())
    }
}
