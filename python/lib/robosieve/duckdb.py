"""DuckDB: verdicts as a scalar function on batches of Arrow.

>>> import duckdb, robosieve, robosieve.duckdb
>>> con = duckdb.connect()
>>> robosieve.duckdb.register(con, robosieve.compile(["datasets/sites"], agents=["examplebot"]))
>>> con.sql("select robots('https://shop.example/cart').verdict").fetchall()
[('blocked',)]
"""

from __future__ import annotations

import duckdb
import pyarrow

from robosieve._robosieve import Choices, Policy


def register(
    con: duckdb.DuckDBPyConnection,
    policy: Policy,
    agent: str | None = None,
    *,
    name: str = "robots",
    choices: Choices | None = None,
) -> None:
    """Registers a function with this name, from a URL to a struct of `verdict` and `reason`."""
    # An agent that the policy does not know is told now, not by the first query.
    policy.judge([], agent, choices=choices)

    def judged(urls: pyarrow.ChunkedArray) -> pyarrow.Array:
        # DuckDB calls it from all of its threads.
        table = policy.judge(urls, agent, choices=choices, threads=1).to_pyarrow()
        return table.to_struct_array().combine_chunks()

    returned = duckdb.struct_type({"verdict": duckdb.sqltype("VARCHAR"), "reason": duckdb.sqltype("VARCHAR")})
    con.create_function(name, judged, [duckdb.sqltype("VARCHAR")], returned, type="arrow", null_handling="special")  # type: ignore[call-overload]
