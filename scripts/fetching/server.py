"""One server on loopback for all the hosts: it answers as each of them does, and writes down who asks for what and when."""

import contextlib
import socket
import ssl
import struct
import subprocess
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from .hosts import DOMAIN, RESET, SILENCE, Answer, Host, Request

# The first byte of a TLS connection.
HANDSHAKE = b"\x16"
# Seconds: nobody waits so long for a request, nor for a silent server to speak.
PATIENCE = 60


class Clock:
    """A clock that only `sleep` moves: a file with seconds of Unix time, for the server and for what it tests."""

    def __init__(self, path: Path, start: int) -> None:
        self.path = path
        path.write_text(f"{start}\n")

    def now(self) -> int:
        return int(float(self.path.read_text()))


class Server:
    """Answers for the hosts until it is closed."""

    def __init__(self, hosts: dict[str, Host], clock: Clock, folder: Path) -> None:
        self.hosts, self.clock = hosts, clock
        self.certificate = folder / "certificate.pem"
        self.context = certified(self.certificate)
        self.lock = threading.Lock()
        # How many connections are open.
        self.open, self.ended = 0, threading.Condition()
        # What is called after so many requests from now.
        self.alarm: tuple[int, Callable[[], object]] | None = None
        # For each URL, when it was requested, and from when it may be again. The number of requests counts those before a kill, too.
        self.asked: dict[str, list[int]] = defaultdict(list)
        self.free: dict[str, int] = {}
        self.times: Counter[str] = Counter()
        self.problems: list[str] = []
        # What is called then: nobody needs to wait for more of them.
        self.at_problem: Callable[[], object] = lambda: None
        # Where nobody listens: the port is taken, and refuses.
        self.nobody = socket.socket()
        self.nobody.bind(("127.0.0.1", 0))
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def ports(self) -> tuple[int, int]:
        """Of the server, and of nobody."""
        return self.listening.getsockname()[1], self.nobody.getsockname()[1]

    def close(self) -> None:
        self.listening.close()
        self.nobody.close()

    def forget_the_last(self) -> None:
        """Who asked was killed: requests of this moment may be made again, also those that are still to be read."""
        with socket.create_connection(self.listening.getsockname()) as last:
            last.shutdown(socket.SHUT_WR)
            last.recv(1)
        with self.ended:
            self.ended.wait_for(lambda: not self.open, PATIENCE)
        with self.lock:
            now = self.clock.now()
            for url, times in self.asked.items():
                if times and times[-1] == now:
                    times.pop()
                    self.free[url] = now

    def problem(self, text: str) -> None:
        self.problems.append(text)
        self.at_problem()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            with self.ended:
                self.open += 1
            threading.Thread(target=self.talk_to_the_end, args=(connection,), daemon=True).start()

    def talk_to_the_end(self, connection: socket.socket) -> None:
        try:
            self.talk(connection)
        finally:
            with self.ended:
                self.open -= 1
                self.ended.notify_all()

    def talk(self, connection: socket.socket) -> None:
        """One request and its answer. Clients may hang up at any time."""
        connection.settimeout(PATIENCE)
        with contextlib.suppress(OSError), contextlib.ExitStack() as open_connections:
            open_connections.enter_context(connection)
            tls = connection.recv(1, socket.MSG_PEEK) == HANDSHAKE
            if tls:
                connection = open_connections.enter_context(self.context.wrap_socket(connection, server_side=True))
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            answer = self.reply("https" if tls else "http", head.decode("latin-1"))
            connection.sendall(answer.head)
            for piece in answer.body:
                connection.sendall(piece)
            if answer.end == SILENCE:
                connection.recv(1)
            if answer.end == RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def reply(self, scheme: str, head: str) -> Answer:
        """Writes the request down, and what is wrong with it; returns the answer."""
        request_line, *headers = head.split("\r\n")
        named = dict(header.lower().split(": ", 1) for header in headers if ": " in header)
        origin, target = f"{scheme}://{named['host']}", request_line.split(" ")[1]
        url = origin + target
        with self.lock:
            now = self.clock.now()
            self.times[url] += 1
            if now < self.free.get(url, 0):
                self.problem(f"early: {url} is requested {self.free[url] - now} s too early")
            self.asked[url].append(now)
            if self.alarm:
                left, call = self.alarm
                self.alarm = (left - 1, call) if left > 1 else None
                if left <= 1:
                    call()
            host = self.hosts.get(origin)
            if host is None:
                self.problem(f"strange: {url} is requested")
                return Answer()
            answer = host.reply(Request(host.number, target, self.times[url], now))
            self.free[url] = now + max(answer.pause, 60)
            return answer


def certified(path: Path) -> ssl.SSLContext:
    """A context with a new certificate for the names of the domain, which is written to a file."""
    key = path.with_suffix(".key")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", f"/CN={DOMAIN}", "-addext", f"subjectAltName=DNS:*.{DOMAIN}"]
    subprocess.run([*command, *names, "-keyout", key, "-out", path], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, key)
    return context
