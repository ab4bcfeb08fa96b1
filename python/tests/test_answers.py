"""`compile` from memory makes the policy that files with the same answers make."""

import base64
import copy
import json
import pickle
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import robosieve
from robosieve import Answer

NOON = datetime(2026, 1, 12, 12, tzinfo=timezone.utc)
SECONDS = int(NOON.timestamp())
AGENTS = ["examplebot", "*"]

# Every kind of answer, as lines of JSON Lines have it.
ANSWERS: list[dict[str, Any]] = [
    {
        "url": "https://a.example/robots.txt",
        "status": 200,
        "body": "User-agent: *\nDisallow: /x",
        "fetched_at": SECONDS,
    },
    {"url": "HTTPS://B.example:443/robots.txt", "status": 404, "fetched_at": "2026-01-12T13:00:00+01:00"},
    {"url": "https://c.example/robots.txt", "status": None, "fetched_at": SECONDS, "unreachable_since": SECONDS - 9},
    {"url": "https://d.example/robots.txt", "status": 301, "location": "https://www.d.example/page"},
    {"url": "https://www.d.example/page", "status": 200, "body": "User-agent: *\nDisallow: /d", "expires": SECONDS + 5},
    {"url": "https://e.example/robots.txt", "status": 301, "location": "/away"},
    {"url": "https://f.example/robots.txt", "status": 206, "body": "User-agent: *\nAllow: /"},
    {"url": "https://g.example/robots.txt", "status": 999},
    {"url": "https://h.example/robots.txt", "status": 403, "body": "no"},
    {"url": "https://i.example/robots.txt", "status": 200, "body": ""},
    {"url": "https://j.example/robots.txt", "status": 304, "fetched_at": SECONDS},
    {"url": "https://k.example/robots.txt", "status": 503, "fetched_at": SECONDS},
    {"url": "https://k.example/robots.txt", "status": 200, "body": "Disallow: /", "fetched_at": SECONDS - 60},
]


def of_file(path: Path, lines: list[dict[str, Any]], **options: Any) -> robosieve.Policy:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return robosieve.compile([path], AGENTS, **options)


@pytest.fixture
def expected(tmp_path: Path) -> bytes:
    return of_file(tmp_path / "answers.jsonl", ANSWERS).to_bytes()


def columns() -> dict[str, list[Any]]:
    """The answers as columns, with times as seconds."""
    names = ["url", "status", "body", "location", "fetched_at", "expires", "unreachable_since"]
    made = {name: [line.get(name) for line in ANSWERS] for name in names}
    made["fetched_at"] = [SECONDS if isinstance(time, str) else time for time in made["fetched_at"]]
    return made


def test_answers_make_the_policy_of_a_file(expected: bytes, tmp_path: Path) -> None:
    answers = [Answer(**line) if "body" in line else Answer(**line, body=None) for line in ANSWERS]
    for given in (answers, tuple(answers), iter(answers), (answer for answer in answers)):
        policy = robosieve.compile(given, AGENTS)
        assert policy.to_bytes() == expected
    assert policy.judge(["https://a.example/x", "https://a.example/"], "*")["verdict"] == ["blocked", "allowed"]
    assert pickle.loads(pickle.dumps(policy)).checksum == policy.checksum
    written = robosieve.compile(answers, AGENTS, tmp_path / "policy.rsv")
    assert written.to_bytes() == expected == (tmp_path / "policy.rsv").read_bytes()
    assert robosieve.compile(answers, AGENTS, memory=100 << 10).to_bytes() == expected
    assert robosieve.compile(reversed(answers), AGENTS).to_bytes() == expected


def test_a_dict_has_the_body_of_each_origin(tmp_path: Path) -> None:
    bodies: dict[str, str | bytes] = {
        "https://a.example": "User-agent: *\nDisallow: /ä",
        "http://b.example:8080/": b"Disallow: /\xff",
        "https://c.example": "",
    }
    lines: list[dict[str, Any]] = []
    for origin, body in bodies.items():
        raw = body.encode() if isinstance(body, str) else body
        lines.append({"origin": origin, "status": 200, "body_base64": base64.b64encode(raw).decode()})
    expected = of_file(tmp_path / "answers.jsonl", lines)
    assert robosieve.compile(bodies, AGENTS).to_bytes() == expected.to_bytes()


