"""Tables whose files say more of their columns than Parquet does, written by several libraries, and what must stay of that."""

import datetime
import decimal
import json

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

# The keys that describe columns; our columns are added there.
DESCRIPTIONS = ("ARROW:schema", "pandas")
OURS = ("reason",)


def arrow_table(urls):
    """Columns of the types that Parquet itself does not know, or not with all they say."""
    count = len(urls)
    instants = [
        datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(hours=n) for n in range(count)
    ]
    record = pyarrow.struct(
        [
            pyarrow.field("a", pyarrow.large_string(), metadata={"unit": "m"}),
            ("b", pyarrow.list_(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))),
        ]
    )
    columns = {
        "url": pyarrow.array(urls, pyarrow.large_string()),
        "zone": pyarrow.array(instants, pyarrow.timestamp("us", "America/New_York")),
        "seconds": pyarrow.array(range(count), pyarrow.int64()).cast(pyarrow.timestamp("s", "Asia/Kolkata")),
        "naive": pyarrow.array(range(count), pyarrow.int64()).cast(pyarrow.timestamp("ns")),
        "span": pyarrow.array(range(count), pyarrow.int64()).cast(pyarrow.duration("ms")),
        "kind": pyarrow.array([f"k{n % 3}" for n in range(count)]).dictionary_encode(),
        "ordered": pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([n % 2 for n in range(count)], pyarrow.int8()), ["low", "high"], ordered=True
        ),
        "view": pyarrow.array([f"text {n} that is longer than twelve" for n in range(count)], pyarrow.string_view()),
        "bytes": pyarrow.array([bytes([n % 256]) * 20 for n in range(count)], pyarrow.binary_view()),
        "large": pyarrow.array([[n, None] for n in range(count)], pyarrow.large_list(pyarrow.int16())),
        "pair": pyarrow.array([[n % 100, None] for n in range(count)], pyarrow.list_(pyarrow.int16(), 2)),
        "deep": pyarrow.array([[[{"a": "x", "b": ["y"]}]] for _ in range(count)], pyarrow.list_(pyarrow.list_(record))),
        "map": pyarrow.array(
            [[("k", [n])] for n in range(count)], pyarrow.map_(pyarrow.string(), pyarrow.list_(pyarrow.duration("s")))
        ),
        "price": pyarrow.array([decimal.Decimal(n) / 100 for n in range(count)], pyarrow.decimal128(20, 2)),
        "wide": pyarrow.array([decimal.Decimal(n) for n in range(count)], pyarrow.decimal256(60, 0)),
        "uuid": pyarrow.array([n.to_bytes(16) for n in range(count)], pyarrow.uuid()),
        "day": pyarrow.array([n * 86_400_000 for n in range(count)], pyarrow.int64()).cast(pyarrow.date64()),
        "half": pyarrow.array([float(n) for n in range(count)]).cast(pyarrow.float16()),
        "none": pyarrow.nulls(count),
    }
    fields = [
        pyarrow.field(name, column.type, metadata={"about": f"column {name}"}) for name, column in columns.items()
    ]
    schema = pyarrow.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": {}}}), "owner": "data"})
    return pyarrow.table(list(columns.values()), schema=schema)


def frame(urls):
    """A data frame with an index and types of pandas."""
    count = len(urls)
    of = pandas.DataFrame(
        {
            "url": urls,
            "kind": pandas.Categorical([f"k{n % 3}" for n in range(count)], ordered=True),
            "when": pandas.date_range("2020-01-01", periods=count, freq="h", tz="Europe/Berlin"),
            "span": pandas.to_timedelta(range(count), unit="ms"),
            "whole": pandas.array([None if n % 5 == 0 else n for n in range(count)], dtype="Int32"),
            "text": pandas.array([f"t{n}" for n in range(count)], dtype="string"),
        },
        index=pandas.Index([f"i{n}" for n in range(count)], name="label"),
    )
    return of


GEO = {
    "version": "1.1.0",
    "primary_column": "shape",
    "columns": {"shape": {"encoding": "WKB", "geometry_types": ["Point"], "bbox": [0.1, 0.2, 298.257223563, 4.0]}},
}


