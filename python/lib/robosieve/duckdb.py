"""DuckDB: verdicts as a scalar function on batches of Arrow.

>>> import duckdb, robosieve, robosieve.duckdb
>>> con = duckdb.connect()
>>> robosieve.duckdb.register(con, robosieve.compile(["datasets/sites"], agents=["examplebot"]))
>>> con.sql("select robots('https://shop.example/cart').verdict").fetchall()
[('blocked',)]
"""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow

from robosieve._robosieve import URL_PARTS, Choices, Policy


def register(
    con: duckdb.DuckDBPyConnection,
    policy: Policy,
    agent: str | None = None,
    *,
    name: str = "robots",
    choices: Choices | None = None,
    parts: bool = False,
) -> None:
    """Registers a function with this name, from a URL to a struct of `verdict` and `reason`.

    With `parts`, the function takes the URL as Common Crawl's columns have it:
    `robots(url_protocol, url_host_name, url_port, url_path, url_query)`.
    """
    # An agent that the policy does not know is told now, not by the first query.
    policy.judge([], agent, choices=choices)

    def judged(urls: Any) -> pyarrow.Array:
        # DuckDB calls it from all of its threads.
        table = policy.judge(urls, agent, choices=choices, threads=1).to_pyarrow()
        return table.to_struct_array().combine_chunks()

    # DuckDB looks at the number of the parameters.
    def judged_in_parts(protocol: Any, host: Any, port: Any, path: Any, query: Any) -> pyarrow.Array:
        return judged(pyarrow.table([protocol, host, port, path, query], URL_PARTS))

    returned = duckdb.struct_type({"verdict": duckdb.sqltype("VARCHAR"), "reason": duckdb.sqltype("VARCHAR")})
    types = ["BIGINT" if part == "url_port" else "VARCHAR" for part in URL_PARTS] if parts else ["VARCHAR"]
    parameters = [duckdb.sqltype(kind) for kind in types]
    con.create_function(
        name, judged_in_parts if parts else judged, parameters, returned, type="arrow", null_handling="special"
    )  # type: ignore[call-overload]
