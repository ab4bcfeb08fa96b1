"""Verdicts for the rows of a DataFrame: a projection, so only the URLs go through Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import BinaryType, IntegralType, NullType, StringType, StructType

from robosieve._robosieve import URL_PARTS, Choices, Error, Policy
from robosieve._types import Several, StrPath
from robosieve.spark.expression import Question


def judge(
    df: DataFrame,
    url: str | Column | None = None,
    *,
    policy: Policy | StrPath,
    agent: str | None = None,
    agents: Several[str] | None = None,
    columns: Several[str] = ("verdict", "reason"),
    choices: Choices | Mapping[str, Any] | None = None,
    batch_rows: int = 65536,
    archive: str | None = None,
) -> DataFrame:
    """Appends columns of verdicts to the rows.

    All arguments are checked at once, before Spark does any work.

    `url` is the column of the URLs: a name, the path of a field of a struct, such as "page.url", or a Column, such as
    `functions.col("page.url")`; without it, that is "url", or the URLs are put together from Common Crawl's columns
    url_protocol, url_host_name, url_port, url_path and url_query.

    `policy` is a policy, or a policy file that the driver can read. `columns` are those of `Policy.judge`: verdict,
    reason, rule, line, what sites say about uses of pages, such as train_ai, and with several `agents` blocked_for and
    deferred_for. `choices` are `robosieve.Choices`, or a dict of its arguments.
    The session's `spark.sql.execution.arrow.maxRecordsPerBatch` is raised to `batch_rows` if it is lower. `archive`
    is the result of `ship_wheel`, for executors without robosieve.
    """
    question = Question(policy, agent, agents, columns, choices)
    _check_new(df, question.columns)
    urls = _urls(df, url)
    # What is not deterministic is asked once for each row, whatever uses its result: Spark would ask a function again
    # for a filter of it.
    robots = question.function(df.sparkSession, batch_rows, archive).asNondeterministic()
    struct = "robosieve"
    while struct in map(str.lower, df.columns):
        struct += "_"
    return df.select("*", robots(urls).alias(struct)).select("*", f"{struct}.*").drop(struct)


def _check_new(df: DataFrame, columns: tuple[str, ...]) -> None:
    """Checks that the columns are not there yet."""
    for name in columns:
        # To Spark, names are the same in both cases.
        if name in map(str.lower, df.columns):
            raise Error(f'columns: the frame already has a column "{name}"; rename or drop that')


def _urls(df: DataFrame, url: str | Column | None) -> Column:
    """The URLs, or a struct of their parts; checks that they are there."""
    if url is None and "url" not in df.columns and all(part in df.columns for part in URL_PARTS):
        return functions.struct(*(_column(df, part, part == "url_port") for part in URL_PARTS))
    if url is None or isinstance(url, str):
        return _column(df, url or "url")
    if not isinstance(url, Column):
        raise TypeError(f"url: expected the name of a column, the path of a field, or a Column, not {url!r}")
    return _checked(df, url, "the Column")


def _column(df: DataFrame, name: str, is_number: bool = False) -> Column:
    """The column with this name, or the field with this path."""
    count = df.columns.count(name)
    first = name.split(".")[0]
    if count > 1 or (count == 0 and (first == name or first not in df.columns)):
        found = "several columns" if count else "no column"
        raise Error(f'url: the frame has {found} "{name}"; its columns are {", ".join(df.columns)}')
    path = f"`{name.replace('`', '``')}`" if count else name
    return _checked(df, functions.col(path), f'the {"column" if count else "field"} "{name}"', is_number)


def _checked(df: DataFrame, column: Column, name: str, is_number: bool = False) -> Column:
    """The column, if it is one of this frame, and of a type for URLs, or for ports."""
    try:
        fields = df.select(column).schema.fields
    except AnalysisException as problem:
        raise Error(f"url: {name}: {str(problem).splitlines()[0]}") from problem
    if len(fields) != 1:
        raise Error(f"url: {name} is {len(fields)} columns; give one")
    kind = fields[0].dataType
    if not isinstance(kind, IntegralType if is_number else StringType | BinaryType | NullType):
        expected = "integers" if is_number else "string or binary"
        advice = "; name one of its fields" if isinstance(kind, StructType) else ""
        raise TypeError(f"url: {name} is of type {kind.simpleString()}; expected {expected}{advice}")
    return column.cast("int" if is_number else "string") if isinstance(kind, NullType) else column
