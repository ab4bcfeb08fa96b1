"""The drop-ins against the originals, on real robots.txt files and URLs.

Differences are explained by reasons in the ledger: removing what a reason names from the case makes both agree.
A reason that explains nothing fails the test too.
"""

import platform
import re
import sys
import urllib.robotparser
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import time
from pathlib import Path
from typing import Any, NamedTuple

import protego
import pytest

from robosieve.compat.protego import Protego, RequestRate, VisitTime
from robosieve.compat.urllib import RobotFileParser

AGENTS = ["Googlebot", "Bingbot", "GPTBot", "examplebot"]

# A case: the text of a robots.txt, the crawler, the URL.
Case = tuple[str, str, str]
CanFetch = Callable[[str, str], bool]


class Reason(NamedTuple):
    """A legitimate difference between two parsers."""

    text: str
    without: Callable[[str], str] = str
    url_without: Callable[[str], str] | None = None

    def removed(self, case: Case) -> Case:
        body, agent, url = case
        return self.without(body), agent, (self.url_without or self.without)(url)


def sub(pattern: str, by: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, by, text, flags=re.IGNORECASE | re.MULTILINE)


NAMES = "|".join(AGENTS)
AGENT = r"^\s*user-agent\s*:"
RULE = r"^\s*(?:dis)?allow\s*:"

CRAWL_DELAYS = sub(r"^\s*crawl-delay\s*:.*$", "#")

URLLIB = [
    Reason(
        "a rule without a value allows everything, and the rules after it count no more",
        sub(rf"{RULE}\s*(?:#.*)?$", "#"),
    ),
    Reason("a ? at the end of a rule is lost", sub(rf"({RULE}[^#\n]*?)\?+\s*(?=#|$)", r"\1"), str),
    Reason("%2F is taken for a slash", sub("%2f", "/")),
    Reason(
        "a crawler is not meant by a User-agent that has its name and more, as by the draft",
        sub(rf"({AGENT}\s*)(?=[^#\n]*(?:{NAMES}))(?!(?:{NAMES})\s*(?:$|[#/]))[^#\n]*", r"\1other"),
        str,
    ),
    Reason(
        "a User-agent that is a part of the crawler's name is the crawler",
        sub(rf"{AGENT}[ \t]*(?:bing)?[ \t\r]*$", "User-agent: nobody"),
        str,
    ),
    Reason("a line of blanks ends no record", sub(r"^[ \t]+\r?$", "#"), str),
    Reason("Crawl-delay ends the User-agent lines of a record", CRAWL_DELAYS, str),
    Reason("a rule that begins with two slashes is cut as a URL", sub(rf"({RULE}\s*)//+", r"\1/"), str),
    Reason(
        "a record without rules is none",
        sub(rf"{AGENT}.*\n(?:(?:[ \t]*|sitemap:.*|#.*)\n)*(?:[ \t]*\n)(?=user-agent)", ""),
        str,
    ),
    Reason("/robots.txt may be forbidden", str, sub(r"/robots\.txt", "/robots_txt")),
]
PROTEGO = [
    Reason(
        "an escaped character that is reserved, such as %3D, is taken for the character",
        sub("%(3[AFDB]|2[0-9A-F]|40)", ""),
    ),
    Reason("a $ in a URL is taken for its end", str, sub(r"\$", "")),
    Reason(
        "rules that are whole URLs are those of their path",
        sub(rf"({RULE}\s*)https?://[^/\s]*", r"\1"),
        sub("(?<=.)https?://[^/]*/?", ""),
    ),
    Reason("Crawl-delay ends the User-agent lines of a group", CRAWL_DELAYS, str),
    Reason(
        "a rule for index.html is one for its folder, as Google has it",
        sub(rf"({RULE}[^#\n]*)/index\.html?", r"\1/other"),
        str,
    ),
    Reason("a part of an escape is an escape", str, sub("%[0-9a-f]?(?![0-9a-f])", "")),
    Reason(
        "a path is judged as it is written, not as it is fetched",
        str,
        sub(r"\\|(?<=[/\\])\.{1,2}(?=[/\\?#]|$)", ""),
    ),
]


def original_urllib(body: str) -> CanFetch:
    parser = urllib.robotparser.RobotFileParser()
    parser.parse(body.splitlines())
    return parser.can_fetch


def ours_as_urllib(dialect: str) -> Callable[[str], CanFetch]:
    def parsed(body: str) -> CanFetch:
        parser = RobotFileParser(dialect=dialect)
        parser.parse(body.splitlines())
        return parser.can_fetch

    return parsed


def original_protego(body: str) -> CanFetch:
    parser = protego.Protego.parse(body)
    return lambda agent, url: parser.can_fetch(url, agent)


def ours_as_protego(dialect: str) -> Callable[[str], CanFetch]:
    def parsed(body: str) -> CanFetch:
        parser = Protego.parse(body, dialect=dialect)
        return lambda agent, url: parser.can_fetch(url, agent)

    return parsed


def files(corpus: Path) -> Iterator[tuple[str, list[str]]]:
    """Each robots.txt of the corpus, with URLs to ask about."""
    for folder in ("urls", "probes"):
        for path in sorted((corpus / folder).iterdir()):
            robots = corpus / "robots" / path.name
            if robots.exists():
                body = robots.read_bytes().decode(errors="replace").removeprefix("\ufeff")
                yield body, path.read_bytes().decode(errors="replace").rstrip("\n").split("\n")


