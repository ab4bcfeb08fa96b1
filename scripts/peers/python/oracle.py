"""Answer the lines on standard input by the naive reading that checks datasets/cases: 1 allowed, 0 blocked.

    oracle.py AGENT ROBOTS <LIST >ANSWERS

An example of the protocol `lines`, and of how little a matcher needs.
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "datasets" / "cases"))

from making import oracle  # noqa: E402


def main():
    """One answer for each line, by the octets of the rule where the RFC leaves open what counts."""
    agent, robots = sys.argv[1], Path(sys.argv[2])
    texts = {path.name: path.read_bytes() for path in robots.iterdir()}
    for line in sys.stdin.buffer:
        url = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
        allowed = oracle.verdicts(texts[urlsplit(url).hostname], agent, url)[0]
        print(int(allowed))


main()
