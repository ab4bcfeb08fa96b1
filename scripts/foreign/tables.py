"""Tables with columns of every kind, written by several libraries, and the results expected from robosieve."""

import datetime
import decimal
import random
import re

import duckdb
import polars
import pyarrow
import pyarrow.parquet

# The options with which pyarrow writes a table.
FORMS = {
    "groups": {"row_group_size": 700},
    "rows": {"row_group_size": 1},
    "pages": {"data_page_version": "2.0", "write_page_index": True, "data_page_size": 500, "compression": "lz4"},
    "gzip": {"compression": "gzip", "use_dictionary": False, "row_group_size": 100},
    "old": {"version": "1.0", "use_deprecated_int96_timestamps": True, "store_decimal_as_integer": True},
}


def make(urls):
    """A table with these URLs: simple and nested columns, with a fifth of all other values null."""
    chance = random.Random(1)
    start = datetime.datetime(2020, 1, 1)

    def some(value):
        return [None if chance.random() < 0.2 else value(number) for number in range(len(urls))]

    def column(kind, value):
        return pyarrow.array(some(value), kind)

    inner = pyarrow.struct([("c", pyarrow.list_(pyarrow.string()))])
    record = pyarrow.struct([("a", pyarrow.int32()), ("b", inner)])
    return pyarrow.table(
        {
            "number": pyarrow.array(range(len(urls)), pyarrow.int64()),
            "url": pyarrow.array(urls, pyarrow.string()),
            "flag": column(pyarrow.bool_(), lambda n: n % 3 == 0),
            "single": column(pyarrow.float32(), lambda n: n / 7),
            "double": column(pyarrow.float64(), lambda n: n / 7),
            "half": column(pyarrow.float16(), lambda n: n / 8),
            "decimal": column(pyarrow.decimal128(20, 2), lambda n: decimal.Decimal(n) / 100),
            "tiny": column(pyarrow.int8(), lambda n: n % 100),
            "unsigned": column(pyarrow.uint64(), lambda n: 2**63 + n),
            "hour": column(pyarrow.time32("ms"), lambda n: n),
            # Whole microseconds, since Python cannot represent finer times without pandas.
            "moment": column(pyarrow.timestamp("ns", "UTC"), lambda n: 1000 * n),
            "seconds": column(pyarrow.timestamp("s", "Europe/Berlin"), lambda n: n),
            "milliseconds": column(pyarrow.timestamp("ms", "+02:30"), lambda n: n),
            "bytes": column(pyarrow.large_binary(), lambda n: bytes([n % 256]) * (n % 9)),
            "price": column(pyarrow.decimal128(9, 3), lambda n: decimal.Decimal(n) / 1000),
            "uuid": column(pyarrow.uuid(), lambda n: n.to_bytes(16)),
            "time": column(pyarrow.timestamp("us"), lambda n: start + datetime.timedelta(seconds=n)),
            "day": column(pyarrow.date32(), lambda n: (start + datetime.timedelta(days=n)).date()),
            "fixed": column(pyarrow.binary(3), lambda n: bytes([n % 256, 1, 2])),
            "tags": column(
                pyarrow.list_(pyarrow.string()), lambda n: [f"t{t}" if t != 2 else None for t in range(n % 5)]
            ),
            "deep": column(
                pyarrow.list_(pyarrow.list_(pyarrow.int32())), lambda n: [[t] * (t % 3) for t in range(n % 4)]
            ),
            "record": column(record, lambda n: {"a": n, "b": None if n % 2 else {"c": [str(n)]}}),
            "map": column(pyarrow.map_(pyarrow.string(), pyarrow.int64()), lambda n: [("k", n), ("l", None)]),
            "few": pyarrow.array(some(lambda n: f"v{n % 4}")).dictionary_encode(),
            "numbers": pyarrow.array(some(lambda n: n % 5)).dictionary_encode(),
            "pair": column(pyarrow.list_(pyarrow.int16(), 2), lambda n: [n % 100, None]),
            "none": pyarrow.nulls(len(urls)),
        }
    )


def write_all(folder, urls):
    """Write the table in all forms; yield their paths."""
    table = make(urls)
    for name, options in FORMS.items():
        path = folder / f"{name}.parquet"
        pyarrow.parquet.write_table(table, path, **options)
        yield path
    path = folder / "empty-groups.parquet"
    with pyarrow.parquet.ParquetWriter(path, table.schema) as writer:
        for first in range(0, len(urls), 90):
            writer.write_table(table.slice(first, 90))
            writer.write_table(table.slice(0, 0))
    yield path
    path = folder / "wide.parquet"
    wide = {"url": urls[:20]} | {f"column {number}": [number] * 20 for number in range(10_000)}
    pyarrow.parquet.write_table(pyarrow.table(wide), path)
    yield path
    yield from write_with_others(folder, table)


