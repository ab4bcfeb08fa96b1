"""`inspect`, `export` and `lint`: what a policy and a robots.txt contain."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

import robosieve

from .conftest import AGENTS, ROOT

NOW = "2026-01-12T12:00:00Z"


def module(*arguments: object, status: int = 0) -> str:
    """What `python -m robosieve` prints."""
    command = [sys.executable, "-m", "robosieve", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout


def test_the_module_is_the_program() -> None:
    assert module("--version") == f"robosieve {robosieve.__version__}\n"


def test_inspections_are_those_of_the_program(policy: robosieve.Policy, policy_file: Path) -> None:
    summary = json.loads(module("inspect", policy_file, "--json", "--now", NOW, "--top", 3))
    assert robosieve.inspect(policy, now=NOW, top=3) == summary
    assert summary["origins"] == policy.origins
    for url, status in (("https://shop.example/cart", 0), ("https://never.example", 1)):
        arguments = ("inspect", policy_file, url, "--json", "--now", NOW, "--agent", "*")
        entry = json.loads(module(*arguments, status=status))
        assert robosieve.inspect(policy, url, agent="*", now=NOW) == entry
        assert robosieve.inspect(policy, url.encode(), agent="*", now=NOW) == entry
    assert robosieve.inspect(policy, "https://never.example") is None


def test_what_cannot_be_inspected_is_told(policy: robosieve.Policy) -> None:
    with pytest.raises(robosieve.Error, match='origin: "shop" is neither an origin nor a URL: '):
        robosieve.inspect(policy, "shop")
    with pytest.raises(robosieve.AgentError, match="agent: "):
        robosieve.inspect(policy, agent="otherbot")
    with pytest.raises(ValueError, match="top: expected 0 or more, not -1"):
        robosieve.inspect(policy, top=-1)
    with pytest.raises(TypeError, match="top: it is for all origins"):
        robosieve.inspect(policy, "https://shop.example", top=1)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="origin: expected str or bytes"):
        robosieve.inspect(policy, 1)  # type: ignore[call-overload]


@pytest.mark.parametrize("what", ["delays", "sitemaps", "agents", "status", "access", "preferences"])
def test_tables_are_those_of_the_program(
    policy: robosieve.Policy, policy_file: Path, tmp_path: Path, what: str
) -> None:
    for agent in (None, "*"):
        path = tmp_path / f"{agent}.parquet"
        of = [] if agent is None else ["--agent", agent]
        module("export", policy_file, "--what", what, "--format", "parquet", "-o", path, *of)
        expected = pyarrow.parquet.read_table(path)
        table = robosieve.export(policy, what, agent=agent).to_pyarrow()  # type: ignore[arg-type]
        assert table.schema == expected.schema.remove_metadata()
        assert table.to_pylist() == expected.to_pylist()
        assert table.num_rows > 0


def test_policies_are_told_by_the_choices_of_judge(policy: robosieve.Policy, policy_file: Path, tmp_path: Path) -> None:
    choices = robosieve.Choices(statuses="common-crawl", content_signal="everybody")
    for what, option in (("access", "--statuses common-crawl"), ("preferences", "--content-signal everybody")):
        path = tmp_path / f"{what}.parquet"
        module("export", policy_file, "--what", what, "--format", "parquet", "-o", path, *option.split())
        table = robosieve.export(policy, what, choices=choices).to_pyarrow()  # type: ignore[arg-type]
        assert table.to_pylist() == pyarrow.parquet.read_table(path).to_pylist()
    access = robosieve.export(policy, "access", agent="*", choices=choices).to_pyarrow().to_pylist()
    judged = policy.judge([row["origin"] + "/" for row in access], "*", choices=choices)["verdict"]
    assert [row["root"] for row in access] == judged
    refused = "https://members.example.net"
    (entry,) = robosieve.inspect(policy, refused, agent="*", choices=choices)["agents"]  # type: ignore[index]
    assert entry["blocked"] == "deferred"
    assert robosieve.diff(policy, policy, choices=choices).to_pyarrow().num_rows == 0
    with pytest.raises(robosieve.Error, match='choices: the table "status" does not depend on them'):
        robosieve.export(policy, "status", choices=choices)
    with pytest.raises(TypeError, match="choices: they are for one origin"):
        robosieve.inspect(policy, choices=choices)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="now: choices have one of their own"):
        robosieve.inspect(policy, refused, now=NOW, choices=choices)


def test_layers_show_what_their_merge_shows(tmp_path: Path) -> None:
    base = robosieve.compile(["datasets/sites"], agents=AGENTS)
    layered = robosieve.Policy([base, robosieve.compile(["datasets/origins.jsonl"], agents=AGENTS)])
    merged = robosieve.Policy.from_bytes(layered.to_bytes())
    assert robosieve.inspect(layered, now=NOW) == robosieve.inspect(merged, now=NOW)
    for what in ("delays", "sitemaps", "agents", "status", "access", "access-summary", "preferences"):
        tables = [robosieve.export(policy, what).to_pyarrow() for policy in (layered, merged)]
        assert tables[0].equals(tables[1]), what


def test_a_stream_is_read_once(policy: robosieve.Policy) -> None:
    stream = robosieve.export(policy, "status")
    assert repr(stream).startswith("<robosieve.Stream of origin, origin_status")
    assert stream.to_polars().height == policy.origins
    with pytest.raises(robosieve.Error, match="was read before"):
        stream.to_pyarrow()
    assert len(robosieve.export(policy, "status").to_pandas()) == policy.origins
    with pytest.raises(robosieve.Error, match='what: "rules" is unknown; expected delays, sitemaps'):
        robosieve.export(policy, "rules")  # type: ignore[arg-type]


def test_findings_are_those_of_the_program(tmp_path: Path) -> None:
    body = b"User-agent: *\nDisalow: /private\nDisallow: /a\nAllow: /a*\nDisallow: /tmp /x\n\xff\n"
    (tmp_path / "robots.txt").write_bytes(body)
    for dialect in robosieve.DIALECTS:
        printed = module("lint", tmp_path / "robots.txt", "--dialect", dialect, "--json", status=1).splitlines()
        expected = [json.loads(line) for line in printed]
        for finding in expected:
            del finding["file"], finding["dialect"]
        report = robosieve.lint(body, dialect=dialect)
        assert report == {"findings": expected, "left_off": 0, "not_searched": 0, "undecided": 0}
        assert expected
    assert robosieve.lint("User-agent: *\nDisallow: /tmp")["findings"] == []
    with pytest.raises(robosieve.Error, match="dialect: "):
        robosieve.lint(body, dialect="other")
    with pytest.raises(TypeError, match="body: expected str or bytes"):
        robosieve.lint(tmp_path)  # type: ignore[arg-type]


def test_policies_are_compared(tmp_path: Path) -> None:
    before = robosieve.compile(["datasets/origins.jsonl"], agents=["examplebot", "*"])
    (tmp_path / "shop.jsonl").write_text(
        '{"url": "https://shop.example/robots.txt", "status": 200, "body": "User-agent: *\\nDisallow: /new\\n"}\n'
    )
    after = robosieve.compile(["datasets/origins.jsonl", tmp_path / "shop.jsonl"], agents=["*", "examplebot"])
    rows = robosieve.diff(before, after).to_pyarrow().to_pylist()
    assert [(row["origin"], row["change"], row["agents"]) for row in rows] == [
        ("https://shop.example", "came", "examplebot,*")
    ]
    older = robosieve.compile([tmp_path / "shop.jsonl"], agents=["examplebot"])
    (tmp_path / "shop.jsonl").write_text(
        '{"url": "https://shop.example/robots.txt", "status": 200, "body": "User-agent: *\\nDisallow: /n\\n"}\n'
    )
    newer = robosieve.compile([tmp_path / "shop.jsonl"], agents=["examplebot"])
    (row,) = robosieve.diff(older, newer, ["examplebot"], only=["now-blocked"]).to_pyarrow().to_pylist()
    assert (row["path"], row["was"], row["now"], row["differences"]) == ("/n", "allowed", "blocked", 1)
    assert robosieve.diff(older, newer, paths=0).to_pyarrow()["path"].to_pylist() == [None]
    assert robosieve.diff(older, newer, summary=True).to_pyarrow().to_pylist() == [
        {"agent": "examplebot", "change": "now-blocked", "origins": 1}
    ]
    for wrong, match in (({"only": ["x"]}, 'only: "x" is unknown'), ({"paths": -1}, "paths: .* not -1")):
        with pytest.raises((ValueError, robosieve.Error), match=match):
            robosieve.diff(older, newer, **wrong)
    with pytest.raises(robosieve.Error, match="not compiled for otherbot"):
        robosieve.diff(older, newer, ["otherbot"])
