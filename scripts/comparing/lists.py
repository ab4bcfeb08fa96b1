"""The lists that all programs run on: real data, or generated data where that is missing."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from comparing import note

#: Lines of the list without repetition, if it is generated.
BASE_LINES = 52_000
#: Lines that are made, for each that is used: some have a port, for which a folder named by host has no file.
SPARE = 1.05
#: Origins of generated data.
ORIGINS = 1_000


@dataclass
class Data:
    """The lists and robots.txt files in the work folder."""

    work: Path
    robots: Path
    all_robots: Path | None
    facts: dict

    def path(self, order, base=False):
        """The path of a list: order is `shuffled` or `sorted`; base selects the list without repetition."""
        return self.work / f"{'base-' if base else ''}{order}.txt"

    def lines(self, base=False):
        """The number of lines in the lists."""
        return self.facts["links" if base else "lines"]


def default_work():
    """A folder in memory, if possible."""
    shm = Path("/dev/shm")
    return shm if shm.is_dir() else Path(tempfile.gettempdir())


def make(root, args):
    """Make the lists in the work folder."""
    free = shutil.disk_usage(args.work).free
    if free < 250 * args.lines:
        note(f"WARNING: {args.work} has only {free >> 20} MiB free, about {250 * args.lines >> 20} MiB are needed")
    if (args.corpus / "urls").is_dir() and (args.corpus / "robots").is_dir():
        return from_corpus(root, args)
    note("=" * 78)
    note(f"WARNING: no real data at {args.corpus}.")
    note("Falling back to GENERATED robots.txt files and URLs: figures are not comparable with those on real data.")
    note("=" * 78)
    return generated(root, args)


def from_corpus(root, args):
    """Make the lists from real data, with scripts/make-list."""
    script = root / "scripts" / "make-list"
    command = [sys.executable, script, args.work, "--corpus", args.corpus, "--lines", str(args.lines)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout) | {"source": "real links and robots.txt files"}
    return Data(args.work, args.work / "robots", args.corpus / "robots", found)


def generated(root, args):
    """Make artificial data of realistic shape with the repository's own generator."""
    run = ["cargo", "run", "--release", "--quiet", "--manifest-path", root / "Cargo.toml"]
    run += ["--example", "generate", "--"]
    env = dict(os.environ, CARGO_TARGET_DIR=str(args.target))
    # A folder of files can show no other answer than a robots.txt.
    same = ["--origins", str(ORIGINS), "--seed", "9309", "--absent", "0", "--unavailable", "0", "--missing", "0"]
    robots = args.work / "robots"
    shutil.rmtree(robots, ignore_errors=True)
    subprocess.run([*run, "robots", "--dir", robots, *same], stdout=2, env=env, check=True)
    data = Data(args.work, robots, None, {"source": "GENERATED data", "lines": args.lines, "links": BASE_LINES})
    hosts = {name.encode() for name in os.listdir(robots)}
    counted = {}
    for base in (True, False):
        for order in ("shuffled", "sorted"):
            command = [*run, "urls", "--lines", str(int(data.lines(base) * SPARE)), "--order", order, *same]
            made = subprocess.run(command, stdout=subprocess.PIPE, env=env, check=True).stdout
            kept = known(made, hosts)[: data.lines(base)]
            data.path(order, base).write_bytes(b"".join(kept))
            counted[base] = len(kept)
    data.facts |= {"links": counted[True], "lines": counted[False]}
    data.facts["hosts"] = len(hosts)
    data.facts["bytes"] = data.path("shuffled").stat().st_size
    return data


def known(made, hosts):
    """The lines whose host has a file; others have a port."""
    return [line for line in made.splitlines(keepends=True) if line.split(b"/", 3)[2] in hosts]