def compare(
    corpus: Path, original: Callable[[str], CanFetch], ours: Callable[[str], CanFetch], reasons: list[Reason]
) -> tuple[Counter[str], list[Case]]:
    """The number of verdicts that agree, the number explained by each reason, and the unexplained cases."""
    counts: Counter[str] = Counter()
    unexplained = []
    combined = Reason("several of these together")
    for reason in reasons:
        before = combined
        combined = Reason(
            combined.text,
            lambda body, before=before, reason=reason: reason.without(before.without(body)),  # type: ignore[misc]
            lambda url, before=before, reason=reason: (reason.url_without or reason.without)(
                (before.url_without or str)(url)
            ),  # type: ignore[misc]
        )
    for body, urls in files(corpus):
        theirs, own = original(body), ours(body)
        for agent in AGENTS:
            for url in urls:
                if theirs(agent, url) == own(agent, url):
                    counts["the same"] += 1
                    continue
                for reason in [*reasons, combined]:
                    changed, _, other = reason.removed((body, agent, url))
                    if original(changed)(agent, other) == ours(changed)(agent, other):
                        counts[reason.text] += 1
                        break
                else:
                    unexplained.append((body, agent, url))
    return counts, unexplained


def test_urllib_differs_for_known_reasons(shared: Callable[[str], Path]) -> None:
    version = platform.python_version()
    if sys.version_info >= (3, 14, 5):
        pytest.skip(f"SKIPPED: the ledger is of the standard library before it followed RFC 9309; this is {version}")
    corpus = shared("corpus")
    counts, unexplained = compare(corpus, original_urllib, ours_as_urllib("draft-1996"), URLLIB)
    print(f"\nurllib.robotparser of Python {version}, which follows the draft of 1996:", *counts.items(), sep="\n  ")
    assert not unexplained, [(agent, url) for _, agent, url in unexplained[:20]]
    assert all(counts[reason.text] > 0 for reason in URLLIB)
    assert counts["the same"] > 390_000


def test_rfc_9309_is_what_the_standard_library_follows_by_now() -> None:
    """Before 3.14.5, the first matching rule wins, and there are no wildcards."""
    body = ["User-agent: *", "Disallow: /a", "Allow: /a/b", "Disallow: /*.gif$"]
    parser = RobotFileParser()
    parser.parse(body)
    assert (parser.can_fetch("examplebot", "/a/b"), parser.can_fetch("examplebot", "/x.gif")) == (True, False)
    old = urllib.robotparser.RobotFileParser()
    old.parse(body)
    expected = (True, False) if sys.version_info >= (3, 14, 5) else (False, True)
    assert (old.can_fetch("examplebot", "/a/b"), old.can_fetch("examplebot", "/x.gif")) == expected


def test_protego_differs_for_known_reasons(shared: Callable[[str], Path]) -> None:
    counts, unexplained = compare(shared("corpus"), original_protego, ours_as_protego("rfc9309"), PROTEGO)
    print("\nProtego:", *counts.items(), sep="\n  ")
    assert not unexplained, [(agent, url) for _, agent, url in unexplained[:20]]
    assert all(counts[reason.text] > 0 for reason in PROTEGO)
    assert counts["the same"] > 395_000


BODY = """\
User-agent: examplebot
Crawl-delay: 3
Request-rate: 1/10s 0600-0845
Visit-time: 0600-0845
Disallow: /private

User-agent: *
Crawl-delay: 0.5
Request-rate: 2/5
Sitemap: https://shop.example/sitemap.xml
Host: shop.example
"""


def test_urllibs_other_methods() -> None:
    body = BODY.replace("1/10s 0600-0845", "1/10").splitlines()
    both: list[Any] = [
        urllib.robotparser.RobotFileParser("https://shop.example/robots.txt"),
        RobotFileParser("https://shop.example/robots.txt"),
    ]
    for parser in both:
        assert not parser.can_fetch("examplebot", "/"), "nothing was read yet"
        assert (parser.mtime(), parser.crawl_delay("examplebot")) == (0, None)
        parser.parse(body)
        assert parser.mtime() > 0
        assert [parser.can_fetch("ExampleBot/1.0", url) for url in ("/private/x", "/", "")] == [False, True, True]
        assert (parser.crawl_delay("examplebot"), parser.crawl_delay("other")) == (3, None)
        assert (parser.request_rate("examplebot"), parser.request_rate("other")) == ((1, 10), (2, 5))
        assert parser.site_maps() == ["https://shop.example/sitemap.xml"]
        parser.disallow_all = True
        assert not parser.can_fetch("examplebot", "/")
    empty = RobotFileParser()
    empty.parse([])
    assert (empty.site_maps(), empty.can_fetch("*", "ftp://a/b")) == (None, True)
    assert isinstance(empty, urllib.robotparser.RobotFileParser)


def test_protegos_other_methods() -> None:
    both: list[Any] = [protego.Protego.parse(BODY), Protego.parse(BODY)]
    for parser in both:
        assert (parser.crawl_delay("examplebot"), parser.crawl_delay("other")) == (3.0, 0.5)
        rates = [tuple(parser.request_rate(agent) or ()) for agent in ("examplebot", "other")]
        assert rates == [(1, 10, time(6), time(8, 45)), (2, 5, None, None)]
        assert tuple(parser.visit_time("examplebot") or ()) == (time(6), time(8, 45))
        assert parser.visit_time("other") is None
        assert list(parser.sitemaps) == ["https://shop.example/sitemap.xml"]
        assert parser.preferred_host == "shop.example"
        assert not parser.can_fetch("https://shop.example/private", "examplebot/1.0")
    assert RequestRate(1, 2) == (1, 2, None, None)
    assert VisitTime(time(1), time(2)) == (time(1), time(2))
    odd = Protego.parse("User-agent: *\nCrawl-delay: soon\nRequest-rate: often\nVisit-time: 9999-9999")
    assert (odd.crawl_delay("a"), odd.request_rate("a"), odd.visit_time("a"), odd.preferred_host) == (
        None,
        None,
        None,
        None,
    )
