"""Scrapy: set `ROBOTSTXT_PARSER = "robosieve.scrapy.RobotParser"` in the settings of a project.

`ROBOSIEVE_DIALECT` in the settings selects a dialect other than RFC 9309's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import scrapy.robotstxt

from robosieve._robosieve import product_token
from robosieve.compat._rules import Rules, path

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class RobotParser(scrapy.robotstxt.RobotParser):
    """One robots.txt, for Scrapy's middleware."""

    def __init__(self, body: bytes, dialect: str = "rfc9309") -> None:
        self._rules = Rules(body, dialect)

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> RobotParser:
        """A parser for this robots.txt."""
        dialect = crawler.settings.get("ROBOSIEVE_DIALECT", "rfc9309") if crawler else "rfc9309"
        return cls(robotstxt_body, dialect)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the crawler may fetch the URL."""
        return self._rules.of(product_token(_text(user_agent))).allowed(path(_text(url)))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """The seconds that the crawler should wait."""
        return self._rules.of(product_token(_text(user_agent))).crawl_delay


def _text(given: str | bytes) -> str:
    return given if isinstance(given, str) else given.decode("utf-8", "surrogateescape")
