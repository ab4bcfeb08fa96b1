"""Checks of the table of speed: who has a time, and what is left of a run that is stopped. None looks at a time."""

import functools
import json
import os
import re
import shutil
import signal
import subprocess

from comparing import cases, interval, lists, records, summary
from comparing.checks import HOSTS, ROOT, command, compare

#: Shell commands in the protocol `lines` (`{right}` prints the naive reading's answers, `{list}` is the list); whether
#: their partition is accepted first; the exit status and a text that must be printed.
SHELL = {
    # Right by the reference, without a word in its description.
    "right": ("{right}", False, 0, "| right | 1 | 0 |"),
    # Allows everything: no time, until its description says that this is expected, and then beside its wrong lines.
    "yes": ("sed s/.*/allowed/", False, 1, "expects no partition of this list, and 4 lines are wrong"),
    "wrong": ("sed s/.*/allowed/", True, 0, "| wrong | 1 | 4 |"),
    # Too few lines.
    "less": ("{right} | sed 1d", False, 1, "15 answers for 16 lines"),
    # A line without a verdict is lost: that cannot be accepted.
    "neither": ("{right} | sed '1s/.*/perhaps/'", True, 1, "1 lines are in neither file, or in both"),
    "less-later": ("{right} | awk 'NR <= 90'", False, 1, "do not add up to 100 lines"),
    # Another partition, once the list is a longer one.
    "later": ("{right} | awk 'NR > 90 {{ $0 = 1 - $0 }} 1'", False, 1, "another partition than before"),
    "killed": ("kill -9 $$", False, 1, "killed by signal 9"),
    "killed-later": ("[ $(wc -l <{list}) = 16 ] || kill -9 $$; {right}", False, 1, "killed by signal 9"),
    # Never ends with the long list: measured on the other one.
    "slow": (
        "[ $(wc -l <{list}) != 100 ] || exec tail -f /dev/null; {right}",
        False,
        0,
        "over 4 s on the full list; measured on 16 lines",
    ),
    "slower": ("[ $(wc -l <{list}) = 10 ] || exec tail -f /dev/null; {right}", False, 1, "for each line once"),
}
#: Command lines that are refused before anything is measured.
REFUSED = (["--growth", "many"], ["--growth", "0"], ["--lists", "random"], ["--rounds", "0"])
#: Medians of rounds, with what the interval must be.
INTERVALS = {
    (3, 1, 2): (2, 1, 3, 0.75),
    (1, 2, 3, 4, 5, 6): (3.5, 1, 6, 0.96875),
    tuple(range(9)): (4, 1, 7, 0.9609375),
}
#: What each record of a run must tell.
FIELDS = {
    *("program", "title", "version", "language", "compiler", "commit", "processor", "cores"),
    *("list", "lines", "bytes", "corpus", "round", "threads", "counts", "wrong", "load", "time"),
    *("seconds", "processor_seconds", "memory_kib", "floor_kib"),
}


def judged(name, checks):
    """A matcher that is right, wrong, loses lines, or is slow."""
    shell, accept, expected, text = SHELL[name]
    words = [*checks.words, "--add", checks.described(name, shell), "--only", name]
    words += ["--limit", 4] if name.startswith("slow") else []
    if accept:
        status, printed = compare(checks.folder, *words, "--accept")
        checks.must(status == expected, f"{name} --accept: status {status}\n{printed[-2000:]}")
    status, printed = compare(checks.folder, *words)
    timed = re.search(rf"\| {name} \| 1 \| \d+ \| [-.e0-9]+\*? \(", printed) is not None
    fine = status == expected and text in printed and timed == (expected == 0)
    checks.must(fine, f"{name}: status {status} instead of {expected}, or no {text!r} in\n{printed[-3000:]}")
    checks.must(not any(checks.work.iterdir()), f"{name}: something is left in the work folder")


def references(checks):
    """The naive reading is asked once about a list, and what is kept of it is only taken if it is whole."""
    words = [*checks.words, "--only", "again"]
    right, asked = checks.described("again", "{right}"), "the naive reading of"
    checks.must(asked in compare(checks.folder, *words, "--add", right)[1], "the naive reading is not asked")
    checks.must(asked not in compare(checks.folder, *words, "--add", right)[1], "the naive reading is asked again")
    for path in (checks.folder / "kept" / "partitions").glob("*/*.bits"):
        path.write_bytes(path.read_bytes()[:-1] + b"-")
    path = checks.described("again", "sed s/.*/blocked/")
    status, printed = compare(checks.folder, *words, "--add", path)
    fine = status == 1 and asked in printed and "12 lines are wrong" in printed
    checks.must(fine, f"a kept partition that is damaged: status {status}\n{printed[-1000:]}")


def differs(checks):
    """A matcher that is not what its description expects has no time."""
    path = checks.described("changed", "sed s/.*/allowed/")
    words = [*checks.words, "--add", path, "--only", "changed"]
    compare(checks.folder, *words, "--accept")
    path.write_text(path.read_text().replace("s/.*/allowed/", "s/.*/blocked/"))
    # With its verdicts kept from before the timed runs tell, and without them its partition.
    for said in ("another partition than before", "not the partition of its description"):
        status, printed = compare(checks.folder, *words)
        fine = status == 1 and said in printed and "| no time |" in printed
        checks.must(fine, f"changed: status {status}, or no {said!r} in\n{printed[-2000:]}")
        shutil.rmtree(checks.folder / "kept" / "partitions")


def refused(checks):
    """Options are read before anything is measured."""
    for words in REFUSED:
        status, printed = compare(checks.folder, "--only", "oracle", *words)
        checks.must(status == 2 and "rightness: oracle" not in printed, f"{words}: status {status}\n{printed[-500:]}")


