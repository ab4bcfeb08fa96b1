"""datatrove: filters documents by the robots.txt of their origin."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from datatrove.data import Document
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter

from robosieve._robosieve import Choices, Policy


class RobotsFilter(BaseFilter):  # type: ignore[misc]
    """Keeps the documents whose URL every one of the agents may fetch.

    `policy` is the path of a policy file, which the workers of a host share. The verdict and reason for each agent are
    stored in the metadata as `robots`. If a host's robots.txt was never fetched, `www` tries the same URL with `www.`
    added to or removed from the host. `keep` lists the verdicts with which a document stays.
    """

    name = "🤖 robosieve"

    def __init__(
        self,
        policy: str | os.PathLike[str],
        agents: list[str],
        *,
        url: str = "url",
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
            again = [at for at, (_, reasons) in enumerate(judged) if reasons and "unfetched" in reasons]
            for at, other in zip(again, self._judge([_other(urls[at]) for at in again]), strict=True):
                judged[at] = other
        return [self._result(doc, *verdicts) for doc, verdicts in zip(batch, judged, strict=True)]

    def _judge(self, urls: list[str | None]) -> list[tuple[list[str] | None, list[str] | None]]:
        out = self.policy.judge(urls, agents=self.agents, choices=Choices(**self.choices), threads=1)
        return list(zip(out["verdict"], out["reason"], strict=True))

    def _result(self, doc: Document, verdicts: list[str] | None, reasons: list[str] | None) -> bool | tuple[bool, str]:
        if verdicts is None or reasons is None:
            return False, "no_url"
        told = zip(self.agents, verdicts, reasons, strict=True)
        doc.metadata["robots"] = {agent: {"verdict": verdict, "reason": reason} for agent, verdict, reason in told}
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
