"""Runs that go elsewhere than to a folder, parts of runs, and what is made of their receipts."""

import gzip
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import robosieve

from .conftest import ROOT

LIST = "datasets/urls.txt"
CHOICES = robosieve.Choices(now="2026-01-12T12:00:00Z")


def test_counting_writes_nothing(policy: robosieve.Policy, urls: list[bytes]) -> None:
    receipt = robosieve.filter(policy, [LIST], agent="examplebot", count=True, delimiter="none")
    verdicts = policy.judge(urls, "examplebot")["verdict"]
    for name, part in receipt["partitions"].items():
        assert part["lines"] == verdicts.count(name)


def test_lines_of_partitions_go_to_a_file(policy: robosieve.Policy, urls: list[bytes], tmp_path: Path) -> None:
    verdicts = policy.judge(urls, "*")["verdict"]
    for only in (["blocked"], ["blocked", "deferred"]):
        wanted = [url for url, verdict in zip(urls, verdicts, strict=True) if verdict in only]
        lines = io.BytesIO()
        receipt = robosieve.filter(policy, [LIST], lines, "*", only=(name for name in only), delimiter="none")
        assert lines.getvalue().removesuffix(b"\n").split(b"\n") == wanted
        assert sum(receipt["partitions"][name]["lines"] for name in only) == len(wanted)
    with gzip.open(tmp_path / "verdicts.gz", "wb") as zipped:
        robosieve.filter(policy, [LIST], zipped, "*", verdicts=True, delimiter="none")
    rows = gzip.decompress((tmp_path / "verdicts.gz").read_bytes()).splitlines()
    assert [row.split(b"\t")[0].decode() for row in rows[1:]] == verdicts


