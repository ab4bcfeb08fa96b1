"""A drop-in for `urllib.robotparser`.

>>> from robosieve.compat.urllib import RobotFileParser
>>> parser = RobotFileParser()
>>> parser.parse(["User-agent: *", "Disallow: /*.gif$"])
>>> parser.can_fetch("examplebot", "https://shop.example/a.gif")
False
"""

import urllib.error
import urllib.request
import urllib.robotparser
from collections.abc import Iterable
from urllib.robotparser import RequestRate

from robosieve._robosieve import Answer, compile
from robosieve.compat._rules import Rules, path

__all__ = ["RequestRate", "RobotFileParser"]


class RobotFileParser(urllib.robotparser.RobotFileParser):
    """The standard library's parser with robosieve's verdicts; `read()` fetches as the original does.

    A status such as 429, by which a server says "not now" in the dialect, does not allow everything, as with the
    original, but nothing, as 503 does.
    """

    disallow_all: bool
    allow_all: bool

    def __init__(self, url: str = "", *, dialect: str = "rfc9309") -> None:
        super().__init__(url)
        self._rules = Rules("", dialect)

    def read(self) -> None:
        """Fetches the robots.txt and reads it, whatever its coding is."""
        try:
            with urllib.request.urlopen(self.url) as answer:  # type: ignore[attr-defined]
                body = answer.read()
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                self.disallow_all = True
            elif 400 <= error.code < 500:
                self.allow_all = _is_missing(error.code, self._rules.dialect)
            error.close()
        else:
            self._read(body.decode("utf-8", "surrogateescape"))

    def parse(self, lines: Iterable[str]) -> None:
        """Parses the lines of a robots.txt."""
        self._read("\n".join(line.rstrip("\r\n") for line in lines))

    def _read(self, text: str) -> None:
        self._rules = Rules(text, self._rules.dialect)
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Whether the crawler may fetch the URL."""
        # Set by `read()` if there is no robots.txt to read.
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        return bool(self.mtime()) and self._rules.of(_name(useragent)).allowed(path(url))

    def crawl_delay(self, useragent: str) -> str | None:  # typeshed says str; it is an integer
        """The seconds that the crawler should wait, if they are an integer."""
        delays = [value for value in self._records(useragent, "crawl-delay") if value.isdecimal()]
        return int(delays[-1]) if delays else None  # type: ignore[return-value]

    def request_rate(self, useragent: str) -> RequestRate | None:
        """How many requests the crawler may make in how many seconds."""
        rates = [value.split("/") for value in self._records(useragent, "request-rate")]
        numbers = [rate for rate in rates if len(rate) == 2 and all(part.strip().isdecimal() for part in rate)]
        return RequestRate(int(numbers[-1][0]), int(numbers[-1][1])) if numbers else None

    def site_maps(self) -> list[str] | None:
        """The sitemaps."""
        return self._rules.of("*").sitemaps or None

    def _records(self, useragent: str, key: str) -> list[str]:
        return self._rules.of(_name(useragent)).records(key) if self.mtime() else []

    def __str__(self) -> str:
        return str(self._rules.body)


def _is_missing(status: int, dialect: str) -> bool:
    """Whether a status means that there is no robots.txt, by the dialect."""
    answer = Answer("http://a.example/robots.txt", status)
    return compile([answer], ["*"], dialect=dialect).allowed("http://a.example/")


def _name(useragent: str) -> str:
    """The part of a user agent that the original compares."""
    return useragent.split("/", 1)[0].strip() or "*"
