"""datatrove: filters documents by the robots.txt of their origin."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from datatrove.data import Document
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter

from robosieve._robosieve import PREFERENCES, Choices, Error, Policy

_REFUSED = ("blocked_for", "deferred_for")


class RobotsFilter(BaseFilter):  # type: ignore[misc]
    """Keeps the documents whose URL every one of the agents may fetch.

    `policy` is the path of a policy file, which the workers of a host share. The verdict and reason for each agent are
    stored in the metadata as `robots`, and what sites say about uses of the page, such as "train_ai", if `columns` has
    it. With `columns` of "blocked_for" and "deferred_for", it is the names of the agents that may not fetch the URL,
    which is shorter for many agents.

    If a host's robots.txt was never fetched, `www` tries the same URL with `www.`
    added to or removed from the host. `keep` lists the verdicts with which a document stays.
    """

    name = "🤖 robosieve"

    def __init__(
        self,
        policy: str | os.PathLike[str],
        agents: list[str],
        *,
        url: str = "url",
        columns: tuple[str, ...] = ("verdict", "reason"),
        www: bool = False,
        keep: tuple[str, ...] = ("allowed",),
        choices: dict[str, Any] | None = None,
        exclusion_writer: DiskWriter | None = None,
        batch_size: int = 1000,
    ) -> None:
        super().__init__(exclusion_writer, batch_size)
        # Workers may run in another folder.
        self.path = os.path.abspath(policy)
        self.agents = agents
        kinds = [("verdict", "reason", *PREFERENCES), _REFUSED]
        if not columns or not any(set(columns) <= set(kind) for kind in kinds):
            some = [", ".join(kind) for kind in kinds]
            raise Error(f"columns: expected some of {some[0]}, or of {some[1]}, not {columns!r}")
        self.columns = tuple(columns)
        self.url = url
        self.www = www
        self.keep = keep
        self.choices = choices or {}

    @cached_property
    def policy(self) -> Policy:
        """The policy, opened by each worker."""
        return Policy(self.path)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "policy"}

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Whether a document stays, or the reason why not."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Document]) -> list[bool | tuple[bool, str]]:
        """Filters many documents at once."""
        urls = [doc.metadata.get(self.url) for doc in batch]
        judged = self._judge(urls)
        if self.www:
            again = [at for at, found in enumerate(judged) if found and "unfetched" in found["reason"]]
            for at, other in zip(again, self._judge([_other(urls[at]) for at in again]), strict=True):
                judged[at] = other
        return [self._result(doc, found) for doc, found in zip(batch, judged, strict=True)]

    def _judge(self, urls: list[str | None]) -> list[dict[str, list[Any]] | None]:
        """The columns for each URL."""
        names = ["verdict", "reason", *(name for name in PREFERENCES if name in self.columns)]
        if self.columns[0] in _REFUSED:
            names = [*_REFUSED, "reason"] if self.www else list(_REFUSED)
        out = self.policy.judge(urls, agents=self.agents, columns=names, choices=Choices(**self.choices), threads=1)
        rows = zip(*(out[name] for name in names), strict=True)
        return [None if row[0] is None else dict(zip(names, row, strict=True)) for row in rows]

    def _result(self, doc: Document, found: dict[str, list[Any]] | None) -> bool | tuple[bool, str]:
        if found is None:
            return False, "no_url"
        if self.columns[0] in _REFUSED:
            doc.metadata["robots"] = {name: found[name] for name in self.columns}
            refused = zip(_REFUSED, ["blocked", "deferred"], strict=True)
            verdicts = [verdict for name, verdict in refused if found[name]]
        else:
            rows = zip(*(found[name] for name in self.columns), strict=True)
            told = zip(self.agents, rows, strict=True)
            doc.metadata["robots"] = {agent: dict(zip(self.columns, row, strict=True)) for agent, row in told}
            verdicts = found["verdict"]
        unwanted = [verdict for verdict in verdicts if verdict not in self.keep]
        return (False, unwanted[0]) if unwanted else True


def _other(url: str | None) -> str | None:
    """The same URL with `www.` added to or removed from its host."""
    if url is None:
        return None
    try:
        host = urlsplit(url).netloc
    except ValueError:
        return url
    return url.replace(host, host.removeprefix("www.") if host.startswith("www.") else f"www.{host}", 1)
