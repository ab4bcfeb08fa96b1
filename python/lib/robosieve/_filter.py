"""Whole runs from Python."""

import glob
import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import Protocol, TypedDict, TypeVar

from robosieve import _robosieve
from robosieve._receipt import Receipt
from robosieve._robosieve import Choices, Error, Policy
from robosieve._types import Several, StrPath

_Item = TypeVar("_Item")


class SupportsWrite(Protocol):
    """A file that is open for bytes."""

    def write(self, bytes: bytes, /) -> object: ...


class Progress(TypedDict):
    """Progress of a run: lines and bytes done, seconds, and the share of the lists read, if known."""

    lines: int
    bytes: int
    seconds: float
    share: float | None


class KeysFile(TypedDict):
    """A file of keys: how many URLs have one, which are the same, for which shard, and its checksum."""

    urls: int
    unique: str
    shard: str | None
    checksum: str


def filter(
    policy: Policy,
    lists: Several[StrPath] = (),
    out: StrPath | SupportsWrite | None = None,
    agent: str | None = None,
    *,
    agents: Several[str] | None = None,
    files_from: StrPath | None = None,
    overrides: StrPath | None = None,
    column: str | None = None,
    delimiter: str | None = None,
    header: bool = False,
    only: Several[str] | None = None,
    count: bool = False,
    format: str = "text",
    compress: str | None = None,
    split_size: int | None = None,
    explain: bool = False,
    verdicts: bool = False,
    preferences: str | None = None,
    blocked_for: bool = False,
    allowed_if: str | None = None,
    against: Policy | None = None,
    only_changed: bool = False,
    per_input: bool = False,
    path_columns: str = "columns",
    unique: bool | str = False,
    seen: StrPath | None = None,
    keys: StrPath | None = None,
    force: bool = False,
    resume: bool = False,
    shard: str | None = None,
    skip_bad: bool = False,
    threads: int = 0,
    memory: int | None = None,
    choices: Choices | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Receipt:
    """Splits lists of URLs into partitions, and returns the receipt, which accounts for every line.

    `lists` are files or patterns, in every format that the program reads, or folders that are tables; `files_from` is a
    file with the names of more, and `out` the folder for the partitions. The options are those of `robosieve filter`;
    sizes are numbers of bytes. A line of a plain list that has a tab inside is invalid, with the reason "tab", unless
    `delimiter` says what it means: "tab", "whitespace" for padded columns, or "none" for tabs that belong to URLs.
    `path_columns` says what becomes of the columns in the names of a table's folders: "columns" of the files,
    "folders" again, or nothing ("ignored"). `progress` is called ten
    times a second. Ctrl-C ends the run cleanly, and the same call with `resume=True` continues it. `shard`, such as
    "1/8", reads a part of the lists; all parts need the same `choices` with `now`, and `join` joins their receipts.

    `unique` leaves out lines whose URL has occurred before: "fetched" (or True) compares
    what a fetcher asks for, "bytes" what is written, "surt" the keys of an index of web archives. `seen`, a file that
    the first run makes, leaves out URLs that earlier runs with it have allowed, too, and gets those that this one
    allows. A shard that is `unique` needs `keys`, the folder with the files that `robosieve.keys` has written for all
    shards, and leaves out what an earlier one has.

    Without a folder, `count` only counts; `only` writes the lines of these partitions, `verdicts` all lines with their
    verdicts, and `blocked_for` all lines with the crawlers that may not fetch them, to `out`, a file that is open for
    bytes: standard output if it is not given. `preferences`, such as "train-ai,search", adds what sites say about these
    uses to allowed lines, and to all lines of tables and of `verdicts`. `against` is an older policy, with which
    verdicts are compared.

    >>> import io, robosieve, tempfile
    >>> policy = robosieve.compile(["datasets/sites", "datasets/origins.jsonl"], agents=["examplebot"])
    >>> receipt = robosieve.filter(policy, ["datasets/urls.t*"], out=tempfile.mkdtemp())
    >>> receipt["input"]["lines"], receipt["balanced"]
    (3111, True)
    >>> lines = io.BytesIO()
    >>> receipt = robosieve.filter(policy, ["datasets/urls.txt"], lines, only=["blocked"])
    >>> len(lines.getvalue().splitlines()) == receipt["partitions"]["blocked"]["lines"]
    True
    """
    if agent is not None and agents is not None:
        raise TypeError("give agent or agents, not both")
    given = _listed("lists", lists)
    for at, path in enumerate(given):
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"lists: item {at} is {path!r}")
    picked = None if only is None else _listed("only", only)
    if blocked_for and (verdicts or explain):
        raise Error("blocked_for: it writes no verdicts of each crawler; leave verdicts and explain out")
    if blocked_for and preferences is not None:
        raise Error("blocked_for: sites say something else to each crawler; leave preferences out, or write verdicts")
    if path_columns != "columns" and format != "parquet":
        raise Error('path_columns: text has no columns; it is for format="parquet"')
    if only_changed and against is None:
        raise Error("only_changed: it needs an older policy; give one as against")
    of_folder = {
        "format": format != "text",
        "compress": compress is not None,
        "split_size": split_size is not None,
        "per_input": per_input,
        "path_columns": path_columns != "columns",
        "force": force,
        "resume": resume,
        "shard": shard is not None,
        "keys": keys is not None,
    }
    shown = {"explain": ("blocked", explain), "preferences": ("allowed", preferences is not None)}
    of_lines = {name: partition for name, (partition, is_given) in shown.items() if is_given}
    folder, file = _destination(out, picked, count, verdicts or blocked_for, of_lines, of_folder)
    receipt = _robosieve.filter(
        policy,
        [path for pattern in given for path in _files(os.fspath(pattern))],
        folder,
        [agent] if agent is not None else agents,
        files_from=files_from,
        overrides=overrides,
        only=picked,
        file=file,
        shard=shard,
        column=column,
        delimiter=delimiter,
        header=header,
        format=format,
        compress=compress,
        split_size=split_size,
        explain=explain,
        verdicts=verdicts,
        preferences=preferences,
        blocked_for=blocked_for,
        allowed_if=allowed_if,
        against=against,
        only_changed=only_changed,
        per_input=per_input,
        path_columns=path_columns,
        unique=unique if isinstance(unique, str) else "fetched" if unique or seen is not None else None,
        seen=seen,
        keys=keys,
        force=force,
        resume=resume,
        skip_bad=skip_bad,
        threads=threads,
        memory=memory,
        choices=choices,
        progress=progress,
    )
    return json.loads(receipt)  # type: ignore[no-any-return]


