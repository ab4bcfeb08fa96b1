"""Checks of what is committed: tables, CSV, records and plot are what the records give, and so is README.md's table."""

import subprocess
import sys
import tempfile
from pathlib import Path

from comparing.checks import ROOT, compare

RESULTS = ROOT / "benches" / "results"
#: The files that each table's records give, beside the plot.
KINDS = ("md", "csv", "jsonl")
#: What stands before and after the table in README.md.
MARKS = "<!-- scripts/compare --summary benches/results -->\n", "<!-- end of the table -->"


def in_readme():
    """The table in README.md."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.partition(MARKS[0])[2].partition(MARKS[1])[0]


def check():
    """Make all of it again from the records; return the number of checks, and the problems."""
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in ("rightness", "speed"):
            status, printed = compare(folder, "--from", RESULTS / f"{table}.jsonl", "--results", folder)
            if status != 0:
                problems.append(f"the records of {table}: {printed}")
        expected = {f"{table}.{kind}" for table in ("rightness", "speed") for kind in KINDS} | {"speed-compared.svg"}
        made = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        if set(made) != expected:
            problems.append(f"the records give {sorted(made)}, not {sorted(expected)}")
        for name, content in made.items():
            kept = RESULTS / name
            if not kept.exists() or kept.read_bytes() != content:
                advice = "scripts/compare --from RECORDS --results benches/results makes it again"
                problems.append(f"{kept} is not what the records give: {advice}")
    words = [sys.executable, ROOT / "scripts" / "compare", "--summary", RESULTS]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stdout != in_readme():
        problems.append(f"README.md has another table than this:\n{done.stdout}{done.stderr}")
    return len(expected) + 2, problems
