"""Calls that take long: Ctrl-C ends them, other threads run meanwhile, and a callback is told how far they are."""

import collections
import itertools
import os
import signal
import threading
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import robosieve
from robosieve import _robosieve

AGENT = "examplebot"
ROWS = 1_500_000
ORIGINS = 60_000
BODY = "User-agent: *\nDisallow: /x{}\nCrawl-delay: 3\nSitemap: https://h.example/s.xml\n"


@contextmanager
def interrupts(handle: Callable[[], object]) -> Iterator[None]:
    """Interrupts this thread over and over; `handle` is called instead of the usual handler."""
    ended = threading.Event()

    def send() -> None:
        while not ended.wait(0.01):
            interrupt_main()

    def handler(number: int, frame: FrameType | None) -> None:
        handle()

    before = signal.signal(signal.SIGINT, handler)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        ended.set()
        sender.join()
        signal.signal(signal.SIGINT, before)


def is_ended_by_ctrl_c(call: Callable[[], object]) -> bool:
    """Whether a call of the compiled half ends before its result is there."""
    done: collections.deque[object] = collections.deque()
    raised: list[bool] = []

    def handle() -> None:
        # Not before the call has begun, nor after it has ended: what follows runs no Python of its own.
        if len(done) == 1 and not raised:
            raised.append(True)
            raise KeyboardInterrupt

    with interrupts(handle):
        try:
            done.extend(itertools.chain(["begun"], itertools.starmap(call, [()])))
        except KeyboardInterrupt:
            return len(done) == 1
    return False


def answers(first: int, count: int = ORIGINS) -> list[robosieve.Answer]:
    url = "https://h{}.example/robots.txt"
    return [robosieve.Answer(url.format(at), 200, BODY.format(at), 1) for at in range(first, first + count)]


