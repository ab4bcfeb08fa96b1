"""What the drop-ins share: one robots.txt, compiled for each crawler that asks."""

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
        """Those for a crawler of this name."""
        if agent not in self._compiled:
            verbatim = agent != "*"
            self._compiled[agent] = RobotsTxt(self.body, agent, dialect=self.dialect, verbatim=verbatim)
        return self._compiled[agent]


def path(url: str) -> str:
    """The path of a URL of any scheme, or of one without any."""
    rest = _ORIGIN.sub("", url, count=1)
    return rest if rest.startswith("/") else f"/{rest}"
