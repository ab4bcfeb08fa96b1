"""Checks of what is measured beside whole programs: calls, files of many rules, memory, and how large a program is."""

import functools
import json
import re
import sys
import sysconfig
from pathlib import Path

from comparing import footprint, measure, records, sizes
from comparing.checks import HOSTS, PATHS, ROOT, compare, describe

sys.path.insert(0, str(ROOT / "datasets" / "cases"))

from making import oracle

#: What a matcher prints of its calls, by the answers on its standard input; `%s` is what else it prints.
COUNTED = """awk '{{ all++; yes += $1 }} END {{ print "{{\\"urls\\": " all ", \\"allowed\\": " yes ", \
\\"ns_one\\": 1234, \\"parse_seconds\\": 0.5%s }}" }}'"""
LATENCY = ', \\"ns_p50\\": 1001, \\"ns_p99\\": 2002, \\"ns_p999\\": 3003, \\"ns_clock\\": 44'
#: A URL that is about a rule, in a file of ten rules.
IN_TEN = "(robots / urlsplit(url).hostname).read_bytes().count(b'llow:') == 10 and '/about/' not in url"
#: Whether a call never ends: with files of ten rules.
NEVER_IN_TEN = "; [ $(cat {robots}/host-0.example | wc -l) != 11 ] || exec tail -f /dev/null"
#: Matchers that measure calls: what their naive reading gets wrong, what `calls` does with its answers; the exit
#: status; and the outcome in the record, for files of one rule and of ten, or only of ten.
SIZED = {
    "wrong-in-ten": (IN_TEN, COUNTED % "", 1, ["ok", "barred"]),
    "other-counts": ("False", "sed s/./0/ | " + COUNTED % "", 1, ["failed"]),
    "no-json": ("False", "cat", 1, ["failed"]),
    "never-ends": ("False", COUNTED % "" + NEVER_IN_TEN, 0, ["ok", "too slow"]),
}
#: A cargo that builds nothing: a program of six bytes, of two crates, one of which also has a script of its own.
CARGO = """#!/bin/sh
[ "$CARGO_PROFILE_RELEASE_STRIP" = symbols ] || exit 0
mkdir -p "$CARGO_TARGET_DIR/release"
[ "$*" = "build --release --locked --manifest-path MANIFEST --bin mine --message-format json" ] || exit 1
printf '%s' 123456 >"$CARGO_TARGET_DIR/release/mine"
for artifact in '"a", "target": {"kind": ["custom-build"]}' '"a", "target": {"kind": ["lib"]}'; do
    echo "{\\"reason\\": \\"compiler-artifact\\", \\"package_id\\": $artifact, \\"executable\\": null}"
done
echo "{\\"reason\\": \\"compiler-artifact\\", \\"package_id\\": \\"b\\", \\"target\\": {\\"kind\\": [\\"bin\\"]},
    \\"executable\\": \\"$CARGO_TARGET_DIR/release/mine\\"}" | tr -d '\\n'
"""


def measured(checks, table):
    """The records of one table of the last run; none if it kept none."""
    path = checks.folder / "kept" / "speed.jsonl"
    return records.of_table(records.read(path), table) if path.exists() else []


def calling(checks, name, flipped, calls):
    """Write the description of a matcher that measures its calls."""
    right = checks.naive(name, flipped) + " <{list}"
    words = ["sh", "-c", f"{right} | {calls.format(robots='{robots}')}"]
    return describe(checks.folder, name, "lines", ["sh", "-c", right], f"calls = {json.dumps(words)}\n")


def sized(name, checks):
    """A matcher has figures of each size of files that its partition is right for."""
    flipped, calls, expected, outcomes = SIZED[name]
    words = ["--add", calling(checks, name, flipped, calls), "--only", name, "--limit", 4]
    words += ["--sizes", "1,10" if len(outcomes) > 1 else "10"]
    status, printed = compare(checks.folder, *checks.words, *words)
    found = measured(checks, "sizes")
    got = [one["outcome"] for one in found]
    checks.must((status, got) == (expected, outcomes), f"{name}: status {status}, {got}\n{printed[-3000:]}")
    figures = all(("ns_one" in one) == (one["outcome"] == "ok") for one in found)
    checks.must(figures, f"{name}: figures without rightness, or none: {found}")
    # Half a second for a thousand files.
    cells = [
        ["500" if one == "ok" else r"\w[^|]+" for one in outcomes],
        ["1,234" if one == "ok" else "" for one in outcomes],
    ]
    row = rf"\| {name} \| " + r" \| ".join(cells[0] + cells[1]) + r" \|\n"
    section = printed.partition("## By the number of rules")[2]
    checks.must(re.search(row, section), f"{name}: no {row} in\n{section}")