# What other libraries read of the table; of the rest, they know no such type or have one of their own.
POLARS_LACKS = ("half", "uuid", "map", "none", "seconds", "milliseconds")
DUCKDB_LACKS = ("half", "none", "numbers", "pair")


def write_with_others(folder, table):
    """Write the table with other libraries; yield the paths."""
    path = folder / "polars.parquet"
    polars.from_arrow(table.drop_columns(POLARS_LACKS)).write_parquet(path, row_group_size=300)
    yield path
    given = table.drop_columns(DUCKDB_LACKS)
    for version in ("V1", "V2"):
        path = folder / f"duckdb-{version}.parquet"
        duckdb.sql(f"copy given to '{path}' (format parquet, compression zstd, parquet_version {version})")
        yield path


def difference(given, verdicts, partitions):
    """The problem with tables made from another one, or None: all verdicts, and the files of partitions by name."""
    stored = types(given)
    for path in (verdicts, *partitions.values()):
        if types(path)[: len(stored)] != stored:
            return f"types of columns in {path}"
    given, verdicts = (pyarrow.parquet.read_table(path) for path in (given, verdicts))
    if verdicts.schema.names != [*given.schema.names, "verdict", "reason"]:
        return f"columns {verdicts.schema.names}"
    for name in given.schema.names:
        if given[name].to_pylist() != verdicts[name].to_pylist():
            return f"values of {name}"
    rows = verdicts.to_pylist()
    for name, path in partitions.items():
        table = pyarrow.parquet.ParquetFile(path).read().append_column("verdict", [[name] * rows_of(path)])
        if table.select(verdicts.schema.names).to_pylist() != [row for row in rows if row["verdict"] == name]:
            return f"rows of {name}"
    return None


NANOSECONDS = "Timestamp(isAdjustedToUTC=false, timeUnit=nanoseconds, is_from_converted_type=false, force_set_converted_type=false)"


def types(path):
    """How each column of a file is stored: its path, physical and logical type, and levels. INT96 is the same as nanoseconds."""
    schema = pyarrow.parquet.ParquetFile(path).schema
    columns = [schema.column(place) for place in range(len(schema))]
    kinds = {"INT96": ("INT64", 0, NANOSECONDS)}
    return [
        (
            of.path,
            *kinds.get(of.physical_type, (of.physical_type, of.length, str(of.logical_type))),
            of.max_definition_level,
            of.max_repetition_level,
        )
        for of in columns
    ]


def rows_of(path):
    """The number of rows in a file."""
    return pyarrow.parquet.ParquetFile(path).metadata.num_rows


def lines(path):
    """The verdict and the line of each row in a table made from a text."""
    columns = pyarrow.parquet.read_table(path).to_pydict()
    rows = zip(columns["verdict"], columns["line"], columns["url"])
    return [(verdict, line if line is not None else url.encode()) for verdict, line, url in rows]


CAUSES = pyarrow.schema(
    [
        ("rule", pyarrow.string()),
        ("rule_line", pyarrow.int32()),
        ("agent", pyarrow.string()),
        ("captured", pyarrow.timestamp("ms", "UTC")),
    ]
)


def encoded(bytes):
    """A text with invalid UTF-8 percent-encoded."""
    return re.sub("[\udc80-\udcff]", lambda c: f"%{ord(c[0]) - 0xDC00:02X}", bytes.decode(errors="surrogateescape"))


def causes_difference(path, expected):
    """The problem with a table's explanations of blocked lines, or None: they must be those of the text output."""
    table = pyarrow.parquet.read_table(path)
    if table.schema.names[-4:] != CAUSES.names:
        return f"columns {table.schema.names}"
    for field in CAUSES:
        if table.schema.field(field.name).type != field.type:
            return f"the type of {field.name}"
    columns = table.select(CAUSES.names).to_pydict()
    times = ["" if time is None else f"{time:%Y-%m-%dT%H:%M:%SZ}" for time in columns["captured"]]
    lines = ["" if line is None else str(line) for line in columns["rule_line"]]
    rules, agents = [[text or "" for text in columns[name]] for name in ("rule", "agent")]
    return None if list(zip(rules, lines, agents, times)) == expected else "its causes"
