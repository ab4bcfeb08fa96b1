"""Run one command and report what it took; scripts/compare starts this small process for each run.

    launch.py REPORT SECONDS COMMAND...

A process begins as a copy of its parent, and the system counts the parent's pages as its memory: with Python as the
parent, some 9 MiB. So a shell of about 1 MiB starts a copy of itself, which becomes the command when the clock starts.
The shell has ended by then, for this process to become the parent, which is told what the command used. REPORT is a
file descriptor: it receives the report as JSON. The command is stopped after SECONDS, or when this process is.
"""

import ctypes
import json
import os
import signal
import socket
import sys
import time

#: What the shell does: its copy waits for a line on descriptor 9, and becomes the command, with the standard input that
#: is kept as 8; the shell says which process that is.
START = '{ read -r go <&9 && exec "$@" <&8 8<&- 9<&-; } & echo $! >&9'
#: An option of prctl: children whose parent has ended become children of this process.
PR_SET_CHILD_SUBREAPER = 36


def waiting(words):
    """Start a process that waits until it shall become the command; return it, its group, and a socket to it."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(0, "this system has no PR_SET_CHILD_SUBREAPER")
    ours, its = socket.socketpair()
    kept = [(os.POSIX_SPAWN_DUP2, its.fileno(), 9), (os.POSIX_SPAWN_DUP2, 0, 8)]
    # A group of its own, for programs that start others.
    shell = ["sh", "-c", START, "sh", *words]
    group = os.posix_spawn("/bin/sh", shell, os.environ, file_actions=kept, setpgroup=0)
    its.close()
    os.waitpid(group, 0)
    return int(ours.recv(64)), group, ours


def main():
    """Run the command with the streams of this process."""
    report, limit, words = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    os.set_inheritable(report, False)
    try:
        child, group, ready = waiting(words)
    except (OSError, ValueError) as error:
        os.write(report, json.dumps({"error": f"{words[0]}: {error}"}).encode())
        return
    stopped = []

    def stop(number, _frame):
        stopped.append(number)
        os.killpg(group, signal.SIGKILL)

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    started = time.perf_counter()
    ready.sendall(b"go\n")
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    signal.setitimer(signal.ITIMER_REAL, 0)
    found = {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime, "peak_kib": usage.ru_maxrss}
    found |= {"status": os.waitstatus_to_exitcode(status), "too_slow": stopped == [signal.SIGALRM]}
    os.write(report, json.dumps(found).encode())


main()