def latency(checks):
    """Percentiles are in the table, if the matcher says them; and tables are made of records."""
    added = []
    for name, said in (("tells", LATENCY), ("silent", "")):
        added += ["--add", calling(checks, name, "False", COUNTED % said)]
    results = checks.folder / "results"
    words = [*checks.words, *added, "--only", "tells,silent", "--sizes", "10", "--results", results]
    status, printed = compare(checks.folder, *words)
    text = (results / "speed.md").read_text() if status == 0 else printed
    row = "| tells | 1,001 | 2,002 | 3,003 | 44 |"
    checks.must(status == 0 and row in text, f"latency: status {status}, or no {row} in\n{text[-3000:]}")
    rows = text.count("| silent | ")
    # One of the program, one of its calls, one of sizes, one of the smallest job; and in the table of differences.
    checks.must("| silent | 1,0" not in text and rows >= 4, f"latency: {rows} rows of a matcher that does not say it")
    again = compare(checks.folder, "--from", results / "speed.jsonl")[1]
    kept = text[text.index("## By calls") :]
    checks.must(kept in again, "--from prints other tables of calls and sizes than the run")
    missing = {name for one in measured(checks, "sizes") for name in ("rules", "files", "counts") if name not in one}
    checks.must(not missing, f"records of sizes without {missing}")


def verdicts(checks):
    """The verdicts that are known as URLs are made are those of the naive reading."""
    for rules in (1, 2, 10, 30):
        made = sizes.make(checks.folder / str(rules), rules)
        texts = {path.name: path.read_bytes() for path in made.robots.iterdir()}
        lines = sum(text.count(b"llow: ") for text in texts.values())
        checks.must(lines == rules * made.files, f"{made.name}: {lines} rules")
        wrong, counts = [], {"allowed": 0, "blocked": 0}
        for url, verdict in made.verdicts.items():
            counts[verdict] += 1
            host = url.split(b"/")[2].decode()
            allowed = oracle.verdicts(texts[host], "examplebot", url.decode())[0]
            wrong += [url] if allowed != (verdict == "allowed") else []
        checks.must(not wrong, f"{made.name}: {len(wrong)} verdicts are wrong, the first of {wrong[:1]}")
        checks.must(min(counts.values()) * 4 > len(made.verdicts), f"{made.name}: only {counts}")


def accepted(checks):
    """What is accepted is expected of each size, too; times stand beside wrong lines then."""
    path = calling(checks, "accepted", IN_TEN, COUNTED % "")
    words = [*checks.words, "--add", path, "--only", "accepted", "--sizes", "10"]
    compare(checks.folder, *words, "--accept")
    checks.must('list = "1,000 files of 10 rules"' in path.read_text(), "--accept: nothing of files of ten rules")
    status, printed = compare(checks.folder, *words)
    wrong = [one.get("wrong") for one in measured(checks, "sizes")]
    fine = status == 0 and wrong[0] and f"1,234 ({wrong[0]:,} wrong)" in printed
    checks.must(fine, f"accepted: status {status}, wrong lines {wrong}\n{printed[-2000:]}")


def launched(checks):
    """A peak is that of the program, not of what starts it; and a program has its streams and its status."""
    floor = measure.floor_kib()
    checks.must(0 < floor < 4096, f"a program that does nothing has {floor} KiB")
    words = [sys.executable, "-c", "import sys; kept = bytearray(40 << 20); print(sys.stdin.read(), end='')"]
    given = checks.folder / "given"
    given.write_text("what it reads\n")
    run, printed = measure.execute(words, 30, listed=given)
    checks.must(40 << 10 < run.peak_kib < 80 << 10, f"a program that holds 40 MiB has {run.peak_kib} KiB")
    checks.must(printed == "what it reads\n", f"a program prints {printed!r}")
    checks.must(0 < run.cpu_seconds < 5 and 0 < run.seconds < 20, f"a program takes {run}")
    for script, limit, expected in (
        ("exit 3", 30, "Failed: exit 3: no message"),
        ("echo why >&2; kill -9 $$", 30, "Failed: killed by signal 9: why"),
        ("sleep 300 & sleep 300", 0.3, "TooSlow: "),
    ):
        try:
            got = str(measure.execute(["sh", "-c", script], limit))
        except (measure.Failed, measure.TooSlow) as error:
            got = f"{type(error).__name__}: {error}"
        checks.must(got == expected, f"{script}: {got}")
    try:
        measure.execute(["no-such-program"], 30)
        checks.must(False, "a program that does not exist ran")
    except measure.Failed as error:
        checks.must("no-such-program" in str(error), f"a program that does not exist: {error}")


