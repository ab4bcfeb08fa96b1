"""Run the programs in turn, check what they wrote, and keep a record of each run."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from comparing import interval, note

LAUNCH = Path(__file__).with_name("launch.py")
#: Seconds that lists without repetition have at least, for a short limit on others to leave no program without a time.
PATIENCE = 10


@dataclass
class Run:
    """One run of one program."""

    seconds: float
    cpu_seconds: float
    peak_kib: int


@dataclass
class Result:
    """All runs of one program on one list, as its records tell."""

    name: str
    title: str
    kind: str
    threads: int
    order: str
    lines: int = 0
    short: bool = False  # measured on the list without repetition
    remark: str = ""
    failed: str = ""
    wrong: int | None = None  # lines that differ from the reference
    floor_kib: int = 0
    counts: dict = field(default_factory=dict)
    runs: list = field(default_factory=list)

    def rate(self, pick=statistics.median):
        """Million lines per second; None without runs."""
        if self.failed or not self.runs:
            return None
        return self.lines / pick(run.seconds for run in self.runs) / 1e6

    def interval(self):
        """The median of million lines per second, with its confidence interval."""
        return interval.of(self.lines / run.seconds / 1e6 for run in self.runs)

    def cpu_nanoseconds(self):
        """The median processor time per line."""
        return statistics.median(run.cpu_seconds for run in self.runs) / self.lines * 1e9


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


def launched(command, limit, env, streams):
    """Run a command by launch.py, and return its report; if this process is stopped, so is the command."""
    reader, writer = os.pipe()
    words = [sys.executable, "-I", "-S", LAUNCH, writer, limit, *command]
    process = subprocess.Popen(list(map(str, words)), env=env, pass_fds=(writer,), **streams)
    os.close(writer)
    try:
        with os.fdopen(reader) as report:
            found = json.loads(report.read() or '{"error": "it was not run: its launcher was stopped"}')
        process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return found


def execute(command, limit, env=None, listed=None, answers=None):
    """Run a command, with files in place of its streams if given; return its Run and its output."""
    env = dict(os.environ, **(env or {}))
    with opened(listed, "rb") as source, opened(answers, "w+b") as stdout, tempfile.TemporaryFile() as stderr:
        found = launched(command, limit, env, {"stdin": source, "stdout": stdout, "stderr": stderr})
        stdout.seek(0)
        stderr.seek(0)
        printed = stdout.read().decode(errors="replace") if answers is None else ""
        said = stderr.read().decode(errors="replace")
    if "error" in found:
        raise Failed(found["error"])
    if found["status"] != 0:
        if found["too_slow"]:
            raise TooSlow()
        last = said.strip().splitlines()[-1:] or ["no message"]
        how = f"killed by signal {-found['status']}" if found["status"] < 0 else f"exit {found['status']}"
        raise Failed(f"{how}: {last[0][:200]}")
    return Run(found["seconds"], found["cpu_seconds"], found["peak_kib"]), printed


def floor_kib():
    """The peak of a program that does nothing; that of the shell which launch.py starts is below it."""
    return execute(["true"], 10)[0].peak_kib


def check(program, printed, listed, out, lines):
    """Check that nothing was lost, and that each line is where it is expected; return the counts, or raise Wrong."""
    counts = program.counts(printed, out)
    if counts.get("lines", lines) != lines:
        raise Wrong(f"wrong counts: {counts} do not add up to {lines} lines")
    if program.writes:
        written = sum(path.stat().st_size for path in out.glob("*.txt"))
        if written != listed.stat().st_size:
            raise Wrong(f"wrong output: {written} of {listed.stat().st_size} bytes written")
    if program.differs:
        program.differs(listed, out)
    return counts


def one_run(program, listed, lines, limit, out):
    """Run one program once; return what its record says of the run."""
    load = os.getloadavg()[0]
    shutil.rmtree(out, ignore_errors=True)
    try:
        run, printed = program.run(listed, out, limit)
        counts = check(program, printed, listed, out, lines)
    except TooSlow:
        return {"outcome": "too slow", "limit": limit, "load": load}
    except (Failed, Wrong, OSError, ValueError, KeyError) as error:
        return {"outcome": "failed", "problem": str(error), "load": load}
    took = {"seconds": run.seconds, "processor_seconds": run.cpu_seconds, "memory_kib": run.peak_kib}
    return {"outcome": "ok", **took, "load": load, "counts": counts}


def described(program, order, data, short, number):
    """What a record says of a run before it is made."""
    listed = data.path(order, short)
    what = {"record": "measurement", "table": "speed", "program": program.name, "title": program.title}
    what |= {"kind": program.kind, "threads": program.threads, "list": order, "short": short, "round": number}
    return what | {"lines": data.lines(short), "bytes": listed.stat().st_size} | program.facts


def run_round(program, order, data, limit, out, number, kept, slow):
    """One run of one program, on the short list once it was too slow for the full one; return its record."""
    key = (program.name, program.title, program.threads, order)
    for short in (False, True):
        if not short and key in slow:
            continue
        what = described(program, order, data, short, number)
        if program.barred:
            return kept.measured(what, lambda: {"outcome": "barred", "problem": program.barred})
        record = kept.measured(
            what,
            lambda short=short: one_run(
                program, data.path(order, short), data.lines(short), max(limit, PATIENCE * short), out
            ),
        )
        if record["outcome"] != "too slow":
            break
        slow.add(key)
    if record["outcome"] != "ok":
        where = f"{program.title}, {program.threads} threads, {order}"
        note(f"  {record['outcome'].upper()}: {where}: {record.get('problem', '')}")
    return record


def run_all(programs, data, orders, rounds, limit, out, kept):
    """Run all programs on all lists in turn: one warm-up round, then `rounds` that count; return the results."""
    ended, slow = {}, set()
    for number in range(rounds + 1):
        note(f"round {number} of {rounds}" + (" (warm-up, not counted)" if number == 0 else ""))
        for order in orders:
            for program in programs:
                key = (program.name, program.title, program.threads, order)
                # What one thread takes too long for, also on the list without repetition, is not tried with two.
                if key in ended or ended.get((program.name, program.title, 1, order)) == "too slow":
                    continue
                outcome = run_round(program, order, data, limit, out, number, kept, slow)["outcome"]
                if outcome != "ok":
                    ended[key] = outcome
    shutil.rmtree(out, ignore_errors=True)
    return results_of(kept.all)


def results_of(records):
    """The results that records of the table of speed add up to."""
    found = {}
    for record in records:
        if record["record"] != "measurement" or record["table"] != "speed":
            continue
        named = (record["program"], record["title"], record["kind"], record["threads"], record["list"])
        take(found.setdefault(named, Result(*named)), record)
    same_counts(found.values())
    return list(found.values())


def take(result, record):
    """Add one record to the result of its row."""
    outcome = record["outcome"]
    result.wrong = record.get("wrong", result.wrong)
    if outcome == "too slow":
        said = f"over {record['limit']:.0f} s on the {'short' if record['short'] else 'full'} list"
        result.failed, result.remark = (said, result.remark) if record["short"] else ("", said)
        result.runs = []
    elif outcome != "ok":
        result.failed = record["problem"]
    elif record["short"] or not result.short:
        if record["short"] and not result.short:
            result.short, result.runs = True, []
        result.lines = record["lines"]
        result.floor_kib = record.get("floor_kib", 0)
        result.counts = record["counts"]
        if record["round"] > 0:
            result.runs.append(Run(record["seconds"], record["processor_seconds"], record["memory_kib"]))


def same_counts(results):
    """One and two threads must give the same counts; otherwise none of the times is valid."""
    first = {}
    for result in results:
        if result.failed or result.kind not in ("filter", "count"):
            continue
        expected = first.setdefault((result.name, result.order, result.short), result)
        if result.counts != expected.counts:
            result.failed = expected.failed = f"counts differ: {result.counts} and {expected.counts}"