def write_all(folder, urls):
    """Write the tables; yield their paths."""
    table = arrow_table(urls)
    pyarrow.parquet.write_table(table, folder / "pyarrow.parquet", row_group_size=300)
    yield folder / "pyarrow.parquet"
    old = table.select(["url", "zone", "naive", "kind", "span"])
    pyarrow.parquet.write_table(old, folder / "int96.parquet", version="1.0", use_deprecated_int96_timestamps=True)
    yield folder / "int96.parquet"
    frame(urls).to_parquet(folder / "pandas.parquet")
    yield folder / "pandas.parquet"
    frame(urls).reset_index().to_parquet(folder / "range.parquet")
    yield folder / "range.parquet"
    shapes = pyarrow.table({"url": urls, "shape": [b"\1\1\0\0\0" + bytes(16)] * len(urls)})
    pyarrow.parquet.write_table(shapes.replace_schema_metadata({"geo": json.dumps(GEO)}), folder / "geo.parquet")
    yield folder / "geo.parquet"
    known = polars.from_arrow(
        table.select(["url", "zone", "span", "kind", "view", "bytes", "large", "pair", "price", "deep"])
    )
    known.with_columns(
        polars.col("kind").cast(polars.Categorical), polars.col("view").cast(polars.Categorical).alias("named")
    ).write_parquet(folder / "polars.parquet")
    yield folder / "polars.parquet"
    duckdb.register("given", table.select(["url", "zone", "view", "bytes", "price", "uuid", "kind"]))
    rows = "select *, map {'k': [1]} as map from given"
    duckdb.sql(f"copy ({rows}) to '{folder / 'duckdb.parquet'}' (format parquet, kv_metadata {{owner: 'data'}})")
    yield folder / "duckdb.parquet"


def difference(given, written):
    """What a file made of another lost, or None."""
    stored, kept = (pyarrow.parquet.read_schema(path) for path in (given, written))
    ours = kept.names[len(stored) :]
    if tuple(ours) != OURS:
        return f"columns {kept.names}"
    for one, other in zip(stored, kept):
        if not one.equals(other, check_metadata=True):
            return f"{one} {one.metadata} became {other} {other.metadata}"
    for key, value in (stored.metadata or {}).items():
        if key.decode() not in DESCRIPTIONS and (kept.metadata or {}).get(key) != value:
            return f"metadata {key}"
    return pandas_difference(stored, kept) or of_readers(given, written)


def pandas_difference(stored, kept):
    """What is lost of what pandas says, or None."""
    if stored.pandas_metadata is None:
        return None
    if kept.pandas_metadata is None:
        return "metadata pandas"
    was, now = stored.pandas_metadata["columns"], kept.pandas_metadata["columns"]
    if now[: len(was)] != was or [column["name"] for column in now[len(was) :]] != list(OURS):
        return f"pandas: {now}"
    labels = [label for label in stored.pandas_metadata["index_columns"] if isinstance(label, str)]
    return None if kept.pandas_metadata["index_columns"] == labels else "the index of pandas"


def of_readers(given, written):
    """What other readers see otherwise, or None."""
    for read in (read_by_pandas, read_by_polars, read_by_duckdb):
        # INT96 is a number of nanoseconds afterwards, whatever the reader made of it.
        if given.stem == "int96" and read is not read_by_pandas:
            continue
        if (was := tried(read, given)) is None:
            continue
        now = read(written)
        if list(now.items())[: len(was)] != list(was.items()) or len(now) != len(was) + len(OURS):
            return f"{read.__name__}: {now}"
    return None


def tried(read, path):
    """What a reader says of a file, or None if there are columns that it cannot read."""
    try:
        return read(path)
    except (pyarrow.ArrowException, polars.exceptions.PolarsError, duckdb.Error):
        return None


def read_by_pandas(path):
    """The names of the index and the columns, with their types."""
    of = pandas.read_parquet(path, partitioning=None)
    return {"": of.index.name, **of.dtypes.astype(str).to_dict()}


def read_by_polars(path):
    """The columns with their types."""
    return dict(polars.read_parquet_schema(path))


def read_by_duckdb(path):
    """The columns with their types."""
    found = duckdb.sql(f"describe select * from read_parquet('{path}', hive_partitioning = false)").fetchall()
    return {name: kind for name, kind, *_ in found}
