"""What Python reads before a recipe: every host is on loopback, and the time is that of the file CLOCK, which only `sleep` moves. With
KILL_AFTER, Python kills itself before so many lines of the recipe are run.
"""

import os
import signal
import socket
import sys
import time
from pathlib import Path

CLOCK = Path(os.environ["CLOCK"])
PORT, NOBODY = (int(port) for port in os.environ["PORTS"].split())
connect = socket.create_connection


def now():
    return float(CLOCK.read_text())


def sleep(seconds):
    new = CLOCK.with_suffix(".new")
    new.write_text(f"{now() + seconds:.0f}\n")
    new.replace(CLOCK)


def to_loopback(address, *more, **options):
    host, _ = address
    return connect(("127.0.0.1", NOBODY if host.startswith("nobody-") else PORT), *more, **options)


time.time, time.sleep, socket.create_connection = now, sleep, to_loopback

if "KILL_AFTER" in os.environ:
    left = int(os.environ["KILL_AFTER"])

    def count(frame, event, argument):
        global left
        left -= event == "line"
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return count

    def trace(frame, event, argument):
        is_recipe = frame.f_code.co_name == "<module>" and frame.f_code.co_filename.endswith("frontier.py")
        return count if is_recipe else None

    sys.settrace(trace)
