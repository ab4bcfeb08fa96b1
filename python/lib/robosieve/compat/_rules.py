"""Shared by the drop-ins: one robots.txt, compiled for each crawler that asks."""

import re

from robosieve._robosieve import RobotsTxt

_ORIGIN = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#\\]*")


class Rules:
    """The rules of one robots.txt, for every crawler that asks."""

    def __init__(self, body: str | bytes, dialect: str) -> None:
        self.body = body
        self.dialect = dialect
        self._compiled: dict[str, RobotsTxt] = {}

    def of(self, agent: str) -> RobotsTxt:
        """The rules for the crawler with this name."""
        if agent not in self._compiled:
            verbatim = agent != "*"
            self._compiled[agent] = RobotsTxt(self.body, agent, dialect=self.dialect, verbatim=verbatim)
        return self._compiled[agent]


def path(url: str) -> str:
    """The path of a URL with any scheme or none."""
    rest = _ORIGIN.sub("", url, count=1)
    return rest if rest.startswith("/") else f"/{rest}"