def test_lines_go_to_standard_output(policy_file: Path, urls: list[bytes]) -> None:
    code = f"""import robosieve
policy = robosieve.Policy({str(policy_file)!r})
receipt = robosieve.filter(policy, [{LIST!r}], agent="*", only=["allowed", "blocked", "deferred", "invalid"])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout == (ROOT / LIST).read_bytes()


class Slow:
    """A raw file, which takes a few bytes at a time, and at last no more."""

    def __init__(self, most: int) -> None:
        self.taken, self.most = bytearray(), most

    def write(self, bytes: bytes) -> int:
        if len(self.taken) > self.most:
            raise ConnectionError("no more")
        self.taken += bytes[:100]
        return len(bytes[:100])


def test_a_file_may_take_less_and_fail(policy: robosieve.Policy) -> None:
    slow = Slow(1 << 30)
    robosieve.filter(policy, [LIST], slow, "*", only=["invalid", "allowed", "blocked", "deferred"])
    assert bytes(slow.taken) == (ROOT / LIST).read_bytes()
    with pytest.raises(ConnectionError, match="no more"):
        robosieve.filter(policy, [LIST], Slow(1000), "*", only=["allowed"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "out: give the folder"),
        ({"out": "x", "count": True}, "count: it writes no folder"),
        ({"out": "x", "only": ["allowed"]}, "only: it writes no folder"),
        ({"count": True, "only": ["allowed"]}, "count: it writes nothing"),
        ({"count": True, "explain": True}, "count: it writes nothing"),
        ({"only": []}, "only: the list is empty"),
        ({"only": ["good"]}, 'only: "good" is unknown; expected allowed, blocked, deferred, invalid'),
        ({"only": ["allowed"], "verdicts": True}, "only: verdicts and blocked_for write all lines"),
        ({"only": ["allowed"], "explain": True}, "explain: it needs blocked lines"),
        ({"only": ["allowed"], "format": "parquet"}, "format: it is for a run that writes a folder"),
        ({"count": True, "force": True}, "force: it is for a run that writes a folder"),
        ({"count": True, "resume": True}, "resume: it is for a run that writes a folder"),
        ({"count": True, "shard": "1/2"}, "shard: it is for a run that writes a folder"),
        ({"out": "x", "shard": "1/2"}, "shard: ages must be judged at one time in all shards"),
        ({"out": "x", "shard": "3/2", "choices": CHOICES}, "shard: .*3/2"),
        ({"count": True, "files_from": "nowhere"}, "files_from: cannot read nowhere"),
        ({"count": True, "overrides": "nowhere"}, "overrides: "),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    policy: robosieve.Policy, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    if "out" in options:
        options = {**options, "out": tmp_path / "out"}
    with pytest.raises(robosieve.Error, match=message):
        robosieve.filter(policy, [LIST], agent="*", **options)
    assert not (tmp_path / "out").exists()


def test_a_text_file_is_refused(policy: robosieve.Policy) -> None:
    with pytest.raises(TypeError, match="open for bytes"):
        robosieve.filter(policy, [LIST], io.StringIO(), "*", only=["allowed"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"only: expected a list; write \['allowed'\]"):
        robosieve.filter(policy, [LIST], agent="*", only="allowed")  # type: ignore[arg-type]


def test_lists_are_named_in_a_file(policy: robosieve.Policy, tmp_path: Path) -> None:
    with gzip.open(tmp_path / "names.gz", "wt") as names:
        names.write(f"{LIST}\n\n{LIST}\n")
    receipt = robosieve.filter(policy, files_from=tmp_path / "names.gz", agent="*", count=True)
    assert receipt["input"]["lines"] == 2 * 3111
    receipt = robosieve.filter(policy, [LIST], files_from=tmp_path / "names.gz", agent="*", count=True)
    assert receipt["input"]["lines"] == 3 * 3111
    (tmp_path / "empty").touch()
    with pytest.raises(robosieve.Error, match="files_from: .*empty names no list"):
        robosieve.filter(policy, files_from=tmp_path / "empty", agent="*", count=True)


def test_overrides_count(policy: robosieve.Policy, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("https://shop.example/\n")
    (tmp_path / "overrides.toml").write_text("['https://shop.example']\nverdict = 'forbid-all'\n")
    arguments: dict[str, Any] = {"lists": [tmp_path / "list"], "agent": "*", "count": True}
    for overrides, name in ((None, "allowed"), (tmp_path / "overrides.toml", "blocked")):
        receipt = robosieve.filter(policy, overrides=overrides, **arguments)
        assert receipt["partitions"][name]["lines"] == 1


def test_shards_are_joined_and_proved(policy: robosieve.Policy, tmp_path: Path) -> None:
    whole = robosieve.filter(policy, [LIST], tmp_path / "whole", "*", choices=CHOICES)
    for number in (1, 2, 3):
        robosieve.filter(policy, [LIST], tmp_path / f"part-{number}", "*", choices=CHOICES, shard=f"{number}/3")
    parts = sorted(tmp_path.glob("part-*"))
    with pytest.raises(robosieve.RunError, match="3"):
        robosieve.join(parts[:2], tmp_path / "joined")
    joined = robosieve.join(reversed(parts), tmp_path / "joined", concat=True)
    for name, part in whole["partitions"].items():
        assert joined["partitions"][name]["sum"] == part["sum"]
        assert (tmp_path / f"joined/{name}.txt").read_bytes() == (tmp_path / f"whole/{name}.txt").read_bytes()
    with pytest.raises(robosieve.RunError, match="joined"):
        robosieve.join(parts, tmp_path / "joined")
    robosieve.join(parts, tmp_path / "joined", force=True)
    verified = robosieve.verify(tmp_path / "joined", inputs=True, threads=1)
    assert (verified["proven"], verified["contradictions"]) == (True, [])
    with pytest.raises(robosieve.Error, match="shards: the list is empty"):
        robosieve.join([], tmp_path / "other")


def test_what_is_not_as_the_receipt_says_is_told(policy: robosieve.Policy, tmp_path: Path) -> None:
    robosieve.filter(policy, [LIST], tmp_path, "*")
    verified = robosieve.verify(tmp_path)
    blocked = tmp_path / "blocked.txt"
    (before,) = [file for file in verified["files"] if file["path"] == str(blocked)]
    lines = blocked.read_bytes().splitlines(keepends=True)
    assert before == {
        "path": str(blocked),
        "role": "output",
        "lines": len(lines),
        "bytes": blocked.stat().st_size,
        "problem": None,
        "skipped": 0,
    }
    blocked.write_bytes(b"".join(lines[1:]))
    verified = robosieve.verify(tmp_path)
    assert not verified["proven"]
    assert [file["path"] for file in verified["files"] if file["problem"] is not None] == [str(blocked)]
    with pytest.raises(robosieve.RunError, match="does not exist: this is not the folder of a complete run"):
        robosieve.verify(tmp_path / "nowhere")


def test_files_that_readers_would_count_are_a_warning(policy: robosieve.Policy, tmp_path: Path) -> None:
    robosieve.filter(policy, [LIST], tmp_path, "*", format="parquet")
    (tmp_path / "lines/verdict=allowed/mine.parquet").touch()
    with pytest.warns(UserWarning, match=r"mine\.parquet: the receipt does not name it"):
        robosieve.filter(policy, [LIST], tmp_path, "*", format="parquet", force=True)


def test_policies_are_merged_with_overrides(tmp_path: Path) -> None:
    parts = [tmp_path / "one.rsv", tmp_path / "two.rsv"]
    for part, source in zip(parts, ("datasets/sites", "datasets/origins.jsonl"), strict=True):
        robosieve.compile([source], agents=["*"], out=part)
    overrides = tmp_path / "overrides.toml"
    overrides.write_text("['https://shop.example']\nverdict = 'forbid-all'\n")
    merged = robosieve.merge(parts, tmp_path / "all.rsv", overrides=overrides)
    assert merged.judge(["https://shop.example/"])["verdict"] == ["blocked"]
    assert robosieve.merge(parts, tmp_path / "all.rsv").judge(["https://shop.example/"])["verdict"] == ["allowed"]
