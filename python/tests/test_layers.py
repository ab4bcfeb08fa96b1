"""Several policies as one: layers, and merged files."""

import os
import pickle
from pathlib import Path

import pytest

import robosieve

from .conftest import AGENTS, Program

LIST = "datasets/urls.txt"


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """The policies of two sources, which have answers for the same origins; the first is the larger one."""
    today = tmp_path / "today.jsonl"
    today.write_text(
        '{"url": "https://shop.example/robots.txt", "status": 404, "fetched_at": "2026-01-12T08:00:00Z"}\n'
        '{"url": "https://never.example/robots.txt", "status": 200, "body": "User-agent: *\\nDisallow: /"}\n'
        '{"url": "https://new.example/robots.txt", "status": 302, "location": "https://never.example/robots.txt"}\n'
    )
    paths = [tmp_path / "base.rsv", tmp_path / "today.rsv"]
    robosieve.compile(["datasets/sites", "datasets/origins.jsonl"], AGENTS, paths[0])
    robosieve.compile([today], AGENTS, paths[1])
    return paths


@pytest.fixture
def merged(parts: list[Path], tmp_path: Path) -> robosieve.Policy:
    return robosieve.merge(parts, tmp_path / "merged.rsv")


def verdicts(policy: robosieve.Policy, urls: list[bytes]) -> dict[str, object]:
    more = [b"https://never.example/", b"https://new.example/x", b"https://shop.example/cart"]
    out = policy.judge(urls + more, agents=AGENTS, explain=True)
    return {name: out[name] for name in out.columns}


def test_layers_judge_as_the_merged_policy(
    parts: list[Path], merged: robosieve.Policy, urls: list[bytes], tmp_path: Path
) -> None:
    base, today = parts
    expected = verdicts(merged, urls)
    assert verdicts(robosieve.Policy(base), urls) != expected
    memory = robosieve.compile([tmp_path / "today.jsonl"], AGENTS)
    above = robosieve.Policy([robosieve.Policy(base), memory])
    for layered in (
        robosieve.Policy([base, today]),
        robosieve.Policy([str(today), base, base]),
        above,
        robosieve.Policy([above, today]),
        pickle.loads(pickle.dumps(robosieve.Policy([base, today]))),
        pickle.loads(pickle.dumps(above)),
    ):
        assert verdicts(layered, urls) == expected
        assert layered.origins == merged.origins == 61
        assert layered.to_bytes() == (tmp_path / "merged.rsv").read_bytes()
    assert verdicts(robosieve.Policy([base]), urls) == verdicts(robosieve.Policy(base), urls)


def test_layers_are_named_and_pickled_by_their_paths(parts: list[Path], tmp_path: Path) -> None:
    base, today = parts
    layered = robosieve.Policy(parts)
    assert repr(layered) == f"<robosieve.Policy {base} and {today}: 61 origins, for examplebot; *, rfc9309>"
    assert len(pickle.dumps(layered)) < 1000
    assert repr(pickle.loads(pickle.dumps(layered))) == repr(layered)
    assert pickle.loads(pickle.dumps(layered)).checksum == layered.checksum == robosieve.Policy(parts[::-1]).checksum
    memory = robosieve.compile([tmp_path / "today.jsonl"], AGENTS)
    assert f"{base} and a policy in memory: " in repr(robosieve.Policy([base, memory]))
    overrides = tmp_path / "overrides.toml"
    overrides.write_text('["https://never.example"]\nverdict = "allow-all"\n')
    above = pickle.loads(pickle.dumps(robosieve.Policy(parts, overrides)))
    urls = ["https://never.example/", "https://new.example/x"]
    assert above.judge(urls, "*")["reason"] == ["override", "rules"]


