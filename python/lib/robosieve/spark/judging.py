"""Verdicts for the rows of a DataFrame, by `mapInArrow`.

The policy travels to each executor as a file of the job, and is staged once per host, so that all Python workers of a
host map a single copy.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow
from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    IntegralType,
    NullType,
    StringType,
    StructField,
    StructType,
)

from robosieve._robosieve import URL_PARTS, Choices, Error, Policy
from robosieve.spark.shipping import session_folder, shipped

_BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
# Of all agents, not a list of one for each.
_NAMES = ("blocked_for", "deferred_for")


def judge(
    df: DataFrame,
    url: str | None = None,
    *,
    policy: str | os.PathLike[str],
    agent: str | None = None,
    agents: list[str] | None = None,
    columns: Iterable[str] = ("verdict", "reason"),
    choices: dict[str, Any] | None = None,
    batch_rows: int = 65536,
    archive: str | None = None,
) -> DataFrame:
    """Appends columns of verdicts to the rows.

    All arguments are checked at once, before Spark does any work.

    `url` is the column of the URLs; without it, that is "url", or the URLs are put together from Common Crawl's columns
    url_protocol, url_host_name, url_port, url_path and url_query.

    `policy` is a policy file that the driver can read. `columns` are those of `Policy.judge`: verdict, reason, rule,
    line, what sites say about uses of pages, such as train_ai, and with several `agents` blocked_for and deferred_for.
    `choices` are the arguments of `robosieve.Choices`.
    The session's `spark.sql.execution.arrow.maxRecordsPerBatch` is raised to `batch_rows` if it is lower. `archive`
    is the result of `ship_wheel`, for executors without robosieve.
    """
    if isinstance(columns, str):
        raise TypeError(f"columns: expected a list; write [{columns!r}]")
    columns = tuple(columns)
    options: dict[str, Any] = {"agent": agent, "agents": agents}
    Policy(policy).judge([], columns=columns, choices=Choices(**choices or {}), **options)
    _check_new(df, columns)
    urls = _url_columns(df, url)
    spark = df.sparkSession
    _raise_batch_rows(spark, batch_rows)
    checksum = _add_policy(spark, Path(policy))
    schema = StructType([*df.schema.fields, *(_field(name, agents is not None) for name in columns)])
    return df.mapInArrow(_mapper(checksum, archive, urls, columns, options, choices or {}), schema)


def _raise_batch_rows(spark: SparkSession, rows: int) -> None:
    """Raises the rows of the session's batches to this number."""
    if 0 < int(spark.conf.get(_BATCH_ROWS) or 0) < rows:
        spark.conf.set(_BATCH_ROWS, str(rows))


def _check_new(df: DataFrame, columns: tuple[str, ...]) -> None:
    """Checks that the columns are not there yet."""
    for name in columns:
        # To Spark, names are the same in both cases.
        if name in map(str.lower, df.columns):
            raise Error(f'columns: the frame already has a column "{name}"; rename or drop that')


def _url_columns(df: DataFrame, url: str | None) -> list[str]:
    """The column of the URLs, or those of their parts; checks that they are there."""
    if url is None and "url" not in df.columns and all(part in df.columns for part in URL_PARTS):
        for part in URL_PARTS:
            _check_type(df, part, IntegralType if part == "url_port" else StringType | BinaryType)
        return URL_PARTS
    _check_type(df, url or "url", StringType | BinaryType)
    return [url or "url"]


def _check_type(df: DataFrame, name: str, wanted: Any) -> None:
    """Checks that there is one such column, and that its values are of this type."""
    found = [field for field in df.schema.fields if field.name == name]
    if len(found) != 1:
        count = "several columns" if found else "no column"
        raise Error(f'url: the frame has {count} "{name}"; its columns are {", ".join(df.columns)}')
    if not isinstance(found[0].dataType, wanted | NullType):
        kind, expected = found[0].dataType.simpleString(), "integers" if wanted is IntegralType else "string or binary"
        raise TypeError(f'url: the column "{name}" is of type {kind}; expected {expected}')


def _field(name: str, is_list: bool) -> StructField:
    kind = IntegerType() if name == "line" else StringType()
    return StructField(name, ArrayType(kind) if is_list or name in _NAMES else kind)


def _add_policy(spark: SparkSession, path: Path) -> str:
    """Adds a policy file to the job's files, named by its checksum; returns the checksum."""
    checksum = Policy(path).checksum
    context = spark.sparkContext
    if not any(known.endswith(_file_name(checksum)) for known in context.listFiles):
        # Not a symbolic link: Spark would send the file under its old name.
        named = session_folder() / _file_name(checksum)
        try:
            os.link(path.resolve(), named)
        except OSError:
            shutil.copyfile(path, named)
        context.addFile(str(named))
    return checksum


def _file_name(checksum: str) -> str:
    return f"robosieve-{checksum}.rsv"


def _mapper(
    checksum: str,
    archive: str | None,
    urls: list[str],
    columns: tuple[str, ...],
    options: dict[str, Any],
    choices: dict[str, Any],
) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """The function each task runs."""
    judged = shipped(archive, "robosieve.spark.judging", "_judged")
    return lambda batches: judged(batches, checksum, urls, columns, options, choices)


def _judged(
    batches: Iterator[pyarrow.RecordBatch],
    checksum: str,
    urls: list[str],
    columns: tuple[str, ...],
    options: dict[str, Any],
    choices: dict[str, Any],
) -> Iterator[pyarrow.RecordBatch]:
    policy = _policy(checksum)
    chosen = Choices(**choices)
    for batch in batches:
        # Spark runs one task per core.
        of_urls = batch.column(urls[0]) if len(urls) == 1 else batch.select(urls)
        out = policy.judge(of_urls, columns=columns, choices=chosen, threads=1, **options).to_pyarrow().combine_chunks()
        made = [column.combine_chunks() for column in out.columns]
        yield pyarrow.RecordBatch.from_arrays([*batch.columns, *made], [*batch.schema.names, *columns])


@lru_cache(maxsize=4)
def _policy(checksum: str) -> Policy:
    """The mapped policy with this checksum; a worker keeps it between tasks."""
    return Policy(staged(SparkFiles.get(_file_name(checksum)), checksum))


def staged(source: str, checksum: str, folder: str | None = None) -> str:
    """Return this host's only copy of a policy; the first caller copies `source`.

    Each executor has its own files; mapping one copy per executor would take that many times the memory.
    """
    own = Path(folder or os.path.join(tempfile.gettempdir(), f"robosieve-{os.geteuid()}"))
    own.mkdir(mode=0o700, exist_ok=True)
    status = own.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(f"{own} is not a folder that only this user can write to; remove it")
    target = own / f"{checksum}.rsv"
    with open(own / f"{checksum}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            partial = own / f"{checksum}.partial"
            shutil.copyfile(source, partial)
            os.replace(partial, target)
    return str(target)