def told(checks):
    """Each run has a record that tells everything, and tables are made of records alone."""
    results = checks.folder / "results"
    words = [
        *checks.words,
        "--add",
        checks.described("kept", "{right}"),
        "--add",
        checks.described("other", "sed s/.*/1/"),
    ]
    compare(checks.folder, *words, "--only", "kept,other", "--accept")
    status, printed = compare(checks.folder, *words, "--only", "kept,other", "--results", results)
    checks.must(status == 0, f"records: status {status}\n{printed[-2000:]}")
    found = records.read(results / "speed.jsonl")
    runs = [one for one in found if one.get("table") == "speed" and one["record"] == "measurement"]
    missing = {name for one in runs for name in FIELDS if one.get(name) is None}
    checks.must(len(runs) == 6 and not missing, f"{len(runs)} records instead of 6, or without {missing}")
    again = compare(checks.folder, "--from", results / "speed.jsonl")[1]
    kept = (results / "speed.md").read_text()
    checks.must(re.sub(r"!\[.*\n\n", "", kept) == again.removesuffix("\n"), "--from prints another table than the run")
    rows = (results / "speed.csv").read_text().splitlines()
    number = sum(one["record"] == "measurement" for one in found)
    checks.must(len(rows) == number + 1, f"{len(rows)} rows of CSV for {number} measurements")
    checks.must("4 wrong" in (results / "speed-compared.svg").read_text(), "the plot does not say what is wrong")


def summarised(checks):
    """The table of both has a row for each program, with what is wrong; after `told`."""
    asked = cases.read(ROOT / "datasets" / "cases")
    blocked = [case for case in asked if case.expect == "blocked"]
    differs = {"kept": {}, "other": {case.id: "allowed" for case in blocked}}
    right = [
        {"record": "measurement", "table": "rightness", "program": name, "differs": differs[name]} for name in differs
    ]
    found = summary.render(records.read(checks.folder / "results" / "speed.jsonl"), right, asked)
    musts = sum(case.level == "MUST" and not case.open for case in blocked)
    every = sum(not case.open for case in blocked)
    for row in ("| kept |  |  | 0 | 0 | 0 |", f"| other |  |  | {musts:,} | {every:,} | 4 |"):
        checks.must(row in found, f"no {row!r} in\n{found}")
    checks.must(len(found.splitlines()) == 4, f"the summary has other rows than two:\n{found}")


def pairs(checks):
    """The URLs on which two matchers differ; after `records`."""
    path = checks.folder / "kept" / "differences" / "lists" / "kept--other.tsv"
    lines = path.read_text().splitlines() if path.exists() else []
    urls = sorted(line.split("\t")[2] for line in lines[1:])
    expected = sorted(f"http://{host}/{path}" for host in HOSTS for path in ("p/x", "pq"))
    checks.must(urls == expected, f"kept and other differ on {urls} instead of {expected}")


def stopped(checks):
    """A run that is told to end leaves nothing in its work folder, and the next one goes on where it was."""
    pipe, go, log = (checks.folder / name for name in ("pipe", "go", "log"))
    os.mkfifo(pipe)
    # The third run of the long list says that it runs, and waits; with the file `go` there, none does.
    shell = f"[ $(wc -l <{{list}}) = 100 ] && echo >>{log}; "
    shell += f"[ -e {go} ] || [ $(wc -l <{log}) -lt 3 ] || {{{{ echo >{pipe}; tail -f /dev/null; }}}}; {{right}}"
    log.write_text("")
    words = [*checks.words, "--add", checks.described("stopped", shell), "--only", "stopped"]
    gone = subprocess.Popen(["true"])
    gone.wait()
    (checks.work / f"{lists.PREFIX}{gone.pid}-killed").mkdir()
    with subprocess.Popen(command(checks.folder, *words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        with open(pipe) as waiting:
            waiting.read()
        process.send_signal(signal.SIGTERM)
        process.communicate()
    checks.must(process.returncode == 128 + signal.SIGTERM, f"stopped: status {process.returncode}")
    checks.must(not any(checks.work.iterdir()), "stopped: something is left in the work folder")
    before = (checks.folder / "kept" / "speed.jsonl").read_text().splitlines()
    with open(checks.folder / "kept" / "speed.jsonl", "a") as cut:
        cut.write('{"record": "measu')
    go.touch()
    status, printed = compare(checks.folder, *words)
    after = (checks.folder / "kept" / "speed.jsonl").read_text().splitlines()
    runs = sum(
        json.loads(line).get("table") == "speed" for line in after if json.loads(line)["record"] == "measurement"
    )
    fine = (
        status == 0 and "continued: 2 measurements are kept" in printed and after[: len(before)] == before and runs == 3
    )
    checks.must(fine, f"continued: status {status}, {runs} runs\n{printed[-2000:]}")
    checks.must(len(log.read_text().splitlines()) == 4, "continued: what was measured is measured again")


def intervals(checks):
    """The interval of a median."""
    for values, expected in INTERVALS.items():
        found = interval.of(values)
        got = (found.median, found.low, found.high, found.confidence)
        checks.must(got == expected, f"the interval of {values} is {got} instead of {expected}")


#: All checks, in parts that need nothing of each other; those of a part are made in turn, in one folder.
PARTS = {
    **{f"shell-{name}": [functools.partial(judged, name)] for name in SHELL},
    "stopped": [stopped],
    "told": [told, summarised, pairs],
    "differs": [differs],
    "references": [references],
    "stated": [intervals, refused],
}
