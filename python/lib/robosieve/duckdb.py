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
    agents: list[str] | None = None,
    columns: list[str] | None = None,
    explain: bool = False,
    name: str = "robots",
    choices: Choices | None = None,
    parts: bool = False,
) -> None:
    """Registers a function with this name, from a URL to a struct of the columns returned by `Policy.judge`.

    These are `verdict` and `reason`, with `explain` also `rule` and `line`. With `agents`, they are lists in the order
    of the agents, and `blocked_for` and `deferred_for` name the agents. `columns` names the columns instead. With
    `parts`, the function takes the URL as Common Crawl's columns have it:
    `robots(url_protocol, url_host_name, url_port, url_path, url_query)`.
    """
    if not hasattr(con, "create_function"):
        raise TypeError(f"con: expected a connection of DuckDB, not {type(con).__name__}")
    if not isinstance(policy, Policy):
        raise TypeError(f"policy: expected a robosieve.Policy, not {type(policy).__name__}")
    # An agent that the policy does not know is told now, not by the first query.
    options: dict[str, Any] = {"agents": agents, "columns": columns, "explain": explain, "choices": choices}
    names = policy.judge([], agent, **options).columns

    def judged(urls: Any) -> pyarrow.Array:
        # DuckDB calls it from all of its threads.
        out = policy.judge(urls, agent, threads=1, **options)
        return out.to_pyarrow().to_struct_array().combine_chunks()

    # DuckDB looks at the number of the parameters.
    def judged_in_parts(protocol: Any, host: Any, port: Any, path: Any, query: Any) -> pyarrow.Array:
        return judged(pyarrow.table([protocol, host, port, path, query], URL_PARTS))

    returned = duckdb.struct_type({column: duckdb.sqltype(_type(column, agents is not None)) for column in names})
    types = ["BIGINT" if part == "url_port" else "VARCHAR" for part in URL_PARTS] if parts else ["VARCHAR"]
    parameters = [duckdb.sqltype(kind) for kind in types]
    con.create_function(
        name, judged_in_parts if parts else judged, parameters, returned, type="arrow", null_handling="special"
    )  # type: ignore[call-overload]


def _type(column: str, is_list: bool) -> str:
    """The type of a column of `Policy.judge`."""
    return ("INTEGER" if column == "line" else "VARCHAR") + ("[]" if is_list else "")
