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


#: How often the clock is read to know what that takes.
CLOCK_READS = 10_000
#: How long the pass may take that warms up.
WARM_SECONDS = 1

LIBRARIES = {"protego": protego, "urllib": urllib, "robotspy": robotspy}


class Files:
    """The rules of all hosts, each parsed when it is first asked for."""

    def __init__(self, parse, folder):
        self.parse, self.folder, self.known = parse, folder, {}

    def text(self, name):
        """The text of a host's file, or None if there is no file."""
        path = os.path.join(self.folder, name)
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")

    def host(self, name):
        """The rules of a host, or None if there is no file."""
        if name not in self.known:
            text = self.text(name)
            self.known[name] = None if text is None else self.parse(text)
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


def ranked(numbers, *shares):
    """For each share, in thousandths, the smallest number that at least this share of the numbers does not exceed."""
    ordered = sorted(numbers)
    return [ordered[-(-len(ordered) * share // 1000) - 1] for share in shares]


def latency(files, agent, urls):
    """How long single calls take, each timed alone in one pass in list order, and what reading the clock takes."""
    clock = time.perf_counter_ns
    times = []
    for url in urls:
        start = clock()
        files.of(url)(url, agent)
        times.append(clock() - start)
    reads = [-(clock() - clock()) for _ in range(CLOCK_READS)]
    names = ("ns_p50", "ns_p99", "ns_p999")
    return dict(zip(names, ranked(times, 500, 990, 999), strict=True)) | {"ns_clock": ranked(reads, 500)[0]}


def warm(files, agent, urls):
    """Judge the URLs, or those that a second is enough for."""
    end = time.monotonic() + WARM_SECONDS
    for url in urls:
        files.of(url)(url, agent)
        if time.monotonic() > end:
            return


def measure(files, agent, listed):
    """Print the processor time from a URL to its verdict, with all files parsed, and that of parsing them."""
    with open(listed, "rb") as lines:
        urls = [line.rstrip(b"\r\n").decode("utf-8", "replace") for line in lines]
    texts = {name: files.text(name) for name in os.listdir(files.folder)}
    start = time.process_time()
    for name, text in texts.items():
        files.known[name] = files.parse(text)
    parsed = time.process_time() - start
    warm(files, agent, urls)
    start = time.process_time()
    allowed = sum(1 for url in urls if files.of(url)(url, agent))
    seconds = time.process_time() - start
    report = {
        "urls": len(urls),
        "allowed": allowed,
        "ns_one": seconds / len(urls) * 1e9,
        "parse_seconds": parsed,
    }
    print(json.dumps(report | latency(files, agent, urls)))


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
