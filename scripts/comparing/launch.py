"""Run one command and report what it took; scripts/compare starts this small process for each run.

    launch.py REPORT SECONDS COMMAND...

A process begins as a copy of its parent, and the system counts the parent's pages as its memory. So the parent of what
is measured is this process, and not the script with its lists in memory. REPORT is a file descriptor: it receives the
report as JSON. The command is stopped after SECONDS, or when this process is.
"""

import json
import os
import signal
import sys
import time


def main():
    """Run the command with the streams of this process."""
    report, limit, words = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    os.set_inheritable(report, False)
    started, stopped = time.perf_counter(), []
    try:
        # A group of its own, for programs that start others.
        child = os.posix_spawnp(words[0], words, os.environ, setpgroup=0)
    except OSError as error:
        os.write(report, json.dumps({"error": f"{words[0]}: {error.strerror}"}).encode())
        return

    def stop(number, _frame):
        stopped.append(number)
        os.killpg(child, signal.SIGKILL)

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    signal.setitimer(signal.ITIMER_REAL, 0)
    found = {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime, "peak_kib": usage.ru_maxrss}
    found |= {"status": os.waitstatus_to_exitcode(status), "too_slow": stopped == [signal.SIGALRM]}
    os.write(report, json.dumps(found).encode())


main()
