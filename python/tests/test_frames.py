"""DuckDB and polars: verdicts inside their queries."""

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import robosieve
import robosieve.duckdb
import robosieve.polars


def test_duckdb_counts_verdicts(policy: robosieve.Policy, lines: list[str], expected: dict[str, int]) -> None:
    con = duckdb.connect()
    robosieve.duckdb.register(con, policy, "examplebot")
    con.register("urls", pa.table({"url": lines}))
    # More rows than fit into one of DuckDB's batches.
    con.execute("create table many as select url from urls, range(20)")
    rows = con.sql("select robots(url).verdict as verdict, count(*) from many group by all order by all").fetchall()
    assert dict(rows) == {name: 20 * count for name, count in expected.items()}
    assert con.sql("select robots(null).verdict, robots('https://shop.example/cart')").fetchall() == [
        (None, {"verdict": "blocked", "reason": "rules"})
    ]


def test_duckdb_explains_for_several_agents(policy: robosieve.Policy, lines: list[str]) -> None:
    con = duckdb.connect()
    robosieve.duckdb.register(con, policy, agents=["examplebot", "*"], explain=True)
    robosieve.duckdb.register(con, policy, "examplebot", explain=True, name="why")
    assert con.execute("select why('https://shop.example/cart')").fetchall() == [
        ({"verdict": "blocked", "reason": "rules", "rule": "Disallow: /cart", "line": 23},)
    ]
    con.register("urls", pa.table({"id": range(len(lines)), "url": lines}))
    rows = con.execute("select robots(url) from urls order by id").fetchall()
    expected = policy.judge(lines, agents=["examplebot", "*"], explain=True).to_pyarrow().to_pylist()
    assert [row for (row,) in rows] == expected
    blocked = con.execute("select count(*) from urls where list_contains(robots(url).blocked_for, '*')").fetchall()
    verdicts = policy.judge(lines, "*")["verdict"]
    # What is no URL is blocked for every crawler.
    assert blocked == [(verdicts.count("blocked") + verdicts.count("invalid"),)]
    with pytest.raises(TypeError, match="agents: expected a list"):
        robosieve.duckdb.register(con, policy, agents="examplebot")  # type: ignore[arg-type]


def test_duckdb_registers_no_unknown_agent(policy: robosieve.Policy) -> None:
    for agent, message in (("otherbot", "was not compiled for otherbot"), (None, "the policy has several crawlers")):
        with pytest.raises(robosieve.AgentError, match=message):
            robosieve.duckdb.register(duckdb.connect(), policy, agent)


def test_polars_counts_verdicts_lazily(policy: robosieve.Policy, lines: list[str], expected: dict[str, int]) -> None:
    frame = pl.LazyFrame({"id": range(len(lines)), "url": lines})
    judged = frame.with_columns(robosieve.polars.judge("url", policy, "examplebot").struct.unnest())
    assert judged.collect_schema()["verdict"] == pl.String
    assert dict(judged.group_by("verdict").len().sort("verdict").collect().iter_rows()) == expected
    several = frame.select(robosieve.polars.judge(pl.col("url"), policy, agents=["examplebot", "*"], explain=True))
    assert several.collect()["url"].struct.fields == [
        "verdict",
        "reason",
        "rule",
        "line",
        "blocked_for",
        "deferred_for",
    ]
