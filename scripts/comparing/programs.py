"""The compared programs: how to call each, and how to read its counts."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

#: The comparison programs, fastest first.
PEERS = ["fast", "texting", "robotxt", "robotstxt"]
#: Their names in the report.
TITLES = {
    "fast": "fast-robots (compiled matcher)",
    "texting": "texting_robots + url",
    "robotxt": "robotxt",
    "robotstxt": "robotstxt",
}
#: Added to the name of a robosieve run that need not compile.
POLICY = ", policy compiled before"
#: robosieve's partitions.
PARTITIONS = ["allowed", "blocked", "deferred", "invalid"]


@dataclass
class Setup:
    """Paths and options shared by all programs."""

    peers: Path
    robosieve: Path | None
    robots: Path
    agent: str
    before: Path | None = None  # target/release of an earlier version
    policies: dict = field(default_factory=dict)  # the policy that each robosieve compiled


@dataclass
class Program:
    """One row of the report."""

    name: str
    title: str
    kind: str  # "filter" writes partitions, "count" only counts, "copy" is a floor for the first, "read" for the second
    threads: int
    command: Callable  # (list, out) -> words
    counts: Callable  # (stdout, out) -> {"lines": n, ...}


class Wrong(Exception):
    """A program's own numbers do not add up, or cannot be read."""


def peer_counts(stdout, _out):
    """The counts in a comparison program's JSON line."""
    report = json.loads(stdout)
    counts = {key: report[key] for key in ("allowed", "blocked", "other")}
    return counts | {"lines": sum(counts.values())}


def copy_counts(stdout, _out):
    """The lines that a copy counted, if its mode counts them."""
    report = json.loads(stdout)
    return {} if report["mode"] in ("chunks", "split") else {"lines": report["lines"]}


def wc_counts(stdout, _out):
    """The first number that wc prints."""
    return {"lines": int(stdout.split()[0])}


def partition_counts(report):
    """The lines in each partition of a receipt, and their sum."""
    try:
        counts = {name: report["partitions"][name]["lines"] for name in PARTITIONS}
    except (KeyError, TypeError) as error:
        raise Wrong(f"the receipt lacks {error}") from error
    return counts | {"lines": sum(counts.values())}


def receipt_counts(_stdout, out):
    """The counts in robosieve's receipt."""
    path = out / "receipt.json"
    if not path.exists():
        raise Wrong("no receipt.json")
    return partition_counts(json.loads(path.read_text()))


def printed_counts(stdout, _out):
    """The receipt's numbers as printed by `filter --count --json`: one JSON object on stdout."""
    start = stdout.find("{")
    if start < 0:
        raise Wrong("--count --json printed no JSON object on stdout")
    return partition_counts(json.loads(stdout[start:]))


def compile_policies(setup, folder):
    """Let each robosieve compile the policy for its rows that filter by one."""
    for name, program in (("now", setup.robosieve), ("before", setup.before and setup.before / "robosieve")):
        if program is not None:
            setup.policies[program] = folder / f"{name}.rsv"
            words = [program, "compile", "--agent", setup.agent, "-o", setup.policies[program], setup.robots]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def robosieve_command(setup, program, source, threads, listed, out=None):
    """The command for robosieve on one list, by robots.txt files or a policy; without `out` it only counts."""
    words = [program, "filter", "--agent", setup.agent, *source, "--threads", threads]
    # An earlier version prints JSON without being asked.
    counted = ["--count"] if program != setup.robosieve else ["--count", "--json"]
    words += counted if out is None else ["--out", out, "--force"]
    return list(map(str, [*words, listed]))


def peer_command(setup, name, threads, listed, out=None):
    """The command for a comparison program on one list; without `out` it only counts."""
    words = [setup.peers / name, "--agent", setup.agent, "--robots", setup.robots]
    words += ["--threads", threads, "--urls", listed]
    words += ["--out", out] if out else []
    return list(map(str, words))


def robosieve_programs(setup, threads):
    """robosieve and an earlier version, with and without writing, from robots.txt files or a policy."""

    def rows(name, title, binary, source):
        def write(listed, out):
            return robosieve_command(setup, binary, source, threads, listed, out)

        def count(listed, _out):
            return robosieve_command(setup, binary, source, threads, listed)

        suffix = POLICY if source[0] == "--policy" else ""
        return [
            Program(name, f"{title} filter{suffix}", "filter", threads, write, receipt_counts),
            Program(name, f"{title} filter --count{suffix}", "count", threads, count, printed_counts),
        ]

    def both(name, title, binary):
        sources = [("--robots", setup.robots), ("--policy", setup.policies[binary])]
        return [row for source in sources for row in rows(name, title, binary, source)]

    own = both("robosieve", "**robosieve**", setup.robosieve) if setup.robosieve else []
    return own + (both("before", "robosieve before", setup.before / "robosieve") if setup.before else [])


def peer_programs(setup, threads):
    """The other matchers; the fastest also without writing."""

    def program(name, kind):
        def command(listed, out):
            return peer_command(setup, name, threads, listed, out if kind == "filter" else None)

        title = TITLES[name] + (", only counting" if kind == "count" else "")
        return Program(name, title, kind, threads, command, peer_counts)

    return [program(name, "filter") for name in PEERS] + [program("fast", "count")]


def copy_programs(setup, threads):
    """The floors: the same lines without any work on them."""

    def program(title, mode, kind):
        def command(listed, out):
            words = [setup.peers / "copy", "--mode", mode, "--threads", threads, "--urls", listed]
            words += ["--out", out] if kind == "copy" else []
            return list(map(str, words))

        return Program("copy", title, kind, threads, command, copy_counts)

    floors = [program("copy", "chunks", "copy"), program("copy, lines found", "lines", "copy")]
    if threads == 1:
        floors.append(program("copy line by line, one buffered writer", "each", "copy"))
    else:
        floors.append(program("copy, a file for each thread", "split", "copy"))
    return [*floors, program("lines found, nothing written", "lines", "read")]


def all_programs(setup, wanted):
    """All rows in report order; `wanted` lists names, or is empty for all."""
    makers = (robosieve_programs, peer_programs, copy_programs)
    rows = [program for make in makers for threads in (1, 2) for program in make(setup, threads)]
    rows.append(Program("wc", "wc -l", "read", 1, lambda listed, _out: ["wc", "-l", str(listed)], wc_counts))
    return [row for row in rows if not wanted or row.name in wanted]
