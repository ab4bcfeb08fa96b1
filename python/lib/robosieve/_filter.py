"""Whole runs from Python."""

import glob
import json
import os
from collections.abc import Callable, Iterable
from typing import Any, TypedDict

from robosieve import _robosieve
from robosieve._robosieve import Choices, Error, Policy

StrPath = str | os.PathLike[str]


class Progress(TypedDict):
    """Progress of a run: lines and bytes done, seconds, and the share of the lists read, if known."""

    lines: int
    bytes: int
    seconds: float
    share: float | None


def filter(
    policy: Policy,
    lists: Iterable[StrPath],
    out: StrPath,
    agent: str | None = None,
    *,
    agents: Iterable[str] | None = None,
    column: str | None = None,
    delimiter: str | None = None,
    header: bool = False,
    format: str = "text",
    compress: str | None = None,
    split_size: int | None = None,
    explain: bool = False,
    verdicts: bool = False,
    per_input: bool = False,
    unique: bool = False,
    force: bool = False,
    resume: bool = False,
    skip_bad: bool = False,
    threads: int = 0,
    memory: int | None = None,
    choices: Choices | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> dict[str, Any]:
    """Splits lists of URLs into partitions, and returns the receipt, which accounts for every line.

    `lists` are files or patterns, in every format that the program reads; `out` is the folder for the partitions. The
    options are those of `robosieve filter`; sizes are numbers of bytes. `progress` is called ten times a second. Ctrl-C
    ends the run cleanly, and the same call with `resume=True` continues it.

    >>> import robosieve, tempfile
    >>> policy = robosieve.compile(["datasets/sites", "datasets/origins.jsonl"], agents=["examplebot"])
    >>> receipt = robosieve.filter(policy, ["datasets/urls.t*"], out=tempfile.mkdtemp())
    >>> receipt["input"]["lines"], receipt["balanced"]
    (3111, True)
    """
    if agent is not None and agents is not None:
        raise TypeError("give agent or agents, not both")
    if isinstance(lists, str | bytes | os.PathLike):
        raise TypeError(f"lists: expected a list; write [{lists!r}]")
    receipt = _robosieve.filter(
        policy,
        [path for given in lists for path in _files(os.fspath(given))],
        os.fspath(out),
        [agent] if agent is not None else agents,
        column=column,
        delimiter=delimiter,
        header=header,
        format=format,
        compress=compress,
        split_size=split_size,
        explain=explain,
        verdicts=verdicts,
        per_input=per_input,
        unique=unique,
        force=force,
        resume=resume,
        skip_bad=skip_bad,
        threads=threads,
        memory=memory,
        choices=choices,
        progress=progress,
    )
    return json.loads(receipt)  # type: ignore[no-any-return]


def _files(given: str) -> list[str]:
    """The files that a pattern matches, sorted; or the one file."""
    if not glob.has_magic(given) or os.path.exists(given):
        return [given]
    files = sorted(path for path in glob.glob(given, recursive=True) if not os.path.isdir(path))
    if not files:
        raise Error(f"lists: the pattern {given} matches no file")
    return files