def test_a_run_by_layers_is_that_of_the_program(parts: list[Path], program: Program, tmp_path: Path) -> None:
    receipt = robosieve.filter(robosieve.Policy(parts), [LIST], tmp_path / "python", "examplebot")
    given = [argument for part in parts for argument in ("--policy", part)]
    program("filter", *given, "--agent", "examplebot", "--out", tmp_path / "program", LIST)
    names = sorted(path.name for path in (tmp_path / "program").iterdir())
    for name in set(names) - {"receipt.json"}:
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name
    alone = robosieve.filter(robosieve.Policy(parts[0]), [LIST], tmp_path / "alone", "examplebot")
    assert receipt["partitions"] != alone["partitions"]
    program("verify", tmp_path / "python")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_judges_by_layers(parts: list[Path], merged: robosieve.Policy, urls: list[bytes]) -> None:
    layered, expected = robosieve.Policy(parts), verdicts(merged, urls)
    child = os.fork()
    if child == 0:
        same = verdicts(layered, urls) == expected == verdicts(robosieve.Policy(parts), urls)
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_merged_file_is_that_of_all_sources(parts: list[Path], merged: robosieve.Policy, tmp_path: Path) -> None:
    sources: list[str | Path] = ["datasets/sites", "datasets/origins.jsonl", tmp_path / "today.jsonl"]
    robosieve.compile(sources, AGENTS, tmp_path / "all.rsv")
    assert (tmp_path / "merged.rsv").read_bytes() == (tmp_path / "all.rsv").read_bytes()
    # A generator, and into one of them.
    assert robosieve.merge((str(part) for part in parts), parts[0]).checksum == merged.checksum
    assert parts[0].read_bytes() == (tmp_path / "all.rsv").read_bytes()


def test_overrides_of_a_merge_replace_the_others(tmp_path: Path) -> None:
    paths, toml = [], tmp_path / "overrides.toml"
    for name, verdict in (("one", "allow-all"), ("two", "forbid-all")):
        toml.write_text(f'["https://shop.example"]\nverdict = "{verdict}"\n')
        paths.append(tmp_path / f"{name}.rsv")
        robosieve.compile(["datasets/sites"], ["*"], paths[-1], overrides=toml)
    shop = ["https://shop.example/", "https://shop.example/cart"]
    with pytest.warns(UserWarning, match="those of https://shop.example; the stricter ones count"):
        stricter = robosieve.merge(paths, tmp_path / "merged.rsv")
    assert stricter.judge(shop)["verdict"] == ["blocked", "blocked"]
    toml.write_text('["https://other.example"]\nverdict = "forbid-all"\n')
    replaced = robosieve.merge(paths, tmp_path / "merged.rsv", overrides=toml)
    assert replaced.judge([*shop, "https://other.example/"])["verdict"] == ["allowed", "blocked", "blocked"]


def test_answers_without_a_time_are_told(tmp_path: Path) -> None:
    paths = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.example").write_text(f"User-agent: *\nDisallow: /{name}\n")
        paths.append(tmp_path / f"{name}.rsv")
        robosieve.compile([tmp_path / name], ["*"], paths[-1])
    with pytest.warns(UserWarning, match="2 URLs have different answers"):
        robosieve.merge(paths, tmp_path / "merged.rsv")


def test_what_cannot_be_merged_is_told(parts: list[Path], tmp_path: Path) -> None:
    robosieve.compile(["datasets/sites"], ["otherbot"], tmp_path / "other.rsv")
    others = [parts[0], tmp_path / "other.rsv"]
    with pytest.raises(robosieve.PolicyError, match="different crawlers"):
        robosieve.Policy(others)
    with pytest.raises(robosieve.PolicyError, match="different crawlers"):
        robosieve.merge(others, tmp_path / "merged.rsv")
    with pytest.raises(robosieve.PolicyError, match="give at least one"):
        robosieve.Policy([])
    with pytest.raises(robosieve.PolicyError, match="give at least one"):
        robosieve.merge([], tmp_path / "merged.rsv")
    with pytest.raises(robosieve.PolicyError, match="nowhere"):
        robosieve.Policy([parts[0], tmp_path / "nowhere"])
    with pytest.raises(TypeError, match="path"):
        robosieve.Policy([parts[0], 5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="policies: expected a list; write"):
        robosieve.merge(str(parts[0]), tmp_path / "merged.rsv")  # type: ignore[arg-type]
    with pytest.raises(robosieve.Error, match=r"out: .*today.jsonl exists and is not a policy file"):
        robosieve.merge(parts, tmp_path / "today.jsonl")
    with pytest.raises(robosieve.Error, match="overrides: "):
        robosieve.merge(parts, tmp_path / "merged.rsv", overrides=tmp_path / "nowhere")
    assert not (tmp_path / "merged.rsv").exists()