@pytest.fixture(scope="module")
def many() -> list[str]:
    return [f"https://h{at % ORIGINS}.example/x{at}" for at in range(ROWS)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two policies that share half of their origins."""
    folder = tmp_path_factory.mktemp("policies")
    robosieve.compile(answers(0), agents=[AGENT], out=folder / "one.rsv")
    robosieve.compile(answers(ORIGINS // 2), agents=[AGENT], out=folder / "two.rsv")
    return folder


@pytest.fixture(scope="module")
def big(files: Path) -> robosieve.Policy:
    return robosieve.Policy(files / "one.rsv")


@pytest.mark.parametrize(
    "name", ["judge", "a list", "rules", "verdicts", "unique", "line_sum", "live", "lists of verdicts"]
)
def test_ctrl_c_ends_a_call_on_many_rows(name: str, many: list[str], big: robosieve.Policy) -> None:
    column = pa.array(many)
    # Made only if it is called: some need verdicts first.
    calls: dict[str, Callable[[], Callable[[], Any]]] = {
        "judge": lambda: partial(big.judge, column, threads=1),
        "a list": lambda: partial(big.judge, many, threads=1),
        "rules": lambda: partial(big.judge, column, explain=True, threads=1),
        "verdicts": lambda: partial(big.judge(column).__getitem__, "verdict"),
        "unique": lambda: partial(robosieve.unique, column),
        "line_sum": lambda: partial(robosieve.line_sum, pa.concat_arrays([column] * 4)),
        "live": lambda: partial(robosieve.LivePolicy([AGENT], over=big).judge, column),
        "lists of verdicts": lambda: partial(big.judge(column, agents=[AGENT]).__getitem__, "reason"),
    }
    assert is_ended_by_ctrl_c(calls[name]())


@pytest.mark.parametrize("name", ["layers", "inspect", "export", "diff"])
def test_ctrl_c_ends_a_call_on_policies(name: str, files: Path, big: robosieve.Policy) -> None:
    two = robosieve.Policy(files / "two.rsv")
    calls: dict[str, Callable[[], Any]] = {
        "layers": partial(robosieve.Policy, [big, two]),
        "inspect": partial(robosieve.inspect, big),
        "export": partial(robosieve.export, big, "access"),
        "diff": partial(robosieve.diff, big, two, paths=0),
    }
    assert is_ended_by_ctrl_c(calls[name])


@pytest.mark.parametrize("name", ["answers", "files", "merge", "live"])
def test_ctrl_c_leaves_no_half_made_policy(name: str, files: Path, tmp_path: Path, big: robosieve.Policy) -> None:
    out = tmp_path / "out" / "policy.rsv"
    out.parent.mkdir()
    given = answers(0)
    sites = tmp_path / "sites"
    if name == "files":
        sites.mkdir()
        for at in range(20_000):
            (sites / f"h{at}.example").write_text(BODY.format(at))
    calls: dict[str, Callable[[], Any]] = {
        "answers": partial(robosieve.compile, given, [AGENT], out),
        "files": partial(robosieve.compile, [sites], [AGENT], out),
        "merge": partial(robosieve.merge, [files / "one.rsv", files / "two.rsv"], out),
        "live": partial(robosieve.LivePolicy([AGENT], over=big).write, out),
    }
    assert is_ended_by_ctrl_c(calls[name])
    assert [name for name in os.listdir(out.parent) if name != f".{out.name}.lock"] == []
    if name != "files":
        # The lock is free, and nothing is in the way.
        calls[name]()
        assert robosieve.Policy(out).origins >= ORIGINS


@pytest.mark.parametrize("name", ["keys", "verify", "join"])
def test_ctrl_c_ends_a_call_on_files(name: str, many: list[str], big: robosieve.Policy, tmp_path: Path) -> None:
    lines = tmp_path / "list.txt"
    lines.write_text("\n".join(many * 2) + "\n")
    parts = [tmp_path / "1", tmp_path / "2"]
    for number, part in enumerate(parts, 1):
        if name == "join" or (name == "verify" and number == 1):
            robosieve.filter(big, [lines], out=part, shard=f"{number}/2", choices=robosieve.Choices(now=5))
    keys: dict[str, Any] = {
        "shard": None,
        "column": None,
        "delimiter": None,
        "header": False,
        "skip_bad": False,
        "memory": None,
    }
    calls: dict[str, Callable[[], Any]] = {
        "keys": partial(_robosieve.keys, [str(lines)], tmp_path / "keys.rss", unique="fetched", threads=1, **keys),
        "verify": partial(robosieve.verify, parts[0], inputs=True, threads=1),
        "join": partial(robosieve.join, parts, tmp_path / "joined", concat=True),
    }
    before = sorted(os.listdir(tmp_path))
    assert is_ended_by_ctrl_c(calls[name])
    assert [file for file in sorted(os.listdir(tmp_path)) if file not in before and file != "joined"] == []
    assert not (tmp_path / "joined" / "receipt.json").exists()


@pytest.mark.parametrize("change", ["replaced", "longer", "shorter"])
def test_another_thread_may_run_while_a_list_is_copied_and_its_change_is_told(
    change: str, many: list[str], policy: robosieve.Policy
) -> None:
    urls, began = list(many), collections.deque[object]()

    def run() -> None:
        while not began:
            pass
        if change == "replaced":
            urls[0] = "https://other.example/"
        elif change == "longer":
            urls.append("https://other.example/")
        else:
            urls.clear()

    other = threading.Thread(target=run)
    other.start()
    with pytest.raises(TypeError, match="the list changed while it was copied"):
        began.extend(itertools.chain(["begun"], itertools.starmap(partial(policy.judge, urls, AGENT), [()])))
    other.join()


@pytest.mark.parametrize("none", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT], ids=repr)
def test_what_stands_for_none_in_a_list_is_null(none: object, policy: robosieve.Policy) -> None:
    urls: list[Any] = ["https://shop.example/", none]
    assert policy.judge(urls, AGENT)["verdict"] == ["allowed", None]
    assert policy.judge(np.array(urls, dtype=object), AGENT)["verdict"] == ["allowed", None]
    assert robosieve.unique(urls)["stays"] == [True, True]


@pytest.mark.parametrize("item", [1, 1.5, True, ["a"], np.int64(3)], ids=repr)
def test_what_is_no_text_is_refused(item: object, policy: robosieve.Policy) -> None:
    with pytest.raises(TypeError, match="item 1 is of type"):
        policy.judge(["https://shop.example/", item], AGENT)  # type: ignore[list-item]


@pytest.mark.parametrize("urls", [{"https://shop.example/"}, frozenset(["https://shop.example/"])], ids=repr)
def test_a_set_has_no_order(urls: Any, policy: robosieve.Policy) -> None:
    with pytest.raises(TypeError, match="which has no order"):
        policy.judge(urls, AGENT)


@pytest.mark.parametrize("kind", ["U", "S", object, "T"])
def test_arrays_of_numpy_are_lists(kind: Any, policy: robosieve.Policy) -> None:
    urls = ["https://shop.example/cart", "https://shop.example/", "https://never.example/\u00e9"][
        : 2 if kind == "S" else 3
    ]
    array = np.array(urls, dtype=np.dtypes.StringDType() if kind == "T" else kind)
    expected = policy.judge(urls, AGENT)["verdict"]
    assert policy.judge(array, AGENT)["verdict"] == expected
    assert policy.judge(np.tile(array, 20_000)[::2], AGENT)["verdict"] == (expected * 20_000)[::2]
    masked = np.ma.array(urls, mask=[True] + [False] * (len(urls) - 1))
    assert policy.judge(masked, AGENT)["verdict"] == [None, *expected[1:]]


def test_a_callback_is_told_how_far_a_call_is(policy: robosieve.Policy) -> None:
    told: list[robosieve.Progress] = []
    urls = ["https://shop.example/", "https://shop.example/cart"] * 50_000
    size = sum(map(len, urls))
    calls: dict[str, tuple[Callable[[], object], int, int | None]] = {
        "judge": (lambda: policy.judge(urls, AGENT, progress=told.append), len(urls), size),
        "unique": (lambda: robosieve.unique(pa.array(urls), progress=told.append), len(urls), size),
        "compile": (lambda: robosieve.compile(answers(0, 7), [AGENT], progress=told.append), 7, 7 * len(BODY) - 7),
        "export": (lambda: robosieve.export(policy, "status", progress=told.append), policy.origins, None),
    }
    for name, (call, lines, size_of) in calls.items():
        told.clear()
        call()
        last = told[-1]
        assert last["lines"] == lines, name
        assert last["bytes"] == size_of or (size_of is None and last["bytes"] > 0), name
        assert last["share"] == (1.0 if name in ("judge", "unique") else None), name
        assert all(a["lines"] <= b["lines"] and a["seconds"] <= b["seconds"] for a, b in itertools.pairwise(told)), name


def test_an_error_of_the_callback_ends_the_call(many: list[str], big: robosieve.Policy) -> None:
    def fail(progress: robosieve.Progress) -> None:
        raise RuntimeError(f"at {progress['lines']}")

    for call in (
        partial(big.judge, pa.array(many), threads=1, progress=fail),
        partial(robosieve.unique, pa.array(many), progress=fail),
        partial(robosieve.compile, answers(0), [AGENT], progress=fail),
        partial(robosieve.export, big, "access", progress=fail),
    ):
        with pytest.raises(RuntimeError, match="at "):
            call()
    with pytest.raises(TypeError, match="progress: expected a function, not 3"):
        big.judge(many, progress=3)  # type: ignore[call-overload]


def test_verdicts_show_their_first_rows(policy: robosieve.Policy) -> None:
    out = policy.judge(["https://shop.example/cart", None, "https://shop.example/"], AGENT, explain=True)
    assert repr(out).splitlines() == [
        "<robosieve.Verdicts: 3 rows of verdict, reason, rule, line>",
        "verdict  reason  rule             line",
        "blocked  rules   Disallow: /cart  23",
        "None     None    None             None",
        "allowed  rules   None             None",
    ]
    many = policy.judge(["https://shop.example/cart"] * 12, AGENT)
    assert repr(many).splitlines()[-2:] == ["blocked  rules", "... 2 more"]
    assert repr(policy.judge([], AGENT)) == "<robosieve.Verdicts: 0 rows of verdict, reason>"
