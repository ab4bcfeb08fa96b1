"""Recorded answers of servers, and the outcomes robosieve should derive from them.

Each site is an origin with its recorded answers, and the expected outcome of its URL /no. Every robots.txt in here blocks
/no and nothing else.
"""

import gzip
import zlib
from dataclasses import dataclass, field

RULES = b"User-agent: *\nDisallow: /no\n"
BLOCKED = "blocked rules"
UNAVAILABLE = "allowed unavailable"
UNREACHABLE = "deferred unreachable"
UNRESOLVED = "deferred redirect-unresolved"
UNFETCHED = "deferred unfetched"
INCOMPLETE = "deferred incomplete"
EMPTY = "allowed no-group"


@dataclass
class Answer:
    """One answer, as archived."""

    url: str
    status: str = "200 OK"
    headers: list = field(default_factory=list)
    # The body as sent, and decoded.
    body: bytes = b""
    plain: bytes = None
    second: int = 0
    # Additional fields of the record.
    record: dict = field(default_factory=dict)
    # The answer that this one repeats; the archive has a revisit for it.
    repeats: "Answer" = None
    # Whether the record is a resource: a body without the head of an answer.
    is_resource: bool = False
    # Whether the revisit refers to its original only by the digest.
    by_digest: bool = False

    @property
    def location(self):
        """The target of a redirect."""
        return dict(self.headers).get("Location")


@dataclass
class Site:
    """An origin, its answers, and the outcome of its /no by dialect; `rfc9309` applies to dialects not listed."""

    origin: str
    answers: list
    outcomes: dict
    # Whether it fits into a table, which has no encodings and no revisits.
    tabular: bool = True


def robots(origin, **fields):
    """An answer for an origin's robots.txt."""
    return Answer(url=f"{origin}/robots.txt", **fields)


def site(origin, answer, outcome, tabular=True, **dialects):
    """A site with one answer, or several."""
    answers = answer if isinstance(answer, list) else [answer]
    outcomes = {"rfc9309": outcome} | {name.replace("_", "-"): other for name, other in dialects.items()}
    return Site(origin, answers, outcomes, tabular)


def chunked(body, size=7):
    """A body in chunked transfer encoding."""
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def redirect(origin, target, status="301 Moved Permanently"):
    """An answer that redirects."""
    return robots(origin, status=status, headers=[("Location", target)])


def bodies():
    """One file in many encodings and forms."""
    encodings = {
        "plain": ([], RULES),
        "chunked": ([("Transfer-Encoding", "chunked")], chunked(RULES)),
        "gzip": ([("Content-Encoding", "gzip")], gzip.compress(RULES)),
        "gzip-chunked": (
            [("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")],
            chunked(gzip.compress(RULES)),
        ),
        "deflate": ([("Content-Encoding", "deflate")], zlib.compress(RULES)),
        "bare-deflate": ([("Content-Encoding", "deflate")], zlib.compress(RULES, wbits=-15)),
        "decoded": ([("Content-Encoding", "br"), ("Transfer-Encoding", "chunked")], RULES),
    }
    for name, (headers, body) in encodings.items():
        yield site(f"http://{name}.example", robots(f"http://{name}.example", headers=headers, body=body, plain=RULES), BLOCKED)
    for name in ("utf-16-le", "utf-16-be"):
        mark = b"\xff\xfe" if name.endswith("le") else b"\xfe\xff"
        body = mark + RULES.decode().encode(name)
        # Google's library does not decode UTF-16.
        yield site(f"http://{name}.example", robots(f"http://{name}.example", body=body), BLOCKED, google=EMPTY)
    html = b"<!DOCTYPE html><html><body>Disallow: /no</body></html>"
    yield site("http://html.example", robots("http://html.example", body=html), EMPTY)
    yield site("http://empty.example", robots("http://empty.example"), EMPTY)
    cut = robots("http://cut.example", body=RULES + b"Allow: /n", record={"WARC-Truncated": "length"})
    yield site("http://cut.example", cut, BLOCKED, tabular=False)
    for name, headers, body, record in (
        ("short", [("Content-Length", "99")], RULES, {}),
        ("cut-gzip", [("Content-Encoding", "gzip")], gzip.compress(RULES)[:-5], {}),
        ("no-last-chunk", [("Transfer-Encoding", "chunked")], chunked(RULES)[:-5], {}),
        ("disconnected", [], RULES, {"WARC-Truncated": "disconnect"}),
    ):
        answer = robots(f"http://{name}.example", headers=headers, body=body, record=record)
        yield site(f"http://{name}.example", answer, INCOMPLETE, tabular=False)
    resource = robots("http://resource.example", body=RULES, is_resource=True)
    yield site("http://resource.example", resource, BLOCKED, tabular=False)
    compress = [("Content-Encoding", "compress")]
    garbled = robots("http://garbled.example", headers=compress, body=b"\x1f\x9d\x90\x00\x01\x02\x03")
    yield site("http://garbled.example", garbled, UNREACHABLE, tabular=False)


