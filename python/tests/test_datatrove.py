"""datatrove: documents of a pipeline."""

import pickle
from pathlib import Path

import pytest
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from robosieve import Error
from robosieve.datatrove import RobotsFilter


def document(url: str | None) -> Document:
    return Document(text="text", id=str(url), metadata={} if url is None else {"url": url})


def test_documents_stay_where_every_agent_may_go(policy_file: Path) -> None:
    robots = RobotsFilter(policy_file, ["examplebot", "*"])
    urls = ["https://shop.example/", "https://shop.example/cart", "https://never.example/", "nonsense", None]
    documents = [document(url) for url in urls]
    assert robots.filter_batch(documents) == [
        True,
        (False, "blocked"),
        (False, "deferred"),
        (False, "invalid"),
        (False, "no_url"),
    ]
    assert documents[1].metadata["robots"]["*"] == {"verdict": "blocked", "reason": "rules"}
    assert RobotsFilter(policy_file, ["*"], keep=("allowed", "deferred")).filter(documents[2]) is True
    assert RobotsFilter(policy_file, ["*"], choices={"on_unfetched": "allow"}).filter(documents[2]) is True


def test_the_agents_that_may_not_fetch_are_named(policy_file: Path) -> None:
    agents = ["examplebot", "*"]
    urls = ["https://shop.example/", "https://shop.example/cart", "https://never.example/", "nonsense", None]
    for www in (False, True):
        documents = [document(url) for url in urls]
        robots = RobotsFilter(policy_file, agents, columns=("blocked_for", "deferred_for"), www=www)
        assert robots.filter_batch(documents) == [
            True,
            (False, "blocked"),
            (False, "deferred"),
            (False, "blocked"),
            (False, "no_url"),
        ]
        told = [doc.metadata.get("robots") for doc in documents]
        assert told == [
            {"blocked_for": [], "deferred_for": []},
            {"blocked_for": agents, "deferred_for": []},
            {"blocked_for": [], "deferred_for": agents},
            {"blocked_for": agents, "deferred_for": []},
            None,
        ]
    with pytest.raises(Error, match="columns: expected some of"):
        RobotsFilter(policy_file, agents, columns=("verdict", "blocked_for"))


def test_the_other_host_answers_where_one_was_never_fetched(policy_file: Path) -> None:
    robots = RobotsFilter(policy_file, ["examplebot"], www=True)
    documents = [
        document(url)
        for url in ("https://www.shop.example/cart", "https://www.shop.example/", "https://www.never.example/")
    ]
    assert robots.filter_batch(documents) == [(False, "blocked"), True, (False, "deferred")]
    assert RobotsFilter(policy_file, ["examplebot"]).filter(documents[0]) == (False, "deferred")


def test_a_pipeline_runs(policy_file: Path, lines: list[str], expected: dict[str, int], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    writer = JsonlWriter(str(tmp_path / "in"), compression=None)
    with writer:
        for line in lines:
            writer.write(document(line))
    pipeline = [
        JsonlReader(str(tmp_path / "in")),
        RobotsFilter(
            policy_file, ["examplebot"], exclusion_writer=JsonlWriter(str(tmp_path / "dropped"), compression=None)
        ),
        JsonlWriter(str(tmp_path / "kept"), compression=None),
    ]
    pickle.dumps(pipeline[1])
    LocalPipelineExecutor(pipeline, tasks=2, workers=2, logging_dir=str(tmp_path / "logs")).run()
    kept, dropped = (
        sum(len(path.read_text().splitlines()) for path in (tmp_path / name).rglob("*.jsonl"))
        for name in ("kept", "dropped")
    )
    assert (kept, dropped) == (expected["allowed"], len(lines) - expected["allowed"])
