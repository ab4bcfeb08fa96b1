"""DuckDB and polars: verdicts inside their queries."""

from pathlib import Path

import duckdb
import polars as pl
import pytest

import robosieve
import robosieve.duckdb
import robosieve.polars


@pytest.fixture(scope="module")
def expected(policy: robosieve.Policy) -> dict[str, int]:
    """How many lines have each verdict."""
    lines = Path(__file__).parents[2].joinpath("datasets/urls.txt").read_text().splitlines()
    verdicts = policy.judge(lines, "examplebot")["verdict"]
    return {name: verdicts.count(name) for name in sorted(set(verdicts))}


def test_duckdb_counts_verdicts(policy: robosieve.Policy, expected: dict[str, int], tmp_path: Path) -> None:
    con = duckdb.connect()
    robosieve.duckdb.register(con, policy, "examplebot")
    (tmp_path / "urls.txt").write_text("\n".join(Path("datasets/urls.txt").read_text().splitlines()))
    con.execute("create table urls as select unnest(string_split(content, chr(10))) as url from read_text(?)", [str(tmp_path / "urls.txt")])
    # More rows than a batch of DuckDB's.
    con.execute("create table many as select url from urls, range(20)")
    rows = con.sql("select robots(url).verdict as verdict, count(*) from many group by all order by all").fetchall()
    assert dict(rows) == {name: 20 * count for name, count in expected.items()}
    assert con.sql("select robots(null).verdict, robots('https://shop.example/cart')").fetchall() == [
        (None, {"verdict": "blocked", "reason": "rules"})
    ]


def test_polars_counts_verdicts_lazily(policy: robosieve.Policy, expected: dict[str, int]) -> None:
    lines = Path("datasets/urls.txt").read_text().splitlines()
    frame = pl.LazyFrame({"id": range(len(lines)), "url": lines})
    judged = frame.with_columns(robosieve.polars.judge("url", policy, "examplebot").struct.unnest())
    assert judged.collect_schema()["verdict"] == pl.String
    assert dict(judged.group_by("verdict").len().sort("verdict").collect().iter_rows()) == expected
    several = frame.select(robosieve.polars.judge(pl.col("url"), policy, agents=["examplebot", "*"], explain=True))
    assert several.collect()["url"].struct.fields == ["verdict", "reason", "rule", "line", "blocked_for", "deferred_for"]
