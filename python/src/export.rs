//! Tables of the data other than rules in a policy, as Arrow.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder, TimestampMillisecondBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use pyo3::prelude::*;
use robosieve::diff::{self, Change, Diff};
use robosieve::export::{Export, Table};
use robosieve::python_package::{self, Column, Kind, Value};

use crate::arguments;
use crate::calls::{self, Call, Rows};
use crate::choices::Choices;
use crate::error;
use crate::policy::Policy;
use crate::stream::Stream;

/// The maximum number of rows in a batch.
const ROWS: usize = 1 << 16;

/// The approximate number of bytes of texts after which a batch ends.
const TEXTS: usize = 32 << 20;

/// A table of a policy: `what` is "delays", "sitemaps", "agents", "status", "access" or "preferences", as in `robosieve export`, or "access-summary",
/// which is its `--what access --summary`.
///
/// The columns and types are those of the program's Parquet. `agent` is one of the policy's crawlers, or a list of them in order of
/// preference; without it, there are rows for all crawlers. "access", "access-summary" and "preferences" are told by `choices`, as `judge`
/// judges by them, but for `require` and `www_fallback`; other tables do not depend on them, and refuse them. `progress` is called ten
/// times a second, as by `filter`.
///
/// >>> import robosieve
/// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot"])
/// >>> robosieve.export(policy, "delays").columns
/// ['origin', 'agent', 'value', 'line', 'seconds', 'pages_a_day']
/// >>> robosieve.export(policy, "sitemaps").to_pyarrow()["line"].to_pylist()[:1]
/// [9]
#[pyfunction(name = "export")]
#[pyo3(signature = (policy, what, *, agent=None, choices=None, progress=None))]
pub fn table(
    py: Python<'_>,
    policy: &Policy,
    what: &str,
    agent: Option<&str>,
    choices: Option<&Choices>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let call = Call::new(progress)?;
    let what: Table = what.parse().map_err(|unknown| error::parameter("what", unknown))?;
    let is_by_choices = matches!(what, Table::Access | Table::AccessSummary | Table::Preferences);
    if choices.is_some() && !is_by_choices {
        return Err(error::parameter("choices", format!("the table {:?} does not depend on them", what.name())));
    }
    let crawlers = policy.crawlers_or_all(agent)?;
    let export = Export::new(&policy.inner, what, &crawlers).choices(Choices::made(choices));
    let mut batches = Batches::new(python_package::columns_of(what));
    let rows = Rows::default();
    let call = call.with_progress(|| rows.done());
    let mut push = |row: &[Value<'_>]| batches.push(row).map(|texts| rows.add(1, texts));
    call.work(py, || python_package::rows_of(&export, &mut push).map_err(error::policy))?;
    batches.end().map_err(error::policy)?;
    call.report()?;
    Ok(Stream::of(batches.schema, batches.done.into_iter().map(Ok)))
}

/// What changed between two policies, for crawlers of both: a row for each path that shows a change, as of `robosieve diff`, or with
/// `summary` for each crawler and kind of change.
///
/// `only` names kinds of change, and `paths` is the most that are shown of each. Both policies are judged by `choices`, but for `require` and
/// `www_fallback`; the older one without `max_age`: its answers were not too old when it was in use.
///
/// >>> import robosieve
/// >>> before = robosieve.compile(["datasets/origins.jsonl"], agents=["examplebot"])
/// >>> after = robosieve.compile(["datasets/sites", "datasets/origins.jsonl"], agents=["examplebot"])
/// >>> set(robosieve.diff(before, after).to_pyarrow()["change"].to_pylist())
/// {'came'}
#[pyfunction(name = "diff")]
#[pyo3(signature = (before, after, agents=None, *, only=None, paths=3, summary=false, choices=None))]
#[allow(clippy::too_many_arguments)]
pub fn changes(
    py: Python<'_>,
    before: &Policy,
    after: &Policy,
    agents: Option<&Bound<'_, PyAny>>,
    only: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = arguments::whole)] paths: i64,
    summary: bool,
    choices: Option<&Choices>,
) -> PyResult<Stream> {
    let agents: Vec<String> = arguments::maybe_listed("agents", agents)?.unwrap_or_default();
    let agents = agents.iter().map(|agents| agents.parse().map_err(error::agent)).collect::<PyResult<Vec<_>>>()?;
    let only: Vec<String> = arguments::maybe_listed("only", only)?.unwrap_or_default();
    let known = Change::all().map(Change::name).collect::<Vec<_>>().join(", ");
    let unknown = |name: &String| error::parameter("only", format!("{name:?} is unknown; expected one of {known}"));
    let only = only.iter().map(|name| name.parse().map_err(|_| unknown(name))).collect::<PyResult<Vec<Change>>>()?;
    let paths = usize::try_from(paths)
        .map_err(|_| error::parameter("paths", format!("expected a number of at least 0, not {paths}")))?;
    let table = if summary { diff::Table::Summary } else { diff::Table::Changes };
    let diff = Diff::new(&before.inner, &after.inner, &agents).map_err(error::policy)?;
    let diff = diff.choices(Choices::made(choices)).only(only).shown(paths);
    let mut batches = Batches::new(python_package::columns_of_changes(table));
    let mut push = |row: &[Value<'_>]| batches.push(row).map(drop);
    calls::work(py, || python_package::rows_of_changes(&diff, table, &mut push).map_err(error::policy))?;
    batches.end().map_err(error::policy)?;
    Ok(Stream::of(batches.schema, batches.done.into_iter().map(Ok)))
}

/// The rows read so far.
struct Batches {
    schema: SchemaRef,
    columns: Vec<Values>,
    rows: usize,
    texts: usize,
    done: Vec<RecordBatch>,
}

/// The values of a column in the batch that is being filled.
enum Values {
    Texts(StringBuilder),
    Wholes(Int64Builder),
    Decimals(Float64Builder),
    Times(TimestampMillisecondBuilder),
}

impl Batches {
    fn new(columns: &[Column]) -> Batches {
        let fields: Vec<Field> = columns.iter().map(field).collect();
        let columns = columns.iter().map(|column| Values::new(column.kind)).collect();
        Batches { schema: Arc::new(Schema::new(fields)), columns, rows: 0, texts: 0, done: Vec::new() }
    }

    /// Adds a row, and returns the bytes of its texts.
    fn push(&mut self, row: &[Value<'_>]) -> Result<usize, ArrowError> {
        let texts = self.columns.iter_mut().zip(row).map(|(values, value)| values.push(*value)).sum();
        self.texts += texts;
        self.rows += 1;
        if self.rows == ROWS || self.texts > TEXTS {
            self.end()?;
        }
        Ok(texts)
    }

    /// Ends the batch, unless it is empty.
    fn end(&mut self) -> Result<(), ArrowError> {
        if self.rows > 0 {
            let columns = self.columns.iter_mut().map(Values::finish).collect();
            self.done.push(RecordBatch::try_new(Arc::clone(&self.schema), columns)?);
            (self.rows, self.texts) = (0, 0);
        }
        Ok(())
    }
}

/// The timestamps of Parquet are in UTC.
const UTC: &str = "UTC";

fn field(column: &Column) -> Field {
    let kind = match column.kind {
        Kind::Whole => DataType::Int64,
        Kind::Decimal => DataType::Float64,
        Kind::Time => DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
        _ => DataType::Utf8,
    };
    Field::new(column.name, kind, !column.always)
}

impl Values {
    fn new(kind: Kind) -> Values {
        match kind {
            Kind::Whole => Values::Wholes(Int64Builder::new()),
            Kind::Decimal => Values::Decimals(Float64Builder::new()),
            Kind::Time => Values::Times(TimestampMillisecondBuilder::new().with_timezone(UTC)),
            _ => Values::Texts(StringBuilder::new()),
        }
    }

    /// Adds the value of a row, and returns the number of bytes of its text.
    fn push(&mut self, value: Value<'_>) -> usize {
        match (self, value) {
            (Values::Texts(texts), Value::Name(name)) => {
                texts.append_value(name);
                return name.len();
            }
            (Values::Texts(texts), Value::Text(text)) => {
                texts.append_value(String::from_utf8_lossy(text));
                return text.len();
            }
            (Values::Wholes(numbers), Value::Whole(number)) => {
                numbers.append_value(i64::try_from(number).unwrap_or(i64::MAX));
            }
            (Values::Decimals(numbers), Value::Decimal(number)) => numbers.append_value(number),
            (Values::Times(times), Value::Time(seconds)) => times.append_value(seconds.saturating_mul(1000)),
            (Values::Texts(values), _) => values.append_null(),
            (Values::Wholes(values), _) => values.append_null(),
            (Values::Decimals(values), _) => values.append_null(),
            (Values::Times(values), _) => values.append_null(),
        }
        0
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Values::Texts(values) => Arc::new(values.finish()),
            Values::Wholes(values) => Arc::new(values.finish()),
            Values::Decimals(values) => Arc::new(values.finish()),
            Values::Times(values) => Arc::new(values.finish()),
        }
    }
}
