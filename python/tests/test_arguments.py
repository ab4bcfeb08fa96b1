"""Arguments that are none: each error names the parameter."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import robosieve

SOURCES = ["datasets/sites"]
CART = "https://shop.example/cart"

WRONG: dict[str, tuple[Callable[[Any, Path], object], type[Exception], str]] = {
    "compile nothing": (lambda p, t: robosieve.compile([], ["*"]), robosieve.Error, "sources: the list is empty"),
    "compile a string": (lambda p, t: robosieve.compile("datasets/sites", ["*"]), TypeError, r"sources.*write \['data"),
    "compile a path": (lambda p, t: robosieve.compile(Path("datasets"), ["*"]), TypeError, r"sources.*write \[PosixP"),
    "compile a number": (lambda p, t: robosieve.compile(5, ["*"]), TypeError, "sources.*expected a list, not int"),
    "compile for a string": (lambda p, t: robosieve.compile(SOURCES, "*"), TypeError, r"agents.*write \['\*'\]"),
    "compile for nobody": (lambda p, t: robosieve.compile(SOURCES, []), robosieve.AgentError, "agent"),
    "compile in no memory": (
        lambda p, t: robosieve.compile(SOURCES, ["*"], memory=-1),
        ValueError,
        "memory: .* not -1",
    ),
    "open nothing": (lambda p, t: robosieve.Policy([]), robosieve.PolicyError, "polic"),
    "merge a string": (lambda p, t: robosieve.merge("a.rsv", t / "a.rsv"), TypeError, r"policies.*write \['a.rsv'\]"),
    "merge nothing": (lambda p, t: robosieve.merge([], t / "a.rsv"), robosieve.Error, "polic"),
    "filter nothing": (lambda p, t: robosieve.filter(p, [], t), robosieve.Error, "lists: the list is empty"),
    "filter a string": (lambda p, t: robosieve.filter(p, "urls.txt", t), TypeError, r"lists: .*write \['urls.txt'\]"),
    "filter a path": (lambda p, t: robosieve.filter(p, Path("u"), t), TypeError, "lists: expected a list"),  # type: ignore[arg-type]
    "filter with -1 threads": (
        lambda p, t: robosieve.filter(p, ["datasets/urls.txt"], t, "*", threads=-1),
        ValueError,
        "threads: .* not -1",
    ),
    "filter in no memory": (
        lambda p, t: robosieve.filter(p, ["datasets/urls.txt"], t, "*", memory=0),
        ValueError,
        "memory: .* not 0",
    ),
    "filter for a string": (
        lambda p, t: robosieve.filter(p, ["datasets/urls.txt"], t, agents="*"),
        TypeError,
        r"agents.*write \['\*'\]",
    ),
    "judge with -1 threads": (lambda p, t: p.judge([CART], "*", threads=-1), ValueError, "threads: .* not -1"),
    "judge for a string": (lambda p, t: p.judge([CART], agents="*"), TypeError, r"agents.*write \['\*'\]"),
    "judge mixed values": (lambda p, t: p.judge(pd.Series([CART, 5], dtype=object), "*"), TypeError, "urls: "),
    "judge mixed values of polars": (
        lambda p, t: p.judge(pl.Series([CART, 5], dtype=pl.Object), "*"),
        TypeError,
        "urls: ",
    ),
    "judge a mixed list": (lambda p, t: p.judge([CART, 5], "*"), TypeError, "urls: item 1 is of type int"),
    "iterate over verdicts": (lambda p, t: list(p.judge([CART], "*")), TypeError, r'iterate over one, such as out\["'),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_parameter_is_named(policy: robosieve.Policy, tmp_path: Path, name: str) -> None:
    call, kind, message = WRONG[name]
    with pytest.raises(kind, match=message):
        call(policy, tmp_path)


def test_lists_may_be_any_iterables(policy: robosieve.Policy, tmp_path: Path) -> None:
    several = (tuple, iter, lambda items: (item for item in items), lambda items: dict.fromkeys(items).keys())
    for number, made in enumerate(several):
        compiled = robosieve.compile(made(SOURCES), made(["*"]))  # type: ignore[operator]
        assert compiled.agents == ["*"]
        out = compiled.judge([CART], agents=made(["*"]))  # type: ignore[operator]
        assert out["verdict"] == [["blocked"]]
        lists = made(["datasets/urls.txt"])  # type: ignore[operator]
        receipt = robosieve.filter(policy, lists, tmp_path / str(number), agents=made(["*"]))  # type: ignore[operator]
        assert receipt["balanced"]


def test_columns_of_nulls_are_null(policy: robosieve.Policy) -> None:
    for nulls in (
        pl.Series([None, None]),
        pl.Series([None, None], dtype=pl.String),
        pl.DataFrame({"url": [None, None]}),
        pl.Series([None, None], dtype=pl.Categorical),
        pl.Series(["x", None, None])[1:],
        pd.Series([None, None]),
        pd.Series([float("nan")] * 2, dtype=object),
        [None, None],
    ):
        assert policy.judge(nulls, "*")["verdict"] == [None, None]


def test_other_columns_of_frames_may_have_any_type(policy: robosieve.Policy) -> None:
    for frame in (
        pl.DataFrame({"url": [CART], "note": [None]}),
        pl.DataFrame({"url": [CART], "note": pl.Series([object()], dtype=pl.Object)}),
        pd.DataFrame({"url": [CART], "note": [object()]}),
    ):
        assert policy.judge(frame, "*", column="url")["verdict"] == ["blocked"]


def test_verdicts_know_their_columns(policy: robosieve.Policy) -> None:
    out = policy.judge([CART], "*")
    assert ("verdict" in out, "rule" in out) == (True, False)


def test_every_parameter_of_the_stub_is_there() -> None:
    names = list(inspect.signature(robosieve.Choices).parameters)
    assert all(hasattr(robosieve.Choices, name) for name in names), names
