"""Judge a list with a Python library, as benches/matchers/*.toml say.

    matcher.py LIBRARY AGENT ROBOTS LIST ALLOWED BLOCKED    writes each line of LIST to the file of its verdict
    matcher.py LIBRARY AGENT ROBOTS LIST                    measures one URL at a time

ROBOTS is a folder of robots.txt files, named by host. A file is parsed when the first URL of its host comes.
"""

import json
import os
import sys
import time
from urllib.parse import urlsplit


def protego():
    """Protego: takes text and URLs."""
    from protego import Protego

    def parse(text):
        robots = Protego.parse(text)
        return lambda url, agent: robots.can_fetch(url, agent)

    return parse


def urllib():
    """urllib.robotparser of the standard library: takes lines and URLs."""
    from urllib.robotparser import RobotFileParser

    def parse(text):
        robots = RobotFileParser()
        robots.parse(text.splitlines())
        return lambda url, agent: robots.can_fetch(agent, url)

    return parse


def robotspy():
    """robotspy: takes lines and URLs."""
    from robots import RobotsParser

    def parse(text):
        robots = RobotsParser.from_string(text)
        return lambda url, agent: robots.can_fetch(agent, url)

    return parse


LIBRARIES = {"protego": protego, "urllib": urllib, "robotspy": robotspy}


class Files:
    """The rules of all hosts, each parsed when it is first asked for."""

    def __init__(self, parse, folder):
        self.parse, self.folder, self.known = parse, folder, {}

    def host(self, name):
        """The rules of a host, or None if there is no file."""
        if name not in self.known:
            path = os.path.join(self.folder, name)
            self.known[name] = None
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    self.known[name] = self.parse(file.read().decode("utf-8", "replace"))
        return self.known[name]

    def of(self, url):
        """The rules for a URL: its host as written, or as a URL is parsed."""
        name = url.split("/", 3)[2]
        return self.host(name) or self.host(urlsplit(url).hostname)


def write(files, agent, listed, allowed, blocked):
    """Write each line to the file of its verdict."""
    with open(listed, "rb") as lines, open(allowed, "wb") as yes, open(blocked, "wb") as no:
        for line in lines:
            url = line.rstrip(b"\r\n").decode("utf-8", "replace")
            rules = files.of(url)
            if rules is not None:
                (yes if rules(url, agent) else no).write(line)


def measure(files, agent, listed):
    """Print the processor time from a URL to its verdict, with all files parsed, and that of parsing them."""
    with open(listed, "rb") as lines:
        urls = [line.rstrip(b"\r\n").decode("utf-8", "replace") for line in lines]
    start = time.process_time()
    for name in os.listdir(files.folder):
        files.host(name)
    parsed = time.process_time() - start
    start = time.process_time()
    allowed = sum(1 for url in urls if files.of(url)(url, agent))
    seconds = time.process_time() - start
    report = {
        "urls": len(urls),
        "allowed": allowed,
        "ns_one": seconds / len(urls) * 1e9,
        "parse_seconds": parsed,
    }
    print(json.dumps(report))


def main():
    """Parse the command line."""
    if len(sys.argv) not in (5, 7) or sys.argv[1] not in LIBRARIES:
        sys.exit(__doc__)
    library, agent, robots, listed, *out = sys.argv[1:]
    files = Files(LIBRARIES[library](), robots)
    if out:
        write(files, agent, listed, *out)
    else:
        measure(files, agent, listed)


main()
