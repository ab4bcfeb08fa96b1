"""Policies compiled by executors.

The sources are dealt out to tasks. Each task compiles a policy of its own, and the policies are merged: sixteen at a
time by executors, as long as there are more, and the last ones by the driver. A merge is a union, so it does not
matter which task had which source, or whether a task ran twice.

One thing in a task depends on the others: a redirect may lead to a page in an archive of another. So each task tells
where its redirects lead, and archives are read again for the pages that any task's redirects lead to, as
`robosieve.compile` reads them again.

A policy may have more bytes than the driver has memory, or than Spark passes at once. So it travels in pieces, which
Spark keeps on the executors' disks, and the driver fetches a few at a time.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from math import ceil
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow
import pyarrow.parquet
from pyspark import RDD, StorageLevel, TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DoubleType,
    FloatType,
    IntegralType,
    MapType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

import robosieve
from robosieve import _robosieve
from robosieve._robosieve import Error, Policy, SourceError
from robosieve._types import Several, StrPath
from robosieve.spark.shipping import shipped

# A piece of a policy: the number of its task, its place in the file, and its bytes. Or, with None for a place, what the
# task tells the driver.
Piece = tuple[int, int | None, Any]

# The bytes of a piece, and how many pieces the driver fetches at a time.
_PIECE = 1 << 17
_FETCHED = 256

# How many policies are merged at a time.
_MERGED = 16

# How many tasks the sources are dealt out to at most, unless the caller gives a number.
_TASKS = 1000


def compile(
    spark: SparkSession,
    sources: Several[StrPath] | DataFrame,
    agents: Several[str],
    out: StrPath,
    *,
    dialect: str = "rfc9309",
    overrides: StrPath | None = None,
    columns: Mapping[str, str | None] | None = None,
    fetched_at: float | datetime | str | None = None,
    memory: int = 1 << 30,
    tasks: int | None = None,
    archive: str | None = None,
) -> Policy:
    """Compiles robots.txt files on executors, into the file that `robosieve.compile` would make, byte for byte.

    All arguments are checked before Spark does any work, except what only executors can see: the files.

    `sources` are folders and files that all executors can read under these paths, or a DataFrame of answers, with the
    columns that a Parquet file of them has. `out` and `overrides` are files of the driver. The sources are dealt out,
    in order, to `tasks` tasks: one for each, but at most 1,000. The originals of an archive's `revisit` records must
    be in the same task. `memory` is the budget of a task in bytes. `archive` is the result of `ship_wheel`, for
    executors without robosieve. The other arguments are those of `robosieve.compile`. What is wrong with a part of the
    sources is told by warnings of the tasks.
    """
    columns = dict(columns) if columns is not None else None
    if isinstance(sources, DataFrame):
        if tasks is not None:
            raise TypeError("tasks: a DataFrame has a task for each partition; repartition it instead")
        if isinstance(fetched_at, str) and fetched_at == "mtime":
            raise Error("fetched_at: no file has the answers of a DataFrame; give a time")
        _check_answers(sources, columns)
    else:
        sources = _paths(sources)
    if tasks is not None and not isinstance(tasks, int):
        raise TypeError(f"tasks: expected a number, not {tasks!r}")
    if tasks is not None and tasks < 1:
        raise Error(f"tasks: {tasks} is too few; give at least 1")
    # Several processes take them. A single string is told below.
    agents = agents if isinstance(agents, str) else list(agents)
    settings = {"agents": agents, "dialect": dialect, "fetched_at": fetched_at, "memory": memory}
    work = _Work(spark, settings, archive)
    # Only when the lock on the file is taken does the work begin.
    policies = _policies(work, sources, columns, tasks, Path(os.path.realpath(out)))
    return robosieve.merge(policies, out, overrides=overrides)


def _paths(sources: Several[StrPath]) -> list[str]:
    """The sources, as the executors find them."""
    if isinstance(sources, str | bytes | os.PathLike):
        raise TypeError(f"sources: expected a list; write [{sources!r}]")
    if isinstance(sources, Mapping):
        raise TypeError("sources: expected files and folders; robosieve.compile takes answers from memory")
    paths = list(sources)
    for at, path in enumerate(paths):
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"sources: item {at} is {path!r}; expected a path")
    if not paths:
        raise Error("sources: the list is empty; give at least one file or folder")
    return [os.path.abspath(path) for path in paths]


def _check_answers(answers: DataFrame, columns: dict[str, str | None] | None) -> None:
    """Checks that a frame has the columns of answers, and that their types are right."""
    text = StringType | BinaryType
    for field, at in _robosieve.answer_columns(answers.columns, columns):
        name, kind = answers.schema.fields[at].name, answers.schema.fields[at].dataType
        wanted: Any = {"status": IntegralType}.get(field, text)
        expected = "integers" if field == "status" else "text or bytes"
        if field in ("fetched_at", "expires", "unreachable_since"):
            wanted = text | IntegralType | FloatType | DoubleType | TimestampType | TimestampNTZType
            expected = "time stamps, seconds or text"
        if field == "headers":
            wanted, expected = (
                text | MapType | StructType | ArrayType,
                "maps, structs, arrays of pairs, or text in JSON",
            )
        if not isinstance(kind, wanted):
            raise TypeError(f'sources: the column "{name}" is of type {kind.simpleString()}; expected {expected}')


def _policies(
    work: _Work,
    sources: list[str] | DataFrame,
    columns: dict[str, str | None] | None,
    tasks: int | None,
    out: Path,
) -> Iterator[Path]:
    """Does the work; the policies that are left to merge, as files of the driver beside `out`."""
    with ExitStack() as files:
        # This tells what is wrong with the settings before the work. To merge it changes nothing.
        empty = files.enter_context(_partial(out))
        _robosieve.compile_part([], out=empty, columns=columns, **work.settings)
        yield empty
        try:
            if isinstance(sources, DataFrame):
                pieces = work.of_rows(sources, columns)
            else:
                pieces = work.of_files(sources, columns, tasks)
            opened: dict[int, BinaryIO] = {}
            for task, place, piece in work.fetched(work.merged(pieces)):
                if task not in opened:
                    opened[task] = files.enter_context(files.enter_context(_partial(out)).open("xb"))
                opened[task].seek(place or 0)
                opened[task].write(piece)
        except Exception as error:
            if (of_task := _of_task(error)) is None:
                raise
            raise of_task from error
        finally:
            work.forget()
        for file in opened.values():
            file.close()
            yield Path(file.name)


class _Work:
    """Work of the executors, who keep its results until they are told to forget them."""

    def __init__(self, spark: SparkSession, settings: dict[str, Any], archive: str | None) -> None:
        self.context = spark.sparkContext
        self.settings = settings
        self.archive = archive
        self.kept: list[RDD[Piece]] = []

    def of_files(self, sources: list[str], columns: dict[str, str | None] | None, tasks: int | None) -> RDD[Piece]:
        """The policies of the sources."""
        compile_part, settings = self._shipped("_compile_part"), {**self.settings, "columns": columns}
        dealt = self.context.parallelize(sources, max(1, min(len(sources), tasks or _TASKS)))
        policies = [self._keep(dealt.mapPartitionsWithIndex(lambda task, some: compile_part(task, some, settings)))]
        told = _told(policies[0])
        archives = [paths for _, paths, _ in told if paths]
        fresh = set[int]().union(*(targets for targets, _, _ in told))
        known, passes = set(fresh), max(passes for _, _, passes in told)
        while fresh and archives and passes > 0:
            policies.append(self._of_pages(archives, fresh, sum(each.getNumPartitions() for each in policies)))
            fresh = set[int]().union(*_told(policies[-1])) - known
            known |= fresh
            passes -= 1
        return self.context.union(policies).filter(lambda piece: piece[1] is not None)

    def _of_pages(self, archives: list[list[str]], pages: set[int], first: int) -> RDD[Piece]:
        """The policies of these pages in archives; `first` is the number of the first task."""
        compile_pages, settings = self._shipped("_compile_pages"), self.settings
        wanted = self.context.broadcast(pages)
        dealt = self.context.parallelize(archives, len(archives))
        return self._keep(
            dealt.mapPartitionsWithIndex(lambda task, some: compile_pages(first + task, some, wanted.value, settings))
        )

    def of_rows(self, answers: DataFrame, columns: dict[str, str | None] | None) -> RDD[Piece]:
        """The policies of the partitions."""
        compile_rows, settings = self._shipped("_compile_rows"), {**self.settings, "columns": columns}
        rows = answers.mapInArrow(lambda batches: compile_rows(batches, settings), "place long, bytes binary").rdd
        return self._keep(
            rows.mapPartitionsWithIndex(lambda task, some: ((task, place, bytes(piece)) for place, piece in some))
        )

    def merged(self, policies: RDD[Piece]) -> RDD[Piece]:
        """The policies, merged until few are left."""
        merge_pieces, at_a_time = self._shipped("_merge_pieces"), _MERGED
        while policies.getNumPartitions() > at_a_time:
            groups = policies.map(lambda piece: (piece[0] // at_a_time, piece))
            groups = groups.partitionBy(ceil(policies.getNumPartitions() / at_a_time), lambda group: group)
            policies = self._keep(groups.values().mapPartitionsWithIndex(merge_pieces))
        return policies

    def fetched(self, policies: RDD[Piece]) -> Iterator[Piece]:
        """All pieces, in any order."""
        few = max(1, ceil(policies.count() / _FETCHED))
        return policies.repartition(few).toLocalIterator()

    def forget(self) -> None:
        """Lets the executors forget the results."""
        for results in self.kept:
            results.unpersist()

    def _keep(self, results: RDD[Piece]) -> RDD[Piece]:
        self.kept.append(results.persist(StorageLevel.DISK_ONLY))
        return results

    def _shipped(self, name: str) -> Any:
        return shipped(self.archive, "robosieve.spark.compiling", name)


def _told(policies: RDD[Piece]) -> list[Any]:
    """What the tasks tell."""
    return [told for _, _, told in policies.filter(lambda piece: piece[1] is None).collect()]


def _of_task(error: Exception) -> Error | None:
    """This package's error in a task, which Spark's has in its text."""
    found = re.search(r"\brobosieve\.(\w*Error): (.+)", str(error))
    kind = getattr(robosieve, found[1], None) if found else None
    return kind(found[2]) if found and kind else None


@contextmanager
def _partial(out: Path) -> Iterator[Path]:
    """A file beside `out`, which is deleted. If this process is killed, its name tells the next one to delete it."""
    path = out.with_name(f".{out.name}.{secrets.token_hex(3)}.partial")
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


# The following run in tasks.


def _compile_part(task: int, sources: Iterable[str], settings: dict[str, Any]) -> Iterator[Piece]:
    sources = list(sources)
    for source in sources:
        if os.path.exists(source) and not os.path.isfile(source) and not os.path.isdir(source):
            raise SourceError(f"{source}: it is no file and no folder, so it could not be read again")
    with _policy() as policy:
        yield task, None, _robosieve.compile_part(sources, out=policy, **settings)
        yield from _pieces(task, policy)


def _compile_pages(
    task: int, archives: Iterable[list[str]], pages: set[int], settings: dict[str, Any]
) -> Iterator[Piece]:
    for paths in archives:
        with _policy() as policy:
            yield task, None, _robosieve.compile_pages(paths, pages, out=policy, **settings)
            yield from _pieces(task, policy)


def _compile_rows(batches: Iterator[pyarrow.RecordBatch], settings: dict[str, Any]) -> Iterator[pyarrow.RecordBatch]:
    with _policy() as policy:
        answers, writer = policy.with_name("answers.parquet"), None
        for batch in batches:
            writer = writer or pyarrow.parquet.ParquetWriter(answers, batch.schema)
            writer.write_batch(batch)
        if writer is None:
            return
        writer.close()
        try:
            _robosieve.compile_part([answers], out=policy, **settings)
        except SourceError as error:
            raise SourceError(str(error).replace(str(answers), "a partition of the DataFrame")) from None
        for _, place, piece in _pieces(0, policy):
            yield pyarrow.RecordBatch.from_pydict({"place": [place], "bytes": [piece]})


def _merge_pieces(task: int, pieces: Iterable[Piece]) -> Iterator[Piece]:
    with _policy() as policy, ExitStack() as opened:
        files: dict[int, BinaryIO] = {}
        for number, place, piece in pieces:
            if number not in files:
                files[number] = opened.enter_context(policy.with_name(f"{number}.rsv").open("xb"))
            files[number].seek(place or 0)
            files[number].write(piece)
        opened.close()
        if files:
            robosieve.merge([file.name for file in files.values()], policy)
            yield from _pieces(task, policy)


@contextmanager
def _policy() -> Iterator[Path]:
    """The path of a policy in a folder of its own, where Spark keeps its temporary files.

    Meanwhile no more threads work than the task has processors.
    """
    context = TaskContext.get()
    processors, threads = context.cpus() if context else 1, os.environ.get("RAYON_NUM_THREADS")
    places = os.environ.get("SPARK_LOCAL_DIRS", tempfile.gettempdir()).split(",")
    with tempfile.TemporaryDirectory(prefix="robosieve-", dir=places[os.getpid() % len(places)]) as folder:
        os.environ["RAYON_NUM_THREADS"] = str(processors)
        try:
            yield Path(folder) / "policy.rsv"
        finally:
            del os.environ["RAYON_NUM_THREADS"]
            if threads is not None:
                os.environ["RAYON_NUM_THREADS"] = threads


def _pieces(task: int, policy: Path) -> Iterator[Piece]:
    with policy.open("rb") as file:
        place = 0
        while piece := file.read(_PIECE):
            yield task, place, piece
            place += len(piece)
