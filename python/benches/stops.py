"""How soon Ctrl-C ends each call, and how long a call keeps other threads from the interpreter.

    python python/benches/stops.py [--rows N] [--origins N] [--only NAMES]

Makes N URLs and two policies of N origins, and makes every call twice: to its end, where its answer is checked, and
once with an interrupt after a third of that time. Another thread notes meanwhile how long it waited for the
interpreter's lock. Prints for each call its seconds, those from the interrupt until it had ended, and the longest wait
of the other thread. A call that took less than half a second is marked: the interrupt may have come too late for it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import robosieve

AGENT = "examplebot"


class Waits:
    """The longest time that a thread had to wait for the interpreter, beyond a millisecond of sleep."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._ended.is_set():
            before = time.perf_counter()
            time.sleep(0.001)
            self.longest = max(self.longest, time.perf_counter() - before - 0.001)

    def __enter__(self) -> Waits:
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._ended.set()
        self._thread.join()


def interrupted(call: Callable[[], object], after: float) -> float | None:
    """The seconds from the interrupt to the end of the call; None if the call ended before it."""
    sent = 0.0

    def send() -> None:
        nonlocal sent
        sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        call()
    except KeyboardInterrupt:
        return time.perf_counter() - sent
    timer.cancel()
    return None


def tell(name: str, call: Callable[[], Any], check: Callable[[Any], object]) -> None:
    with Waits() as waits:
        before = time.perf_counter()
        answer = call()
        seconds = time.perf_counter() - before
    assert check(answer), name
    del answer
    ended = interrupted(call, seconds / 3)
    note = "  short" if seconds < 0.5 else ""
    after = "       -" if ended is None else f"{1000 * ended:8.0f}"
    print(
        f"{name:<28} {seconds:8.2f} s   ends {after} ms after Ctrl-C   gaps {1000 * waits.longest:6.0f} ms{note}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--origins", type=int, default=1_000_000)
    parser.add_argument("--only", default="", help="calls whose names contain one of these, separated by commas")
    given = parser.parse_args()
    rows, origins = given.rows, given.origins
    body = "User-agent: *\nDisallow: /{}x\nCrawl-delay: 3\nSitemap: https://h/s.xml\n"
    made = lambda first, text: (  # noqa: E731
        robosieve.Answer(f"https://h{at}.example/robots.txt", 200, text.format(at % 1000), 1 + first)
        for at in range(first, first + origins)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: f"{folder}/{name}"  # noqa: E731
        one = robosieve.compile(made(0, body), agents=[AGENT], out=path("one.rsv"))
        two = robosieve.compile(made(origins // 2, body.replace("x", "y")), agents=[AGENT], out=path("two.rsv"))
        urls = [f"https://h{at % origins}.example/{at % 1000}x/{at}" for at in range(rows)]
        column = pa.array(urls)
        verdicts = one.judge(column[: rows // 2])
        lines = Path(path("list.txt"))
        lines.write_text("\n".join(urls) + "\n")
        answers = Path(path("answers.jsonl"))
        with answers.open("w") as file:
            for at in range(origins):
                url = f"https://h{at}.example/robots.txt"
                file.write(json.dumps({"url": url, "status": 200, "body": body.format(at), "fetched_at": 1}) + "\n")
        parts = []
        for part in "1/2", "2/2":
            parts.append(path(part[0]))
            robosieve.filter(one, [lines], out=parts[-1], shard=part, choices=robosieve.Choices(now=5))
        live = robosieve.LivePolicy(agents=[AGENT], over=one)
        texts = np.array(urls[: rows // 10])
        half = origins + origins // 2
        calls: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
            "judge, a list": (lambda: one.judge(urls), lambda out: len(out) == rows),
            "judge, an array": (lambda: one.judge(column), lambda out: len(out) == rows),
            "judge, rules": (lambda: one.judge(column, explain=True), lambda out: len(out) == rows),
            "judge, an array of numpy": (lambda: one.judge(texts), lambda out: len(out) == rows // 10),
            "verdicts as a list": (lambda: verdicts["verdict"], lambda out: out.count("blocked") == rows // 2),
            "unique": (lambda: robosieve.unique(column), lambda out: len(out) == rows),
            "line_sum": (lambda: robosieve.line_sum(column), lambda out: out > 0),
            "live judge": (lambda: live.judge(column), lambda out: len(out) == rows),
            "live write": (lambda: live.write(path("live.rsv")), lambda out: out.origins == origins),
            "compile, answers": (
                lambda: robosieve.compile(made(0, body), agents=[AGENT]),
                lambda out: out.origins == origins,
            ),
            "compile, a file": (
                lambda: robosieve.compile([answers], agents=[AGENT], out=path("made.rsv")),
                lambda out: out.origins == origins,
            ),
            "merge": (
                lambda: robosieve.merge([path("one.rsv"), path("two.rsv")], out=path("both.rsv")),
                lambda out: out.origins == half,
            ),
            "Policy of layers": (lambda: robosieve.Policy([one, two]), lambda out: out.origins == half),
            "inspect": (lambda: robosieve.inspect(one), lambda out: out["origins"] == origins),
            "export": (lambda: robosieve.export(one, "delays"), lambda out: len(out.to_pyarrow()) == origins),
            "export, access": (lambda: robosieve.export(one, "access"), lambda out: out.to_pyarrow()),
            "diff": (lambda: robosieve.diff(one, two, paths=0), lambda out: out.to_pyarrow()),
            "keys": (
                lambda: robosieve.keys([lines], path("keys.rss"), shard="1/1"),
                lambda out: out["urls"] == rows,
            ),
            "verify": (lambda: robosieve.verify(parts[0], inputs=True), lambda out: out["proven"]),
            "join": (
                lambda: robosieve.join(parts, out=path("joined"), concat=True, force=True),
                lambda out: out["input"]["lines"] == rows,
            ),
            "filter": (
                lambda: robosieve.filter(one, [lines], out=path("run"), force=True),
                lambda out: out["input"]["lines"] == rows,
            ),
        }
        wanted = [word for word in given.only.split(",") if word]
        for name, (call, check) in calls.items():
            if not wanted or any(word in name for word in wanted):
                tell(name, call, check)
        left = sorted(name for name in os.listdir(folder) if name.startswith(".") or "tmp" in name)
        print(f"left in the folder of the output: {left or 'nothing'}")


if __name__ == "__main__":
    main()
