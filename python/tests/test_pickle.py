"""What travels to another process is the same there, or an error."""

import copy
import os
import pickle
import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import robosieve

CART = "https://shop.example/cart"
RULES = "User-agent: *\nDisallow: /cart\n"


def compiled(path: Path, text: str = RULES) -> robosieve.Policy:
    """A policy of one origin; the sources stand beside it."""
    sources = path.with_suffix(".sources")
    sources.mkdir(exist_ok=True)
    (sources / "shop.example").write_text(text)
    return robosieve.compile([sources], agents=["*"], out=path)


def test_a_policy_is_found_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(tmp_path / "policy.rsv")
    shutil.copyfile(tmp_path / "policy.rsv", tmp_path / "today.rsv")
    overrides = tmp_path / "overrides.toml"
    overrides.write_text('["https://shop.example"]\nverdict = "allow-all"\n')
    monkeypatch.chdir(tmp_path)
    opened = [
        robosieve.Policy("policy.rsv"),
        robosieve.Policy(["policy.rsv", "today.rsv"]),
        robosieve.Policy(["policy.rsv", robosieve.Policy("today.rsv")]),
        robosieve.Policy("policy.rsv", "overrides.toml"),
    ]
    (tmp_path / "elsewhere").mkdir()
    # Here, another policy has the name that was given.
    compiled(tmp_path / "elsewhere/policy.rsv", "User-agent: *\nDisallow:\n")
    monkeypatch.chdir(tmp_path / "elsewhere")
    for policy in opened:
        for again in (pickle.loads(pickle.dumps(policy)), copy.copy(policy), copy.deepcopy(policy)):
            assert (again.checksum, repr(again)) == (policy.checksum, repr(policy))
            assert again.judge([CART])["reason"] == policy.judge([CART])["reason"]


def test_another_policy_in_its_place_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "policy.rsv"
    policy = compiled(path)
    opened = [policy, robosieve.Policy([path, path])]
    pickles = [pickle.dumps(policy) for policy in opened]
    compiled(path, "User-agent: *\nDisallow:\n")
    for before, pickled in zip(opened, pickles, strict=True):
        with pytest.raises(
            robosieve.PolicyError, match=r"policy\.rsv: it was replaced since .* was " + before.checksum
        ):
            pickle.loads(pickled)
    # The one that was mapped is still whole.
    assert policy.judge([CART])["verdict"] == ["blocked"]
    assert robosieve.Policy.from_bytes(policy.to_bytes()).judge([CART])["verdict"] == ["blocked"]
    path.unlink()
    with pytest.raises(robosieve.PolicyError, match="cannot read the policy"):
        pickle.loads(pickles[0])


def test_a_policy_in_memory_travels_as_bytes(tmp_path: Path) -> None:
    compiled(tmp_path / "policy.rsv")
    policy = robosieve.compile([tmp_path / "policy.sources"], agents=["*"])
    shutil.rmtree(tmp_path / "policy.sources")
    (tmp_path / "policy.rsv").unlink()
    again = pickle.loads(pickle.dumps(policy))
    assert (again.checksum, again.judge([CART])["verdict"]) == (policy.checksum, ["blocked"])


NOON = 1_768_219_200
CHOICES: list[dict[str, Any]] = [
    {},
    {"on_unfetched": "allow", "on_unreachable": "use", "on_html": "block"},
    {"on_stale": "use"},
    {"max_age": "dialect", "unreachable_as_unavailable": 86400, "now": NOON},
    {"on_stale": "block", "max_age": 5},
    {"statuses": {"403": "defer", "4xx": "allow"}},
    {"www_fallback": True},
    {"require": "train-ai!=n,search=y"},
]


@pytest.mark.parametrize("given", CHOICES, ids=str)
def test_choices_are_values(given: dict[str, Any]) -> None:
    choices = robosieve.Choices(**given)
    for again in (
        *(pickle.loads(pickle.dumps(choices, protocol)) for protocol in range(6)),
        copy.copy(choices),
        copy.deepcopy(choices),
        eval(repr(choices), {"robosieve": robosieve}),
    ):
        assert (again == choices, hash(again) == hash(choices), repr(again)) == (True, True, repr(choices))
    others = [other for other in CHOICES if robosieve.Choices(**other) == choices]
    assert others == [given]
    assert {name: getattr(choices, name) for name in given} == given
    assert choices != "choices"


