"""Checks of what is committed: the tables, CSV and plot are what the records give, and so is the table of README.md."""

import subprocess
import sys
import tempfile
from pathlib import Path

from comparing.checks import ROOT, compare

RESULTS = ROOT / "benches" / "results"
#: What stands before and after the table in README.md.
MARKS = "<!-- scripts/compare --summary benches/results -->\n", "<!-- end of it -->"


def in_readme():
    """The table in README.md."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.partition(MARKS[0])[2].partition(MARKS[1])[0]


def check():
    """Make all of it again from the records; return the number of checks, and the problems."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for table in ("rightness", "speed"):
            status, printed = compare(Path(folder), "--from", RESULTS / f"{table}.jsonl", "--results", folder)
            if status != 0:
                problems.append(f"the records of {table}: {printed}")
        made = sorted(path for path in Path(folder).iterdir() if path.is_file())
        if len(made) != len(("md", "csv", "jsonl")) * 2 + 1:
            problems.append(f"the records give {len(made)} files")
        for path in made:
            kept = RESULTS / path.name
            if not kept.exists() or kept.read_bytes() != path.read_bytes():
                problems.append(f"{kept} is not what the records give: scripts/compare --from RECORDS --results benches/results")
    words = [sys.executable, ROOT / "scripts" / "compare", "--summary", RESULTS]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stdout != in_readme():
        problems.append(f"README.md has another table than this:\n{done.stdout}{done.stderr}")
    return len(made) + 2, problems
