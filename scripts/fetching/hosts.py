"""Two hundred hosts, most of them with trouble: what each answers, and what a frontier must make of it in the end."""

import email.utils
import gzip
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import repeat

DOMAIN = "trouble.example"
FILE = b"User-agent: *\nDisallow: /private/\n"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
PAGE = b"<!doctype html><html><body>Welcome</body></html>\n"

# What becomes of a host's URLs /open and /private/x.
RULES = ("allowed", "blocked")
FREE = ("allowed", "allowed")
GIVEN_UP = ("deferred", "deferred")

# How an answer ends: the connection is closed, reset, or stays open and silent.
CLOSE, RESET, SILENCE = "close", "reset", "silence"


@dataclass(frozen=True)
class Request:
    """A request: the number of its host, for what, which one it is for this URL (1 is the first), and when."""

    number: int
    target: str
    times: int
    now: int


@dataclass(frozen=True)
class Answer:
    """What is sent: a head, pieces of a body, and how it ends; and the pause that it asks for, in seconds."""

    head: bytes = b""
    body: Iterable[bytes] = ()
    end: str = CLOSE
    pause: int = 0


def answer(status: str, *headers: str, body: bytes = b"", end: str = CLOSE, pause: int = 0) -> Answer:
    """An answer as servers write it. It has its length, unless a header says how the body ends."""
    has_length = any(header.startswith(("Content-Length", "Transfer-Encoding")) for header in headers)
    headers = (*headers, *([] if has_length else [f"Content-Length: {len(body)}"]), "Connection: close")
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", *headers, ""))
    return Answer(head.encode("latin-1"), (body,), end, pause)


def always(*args: str, **more: object) -> Callable[[Request], Answer]:
    """The same answer to each request."""
    return lambda _: answer(*args, **more)  # type: ignore[arg-type]


OK = always("200 OK", "Content-Type: text/plain", body=FILE)
MISSING = always("404 Not Found", body=PAGE)


def after(times: int, trouble: Callable[[Request], Answer], then: Callable[[Request], Answer] = OK) -> Callable[[Request], Answer]:
    """Trouble so many times, and then the file."""
    return lambda request: (trouble if request.times <= times else then)(request)


def to(location: str) -> Callable[[Request], Answer]:
    """A redirect of robots.txt, with the host's number for #N; everything else is the file."""
    return lambda request: (
        answer("302 Found", f"Location: {location.replace('#N', str(request.number))}")
        if request.target == "/robots.txt"
        else OK(request)
    )


def only_at(target: str, location: str) -> Callable[[Request], Answer]:
    """A redirect of robots.txt; the file is only at the target that it means."""
    return lambda request: (OK if request.target == target else to(location) if request.target == "/robots.txt" else MISSING)(request)


def chain(hops: int) -> Callable[[Request], Answer]:
    """So many redirects, one after the other; then the file."""

    def step(request: Request) -> Answer:
        hop = 0 if request.target == "/robots.txt" else int(request.target.removeprefix("/hop/"))
        return OK(request) if hop == hops else answer("301 Moved Permanently", f"Location: {'hop/' * (hop == 0)}{hop + 1}")

    return step


def retry_after_date(request: Request) -> Answer:
    """Too many requests, until a date."""
    return answer("429 Too Many Requests", f"Retry-After: {email.utils.formatdate(request.now + 1800, usegmt=True)}", pause=1800)


def pieces(piece: bytes, first: bytes = b"") -> Iterable[bytes]:
    """A body without end."""
    yield first
    yield from repeat(piece)


def raw(*sent: bytes, end: str = CLOSE) -> Callable[[Request], Answer]:
    """Bytes that are no answer, or a part of one."""
    return lambda _: Answer(b"".join(sent), end=end)


