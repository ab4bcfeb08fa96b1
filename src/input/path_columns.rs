//! Columns in the names of the folders that a table is in, as in Hive datasets: `crawl=CC-MAIN-2026-40/subset=warc`.
//!
//! Hive and Spark write characters that no name may have as `%` and two digits, and no value as a name of its own.

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use std::path::{Component, Path};

use crate::error::run::{Error, ErrorKind};
use crate::formats;

named! {
    /// What becomes of the columns in the names of a table's folders, where rows stay rows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum PathColumns {
        /// Columns of text in the files, after those of the list.
        #[default]
        Columns = "columns",
        /// Such folders again.
        Folders = "folders",
        /// Nothing: the names of folders do not count.
        Ignored = "ignored",
    }
}

impl PathColumns {
    pub(crate) fn is_default(&self) -> bool {
        *self == PathColumns::default()
    }
}

/// A column in the name of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathColumn {
    /// The name of the folder.
    pub folder: String,
    /// The name of the column, and the value of all rows below; `None` if they have none.
    pub name: String,
    pub value: Option<String>,
}

/// The value of rows without one.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// Whether a folder of this name is a column.
pub(crate) fn is_path_column(folder: &str) -> bool {
    folder.find('=').is_some_and(|at| at > 0)
}

/// The columns in the folders of a list's path, in order.
///
/// # Errors
///
/// If two have the same name, or one is not UTF-8.
pub(crate) fn path_columns(list: &Path) -> Result<Vec<PathColumn>, Error> {
    let wrong = |problem: String| {
        ErrorKind::List.of(format!("the folders of the list {} cannot be columns: {problem}", formats::shown(list)))
    };
    let mut columns: Vec<PathColumn> = Vec::new();
    for component in list.parent().map(Path::components).into_iter().flatten() {
        let Component::Normal(folder) = component else { continue };
        let shown = folder.to_string_lossy();
        let Some((name, value)) = shown.split_once('=').filter(|(name, _)| !name.is_empty()) else { continue };
        let decoded = |text| percent_decode_str(text).decode_utf8().map(String::from);
        let (Some(folder), Ok(name), Ok(value)) = (folder.to_str(), decoded(name), decoded(value)) else {
            return Err(wrong(format!("{shown} is not UTF-8")));
        };
        if let Some(other) = columns.iter().find(|column| column.name == name) {
            return Err(wrong(format!("{} and {folder} are one column", other.folder)));
        }
        let value = (value != NO_VALUE).then_some(value);
        columns.push(PathColumn { folder: folder.to_owned(), name, value });
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_hive_and_spark_are_columns() {
        let columns = |path: &str| {
            let columns = path_columns(Path::new(path)).map_err(|error| error.to_string());
            columns.map(|columns| columns.into_iter().map(|column| (column.name, column.value)).collect::<Vec<_>>())
        };
        let some = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
        for (path, expected) in [
            ("list.parquet", vec![]),
            ("a/=b/c/x=1.parquet", vec![]),
            (
                "/crawl=CC-MAIN-2026-40/sub/subset=warc/x",
                vec![some("crawl", "CC-MAIN-2026-40"), some("subset", "warc")],
            ),
            ("at=2026-01-01 10%3A00%2F%25/x", vec![some("at", "2026-01-01 10:00/%")]),
            ("a%3Db=c=d/x", vec![some("a=b", "c=d")]),
            ("k=/x", vec![some("k", "")]),
            ("k=100%/x", vec![some("k", "100%")]),
            ("k=__HIVE_DEFAULT_PARTITION__/x", vec![("k".to_owned(), None)]),
            ("k=\u{e9}/j=%C3%A9/x", vec![some("k", "\u{e9}"), some("j", "\u{e9}")]),
        ] {
            assert_eq!(columns(path), Ok(expected), "{path}");
        }
        for (path, problem) in [("k=1/k=2/x", "k=1 and k=2"), ("k=%FF/x", "k=%FF is not UTF-8")] {
            assert!(columns(path).is_err_and(|error| error.contains(problem)), "{path}");
        }
    }
}
