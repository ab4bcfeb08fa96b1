"""Verdicts and keys as a Column: for SQL, and for URLs anywhere in a row."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow
from pyspark.sql import SparkSession, functions
from pyspark.sql.types import ArrayType, BinaryType, DataType, IntegerType, StringType, StructField, StructType

import robosieve
from robosieve._robosieve import URL_PARTS, Choices, Error, LivePolicy, Policy
from robosieve._types import Several, StrPath
from robosieve.spark.policies import add_policy, policy_of
from robosieve.spark.shipping import shipped

if TYPE_CHECKING:
    from pyspark.sql._typing import UserDefinedFunctionLike

_BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
# Of all agents, not a list of one for each.
_NAMES = ("blocked_for", "deferred_for")
_ADVICE = "give a column of URLs, such as a field of a struct"


def judge_udf(
    spark: SparkSession,
    *,
    policy: Policy | StrPath,
    agent: str | None = None,
    agents: Several[str] | None = None,
    columns: Several[str] = ("verdict", "reason"),
    choices: Choices | Mapping[str, Any] | None = None,
    batch_rows: int = 65536,
    archive: str | None = None,
) -> UserDefinedFunctionLike:
    """A function from a column of URLs to a struct of columns, which `spark.udf.register` gives a name in SQL.

    The arguments are those of `judge`. The URLs may also be a struct of Common Crawl's columns url_protocol,
    url_host_name, url_port, url_path and url_query.

    Spark may ask a function again for a filter of its result. `judge_udf(...).asNondeterministic()` is asked once for
    each row, as by `judge`, but also for rows that a filter of other columns leaves out.
    """
    question = Question(policy, agent, agents, columns, choices)
    return question.function(spark, batch_rows, archive)


def key(
    spark: SparkSession, *, unique: str = "fetched", batch_rows: int = 65536, archive: str | None = None
) -> UserDefinedFunctionLike:
    """A function from a column of URLs to their keys, binary values that are the same for URLs that are the same.

    `unique` is "fetched" or "bytes", as for `robosieve.unique`; a URL that is not valid has none. The first row of each
    URL is not known to Spark, so `df.withColumn("key", key("url")).dropDuplicates(["key"])` keeps any, and one of all
    that have no key.
    """
    robosieve.unique([], unique=unique)
    _raise_batch_rows(spark, batch_rows)
    call = shipped(archive, "robosieve.spark.expression", "_keys")
    return _function("robosieve_key", lambda urls, has_arrow: call(urls, unique, has_arrow), BinaryType())


class Question:
    """What is asked of a policy. Its arguments are checked when it is made."""

    def __init__(
        self,
        policy: Policy | StrPath,
        agent: str | None,
        agents: Several[str] | None,
        columns: Several[str],
        choices: Choices | Mapping[str, Any] | None,
    ) -> None:
        if isinstance(columns, str):
            raise TypeError(f"columns: expected a list; write [{columns!r}]")
        if choices is not None and not isinstance(choices, Choices | Mapping):
            raise TypeError(f"choices: expected robosieve.Choices or a dict of its arguments, not {choices!r}")
        if isinstance(policy, LivePolicy):
            raise TypeError("policy: a LivePolicy belongs to this process; give what its write(path) returns")
        self.policy = policy if isinstance(policy, Policy) else Policy(policy)
        self.choices = choices if isinstance(choices, Choices) else Choices(**choices or {})
        self.columns = tuple(columns)
        # Several processes take them. A single string is told by the policy.
        agents = agents if agents is None or isinstance(agents, str) else list(agents)
        self.options: dict[str, Any] = {"agent": agent, "agents": agents, "columns": self.columns}
        self.policy.judge([], choices=self.choices, **self.options)

    def function(self, spark: SparkSession, batch_rows: int, archive: str | None) -> UserDefinedFunctionLike:
        """The function of Spark that asks it."""
        call = shipped(archive, "robosieve.spark.expression", "_judged")
        _raise_batch_rows(spark, batch_rows)
        checksum, options = add_policy(spark, self.policy), self.options
        # As bytes, because executors may have no package before the call.
        choices = pickle.dumps(self.choices)
        kind = StructType([self._field(name) for name in self.columns])
        return _function(
            "robosieve_judge", lambda urls, has_arrow: call(urls, checksum, options, choices, has_arrow), kind
        )

    def _field(self, name: str) -> StructField:
        kind = IntegerType() if name == "line" else StringType()
        is_list = self.options["agents"] is not None or name in _NAMES
        return StructField(name, ArrayType(kind) if is_list else kind)


def _raise_batch_rows(spark: SparkSession, rows: int) -> None:
    """Raises the rows of the session's batches to this number."""
    if 0 < int(spark.conf.get(_BATCH_ROWS) or 0) < rows:
        spark.conf.set(_BATCH_ROWS, str(rows))


def _function(name: str, of_batch: Callable[[Any, bool], Any], kind: DataType) -> UserDefinedFunctionLike:
    """A function of Spark by one from a batch of Arrow, or else of pandas, and whether it is of Arrow."""
    # Since 4.1, PySpark has functions on Arrow. Before, they are on pandas.
    of: Any = functions
    has_arrow = hasattr(of, "arrow_udf")

    def called(urls: Any) -> Any:
        return of_batch(urls, has_arrow)

    called.__name__ = name
    # The types tell Spark what the function is.
    if has_arrow:
        called.__annotations__ = {"urls": pyarrow.Array, "return": pyarrow.Array}
        return of.arrow_udf(called, kind)  # type: ignore[no-any-return]
    import pandas

    result = pandas.DataFrame if isinstance(kind, StructType) else pandas.Series
    called.__annotations__ = {"urls": pandas.Series, "return": result}
    return of.pandas_udf(called, kind)  # type: ignore[no-any-return]


# The following runs in tasks.


def _keys(urls: Any, unique: str, has_arrow: bool) -> Any:
    """The keys of a batch."""
    keys = robosieve.unique(_urls(urls), unique=unique).to_pyarrow()["key"].combine_chunks()
    return keys if has_arrow else keys.to_pandas()


def _judged(urls: Any, checksum: str, options: dict[str, Any], choices: bytes, has_arrow: bool) -> Any:
    """The verdicts on a batch: an array of structs, or a DataFrame if the batch is one of pandas."""
    # Spark runs one task per core.
    out = policy_of(checksum).judge(_urls(urls), choices=pickle.loads(choices), threads=1, **options)
    table = out.to_pyarrow().combine_chunks()
    return table.to_struct_array().combine_chunks() if has_arrow else table.to_pandas()


def _urls(batch: Any) -> Any:
    """The URLs of a batch, or their parts: a struct, which is a DataFrame if the batch is one of pandas."""
    if isinstance(batch, pyarrow.Array):
        is_parts = pyarrow.types.is_struct(batch.type) and [field.name for field in batch.type] == URL_PARTS
        if pyarrow.types.is_nested(batch.type) and not is_parts:
            raise Error(f"the column is of type {batch.type}; {_ADVICE}")
        return batch
    if not hasattr(batch, "columns"):
        return batch
    if list(batch.columns) != URL_PARTS:
        raise Error(f"the column is a struct of {', '.join(batch.columns)}; {_ADVICE}")
    # To pandas, whole numbers with nulls are broken ones.
    kinds = {"url_port": pyarrow.int64()}
    return pyarrow.table({name: pyarrow.array(batch[name], kinds.get(name), from_pandas=True) for name in URL_PARTS})
