"""Judge a list with a built google/robotstxt, whose program answers one URL of one file.

    google.py PROGRAM AGENT ROBOTS LIST ALLOWED BLOCKED

PROGRAM is called as `PROGRAM FILE AGENT URL` for each line. It ends its first line with ALLOWED or DISALLOWED.
"""

import os
import subprocess
import sys
from urllib.parse import urlsplit


def verdict(program, path, agent, url):
    """Whether the program allows a URL."""
    done = subprocess.run([program, path, agent, url], stdout=subprocess.PIPE, check=False)
    word = done.stdout.decode("utf-8", "replace").split("\n")[0].rpartition(" ")[2]
    if word not in ("ALLOWED", "DISALLOWED"):
        sys.exit(f"{program} answers neither ALLOWED nor DISALLOWED, with status {done.returncode}")
    return word == "ALLOWED"


def main():
    """Write each line to the file of its verdict."""
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    program, agent, robots, listed, allowed, blocked = sys.argv[1:]
    with open(listed, "rb") as lines, open(allowed, "wb") as yes, open(blocked, "wb") as no:
        for line in lines:
            url = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
            path = os.path.join(robots, urlsplit(url).hostname)
            (yes if verdict(program, path, agent, url) else no).write(line)


main()
