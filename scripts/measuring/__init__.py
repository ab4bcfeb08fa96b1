"""Shared by the scripts that measure robosieve: building its programs, and watching the memory of a process."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
MIB = 1 << 20

# Seconds between two samples of a process.
GLANCE = 0.005


def build(target=TARGET):
    """Build robosieve and the generator; return their paths."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--bin", "robosieve", "--example", "generate"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr, env=dict(os.environ, CARGO_TARGET_DIR=str(target)))
    return target / "release" / "robosieve", target / "release" / "examples" / "generate"


def anonymous_memory(pid):
    """RssAnon of a process in bytes; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = [line.split() for line in status.splitlines() if line.startswith("RssAnon:")]
    return int(found[0][1]) * 1024 if found else 0


@dataclass
class Watched:
    """A command that was watched until it ended."""

    peak: int  # anonymous memory, in bytes
    peak_resident: int  # including pages of mapped files
    seconds: float
    printed: bytes


def watched(command):
    """Run a command and watch its memory. Mapped files are not anonymous: the kernel reclaims their pages when it needs
    them. Exits if the command fails."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        started, peak = time.monotonic(), 0
        process = subprocess.Popen(command, stdout=printed, stderr=said)
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            peak = max(peak, anonymous_memory(process.pid))
            time.sleep(GLANCE)
        seconds = time.monotonic() - started
        _, status, usage = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            sys.stderr.write(said.read().decode(errors="replace"))
            sys.exit(f"error: exit {process.returncode} from: {' '.join(map(str, command))}")
        printed.seek(0)
        return Watched(peak, usage.ru_maxrss * 1024, seconds, printed.read())