def test_tables_make_the_policy_of_a_file(expected: bytes, tmp_path: Path) -> None:
    table = pa.table(columns())
    binary = table.set_column(2, "body", table["body"].cast(pa.binary()))
    whole = pa.chunked_array([table["url"].slice(0, 4).combine_chunks(), table["url"].slice(4).combine_chunks()])
    other = pa.array([[1]] * len(table))
    frame = pd.DataFrame(columns())
    odd = frame.assign(note=[object()] * len(frame)).set_index("url").sort_values("fetched_at")
    times = [None if time is None else NOON + timedelta(seconds=time - SECONDS) for time in columns()["fetched_at"]]
    for name, given in {
        "table": table,
        "bytes": binary,
        "batch": table.to_batches()[0],
        "reader": table.to_reader(max_chunksize=3),
        "chunks": table.set_column(0, "url", whole).append_column("note", other),
        "views": table.set_column(0, "url", table["url"].cast(pa.string_view())),
        "dictionary": table.set_column(0, "url", table["url"].dictionary_encode()),
        "time stamps": table.set_column(4, "fetched_at", pa.array(times, pa.timestamp("ms", "UTC"))),
        "pandas": frame,
        "pandas, by an index": odd,
        "pandas of Arrow": table.to_pandas(types_mapper=pd.ArrowDtype),
        "pandas with times": frame.assign(fetched_at=pd.to_datetime(frame["fetched_at"], unit="s", utc=True)),
        "polars": pl.DataFrame(columns()),
        "polars with times": pl.DataFrame(
            columns() | {"fetched_at": times, "note": pl.Series([object()] * len(times))}
        ),
    }.items():
        assert robosieve.compile(given, AGENTS).to_bytes() == expected, name
    pyarrow.parquet.write_table(table, tmp_path / "answers.parquet")
    assert robosieve.compile([tmp_path / "answers.parquet"], AGENTS).to_bytes() == expected


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    names = {"url": "target", "status": None, "fetched_at": None}
    rows: dict[str, list[Any]] = {
        "target": ["https://a.example/robots.txt"],
        "body": [b"User-agent: *\nDisallow: /"],
        "status": ["?"],
    }
    expected = of_file(
        tmp_path / "answers.jsonl", [{"target": rows["target"][0], "body": "User-agent: *\nDisallow: /"}], columns=names
    )
    for table in (pa.table(rows), pd.DataFrame(rows), pl.DataFrame(rows)):
        assert robosieve.compile(table, AGENTS, columns=names).to_bytes() == expected.to_bytes()
    nobody = {"url": rows["target"], "status": [None], "body": [None], "fetched_at": [None]}
    for unreachable in (pa.table(nobody), pd.DataFrame(nobody), pl.DataFrame(nobody)):
        policy = robosieve.compile(unreachable, AGENTS)
        assert policy.judge(["https://a.example/"], "*")["reason"] == ["unreachable"]
    empty = robosieve.compile(pa.table(nobody).slice(0, 0), AGENTS)
    assert (empty.origins, empty.judge(["https://a.example/"], "*")["verdict"]) == (0, ["deferred"])


A = "https://a.example/robots.txt"
ONE = {"url": [A], "status": [200], "body": ["Disallow: /"], "fetched_at": [None]}

WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "no body in a dict": (
        {"https://a.example": None},
        robosieve.SourceError,
        "answer 1: its status is 200, but its body is null",
    ),
    "a list in a dict": (ONE, TypeError, "sources: the body of 'url': expected str or bytes, not list"),
    "a host in a dict": ({"a.example": ""}, robosieve.SourceError, "answer 1: .*not an origin"),
    "a number in a dict": ({5: ""}, TypeError, "sources: expected an origin, not 5"),
    "an empty dict": ({}, robosieve.Error, "sources: the dict is empty"),
    "no body": (
        [Answer(A, 404), Answer(A, 200)],
        robosieve.SourceError,
        "answer 2: its status is 200, but its body is null",
    ),
    "no body of 204": ([Answer(A, 204)], robosieve.SourceError, "answer 1: its status is 204"),
    "no status": ([Answer(A, 1000)], robosieve.SourceError, "1000 is no HTTP status"),
    "no URL": ([Answer("/robots.txt", 404)], robosieve.SourceError, "expected an absolute"),
    "milliseconds": ([Answer(A, 404, fetched_at=SECONDS * 1000)], robosieve.SourceError, "looks like milliseconds"),
    "tomorrow": (
        [Answer(A, 404, fetched_at="2999-01-01T00:00:00Z")],
        robosieve.SourceError,
        "more than a day after now",
    ),
    "one answer": (Answer(A, 404), TypeError, "sources: expected a list"),
    "a path among answers": (
        [Answer(A, 404), "sites"],
        TypeError,
        "sources: item 1 is 'sites'; expected a robosieve.Answer",
    ),
    "an answer among paths": (["datasets/sites", Answer(A, 404)], TypeError, "sources: item 1 is <"),
    "a null in a table": (
        pa.table(ONE | {"body": pa.nulls(1, pa.string())}),
        robosieve.SourceError,
        "answer 1: its status is 200, but its body is null",
    ),
    "nulls in a table": (pa.table(ONE | {"body": [None]}), robosieve.SourceError, "answer 1: .*its body is null"),
    "no URL in a table": (pl.DataFrame(ONE | {"url": [None]}), robosieve.SourceError, "answer 1: it has no URL"),
    "a text for a status": (
        pa.table(ONE | {"status": ["200"]}),
        TypeError,
        'sources: the column "status" is of type Utf8; expected integers',
    ),
    "a part of a status": (
        pa.table(ONE | {"status": [200.5]}),
        robosieve.SourceError,
        "answer 1: its status is not a whole number",
    ),
    "no such time": (
        pa.table(ONE | {"fetched_at": ["noon"]}),
        robosieve.SourceError,
        'answer 1: "noon" is not an RFC 3339 time',
    ),
    "a date": (pa.table(ONE | {"fetched_at": [NOON.date()]}), TypeError, 'column "fetched_at" is of type Date32'),
    "a number for a body": (
        pa.table(ONE | {"body": [5]}),
        TypeError,
        'column "body" is of type Int64; expected text or bytes',
    ),
    "bytes that are no URL": (pa.table(ONE | {"url": [b"\xff"]}), robosieve.SourceError, "its url is not UTF-8"),
    "a column that is not there": (
        pa.table({"url": [A], "status": [200]}),
        robosieve.SourceError,
        'no column "body"; its columns are url, status',
    ),
    "the same in pandas": (pd.DataFrame({"url": [A], "body": [""]}), robosieve.SourceError, 'no column "status"'),
    "mixed bodies": (
        pd.DataFrame({"url": [A] * 2, "status": 200, "body": ["", 5], "fetched_at": None}),
        TypeError,
        "sources: ",
    ),
    "a single column": (pa.array(["datasets/sites"]), TypeError, "sources: it is a single column"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_answer_is_told(name: str) -> None:
    given, kind, message = WRONG[name]
    with pytest.raises(kind, match=message):
        robosieve.compile(given, ["*"])


def test_what_is_for_files_is_refused() -> None:
    for options in ({"origin": "https://a.example"}, {"columns": {"url": "uri"}}):
        for given in ({"https://a.example": ""}, [Answer(A, 404)]):
            with pytest.raises(robosieve.Error, match=next(iter(options))):
                robosieve.compile(given, ["*"], **options)


def test_an_answer_has_types() -> None:
    calls: list[tuple[Callable[[], Answer], str]] = [
        (lambda: Answer(A, "200"), "status"),  # type: ignore[arg-type]
        (lambda: Answer(A, 200.5), "status"),  # type: ignore[arg-type]
        (lambda: Answer(A, 200, 5), "body"),  # type: ignore[arg-type]
        (lambda: Answer(A, 200, "", []), "fetched_at"),  # type: ignore[arg-type]
        (lambda: Answer(b"http://a/robots.txt", 200), "url"),  # type: ignore[arg-type]
    ]
    for wrong, parameter in calls:
        with pytest.raises(TypeError, match=parameter):
            wrong()
    with pytest.raises(ValueError, match="fetched_at: .* has no time zone"):
        Answer(A, 404, fetched_at=datetime(2026, 1, 12))
    with pytest.raises(ValueError, match="expires: expected seconds"):
        Answer(A, 404, expires=float("nan"))
    with pytest.raises(robosieve.Error, match="unreachable_since: .* RFC 3339"):
        Answer(A, 404, unreachable_since="yesterday")


def test_an_answer_is_a_value() -> None:
    one = Answer(A, 200, "x", NOON, "/y", expires="2026-01-12T12:00:00Z", unreachable_since=SECONDS + 0.9)
    assert one == Answer(A, 200, b"x", SECONDS, "/y", expires=SECONDS, unreachable_since=SECONDS)
    pickled = [pickle.loads(pickle.dumps(one, protocol)) for protocol in range(6)]
    assert len({one, *pickled, copy.deepcopy(one)}) == 1
    assert one != Answer(A, 200, "x")
    assert (one.url, one.status, one.body, one.location) == (A, 200, b"x", "/y")
    assert (one.fetched_at, one.expires, one.unreachable_since) == (SECONDS, SECONDS, SECONDS)
    assert repr(Answer(A, None)) == f"<robosieve.Answer {A}: no status>"


def test_answers_are_taken_by_the_caller(tmp_path: Path) -> None:
    """More than are taken at a time; from a connection that only this thread may use."""
    log = sqlite3.connect(":memory:")
    log.execute("create table answers (number integer, body text)")
    log.executemany("insert into answers values (?, ?)", ((n, f"Disallow: /{n % 7}" * (n % 5)) for n in range(2000)))

    def answers() -> Iterator[Answer]:
        for number, body in log.execute("select number, body from answers"):
            yield Answer(f"https://{number}.example/robots.txt", 200, body)

    assert robosieve.compile(answers(), ["*"]).origins == 2000

    def failing() -> Iterator[Answer]:
        yield from answers()
        raise KeyError("the log ends")

    out = tmp_path / "policy.rsv"
    with pytest.raises(KeyError, match="the log ends"):
        robosieve.compile(failing(), ["*"], out)
    assert not out.exists()

    def wrong() -> Iterator[Answer]:
        yield Answer(A, 200)
        while True:
            yield Answer(A, 404)

    with pytest.raises(robosieve.SourceError, match="answer 1"):
        robosieve.compile(wrong(), ["*"], out)
    assert not out.exists()
