"""The rows of the tables of speed: how to run each program, and how to read its counts."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from comparing import machine, protocol
from comparing.measure import Failed, Wrong, execute
from comparing.partitions import Standing

#: Added to the name of a robosieve run that need not compile.
POLICY = ", policy compiled before"
#: robosieve's partitions.
PARTITIONS = ["allowed", "blocked", "deferred", "invalid"]


@dataclass
class Setup:
    """Paths and options shared by all programs."""

    tools: Path | None  # the folder of `copy`
    robots: Path
    agent: str
    robosieve: Path | None = None
    before: Path | None = None  # target/release of an earlier version
    policies: dict = field(default_factory=dict)  # the policy that each robosieve compiled
    facts: dict = field(default_factory=dict)  # what all records say: the corpus, the processor
    wrong: dict = field(default_factory=dict)  # wrong lines by the name of a matcher

    def facts_of(self, matcher):
        """What the records of a matcher say of it."""
        return self.facts | {
            "version": matcher.version,
            "language": matcher.language,
            "compiler": machine.compiler(matcher),
        }


@dataclass
class Program:
    """One row of the report."""

    name: str
    title: str
    kind: str  # "filter" writes partitions, "count" only counts, "copy" is a floor for the first, "read" for the second
    threads: int
    run: Callable  # (list, out, limit) -> Run and what it printed
    counts: Callable  # (stdout, out) -> {"lines": n, ...}
    writes: bool = False  # whether every line is in a file of the output folder
    differs: Callable | None = None  # (list, out): raises Wrong if a line is not where it is expected
    barred: str = ""  # why it has no time, if its partition is neither expected nor right
    facts: dict = field(default_factory=dict)  # what its records say of it


def commanded(command):
    """Run a command that is made for a list and an output folder."""

    def run(listed, out, limit):
        return execute(command(listed, out), limit)

    return run


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
    """Let each robosieve compile the policy for its rows that filter by one; for scripts/goals."""
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


def robosieve_programs(setup, threads):
    """robosieve and an earlier version, with and without writing, from robots.txt files or a policy."""

    def rows(name, title, binary, source):
        def write(listed, out):
            return robosieve_command(setup, binary, source, threads, listed, out)

        def count(listed, _out):
            return robosieve_command(setup, binary, source, threads, listed)

        suffix = POLICY if source[0] == "--policy" else ""
        return [
            Program(
                name,
                f"{title} filter{suffix}",
                "filter",
                threads,
                commanded(write),
                receipt_counts,
                True,
                facts=setup.facts,
            ),
            Program(
                name,
                f"{title} filter --count{suffix}",
                "count",
                threads,
                commanded(count),
                printed_counts,
                facts=setup.facts,
            ),
        ]

    def both(name, title, binary):
        sources = [("--robots", setup.robots), ("--policy", setup.policies[binary])]
        return [row for source in sources for row in rows(name, title, binary, source)]

    own = both("robosieve", "**robosieve**", setup.robosieve) if setup.robosieve else []
    return own + (both("before", "robosieve before", setup.before / "robosieve") if setup.before else [])


def matcher_program(setup, matcher, threads, kept, checked):
    """A matcher's row: every line of the list comes out again, in the file of its verdict, or as an answer."""
    partitions, questions, standing = checked

    def job(listed, out):
        return protocol.Job(setup.agent, setup.robots, listed, out, threads, kept)

    def run(listed, out, limit):
        return protocol.run(matcher, job(listed, out), limit)

    def counts(_stdout, out):
        return protocol.count(matcher, job(None, out))

    def differs(listed, out):
        partitions.check(matcher, questions, job(listed, out))

    facts = setup.facts_of(matcher) | {"wrong": standing.wrong}
    row = Program(matcher.name, matcher.title, "filter", threads, run, counts, differs=differs, facts=facts)
    row.writes, row.barred = matcher.protocol == "files", standing.problem
    return row


def matcher_programs(setup, matchers, work, partitions, questions):
    """The rows of all matchers, after what they do beforehand; one whose partition is not expected has no time."""
    rows = []
    for matcher in matchers:
        kept = work / f"{matcher.name}.kept"
        job = protocol.Job(setup.agent, setup.robots, None, work / "out", kept=kept)
        standing = partitions.judge(matcher, questions)
        setup.wrong[matcher.name] = standing.wrong
        try:
            if not standing.problem:
                protocol.prepare(matcher, job, partitions.limit)
        except Failed as error:
            standing = Standing(str(error))
        rows += [
            matcher_program(setup, matcher, threads, kept, (partitions, questions, standing))
            for threads in matcher.threads()
        ]
    return rows


def copy_programs(setup, threads):
    """The floors: the same lines without any work on them."""

    def program(title, mode, kind):
        def command(listed, out):
            words = [setup.tools / "copy", "--mode", mode, "--threads", threads, "--urls", listed]
            words += ["--out", out] if kind == "copy" else []
            return list(map(str, words))

        writes = kind == "copy"
        return Program("copy", title, kind, threads, commanded(command), copy_counts, writes=writes, facts=setup.facts)

    floors = [program("copy", "chunks", "copy"), program("copy, lines found", "lines", "copy")]
    if threads == 1:
        floors.append(program("copy line by line, one buffered writer", "each", "copy"))
    else:
        floors.append(program("copy, a file for each thread", "split", "copy"))
    return [*floors, program("lines found, nothing written", "lines", "read")]


def floors(setup, names=("copy", "wc")):
    """All copies, and the fastest way to find lines."""
    rows = [program for threads in (1, 2) for program in copy_programs(setup, threads)] if "copy" in names else []
    counted = commanded(lambda listed, _out: ["wc", "-l", str(listed)])
    return [*rows, Program("wc", "wc -l", "read", 1, counted, wc_counts, facts=setup.facts)]