def statuses():
    """Errors, some of them with bodies."""
    for status in ("400 Bad Request", "404 Not Found", "410 Gone", "418 Teapot"):
        origin = f"https://s{status[:3]}.example"
        yield site(origin, robots(origin, status=status, body=b"<html>"), UNAVAILABLE)
    for status in ("401 Unauthorized", "403 Forbidden"):
        origin = f"https://s{status[:3]}.example"
        yield site(origin, robots(origin, status=status), UNAVAILABLE, draft_1996="blocked forbidden")
    limited = robots("https://s429.example", status="429 Too Many Requests")
    yield site("https://s429.example", limited, UNREACHABLE)
    for status in ("408 Request Timeout", "425 Too Early"):
        origin = f"https://s{status[:3]}.example"
        yield site(origin, robots(origin, status=status), UNREACHABLE, google=UNAVAILABLE)
    for status in ("500 Internal Server Error", "503 Service Unavailable"):
        origin = f"https://s{status[:3]}.example:8443"
        yield site(origin, robots(origin, status=status, body=RULES), UNREACHABLE)


def redirects():
    """Chains, loops, and every kind of end."""
    for hops, outcome in ((1, BLOCKED), (5, BLOCKED), (6, UNAVAILABLE)):
        origins = [f"http://chain{hops}-{place}.example" for place in range(hops + 1)]
        answers = [redirect(here, f"{there}/robots.txt") for here, there in zip(origins, origins[1:])]
        answers.append(robots(origins[-1], body=RULES))
        yield site(origins[0], answers, outcome, mandelbot=BLOCKED)
        yield site(origins[1], [], BLOCKED)
    loop = [redirect("http://loop.example", "http://pool.example/robots.txt"), redirect("http://pool.example", "http://loop.example/robots.txt")]
    for origin, answers in (("http://loop.example", loop), ("http://pool.example", [])):
        yield site(origin, answers, UNAVAILABLE, mandelbot=UNRESOLVED)
    yield site("http://dangling.example", redirect("http://dangling.example", "http://nowhere.example/robots.txt"), UNRESOLVED)
    to_https = [redirect("http://secure.example", "https://secure.example/robots.txt", "308 Permanent Redirect"), robots("https://secure.example", body=RULES)]
    yield site("http://secure.example", to_https, BLOCKED)
    yield site("https://secure.example", [], BLOCKED)
    yield site("http://secure.example:8080", [], UNFETCHED)
    to_host = [redirect("http://moved.example", "//www.moved.example/robots.txt", "302 Found"), robots("http://www.moved.example", body=RULES)]
    yield site("http://moved.example", to_host, BLOCKED)
    gone = [redirect("http://gone.example", "/gone"), Answer("http://gone.example/gone", status="404 Not Found")]
    yield site("http://gone.example", gone, UNAVAILABLE)


def pages():
    """Pages other than robots.txt, which count only as targets of redirects."""
    page = Answer("http://page.example/policy.txt?v=1", body=RULES)
    yield site("http://page.example", [page, redirect("http://page.example", "policy.txt?v=1")], BLOCKED)
    to_home = [redirect("http://home.example", "/"), Answer("http://home.example/", body=b"<html></html>")]
    yield site("http://home.example", to_home, EMPTY)
    alone = [Answer("http://alone.example/", body=RULES), Answer("http://alone.example/x/robots.txt", body=RULES)]
    yield site("http://alone.example", alone, UNFETCHED)


def histories():
    """Several answers for one URL: the newest counts."""
    origin = "http://newer.example"
    old = robots(origin, body=b"User-agent: *\nDisallow: /\n", second=1)
    yield site(origin, [robots(origin, body=RULES, second=9), old], BLOCKED)
    origin = "http://revisit.example"
    first = robots(origin, body=RULES, second=1)
    between = robots(origin, body=b"User-agent: *\nDisallow: /other\n", second=5)
    yield site(origin, [robots(origin, second=9, repeats=first), between, first], BLOCKED, tabular=False)
    origin = "http://same.example"
    yield site(origin, robots(origin, second=9, repeats=first, by_digest=True), BLOCKED, tabular=False)
    origin = "http://lost.example"
    lost = robots("http://elsewhere.example", body=b"User-agent: *\nDisallow: /no # another one\n", second=1)
    old = robots(origin, body=RULES, second=1)
    yield site(origin, [old, robots(origin, second=9, repeats=lost)], UNREACHABLE, tabular=False)
    origin = "http://not-there.example"
    missing = Answer("http://other.example/", status="404 Not Found", second=1)
    again = robots(origin, status="404 Not Found", second=9, repeats=missing)
    yield site(origin, [robots(origin, body=RULES, second=1), again], UNAVAILABLE, tabular=False)


def all_sites():
    """All sites."""
    return [*bodies(), *statuses(), *redirects(), *pages(), *histories()]
