//! Which rows have URLs that occurred before, and the keys that say so.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use robosieve::SameUrl;
use robosieve::python_package::{check_stop, with_tables};
use robosieve::run::{Job, Progress, SeenFile, Shard, UrlField};

use crate::calls::{self, Call, Rows};
use crate::choices::named;
use crate::column::Column;
use crate::urls;
use crate::verdicts::Verdicts;
use crate::{arguments, error};

/// Which rows of a column have a URL for the first time: columns `stays`, and `key`, which is the same for URLs that are the same.
///
/// With "fetched" they are if a fetcher asks for the same thing, with "bytes" if they are written alike. The key has 16 bytes, as files
/// of seen URLs have it. A row without a valid URL stays, and its key is null. `seen` is a file of URLs that earlier runs have allowed:
/// rows with these do not stay, either. It is only read. `progress` is called ten times a second, as by `filter`.
///
/// >>> import robosieve
/// >>> robosieve.unique(["http://a.example/x", "http://A.example/%78#top", "http://a.example/y", None])["stays"]
/// [True, False, True, True]
#[pyfunction]
#[pyo3(signature = (urls, *, unique="fetched", seen=None, column=None, progress=None))]
pub fn unique(
    py: Python<'_>,
    urls: &Bound<'_, PyAny>,
    unique: &str,
    seen: Option<PathBuf>,
    column: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Verdicts> {
    let call = Call::new(progress)?;
    let same = match named("unique", unique, "fetched or bytes")? {
        SameUrl::Surt => {
            let problem = "keys of an index are compared as they stand; there is nothing to make of them";
            return Err(error::parameter("unique", problem));
        }
        same => same,
    };
    let columns = urls::columns(urls, column)?;
    let index = urls::index(urls, column)?.map(Bound::unbind);
    let rows = progress.map(|_| Rows::of(urls));
    let call = call.with_progress(|| rows.as_ref().map(Rows::done).unwrap_or_default());
    let keys = |column: Column| {
        let key = |row: usize| {
            check_stop();
            let url = column.value(row);
            if let Some(rows) = &rows {
                rows.add(1, url.map_or(0, <[u8]>::len));
            }
            url.and_then(|url| same.hash(url).ok())
        };
        Ok((0..column.rows).map(key).collect())
    };
    let chunks = urls::each(py, &call, columns, 1, keys)?;
    let (schema, batches) = calls::work(py, || batches(&chunks, same, seen.as_deref()))?;
    Ok(Verdicts { schema, batches, index })
}

/// The keys of the rows of a chunk; none of a row without a valid URL.
type Keys = Vec<Option<u128>>;

fn batches(chunks: &[Keys], same: SameUrl, seen: Option<&Path>) -> PyResult<(Arc<Schema>, Vec<RecordBatch>)> {
    let mut known = match seen {
        Some(path) => seen_of(path, same, chunks)?,
        None => HashSet::new(),
    };
    let fields = [Field::new("stays", DataType::Boolean, false), Field::new("key", DataType::Binary, true)];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let batch = |keys: &Keys| {
        let mut stays = |key: &Option<u128>| {
            check_stop();
            key.is_none_or(|key| known.insert(key))
        };
        let stays: BooleanArray = keys.iter().map(|key| Some(stays(key))).collect();
        let bytes: BinaryArray = keys.iter().map(|key| key.map(u128::to_be_bytes)).collect();
        RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(stays) as ArrayRef, Arc::new(bytes)])
    };
    let batches: Result<Vec<_>, _> = chunks.iter().map(batch).collect();
    batches.map_err(error::urls).map(|batches| (schema, batches))
}

/// The keys among these that a file of seen URLs has.
fn seen_of(path: &Path, same: SameUrl, chunks: &[Keys]) -> PyResult<HashSet<u128>> {
    let file = SeenFile::open(path).map_err(error::run)?;
    if file.same != same {
        let problem = format!("in this file, URLs are the same by {}; the argument unique says {same}", file.same);
        return Err(error::parameter("seen", problem));
    }
    let mut keys: Vec<u128> = chunks.iter().flatten().flatten().copied().collect();
    keys.sort_unstable();
    let found = file.contains_each(&keys).map_err(error::run)?;
    Ok(keys.into_iter().zip(found).filter(|&(_, is_found)| is_found).map(|(key, _)| key).collect())
}

/// The writer behind `robosieve.keys`, which documents the parameters; returns the number of URLs and the checksum.
#[pyfunction]
#[pyo3(signature = (lists, out, *, unique, shard, column, delimiter, header, skip_bad, threads, memory))]
#[allow(clippy::too_many_arguments)]
pub fn keys(
    py: Python<'_>,
    lists: Vec<PathBuf>,
    out: PathBuf,
    unique: &str,
    shard: Option<&str>,
    column: Option<&str>,
    delimiter: Option<&str>,
    header: bool,
    skip_bad: bool,
    #[pyo3(from_py_with = arguments::whole)] threads: i64,
    #[pyo3(from_py_with = arguments::maybe_whole)] memory: Option<i64>,
) -> PyResult<(u64, String)> {
    let same = named("unique", unique, "fetched, bytes or surt")?;
    let shard: Option<Shard> =
        shard.map(|given| given.parse().map_err(|problem| error::parameter("shard", problem))).transpose()?;
    let url_field = url_field(column, delimiter, header)?;
    let (threads, memory) = (arguments::threads(threads)?, arguments::bytes("memory", memory)?);
    let lists = with_tables(lists).map_err(error::run)?;
    let call = Call::silent();
    let mut job = Job::new(lists, Vec::new())
        .interrupt(Some(Arc::clone(&call.stop)))
        .url_field(url_field)
        .unique(Some(same))
        .threads(threads);
    job = job.shard(shard).skip_bad(skip_bad);
    if let Some(memory) = memory {
        job = job.memory(memory);
    }
    // SAFETY: who names a list answers for its not changing meanwhile, as SECURITY.md says.
    let job = unsafe { job.map_lists() };
    let file = call.work(py, || job.write_keys(&out, &Progress::new()).map_err(error::run))?;
    Ok((file.count, format!("{:032x}", file.checksum())))
}

/// Where the URL is in a line.
pub fn url_field(column: Option<&str>, delimiter: Option<&str>, header: bool) -> PyResult<UrlField> {
    let mut field = UrlField::default().header(header);
    if let Some(delimiter) = delimiter {
        field = field.delimiter(delimiter).map_err(|problem| error::parameter("delimiter", problem))?;
    }
    Ok(match column {
        Some(column) => field.column(column),
        None => field,
    })
}
