"""What the checks of scripts/compare share: descriptions of matchers, and runs of the script."""

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


def describe(folder, name, protocol, words, rest=""):
    """Write the description of a matcher."""
    path = folder / f"{name}.toml"
    path.write_text(f'name = "{name}"\nprotocol = "{protocol}"\ncommand = {words!r}\n{rest}')
    return path


def command(folder, *words):
    """A command line of scripts/compare whose records are kept in this folder."""
    return [sys.executable, str(ROOT / "scripts" / "compare"), "--kept", str(folder / "kept"), *map(str, words)]


def compare(folder, *words):
    """Run scripts/compare; return its status and all it printed."""
    done = subprocess.run(command(folder, *words), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
