"""A drop-in for Protego.

>>> from robosieve.compat.protego import Protego
>>> parser = Protego.parse("User-agent: *\\nDisallow: /private\\nCrawl-delay: 0.5")
>>> parser.can_fetch("https://shop.example/private", "examplebot"), parser.crawl_delay("examplebot")
(False, 0.5)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import time
from typing import NamedTuple

from robosieve._robosieve import product_token
from robosieve.compat._rules import Rules, path

__all__ = ["Protego", "RequestRate", "VisitTime"]

_TIMES = re.compile(r"(\d\d):?(\d\d)\s*-\s*(\d\d):?(\d\d)$")
_RATE = re.compile(r"(\d+)\s*/\s*(\d+)\s*([smhd]?)(?:\s+(\S.*))?$", re.IGNORECASE)
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


class RequestRate(NamedTuple):
    """A number of requests in a number of seconds, optionally within a time window of the day."""

    requests: int
    seconds: int
    start_time: time | None = None
    end_time: time | None = None


class VisitTime(NamedTuple):
    """A time window of the day."""

    start_time: time
    end_time: time


class Protego:
    """One robots.txt for every crawler that asks; create it with `parse`."""

    def __init__(self, content: str | bytes = "", *, dialect: str = "rfc9309") -> None:
        self._rules = Rules(content, dialect)

    @classmethod
    def parse(cls, content: str | bytes, *, dialect: str = "rfc9309") -> Protego:
        """Parses the text of a robots.txt."""
        return cls(content, dialect=dialect)

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Whether the crawler may fetch the URL."""
        return self._rules.of(product_token(user_agent)).allowed(path(url))

    def crawl_delay(self, user_agent: str) -> float | None:
        """The seconds that the crawler should wait."""
        for value in self._records(user_agent, "crawl-delay"):
            try:
                return float(value)
            except ValueError:
                continue
        return None

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """How many requests the crawler may make in how many seconds, and when."""
        for value in self._records(user_agent, "request-rate"):
            if found := _RATE.match(value):
                requests, seconds, unit, when = found.groups()
                return RequestRate(int(requests), int(seconds) * _SECONDS[unit.lower()], *(_times(when or "") or ()))
        return None

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """The time of day when the crawler may come."""
        for value in self._records(user_agent, "visit-time"):
            if times := _times(value):
                return VisitTime(*times)
        return None

    @property
    def sitemaps(self) -> Iterator[str]:
        """The sitemaps."""
        return iter(self._rules.of("*").sitemaps)

    @property
    def preferred_host(self) -> str | None:
        """The value of the first `Host` line."""
        return next(iter(self._rules.of("*").records("host")), None)

    def _records(self, user_agent: str, key: str) -> list[str]:
        return self._rules.of(product_token(user_agent)).records(key)


def _times(written: str) -> tuple[time, time] | None:
    found = _TIMES.match(written)
    if not found:
        return None
    hours = [int(part) for part in found.groups()]
    try:
        return time(hours[0], hours[1]), time(hours[2], hours[3])
    except ValueError:
        return None