UNAVAILABLE = always("503 Service Unavailable")
RETRY_LATER = always("429 Too Many Requests", "Retry-After: 1800", pause=1800)
IN_A_YEAR = always("503 Service Unavailable", "Retry-After: 31536000", pause=31_536_000)
SHORT = always("200 OK", "Content-Length: 99", body=FILE)
CUT_CHUNK = always("200 OK", "Transfer-Encoding: chunked", body=b"99\r\n" + FILE)
START, UNTIL_CLOSED = b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"
ODD = "/odd\"[1]{a}?a\\b|c=%zz&d='#fragment"

# Name, number of hosts, what becomes of their URLs, what they answer. Who waits for one that is silent waits for as long as its user
# allows: so each is silent only once.
HTTP = (
    ("rules", 23, RULES, OK),
    ("missing", 10, FREE, MISSING),
    ("gone", 2, FREE, always("410 Gone")),
    ("forbidden", 3, FREE, always("403 Forbidden", body=PAGE)),
    ("empty", 2, FREE, always("200 OK")),
    ("page", 6, FREE, always("200 OK", "Content-Type: text/html", body=PAGE)),
    ("odd-status", 2, GIVEN_UP, always("999 Denied", body=PAGE)),
    ("error", 4, GIVEN_UP, always("500 Internal Server Error", body=FILE)),
    ("unavailable", 4, GIVEN_UP, UNAVAILABLE),
    ("recovers", 6, RULES, after(2, UNAVAILABLE)),
    ("many", 3, GIVEN_UP, always("429 Too Many Requests")),
    ("many-once", 4, RULES, after(1, RETRY_LATER)),
    ("many-until", 3, RULES, after(1, retry_after_date)),
    ("year", 2, GIVEN_UP, IN_A_YEAR),
    ("moved", 4, RULES, to("/files/robots.txt?v=1")),
    ("moved-odd", 2, RULES, to(ODD)),
    ("moved-utf8", 2, RULES, only_at("/%C3%A9", "/\u00c3\u00a9")),
    ("moved-far", 1, RULES, to(f"\\\\rules-1.{DOMAIN}\\robots.txt")),
    ("many-digits", 2, GIVEN_UP, always("429 Too Many Requests", "Retry-After: " + 400 * "9", pause=31_536_000)),
    ("many-words", 2, RULES, after(1, always("503 Service Unavailable", "Retry-After: Thu, 99 Foo: soon\t"))),
    ("chain", 6, RULES, chain(5)),
    ("chain-too-long", 3, FREE, chain(6)),
    ("across", 8, RULES, to(f"http://rules-1.{DOMAIN}/robots.txt")),
    ("across-twice", 3, RULES, to(f"http://across-#N.{DOMAIN}/robots.txt")),
    ("to-tls", 5, RULES, to(f"https://tls-#N.{DOMAIN}/robots.txt")),
    ("to-recovering", 3, RULES, to(f"http://recovers-#N.{DOMAIN}/robots.txt")),
    ("to-page", 2, FREE, to(f"http://page-#N.{DOMAIN}/welcome")),
    ("to-missing", 2, FREE, to(f"http://missing-#N.{DOMAIN}/robots.txt")),
    ("to-unavailable", 2, GIVEN_UP, to(f"http://unavailable-#N.{DOMAIN}/robots.txt")),
    ("to-nobody", 2, GIVEN_UP, to(f"http://nobody-#N.{DOMAIN}/robots.txt")),
    ("to-itself", 2, FREE, to("/robots.txt")),
    ("loop", 2, FREE, to(f"http://loop-back-#N.{DOMAIN}/robots.txt")),
    ("loop-back", 2, FREE, to(f"http://loop-#N.{DOMAIN}/robots.txt")),
    ("to-nowhere", 2, GIVEN_UP, always("302 Found")),
    ("to-ftp", 2, GIVEN_UP, to(f"ftp://files.{DOMAIN}/robots.txt")),
    ("gzip", 5, RULES, always("200 OK", "Content-Encoding: gzip", body=gzip.compress(FILE))),
    ("gzip-unnamed", 2, RULES, always("200 OK", body=gzip.compress(FILE))),
    ("deflate", 2, RULES, always("200 OK", "Content-Encoding: deflate", body=zlib.compress(FILE, wbits=-15))),
    ("gzip-cut", 2, GIVEN_UP, always("200 OK", "Content-Encoding: gzip", body=gzip.compress(FILE)[:-9])),
    ("chunked", 3, RULES, always("200 OK", "Transfer-Encoding: chunked", body=b"%x\r\n%s\r\n0\r\n\r\n" % (len(FILE), FILE))),
    ("chunk-cut", 2, GIVEN_UP, CUT_CHUNK),
    ("short", 3, GIVEN_UP, SHORT),
    ("short-once", 3, RULES, after(1, SHORT)),
    ("endless", 2, RULES, lambda _: Answer(UNTIL_CLOSED, pieces(b"# more\n" * 8192, FILE))),
    ("endless-head", 2, GIVEN_UP, lambda _: Answer(START, pieces(b"X-More: more\r\n" * 512))),
    ("picture", 2, GIVEN_UP, always("200 OK", "Content-Type: image/png", body=PICTURE)),
    ("reset", 4, GIVEN_UP, raw(end=RESET)),
    ("reset-once", 4, RULES, after(1, raw(end=RESET))),
    ("reset-late", 2, GIVEN_UP, always("200 OK", "Content-Length: 99", body=FILE, end=RESET)),
    ("hangs-up", 2, GIVEN_UP, raw()),
    ("no-http", 2, GIVEN_UP, raw(b"220 mail ready\r\n\r\n")),
    ("nobody", 6, GIVEN_UP, raw()),
    ("silent", 2, GIVEN_UP, after(1, raw(end=SILENCE), raw())),
    ("silent-once", 2, RULES, after(1, raw(end=SILENCE))),
    ("stalls", 2, GIVEN_UP, after(1, raw(UNTIL_CLOSED, FILE, end=SILENCE), SHORT)),
    ("stalls-in-head", 2, GIVEN_UP, after(1, raw(START, b"X-", end=SILENCE), raw(START, b"X-", end=RESET))),
)
# The same over TLS. The certificate is for one label before the domain.
HTTPS = (
    ("tls", 6, RULES, OK),
    ("tls-missing", 2, FREE, MISSING),
    ("tls-short", 1, GIVEN_UP, SHORT),
    ("other.certificate", 2, GIVEN_UP, OK),
)
# Nobody listens where these are.
NOBODY = "nobody-"


@dataclass(frozen=True)
class Host:
    """One of the hosts."""

    origin: str
    number: int
    verdicts: tuple[str, str]
    reply: Callable[[Request], Answer]

    @property
    def slow(self) -> bool:
        """Whether a client waits in vain for its first answer."""
        return self.reply(Request(self.number, "/robots.txt", 1, 0)).end == SILENCE

    @property
    def redirects(self) -> bool:
        """Whether its robots.txt is elsewhere."""
        return b" 302 " in self.reply(Request(self.number, "/robots.txt", 1, 0)).head

    @property
    def lines(self) -> dict[str, str]:
        """Its URLs in the list, with the partition that each ends in."""
        return dict(zip((f"{self.origin}/open", f"{self.origin}/private/x"), self.verdicts, strict=True))


def hosts() -> dict[str, Host]:
    """All hosts, by origin; the kinds are mixed."""
    every = [
        (number, Host(f"{scheme}://{name}-{number}.{DOMAIN}", number, verdicts, reply))
        for scheme, kinds in (("http", HTTP), ("https", HTTPS))
        for name, copies, verdicts, reply in kinds
        for number in range(1, copies + 1)
    ]
    return {host.origin: host for _, host in sorted(every, key=lambda pair: pair[0])}
