"""The lists that all programs run on: real data, or generated data where that is missing."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from comparing import note

#: Different lines of generated data, and its origins.
GENERATED_LINES, ORIGINS = 100_000, 1_000
#: Lines that are made, for each that is used: some have a port, for which a folder named by host has no file.
SPARE = 1.05
#: The shape of generated data: every host has a robots.txt, as a folder cannot show any other answer.
SHAPE = ["--seed", "9309", "--absent", "0", "--unavailable", "0", "--missing", "0"]
#: How the folder of a run begins; its process follows.
PREFIX = "robosieve-compare-"


@dataclass
class Questions:
    """A list of different URLs with the robots.txt files of their hosts, and what is asked: an agent."""

    name: str
    agent: str
    robots: Path
    listed: Path
    checksum: str = ""

    def __post_init__(self):
        self.checksum = self.checksum or checksum(self.agent, self.robots, self.listed)


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
        return self.facts["base" if base else "lines"]

    def questions(self, agent):
        """Each different line once."""
        return Questions(self.facts["source"], agent, self.robots, self.work / "distinct.txt")


def file_digest(path):
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256")


def checksum(agent, robots, listed):
    """A checksum of everything that decides a partition: the agent, the files, the list."""
    found = hashlib.sha256(agent.encode() + b"\n" + file_digest(listed).digest())
    for path in sorted(Path(robots).iterdir()):
        found.update(path.name.encode() + b"\n" + file_digest(path).digest())
    return found.hexdigest()[:16]


def default_work():
    """A folder in memory, if possible."""
    shm = Path("/dev/shm")
    return shm if shm.is_dir() else Path(tempfile.gettempdir())


def alive(process):
    """Whether a process is running."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def work_folder(parent):
    """A new folder of this run; those of runs that were killed are removed."""
    for path in parent.glob(f"{PREFIX}*-*"):
        process = path.name.removeprefix(PREFIX).partition("-")[0]
        if process.isdigit() and not alive(int(process)):
            shutil.rmtree(path, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))


def end_by_signals():
    """Let signals that end this process clean up first."""

    def end(number, _frame):
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def is_corpus(folder):
    """Whether a folder has robots.txt files and links."""
    return (folder / "urls").is_dir() and (folder / "robots").is_dir()


def make(root, args, generator, probes=False):
    """Make the lists in the work folder; `generator` builds the program that makes data where there is none."""
    free = shutil.disk_usage(args.work).free
    if free < 250 * args.lines:
        note(f"WARNING: {args.work} has only {free >> 20} MiB free, about {250 * args.lines >> 20} MiB are needed")
    if is_corpus(args.corpus):
        probed = probes and (args.corpus / "probes").is_dir()
        source = "real links, made-up URLs" if probed else "real links"
        return from_corpus(root, args, args.corpus, probed, source)
    note("=" * 78)
    note(f"WARNING: no real data at {args.corpus}.")
    note("Falling back to GENERATED robots.txt files and URLs: figures are not comparable with those on real data.")
    note("=" * 78)
    return from_corpus(root, args, generated(generator(), args.work / "generated"), False, "GENERATED data")


def from_corpus(root, args, corpus, probed, source):
    """Make the lists with scripts/make-list."""
    command = [sys.executable, root / "scripts" / "make-list", args.work, "--corpus", corpus, "--lines", args.lines]
    command += ["--probes"] if probed else []
    command += ["--base", args.base] if getattr(args, "base", None) else []
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout) | {"source": source}
    return Data(args.work, args.work / "robots", corpus / "robots", found)


def generated(generator, corpus):
    """A corpus of realistic shape by the repository's own generator."""
    made = generate(generator, ORIGINS, GENERATED_LINES, corpus / "robots")
    (corpus / "urls").mkdir()
    by_host = {}
    for line in made:
        by_host.setdefault(line.split(b"/", 3)[2].rstrip(b"\n"), []).append(line)
    for host, lines in by_host.items():
        (corpus / "urls" / host.decode()).write_bytes(b"".join(lines))
    return corpus


def generate(generator, origins, lines, robots):
    """Write the robots.txt files of some hosts, and return a shuffled list of their URLs."""
    same = [*SHAPE, "--origins", str(origins), "--lines", str(int(lines * SPARE))]
    shutil.rmtree(robots, ignore_errors=True)
    subprocess.run([generator, "robots", *same, "--dir", robots], check=True, stdout=2)
    made = subprocess.run([generator, "urls", *same], check=True, stdout=subprocess.PIPE).stdout
    return known(made, {name.encode() for name in os.listdir(robots)})[:lines]


def known(made, hosts):
    """The lines whose host has a file; others have a port."""
    return [line for line in made.splitlines(keepends=True) if line.split(b"/", 3)[2].rstrip(b"\n") in hosts]
