"""Arguments that are none: each error names the parameter."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import robosieve
import robosieve.duckdb
import robosieve.polars

SOURCES = ["datasets/sites"]
CART = "https://shop.example/cart"


class Exports:
    """What it exports to Arrow is what it was given."""

    def __init__(self, exported: object) -> None:
        self.exported = exported

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.exported


WRONG: dict[str, tuple[Callable[[Any, Path], object], type[Exception], str]] = {
    "compile nothing": (lambda p, t: robosieve.compile([], ["*"]), robosieve.Error, "sources: the list is empty"),
    "compile a string": (lambda p, t: robosieve.compile("datasets/sites", ["*"]), TypeError, r"sources.*write \['data"),  # type: ignore[arg-type]
    "compile a path": (lambda p, t: robosieve.compile(Path("datasets"), ["*"]), TypeError, r"sources.*write \[PosixP"),  # type: ignore[arg-type]
    "compile a number": (lambda p, t: robosieve.compile(5, ["*"]), TypeError, "sources.*expected a list, not int"),  # type: ignore[arg-type]
    "compile for a string": (lambda p, t: robosieve.compile(SOURCES, "*"), TypeError, r"agents.*write \['\*'\]"),  # type: ignore[arg-type]
    "compile for nobody": (lambda p, t: robosieve.compile(SOURCES, []), robosieve.AgentError, "agent"),
    "compile in no memory": (
        lambda p, t: robosieve.compile(SOURCES, ["*"], memory=-1),
        ValueError,
        "memory: .* not -1",
    ),
    "open nothing": (lambda p, t: robosieve.Policy([]), robosieve.PolicyError, "polic"),
    "merge a string": (lambda p, t: robosieve.merge("a.rsv", t / "a.rsv"), TypeError, r"policies.*write \['a.rsv'\]"),  # type: ignore[arg-type]
    "merge nothing": (lambda p, t: robosieve.merge([], t / "a.rsv"), robosieve.Error, "polic"),
    "filter nothing": (lambda p, t: robosieve.filter(p, [], t), robosieve.Error, "lists: the list is empty"),
    "filter a string": (lambda p, t: robosieve.filter(p, "urls.txt", t), TypeError, r"lists: .*write \['urls.txt'\]"),  # type: ignore[arg-type]
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
        lambda p, t: robosieve.filter(p, ["datasets/urls.txt"], t, agents="*"),  # type: ignore[arg-type]
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
    "judge half a character": (
        lambda p, t: p.judge([CART, "https://shop.example/\ud800"], "*"),
        ValueError,
        "urls: item 1: .* surrogates not allowed",
    ),
    "judge a lazy frame": (lambda p, t: p.judge(pl.LazyFrame({"url": [CART]}), "*"), TypeError, "urls: .* collect it"),
    "judge a broken export": (
        lambda p, t: p.judge(Exports(1), "*"),
        TypeError,
        "urls: .* not an instance of 'PyCapsule'",
    ),
    "judge with too many threads": (lambda p, t: p.judge([CART], "*", threads=10**30), ValueError, "threads: "),
    "allow half a character": (lambda p, t: p.allowed("https://shop.example/\ud800", "*"), ValueError, "url: .*surr"),
    "compile half a character": (
        lambda p, t: robosieve.compile({"https://a.example": "\ud800"}, ["*"]),
        ValueError,
        "sources: the body of 'https://a.example': .*surrogates",
    ),
    "compile a host of half a character": (
        lambda p, t: robosieve.compile({"https://\ud800.example": ""}, ["*"]),
        ValueError,
        "sources: .*surrogates",
    ),
    "compile a lazy frame": (
        lambda p, t: robosieve.compile(pl.LazyFrame({"url": [CART]}), ["*"]),  # type: ignore[arg-type]
        TypeError,
        "sources: .* collect it",
    ),
    "compile two columns of one name": (
        lambda p, t: robosieve.compile(
            pa.table([["https://a.example/robots.txt"]] * 2 + [[404], [None], [5]], [*"uu", "status", "body", "at"]),
            ["*"],
            columns={"url": "u", "fetched_at": "at"},
        ),
        robosieve.SourceError,
        'sources: the table has several columns that are called "u"',
    ),
    "an answer that is OK": (lambda p, t: robosieve.Answer(CART, True, ""), TypeError, "not bool"),
    "an answer of no time": (lambda p, t: robosieve.Answer(CART, 404, None, pd.NaT), ValueError, "fetched_at: "),
    "an answer at True": (lambda p, t: robosieve.Answer(CART, 404, None, True), TypeError, "fetched_at: .* not bool"),
    "an answer of half a character": (lambda p, t: robosieve.Answer(CART, 200, "\ud800"), ValueError, "body: "),
    "choices for True seconds": (lambda p, t: robosieve.Choices(max_age=True), TypeError, "max_age: .* not bool"),
    "choices at the end of time": (lambda p, t: robosieve.Choices(now=10**30), ValueError, "now: .* not 10000"),
    "choices at no time": (lambda p, t: robosieve.Choices(now=pd.NaT), ValueError, "now: "),
    "open None": (lambda p, t: robosieve.Policy(None), TypeError, "path: expected a str or a Path"),  # type: ignore[arg-type]
    "open bytes": (lambda p, t: robosieve.Policy(b"a.rsv"), TypeError, "path: .* not bytes"),  # type: ignore[arg-type]
    "open a layer of None": (lambda p, t: robosieve.Policy([None]), TypeError, "path: item 0 is None"),  # type: ignore[list-item]
    "filter None": (lambda p, t: robosieve.filter(p, None, t), TypeError, "lists: .* not NoneType"),  # type: ignore[arg-type]
    "filter a number": (lambda p, t: robosieve.filter(p, [5], t), TypeError, "lists: item 0 is 5"),  # type: ignore[list-item]
    "filter only a number": (lambda p, t: robosieve.filter(p, ["u"], only=5), TypeError, "only: .* not int"),  # type: ignore[arg-type]
    "filter with a number as progress": (
        lambda p, t: robosieve.filter(p, ["datasets/urls.txt"], agent="*", count=True, progress=5),  # type: ignore[arg-type]
        TypeError,
        "progress: ",
    ),
    "sum a string": (lambda p, t: robosieve.line_sum("abc"), TypeError, "lines: it is a single string"),  # type: ignore[arg-type]
    "an expression of a path": (lambda p, t: robosieve.polars.judge("url", "a.rsv"), TypeError, "policy: "),  # type: ignore[arg-type]
    "an expression of a list": (lambda p, t: robosieve.polars.judge(["url"], p, "*"), TypeError, "url: "),  # type: ignore[arg-type]
    "a function of a path": (
        lambda p, t: robosieve.duckdb.register(duckdb.connect(), "a.rsv"),  # type: ignore[arg-type]
        TypeError,
        "policy: ",
    ),
    "a function of no connection": (lambda p, t: robosieve.duckdb.register(None, p, "*"), TypeError, "con: "),  # type: ignore[arg-type]
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
        pd.Series([float("nan")] * 2),
        pd.DataFrame({"url": [None, float("nan")]}),
        [None, None],
    ):
        assert policy.judge(nulls, "*")["verdict"] == [None, None]


def test_nothing_has_no_verdicts(policy: robosieve.Policy) -> None:
    frames: list[Any] = [
        [],
        pd.DataFrame({"url": []}),
        pd.Series([], dtype=float),
        pl.DataFrame({"url": []}),
        pa.array([]),
    ]
    for nothing in frames:
        assert len(policy.judge(nothing, "*")) == 0


def test_null_rows_are_null_in_all_columns(policy: robosieve.Policy) -> None:
    """A struct's own nulls hide what its columns hold there."""
    home = "https://shop.example/"
    for urls in (pa.array([home, home]), pa.array([home, home]).dictionary_encode(), pa.array([home, None])):
        columns = [urls, pa.array([1, 2]), pa.nulls(2)]
        rows = pa.StructArray.from_arrays(columns, names=["url", "n", "null"], mask=pa.array([False, True]))
        for given in (rows, pa.chunked_array([rows, rows.slice(1)])):
            verdicts = policy.judge(given, "*", column="url")["verdict"]
            assert verdicts == ["allowed", None] + [None] * (len(given) - 2)
    answers = pa.StructArray.from_arrays(
        [pa.array([home]), pa.array([404]), pa.nulls(1, pa.string()), pa.array([5])],
        names=["url", "status", "body", "fetched_at"],
        mask=pa.array([True]),
    )
    with pytest.raises(robosieve.SourceError, match="answer 1: it has no URL"):
        robosieve.compile(answers, ["*"])


def test_numbers_may_be_large(policy: robosieve.Policy, tmp_path: Path) -> None:
    counted = robosieve.filter(policy, ["datasets/urls.txt"], agent="*", count=True, memory=2**70)
    assert counted["input"]["lines"] == 3111
    assert robosieve.inspect(policy, top=2**70)["origins"] == policy.origins
    assert robosieve.compile({"https://a.example": ""}, ["*"], memory=2**70).origins == 1


def test_layers_may_be_any_iterable(policy: robosieve.Policy, policy_file: Path) -> None:
    for layers in ((policy_file, policy), iter([policy_file]), {str(policy_file): 1}):
        assert robosieve.Policy(layers).origins == policy.origins


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
