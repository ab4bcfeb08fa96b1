"""Verdicts and keys as a Column: for SQL, and for URLs in nested fields."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow
from pyspark.sql import Column, SparkSession, functions
from pyspark.sql.types import BinaryType, DataType, StructType

import robosieve
from robosieve._robosieve import Choices, Error, Policy
from robosieve.spark.judging import _add_policy, _field, _policy, _raise_batch_rows
from robosieve.spark.shipping import shipped


def judge_udf(
    spark: SparkSession,
    *,
    policy: str | os.PathLike[str],
    agent: str | None = None,
    agents: list[str] | None = None,
    columns: Iterable[str] = ("verdict", "reason"),
    choices: dict[str, Any] | None = None,
    batch_rows: int = 65536,
    archive: str | None = None,
) -> Callable[..., Column]:
    """A function from a column of URLs to a struct of columns, which `spark.udf.register` gives a name in SQL.

    The arguments are those of `judge`. Spark asks a function once for each use in a query, so use the struct's fields
    of one column: `df.withColumn("robots", robots("page.url")).filter("robots.verdict = 'allowed'")`.
    """
    if isinstance(columns, str):
        raise TypeError(f"columns: expected a list; write [{columns!r}]")
    names = tuple(columns)
    options: dict[str, Any] = {"agent": agent, "agents": agents}
    Policy(policy).judge([], columns=names, choices=Choices(**choices or {}), **options)
    _raise_batch_rows(spark, batch_rows)
    checksum = _add_policy(spark, Path(policy))
    kind = StructType([_field(name, agents is not None) for name in names])
    call = shipped(archive, "robosieve.spark.expression", "_judged")
    return _function(lambda urls, has_arrow: call(urls, checksum, names, options, choices or {}, has_arrow), kind)


def key(
    spark: SparkSession, *, unique: str = "fetched", batch_rows: int = 65536, archive: str | None = None
) -> Callable[..., Column]:
    """A function from a column of URLs to their keys, binary values that are the same for URLs that are the same.

    `unique` is "fetched" or "bytes", as for `robosieve.unique`; a URL that is not valid has none. The first row of each
    URL is not known to Spark, so `df.withColumn("key", key("url")).dropDuplicates(["key"])` keeps any, and one of all
    that have no key.
    """
    robosieve.unique([], unique=unique)
    _raise_batch_rows(spark, batch_rows)
    call = shipped(archive, "robosieve.spark.expression", "_keys")
    return _function(lambda urls, has_arrow: call(urls, unique, has_arrow), BinaryType())


def _function(of_batch: Callable[[Any, bool], Any], kind: DataType) -> Callable[..., Column]:
    """A function of Spark by one from a batch of Arrow, or else of pandas, and whether it is of Arrow."""
    # Since 4.1, PySpark has functions on Arrow. Before, they are on pandas.
    of: Any = functions
    has_arrow = hasattr(of, "arrow_udf")

    def called(urls: Any) -> Any:
        return of_batch(urls, has_arrow)

    if has_arrow:
        from pyspark.sql.pandas.functions import ArrowUDFType

        return of.arrow_udf(called, kind, ArrowUDFType.SCALAR)  # type: ignore[no-any-return]
    import pandas

    # The types tell Spark what the function is.
    result = pandas.DataFrame if isinstance(kind, StructType) else pandas.Series
    called.__annotations__ = {"urls": pandas.Series, "return": result}
    return of.pandas_udf(called, kind)  # type: ignore[no-any-return]


# The following runs in tasks.


def _keys(urls: Any, unique: str, has_arrow: bool) -> Any:
    """The keys of a batch."""
    _check_column(urls)
    keys = robosieve.unique(urls, unique=unique).to_pyarrow()["key"].combine_chunks()
    return keys if has_arrow else keys.to_pandas()


def _check_column(urls: Any) -> None:
    if isinstance(urls, pyarrow.Array) and pyarrow.types.is_nested(urls.type):
        raise Error(f"the column is of type {urls.type}; give a column of URLs, such as a field of a struct")


def _judged(
    urls: Any,
    checksum: str,
    names: tuple[str, ...],
    options: dict[str, Any],
    choices: dict[str, Any],
    has_arrow: bool,
) -> Any:
    """The verdicts on a batch: an array of structs, or a DataFrame if the batch is one of pandas."""
    _check_column(urls)
    # Spark runs one task per core.
    out = _policy(checksum).judge(urls, columns=names, choices=Choices(**choices), threads=1, **options)
    table = out.to_pyarrow().combine_chunks()
    return table.to_struct_array().combine_chunks() if has_arrow else table.to_pandas()
