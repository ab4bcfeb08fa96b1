"""URLs in Common Crawl's five columns are judged as those in one."""

from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import robosieve
import robosieve.duckdb
import robosieve.polars

PARTS = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"]
ROWS: list[tuple[str | None, str | None, int | None, str | None, str | None]] = [
    ("https", "shop.example", None, "/cart", None),
    ("https", "shop.example", None, "/", "a=b"),
    ("https", "shop.example", 443, "/cart", "x"),
    ("https", "shop.example", -1, None, None),
    ("https", "shop.example", 70000, "/", None),
    ("https", "never.example", 8443, "/", ""),
    (None, "shop.example", None, "/", None),
    ("https", None, None, "/", None),
]
URLS = [
    "https://shop.example/cart",
    "https://shop.example/?a=b",
    "https://shop.example:443/cart?x",
    "https://shop.example/",
    "https://shop.example:70000/",
    "https://never.example:8443/?",
    None,
    None,
]


def columns() -> dict[str, list[Any]]:
    return {name: [row[at] for row in ROWS] for at, name in enumerate(PARTS)}


@pytest.fixture
def verdicts(policy: robosieve.Policy) -> list[str | None]:
    found = policy.judge(URLS, "examplebot")["verdict"]
    assert found == ["blocked", "allowed", "blocked", "allowed", "invalid", "deferred", None, None]
    return found


TABLES: dict[str, Callable[[], Any]] = {
    "dict": columns,
    "table": lambda: pa.table(columns()).append_column("fetch_status", pa.array([200] * len(ROWS))),
    "batch": lambda: pa.table(columns()).to_batches()[0],
    "reader": lambda: pa.table(columns()).to_reader(max_chunksize=3),
    "other types": lambda: pa.table(
        [
            pa.array(columns()["url_protocol"]).dictionary_encode(),
            pa.array(columns()["url_host_name"], pa.string_view()),
            pa.array(columns()["url_port"], pa.int32()),
            pa.array(columns()["url_path"], pa.large_binary()),
            pa.array(columns()["url_query"]),
        ],
        names=PARTS,
    ),
    "pandas": lambda: pd.DataFrame(columns()),
    "pandas, filtered": lambda: pd.DataFrame(
        columns() | {"note": [object()] * len(ROWS)}, index=range(9, 9 + len(ROWS))
    ),
    "polars": lambda: pl.DataFrame(columns() | {"note": pl.Series([object()] * len(ROWS))}),
}


@pytest.mark.parametrize("name", TABLES)
def test_parts_are_put_together(policy: robosieve.Policy, verdicts: list[str | None], name: str) -> None:
    table = TABLES[name]()
    out = policy.judge(table, "examplebot")
    assert out["verdict"] == verdicts
    if name == "pandas, filtered":
        assert list(out.to_pandas().index) == list(table.index)
    assert robosieve.line_sum(TABLES[name]()) == robosieve.line_sum(URLS)


def test_they_are_judged_as_by_filter(policy: robosieve.Policy, tmp_path: Any) -> None:
    table = pa.table(columns()).slice(0, 6)
    pyarrow.parquet.write_table(table, tmp_path / "index.parquet")
    receipt = robosieve.filter(policy, [tmp_path / "index.parquet"], tmp_path / "out", "examplebot")
    judged = policy.judge(table, "examplebot")["verdict"]
    assert {name: part["lines"] for name, part in receipt["partitions"].items()} == {
        name: judged.count(name) for name in receipt["partitions"]
    }


def test_columns_without_parts_or_types_are_refused(policy: robosieve.Policy) -> None:
    parts = columns()
    for given, kind, message in (
        ({name: parts[name] for name in PARTS[1:]}, robosieve.Error, "column: the table has several"),
        (pa.table(parts | {"url": URLS}), robosieve.Error, "column: the table has several"),
        (
            pa.table(parts | {"url_port": ["443"] * len(ROWS)}),
            TypeError,
            '"url_port" is of type Utf8; expected integers',
        ),
        (
            pa.table(parts | {"url_path": [1] * len(ROWS)}),
            TypeError,
            '"url_path" is of type Int64; expected text or bytes',
        ),
        (
            pa.table(parts | {"url_port": [0.5] * len(ROWS)}),
            robosieve.UrlsError,
            "the port of row 0 is not a whole number",
        ),
        (parts | {"url_port": [443, "x"]}, TypeError, "urls: "),
    ):
        with pytest.raises(kind, match=message):
            policy.judge(given, "examplebot")
    assert policy.judge(pa.table(parts), "examplebot", column="url_path")["verdict"][0] == "invalid"
    nothing = pa.table({name: pa.nulls(2) for name in PARTS})
    assert policy.judge(nothing, "examplebot")["verdict"] == [None, None]


def test_polars_puts_them_together(policy: robosieve.Policy, verdicts: list[str | None]) -> None:
    frame = pl.LazyFrame(columns())
    for url in (None, pl.struct(PARTS)):
        judged = frame.select(robosieve.polars.judge(url, policy, "examplebot").alias("out")).collect()
        assert judged["out"].struct["verdict"].to_list() == verdicts


def test_duckdb_puts_them_together(policy: robosieve.Policy, verdicts: list[str | None]) -> None:
    con = duckdb.connect()
    robosieve.duckdb.register(con, policy, "examplebot", parts=True)
    con.register("index", pa.table(columns()))
    rows = con.sql(f"select robots({', '.join(PARTS)}).verdict from index").fetchall()
    assert [verdict for (verdict,) in rows] == verdicts
