"""What the checks of scripts/compare share: descriptions of matchers, a corpus, and runs of the script."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The naive reading in the protocol `lines`, but for what `FLIPPED` says of a URL.
ORACLE = f"""
import sys
from pathlib import Path
from urllib.parse import urlsplit
sys.dont_write_bytecode = True
sys.path.insert(0, {str(ROOT / "datasets" / "cases")!r})
from making import oracle
agent, robots = sys.argv[1], Path(sys.argv[2])
for line in sys.stdin:
    url = line.rstrip("\\n")
    allowed = oracle.verdicts((robots / urlsplit(url).hostname).read_bytes(), agent, url)[0]
    print(int(allowed != (FLIPPED)))
"""
#: The corpus of the checks of speed: two files, and paths that are asked of both; the naive reading blocks a quarter.
ROBOTS = "User-agent: *\nDisallow: /p\nAllow: /p/open\n"
PATHS = ["", "a", "b?c", "p/x", "p/open", "d", "e/p", "pq"]
HOSTS = ("one.example", "two.example")
#: Lines of the repeated lists, of which there are 16 different ones.
LINES = 100


def describe(folder, name, protocol, words, rest=""):
    """Write the description of a matcher."""
    path = folder / f"{name}.toml"
    path.write_text(f'name = "{name}"\nprotocol = "{protocol}"\ncommand = {json.dumps(words)}\n{rest}')
    return path


def command(folder, *words):
    """A command line of scripts/compare whose records are kept in this folder."""
    return [sys.executable, str(ROOT / "scripts" / "compare"), "--kept", str(folder / "kept"), *map(str, words)]


def compare(folder, *words, **variables):
    """Run scripts/compare; return its status and all it printed."""
    env = os.environ | variables
    done = subprocess.run(command(folder, *words), capture_output=True, text=True, check=False, env=env)
    return done.returncode, done.stdout + done.stderr


def corpus(folder):
    """Write the corpus; return its place."""
    place = folder / "corpus"
    for name in ("robots", "urls", "probes"):
        (place / name).mkdir(parents=True)
    for host in HOSTS:
        (place / "robots" / host).write_text(ROBOTS)
        for number, path in enumerate(PATHS):
            with open(place / ("urls", "probes")[number % 2] / host, "a") as listed:
                listed.write(f"https://{host}/{path}\n")
    return place


class Checks:
    """Some checks, with a folder of their own."""

    def __init__(self, folder):
        self.folder, self.number, self.problems = folder, 0, []
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        self.words = ["--table", "speed", "--corpus", corpus(folder), "--work", self.work, "--lines", LINES]
        self.words += ["--growth", "", "--sizes", "", "--rounds", 2, "--lists", "shuffled"]
        self.right = self.naive("naive", "False")

    def naive(self, name, flipped):
        """The command of a naive reading in the protocol `lines` that is wrong about some URLs."""
        program = self.folder / f"{name}.py"
        program.write_text(ORACLE.replace("FLIPPED", flipped))
        return f"{sys.executable} {program} {{agent}} {{robots}}"

    def must(self, fine, what):
        """Note a problem unless all is fine."""
        self.number += 1
        if not fine:
            self.problems.append(what)

    def described(self, name, shell, rest=""):
        """Write a description of a shell command that gets the list as a file, too."""
        shell = shell.format(right=self.right + " <{list}", list="{list}")
        return describe(self.folder, name, "lines", ["sh", "-c", shell], rest)


def run(folder, parts):
    """Run some checks, which are functions of Checks; return their number, and their problems."""
    checks = Checks(folder)
    for part in parts:
        part(checks)
    return checks.number, checks.problems
