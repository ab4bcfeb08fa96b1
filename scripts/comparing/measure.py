"""Run the programs in turn, check their counts, and record their times."""

import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field

from comparing import note


@dataclass
class Run:
    """One run of one program."""

    seconds: float
    cpu_seconds: float
    peak_kib: int


@dataclass
class Result:
    """All runs of one program on one list."""

    program: object  # a programs.Program
    order: str
    lines: int = 0
    base: bool = False  # measured on the list without repetition
    remark: str = ""
    failed: str = ""
    counts: dict = field(default_factory=dict)
    runs: list = field(default_factory=list)

    def rate(self, pick=statistics.median):
        """Million lines per second; None without runs."""
        if self.failed or not self.runs:
            return None
        return self.lines / pick(run.seconds for run in self.runs) / 1e6

    def cpu_nanoseconds(self):
        """The median processor time per line."""
        return statistics.median(run.cpu_seconds for run in self.runs) / self.lines * 1e9

    def as_json(self):
        """Everything, for the JSON file."""
        program = {"name": self.program.name, "title": self.program.title, "kind": self.program.kind}
        program |= {"threads": self.program.threads, "order": self.order, "lines": self.lines, "base": self.base}
        program |= {"remark": self.remark, "failed": self.failed, "counts": self.counts}
        return program | {"rate": self.rate(), "runs": [asdict(run) for run in self.runs]}


class Failed(Exception):
    """A program that ended with an error."""


class Wrong(Exception):
    """A program's own numbers do not add up, or cannot be read."""


class TooSlow(Exception):
    """A program that was stopped at the limit."""


def opened(path, mode):
    """A file to redirect to or from; without a path, nothing to read, or a file that is thrown away."""
    if path is None and mode == "rb":
        return open(os.devnull, "rb")
    return tempfile.TemporaryFile() if path is None else open(path, mode)


def execute(command, limit, env=None, listed=None, answers=None):
    """Run a command, with files in place of its streams if given; return its Run and its output."""
    env = dict(os.environ, **(env or {}))
    with opened(listed, "rb") as source, opened(answers, "w+b") as stdout, tempfile.TemporaryFile() as stderr:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=stdout, stderr=stderr, env=env)
        stopped = threading.Event()
        timer = threading.Timer(limit, lambda: (stopped.set(), process.kill()))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        printed = stdout.read().decode(errors="replace") if answers is None else ""
        said = stderr.read().decode(errors="replace")
    if process.returncode != 0:
        if stopped.is_set():
            raise TooSlow()
        last = said.strip().splitlines()[-1:] or ["no message"]
        raise Failed(f"exit {process.returncode}: {last[0][:200]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss), printed


def check(result, printed, listed, out, lines):
    """Check that nothing was lost and that all runs agree; raise Wrong otherwise."""
    counts = result.program.counts(printed, out)
    if counts.get("lines", lines) != lines:
        raise Wrong(f"wrong counts: {counts} do not add up to {lines} lines")
    if result.counts not in ({}, counts):
        raise Wrong(f"wrong counts: {counts}, and {result.counts} before")
    result.counts = counts
    if result.program.writes:
        written = sum(path.stat().st_size for path in out.glob("*.txt"))
        if written != listed.stat().st_size:
            raise Wrong(f"wrong output: {written} of {listed.stat().st_size} bytes written")


def one_run(result, data, limit, out):
    """Run one program once; return the Run, or None if it failed."""
    program, lines = result.program, data.lines(result.base)
    listed = data.path(result.order, result.base)
    shutil.rmtree(out, ignore_errors=True)
    try:
        run, printed = program.run(listed, out, limit)
        check(result, printed, listed, out, lines)
    except TooSlow:
        if result.base:
            result.failed = f"over {limit:.0f} s on the list without repetition"
        else:
            result.remark = f"over {limit:.0f} s on the full list"
            result.base, result.counts, result.runs = True, {}, []
            return one_run(result, data, limit, out)
    except (Failed, Wrong, OSError, ValueError, KeyError) as error:
        result.failed = str(error)
    if result.failed:
        note(f"  FAILED: {program.title}, {program.threads} threads, {result.order}: {result.failed}")
        return None
    result.lines = lines
    return run


def run_all(programs, data, orders, rounds, limit, out):
    """Run all programs on all lists in turn: one warm-up round, then `rounds` that count."""
    results = [Result(program, order) for order in orders for program in programs]
    for number in range(rounds + 1):
        note(f"round {number} of {rounds}" + (" (warm-up, not counted)" if number == 0 else ""))
        for result in results:
            if result.failed:
                continue
            run = one_run(result, data, limit, out)
            if run and number > 0:
                result.runs.append(run)
    same_counts(results)
    shutil.rmtree(out, ignore_errors=True)
    return results


def same_counts(results):
    """One and two threads must give the same counts; otherwise none of the times is valid."""
    first = {}
    for result in results:
        if result.failed or result.program.kind not in ("filter", "count"):
            continue
        key = (result.program.name, result.order, result.base)
        expected = first.setdefault(key, result)
        if result.counts != expected.counts:
            result.failed = expected.failed = f"counts differ: {result.counts} and {expected.counts}"
            note(f"  FAILED: {result.program.title}, {result.order}: {result.failed}")
