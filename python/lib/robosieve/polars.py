"""Polars: verdicts as expressions, also in lazy frames.

>>> import polars as pl, robosieve, robosieve.polars
>>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot"])
>>> frame = pl.LazyFrame({"url": ["https://shop.example/cart", "https://shop.example/"]})
>>> frame.filter(robosieve.polars.judge("url", policy).struct["verdict"] == "allowed").collect()["url"].to_list()
['https://shop.example/']
"""

from __future__ import annotations

import polars as pl

from robosieve._robosieve import URL_PARTS, Choices, Policy


def judge(
    url: str | pl.Expr | None,
    policy: Policy,
    agent: str | None = None,
    *,
    agents: list[str] | None = None,
    columns: list[str] | None = None,
    explain: bool = False,
    choices: Choices | None = None,
) -> pl.Expr:
    """An expression: for each URL, a struct of the columns returned by `Policy.judge`, which `columns` may name.

    If `url` is None, the URL is put together from Common Crawl's columns `url_protocol`, `url_host_name`, `url_port`,
    `url_path` and `url_query`. A struct of these is a URL, too.
    """

    def judged(urls: pl.Series) -> pl.Series:
        table = urls.struct.unnest() if isinstance(urls.dtype, pl.Struct) else urls
        out = policy.judge(table, agent, agents=agents, columns=columns, explain=explain, choices=choices)
        return out.to_polars().to_struct(urls.name)

    if not isinstance(policy, Policy):
        raise TypeError(f"policy: expected a robosieve.Policy, not {type(policy).__name__}")
    if url is not None and not isinstance(url, str | pl.Expr):
        raise TypeError(f"url: expected the name of a column, or an expression, not {type(url).__name__}")
    if url is None:
        url = pl.struct(URL_PARTS).alias("url")
    expression = pl.col(url) if isinstance(url, str) else url
    # An empty column is enough to determine the type.
    return_dtype = judged(pl.Series("url", [], pl.String)).dtype
    return expression.map_batches(judged, return_dtype=return_dtype, is_elementwise=True)