def keys(
    lists: Several[StrPath],
    out: StrPath,
    *,
    unique: str = "fetched",
    shard: str | None = None,
    column: str | None = None,
    delimiter: str | None = None,
    header: bool = False,
    skip_bad: bool = False,
    threads: int = 0,
    memory: int | None = None,
) -> KeysFile:
    """Writes the keys of all URLs in lists to a file, and returns how many there are, and their checksum.

    Once there is one in a folder for each `shard`, such as "1/8", `filter` takes that folder as `keys`. The options are
    those of `robosieve keys`.

    >>> import robosieve, tempfile
    >>> robosieve.keys(["datasets/urls.txt"], tempfile.mkdtemp() + "/1.rss", shard="1/1")["urls"] > 1000
    True
    """
    urls, checksum = _robosieve.keys(
        [path for pattern in _listed("lists", lists) for path in _files(os.fspath(pattern))],
        out,
        unique=unique,
        shard=shard,
        column=column,
        delimiter=delimiter,
        header=header,
        skip_bad=skip_bad,
        threads=threads,
        memory=memory,
    )
    return {"urls": urls, "unique": unique, "shard": shard, "checksum": checksum}


def _listed(name: str, several: Iterable[_Item]) -> list[_Item]:
    """The items of any iterable but a single string or path."""
    if isinstance(several, str | bytes | os.PathLike):
        raise TypeError(f"{name}: expected a list; write [{several!r}]")
    if not isinstance(several, Iterable):
        raise TypeError(f"{name}: expected a list, not {type(several).__name__}")
    return list(several)


def _destination(
    out: StrPath | SupportsWrite | None,
    only: list[str] | None,
    count: bool,
    whole: bool,
    of_lines: dict[str, str],
    of_folder: dict[str, bool],
) -> tuple[str | None, SupportsWrite | None]:
    """The folder for files, or the file for lines; refuses options that would do nothing.

    `of_lines` are those that add columns to the lines of a partition.
    """
    if isinstance(out, str | os.PathLike):
        if count or only is not None:
            name = "count" if count else "only"
            raise Error(f"{name}: it writes no folder; leave out or {name} out")
        return os.fspath(out), None
    useless = [name for name, given in of_folder.items() if given]
    if useless:
        raise Error(f"{useless[0]}: it is for a run that writes a folder; give its path as out")
    if count:
        if out is not None or only is not None or whole or of_lines:
            raise Error("count: it writes nothing; leave out, only, verdicts, blocked_for, explain and preferences out")
        return None, None
    if only is not None and whole:
        raise Error("only: verdicts and blocked_for write all lines; leave one of them out")
    if only == []:
        raise Error("only: the list is empty; name at least one partition")
    for name, partition in of_lines.items():
        if only is not None and partition not in only:
            raise Error(f'{name}: it needs {partition} lines; use only=["{partition}"]')
    if only is None and not whole:
        raise Error("out: give the folder for the partitions, or only, verdicts, blocked_for or count")
    file = getattr(sys.stdout, "buffer", None) if out is None else out
    if file is None:
        raise Error("out: this standard output takes no bytes; give a file that is open for bytes")
    try:
        file.write(b"")
    except (AttributeError, TypeError):
        raise TypeError(f"out: expected a folder or a file that is open for bytes, not {file!r}") from None
    return None, file


def _files(given: str) -> list[str]:
    """The files that a pattern matches, sorted; or the one file."""
    if not glob.has_magic(given) or os.path.exists(given):
        return [given]
    files = sorted(map(os.fspath, _robosieve.matched(glob.glob(given, recursive=True))))
    if not files:
        raise Error(f"lists: the pattern {given} matches no file")
    return files
