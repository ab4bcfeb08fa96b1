"""The parts of scripts/report-check and scripts/pictures."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build():
    """Build the program; return its path."""
    subprocess.run(["cargo", "build", "--locked"], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "robosieve"