def test_choices_take_times_of_python_and_of_the_program() -> None:
    week = robosieve.Choices(max_age=604_800, unreachable_as_unavailable=86_400, now=NOON)
    noon = datetime(2026, 1, 12, 12, tzinfo=timezone.utc)
    assert week == robosieve.Choices(max_age="7d", unreachable_as_unavailable="24h", now="2026-01-12T12:00:00Z")
    assert week == robosieve.Choices(max_age=timedelta(7), unreachable_as_unavailable=timedelta(1), now=noon)
    assert week == robosieve.Choices(
        max_age="1w", unreachable_as_unavailable="1d", now=noon.astimezone(timezone(timedelta(hours=9)))
    )
    assert (week.max_age, week.unreachable_as_unavailable, week.now) == (604_800, 86_400, NOON)
    # As in the program, a word on stale files sets a limit.
    assert robosieve.Choices(on_stale="block").max_age == "dialect"


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (
            {"on_unfetched": "use"},
            robosieve.Error,
            "on_unfetched: there is nothing to use; expected allow, block or defer",
        ),
        ({"on_unfetched": "maybe"}, robosieve.Error, "on_unfetched: .* expected allow, block or defer"),
        ({"max_age": "soon"}, robosieve.Error, 'max_age: "soon": expected a duration: .* 7d'),
        ({"max_age": -1}, ValueError, "max_age: expected whole seconds, 0 or more, not -1"),
        ({"max_age": timedelta(-1)}, ValueError, "max_age: expected whole seconds"),
        ({"max_age": timedelta(microseconds=1)}, ValueError, "max_age: expected whole seconds"),
        ({"max_age": 1.5}, TypeError, "max_age: expected a number of seconds, a timedelta"),
        ({"unreachable_as_unavailable": "91d"}, robosieve.Error, "unreachable_as_unavailable: .* at most 90d"),
        (
            {"unreachable_as_unavailable": "dialect"},
            robosieve.Error,
            "unreachable_as_unavailable: .* expected a duration",
        ),
        ({"now": datetime(2026, 1, 12)}, ValueError, "now: .* has no time zone"),
        ({"now": "noon"}, robosieve.Error, 'now: "noon" is not an RFC 3339 time'),
        ({"now": timedelta(1)}, TypeError, "now: expected seconds of Unix time, a datetime"),
    ],
    ids=str,
)
def test_wrong_choices_are_told(given: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        robosieve.Choices(**given)


def test_a_robots_txt_is_a_value() -> None:
    made = [
        robosieve.RobotsTxt(RULES),
        robosieve.RobotsTxt(RULES.encode() + b"Disallow: /\xff\n"),
        robosieve.RobotsTxt(RULES, "examplebot"),
        robosieve.RobotsTxt(RULES, dialect="google"),
        robosieve.RobotsTxt(RULES, "example bot/1", verbatim=True),
    ]
    for at, rules in enumerate(made):
        pickled = [pickle.loads(pickle.dumps(rules, protocol)) for protocol in range(6)]
        for again in (*pickled, copy.copy(rules), copy.deepcopy(rules)):
            assert [again == other for other in made] == [other == at for other in range(len(made))]
            assert (hash(again), repr(again)) == (hash(rules), repr(rules))
            assert (again.allowed("/cart"), again.allowed("/")) == (False, True)
    assert made[0] == robosieve.RobotsTxt(RULES.encode())
    assert made[0] != RULES
    assert repr(made[2]) == f"<robosieve.RobotsTxt {len(RULES)} bytes, for examplebot, rfc9309>"


def test_a_policy_that_is_written_into_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "policy.rsv"
    whole = compiled(path).to_bytes()
    # One byte at a time of what is read to judge: it may judge, but never raise a BaseException.
    told = set()
    for at in range(0, len(whole), 7):
        policy = robosieve.Policy(path)
        with path.open("r+b") as file:
            file.seek(at)
            file.write(b"\xff" * min(64, len(whole) - at))
        try:
            policy.judge([CART, "https://other.example/"], explain=True)
        except robosieve.Error as error:
            told.add(str(error))
        with path.open("r+b") as file:
            file.write(whole)
    assert any("a policy file was written into while it was open" in message for message in told), told
    assert os.path.getsize(path) == len(whole)