def built(checks):
    """What Cargo builds alone has a record of its crates, its size and its time, but not in a short run."""
    program, package = checks.folder / "bin", checks.folder / "package"
    program.mkdir()
    package.mkdir()
    (package / "Cargo.lock").write_text('[[package]]\nname = "mine"\nversion = "1.0.0"\n')
    cargo = program / "cargo"
    cargo.write_text(CARGO.replace("MANIFEST", str(package / "Cargo.toml")))
    cargo.chmod(0o755)
    install = f'[install]\nregistry = "cargo"\npackage = "mine"\nversion = "1.0.0"\nmanifest = "{package}/Cargo.toml"\n'
    install += 'targets = ["--bin", "all"]\nalone = ["--bin", "mine"]\n'
    words = [*checks.words, "--add", checks.described("mine", "{right}", install), "--only", "mine"]
    words += ["--target", checks.folder / "target"]
    path = f"{program}:/usr/bin:/bin"
    status, printed = compare(checks.folder, *words, PATH=path)
    found = [(one.get("packages"), one.get("size"), "seconds" in one) for one in measured(checks, "builds")]
    checks.must(status == 0 and found == [(2, 6, True)], f"built: status {status}, {found}\n{printed[-2000:]}")
    checks.must("| mine | cargo | 2 | 0 | " in printed, f"built: no row in\n{printed[-2000:]}")
    checks.must(not (checks.folder / "target" / "alone").exists(), "built: what was built alone is left")
    status, printed = compare(checks.folder, *words, "--quick", PATH=path)
    checks.must(status == 0 and not measured(checks, "builds"), f"--quick: status {status}\n{printed[-2000:]}")


def prepared(checks):
    """What goes wrong before a list is judged is told as that."""
    for name, script, limit, told in (
        ("unready", "exec tail -f /dev/null", 1, "preparing: took too long"),
        ("unable", "exit 3", 30, "preparing: exit 3: no message"),
    ):
        path = checks.described(name, "{right}", f'prepare = ["sh", "-c", "{script}"]\n')
        status, printed = compare(checks.folder, *checks.words, "--add", path, "--only", name, "--limit", limit)
        checks.must(status == 1 and told in printed, f"{name}: status {status}, or no {told!r} in\n{printed[-2000:]}")


def percentiles(checks):
    """The program around Python's libraries says how long single calls take, in order, and counts as it filters."""
    listed = checks.folder / "listed"
    listed.write_text("".join(f"http://{host}/{path}\n" for host in HOSTS for path in PATHS))
    words = [ROOT / "scripts" / "peers" / "python" / "matcher.py", "urllib", "examplebot", checks.words[3] / "robots"]
    _, printed = measure.execute([sys.executable, *words, listed], 30)
    found = json.loads(printed)
    names = ("ns_clock", "ns_p50", "ns_p99", "ns_p999")
    values = [found.get(name, 0) for name in names]
    fine = values == sorted(values) and values[0] > 0 and found["urls"] == len(HOSTS) * len(PATHS)
    checks.must(fine, f"percentiles of calls: {found}")


def packages(checks):
    """The size of packages is that of their files, with dependencies and without what an environment begins with."""
    node = checks.folder / "node_modules"
    for name in ("one", "one/node_modules/two", "@scope/three"):
        (node / name).mkdir(parents=True)
        (node / name / "package.json").write_text(json.dumps({"name": name}))
    size = sum(path.stat().st_size for path in node.rglob("package.json"))
    found = footprint.of_node({"bin": checks.folder})
    checks.must(found == {"packages": 3, "size": size}, f"packages of npm: {found} instead of {size} bytes")
    place = checks.folder / "venv"
    site = Path(sysconfig.get_path("purelib", "venv", vars={"base": str(place)}))
    for name in (
        "mine/a.py",
        "mine/__pycache__/a.pyc",
        "mine-1.dist-info/RECORD",
        "pip/b.py",
        "pip-1.dist-info/RECORD",
    ):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("1234")
    (site / "single.py").write_text("123")
    found = footprint.of_python({"python": place / "bin" / "python"})
    checks.must(found == {"packages": 1, "size": 11}, f"packages of PyPI: {found}")


#: All checks, in parts that need nothing of each other.
PARTS = {
    **{f"sized-{name}": [functools.partial(sized, name)] for name in reversed(SIZED)},
    "accepted": [accepted],
    "latency": [latency],
    "built": [built],
    "launched": [launched, percentiles, packages],
    "prepared": [prepared],
    "verdicts": [verdicts],
}
