"""The table of doors: each case is a row with one meaning, and is put to every door of Python that can express it."""

import base64
import bz2
import datetime
import decimal
import email.message
import gzip
import io
import json
import os
import unittest.mock
import urllib.error
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import robosieve
from robosieve import Answer
from robosieve.compat.protego import Protego
from robosieve.compat.urllib import RobotFileParser
from robosieve.scrapy import RobotParser

from .conftest import ROOT

Row = dict[str, Any]
Door = Callable[[list[Row], Path], robosieve.Policy]


class Body(NamedTuple):
    """A body, the value of its Content-Encoding, and what it means for /no."""

    name: str
    body: bytes
    coding: str | None
    outcome: str
    flaw: str | None = None


ROBOTS = b"User-agent: *\nDisallow: /no\n"
ZIPPED = gzip.compress(ROBOTS, mtime=0)
RULES, EMPTY = "blocked rules", "allowed no-group"
INCOMPLETE, NOT_TEXT, UNREACHABLE = "deferred incomplete", "deferred not-text", "deferred unreachable"


def bare_deflate(text: bytes) -> bytes:
    maker = zlib.compressobj(wbits=-15)
    return maker.compress(text) + maker.flush()


BODIES = [
    Body("a text", ROBOTS, None, RULES),
    Body("nothing", b"", None, EMPTY),
    Body("an HTML page", b"<!doctype html><p>", None, EMPTY),
    Body("a NUL", b"# \0 once\n" + ROBOTS, None, RULES),
    Body("gzip", ZIPPED, None, RULES),
    Body("gzip with its header", ZIPPED, "gzip", RULES),
    Body("gzip in gzip", gzip.compress(ZIPPED), None, RULES),
    Body("bzip2", bz2.compress(ROBOTS), None, RULES),
    Body("zlib", zlib.compress(ROBOTS), None, RULES),
    Body("bare deflate", bare_deflate(ROBOTS), "deflate", RULES),
    Body("decoded before", ROBOTS, "gzip", RULES),
    Body("gzip as characters", ZIPPED.decode("latin-1").encode(), None, RULES),
    Body("gzip cut short", ZIPPED[:-12], None, INCOMPLETE, "incomplete"),
    Body("a large window", bytes.fromhex("28b52ffd0090010000"), None, INCOMPLETE, "incomplete"),
    Body("an unknown coding", b"\x1f\x9d\x90\x01\x02", "compress", UNREACHABLE),
    Body("xz", b"\xfd7zXZ\0\0\x04\xe6\xd6", None, NOT_TEXT, "not-text"),
    Body("PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", None, NOT_TEXT, "not-text"),
    Body("PNG", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, NOT_TEXT, "not-text"),
    Body("NULs", b"\0" * 40 + ROBOTS, None, NOT_TEXT, "not-text"),
]


def url_of(number: int) -> str:
    return f"http://case{number}.example/robots.txt"


def body_rows() -> list[Row]:
    return [
        {"url": url_of(at), "status": 200, "body": case.body, "coding": case.coding} for at, case in enumerate(BODIES)
    ]


def table(rows: list[Row], headers: Callable[[Row], Any] | None = None, kind: pa.DataType | None = None) -> pa.Table:
    """A table of answers, whose headers `headers` makes."""
    names = ["url", "status", "body", "location", "fetched_at"]
    made = {name: [row.get(name) for row in rows] for name in names}
    kinds = {"body": pa.binary(), "location": pa.string(), "fetched_at": pa.int64()}
    columns: dict[str, Any] = made | {name: pa.array(made[name], of) for name, of in kinds.items()}
    if headers is not None:
        columns["headers"] = pa.array([headers(row) for row in rows], kind)
    return pa.table(columns)


def as_dict(row: Row) -> dict[str, str] | None:
    return {"content-encoding": row["coding"]} if row["coding"] else None


def as_pairs(row: Row) -> list[tuple[str, str]]:
    return [("Server", "x"), ("CONTENT-ENCODING", row["coding"])] if row["coding"] else []


MAP = pa.map_(pa.string(), pa.string())
STRUCT = pa.struct([("Server", pa.int64()), ("content-encoding", pa.string())])
NAMED = pa.list_(pa.struct([("value", pa.large_string()), ("name", pa.string())]))


def as_named(row: Row) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in as_pairs(row)]


def as_json(row: Row) -> str:
    return json.dumps(as_dict(row))


def compiled(sources: Any) -> robosieve.Policy:
    return robosieve.compile(sources, ["examplebot"])


def answer(row: Row, headers: Any) -> Answer:
    fields = {name: value for name, value in row.items() if name != "coding"}
    return Answer(**fields, headers=headers)


def json_line(row: Row) -> str:
    line = {name: value for name, value in row.items() if name not in ("coding", "body")}
    if "body" in row:
        line["body_base64"] = base64.b64encode(row["body"]).decode()
    if row.get("coding"):
        line["headers"] = {"Content-Encoding": row["coding"], "Content-Length": 7}
    return json.dumps(line) + "\n"


def json_lines(rows: list[Row], folder: Path) -> robosieve.Policy:
    (folder / "answers.jsonl").write_text("".join(map(json_line, rows)))
    return compiled([folder / "answers.jsonl"])


def parquet(rows: list[Row], folder: Path) -> robosieve.Policy:
    pyarrow.parquet.write_table(table(rows, as_dict, MAP), folder / "answers.parquet")
    return compiled([folder / "answers.parquet"])


# The doors that take headers.
WITH_HEADERS: dict[str, Door] = {
    "answers, a dict": lambda rows, _: compiled([answer(row, as_dict(row)) for row in rows]),
    "answers, pairs": lambda rows, _: compiled(answer(row, as_pairs(row)) for row in rows),
    "answers, lists of bytes": lambda rows, _: compiled(
        answer(row, {b"Content-Encoding": [row["coding"].encode()] if row["coding"] else []}) for row in rows
    ),
    "a table, maps": lambda rows, _: compiled(table(rows, as_dict, MAP)),
    "a table, a struct": lambda rows, _: compiled(table(rows, as_dict, STRUCT)),
    "a table, pairs": lambda rows, _: compiled(table(rows, as_pairs, pa.list_(pa.list_(pa.string())))),
    "a table, named pairs": lambda rows, _: compiled(table(rows, as_named, NAMED)),
    "a table, JSON": lambda rows, _: compiled(table(rows, as_json)),
    "polars": lambda rows, _: compiled(pl.from_arrow(table(rows, as_named, NAMED))),
    "pandas": lambda rows, _: compiled(table(rows, as_dict, STRUCT).to_pandas()),
    "JSON Lines": json_lines,
    "Parquet": parquet,
}

# Those that do not.
WITHOUT_HEADERS: dict[str, Door] = {
    "a dict": lambda rows, _: compiled({row["url"].removesuffix("/robots.txt"): row["body"] for row in rows}),
    "a dict, text": lambda rows, _: compiled(
        {row["url"].removesuffix("/robots.txt"): row["body"].decode("utf-8", "surrogateescape") for row in rows}
    ),
    "a dict, Latin-1": lambda rows, _: compiled(
        {row["url"].removesuffix("/robots.txt"): row["body"].decode("latin-1") for row in rows}
    ),
}


def outcomes(policy: robosieve.Policy, path: str, count: int) -> list[str]:
    out = policy.judge([url_of(at).replace("/robots.txt", path) for at in range(count)])
    return [f"{verdict} {reason}" for verdict, reason in zip(out["verdict"], out["reason"], strict=True)]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("door", WITH_HEADERS)
def test_a_body_means_the_same(door: str, tmp_path: Path) -> None:
    found = outcomes(WITH_HEADERS[door](body_rows(), tmp_path), "/no", len(BODIES))
    assert {case.name: found[at] for at, case in enumerate(BODIES)} == {case.name: case.outcome for case in BODIES}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("door", WITHOUT_HEADERS)
def test_a_body_means_the_same_without_headers(door: str, tmp_path: Path) -> None:
    found = outcomes(WITHOUT_HEADERS[door](body_rows(), tmp_path), "/no", len(BODIES))
    for case, outcome in zip(BODIES, found, strict=True):
        # As Latin-1, these characters are a text of other bytes.
        is_other = door == "a dict, Latin-1" and case.name in ("gzip as characters",)
        if case.coding is None and not is_other:
            assert outcome == case.outcome, case.name


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_all_doors_make_one_policy(tmp_path: Path) -> None:
    made = {name: door(body_rows(), tmp_path).checksum for name, door in WITH_HEADERS.items()}
    assert len(set(made.values())) == 1, made


# What judges by one file: whether /no is allowed.
PARSERS: dict[str, Callable[[bytes], bool]] = {
    "RobotsTxt": lambda body: robosieve.RobotsTxt(body).allowed("http://h.example/no"),
    "RobotsTxt, Latin-1": lambda body: robosieve.RobotsTxt(body.decode("latin-1")).allowed("/no"),
    "Protego": lambda body: Protego.parse(body).can_fetch("http://h.example/no", "examplebot"),
    "Scrapy": lambda body: RobotParser(body).allowed("http://h.example/no", "examplebot"),
}


@pytest.mark.parametrize("case", [case for case in BODIES if case.coding is None], ids=lambda case: case.name)
def test_one_file_is_read_as_by_compile(case: Body) -> None:
    for name, is_allowed in PARSERS.items():
        # As Latin-1, these characters are a text of other bytes.
        if name == "RobotsTxt, Latin-1" and case.name == "gzip as characters":
            continue
        # What cannot defer blocks.
        assert is_allowed(case.body) == case.outcome.startswith("allowed"), name
    rules = robosieve.RobotsTxt(case.body)
    assert rules.flaw == case.flaw
    if case.flaw is not None:
        assert not rules.allowed("/")
        assert rules.explain("/")["rule"] is None
    parser = RobotFileParser("http://h.example/robots.txt")
    with serving(200, case.body):
        parser.read()
    assert parser.can_fetch("examplebot", "http://h.example/no") == case.outcome.startswith("allowed")


@contextmanager
def serving(status: int, body: bytes) -> Iterator[None]:
    """Answers to the requests of urllib."""

    def urlopen(url: str) -> Any:
        file = io.BytesIO(body)
        if status >= 300:
            raise urllib.error.HTTPError(url, status, "", email.message.Message(), file)
        return file

    with unittest.mock.patch("urllib.request.urlopen", urlopen):
        yield


@pytest.mark.parametrize(
    ("status", "dialect", "is_allowed"),
    [
        (404, "rfc9309", True),
        (403, "rfc9309", False),
        (503, "rfc9309", False),
        (429, "rfc9309", False),
        (408, "draft-1996", False),
        (425, "original-1994", False),
        (429, "google", False),
        (408, "google", True),
    ],
)
def test_a_status_of_urllib(status: int, dialect: str, is_allowed: bool) -> None:
    """It is that of the original, but for those that say "not now"."""
    parser = RobotFileParser("http://h.example/robots.txt", dialect=dialect)
    with serving(status, b""):
        parser.read()
    assert parser.can_fetch("examplebot", "http://h.example/x") == is_allowed


def test_bodies_that_are_none_are_told(tmp_path: Path) -> None:
    for out in (None, tmp_path / "policy.rsv"):
        with pytest.warns(UserWarning, match="1 body is no text: answer 1, http://pdf.example/robots.txt: it is a PDF"):
            robosieve.compile({"http://pdf.example": b"%PDF-1.7\n"}, ["*"], out)


# The fields of an answer, and what they mean for /x and for /robots.txt.
MEANINGS: dict[str, tuple[Row, str, str]] = {
    "429": ({"status": 429}, "deferred unreachable", "allowed robots-txt"),
    "408": ({"status": 408}, "deferred unreachable", "allowed robots-txt"),
    "425": ({"status": 425}, "deferred unreachable", "allowed robots-txt"),
    "404": ({"status": 404}, "allowed unavailable", "allowed unavailable"),
    "503": ({"status": 503}, "deferred unreachable", "allowed robots-txt"),
    "nobody": ({"status": None}, "deferred unreachable", "allowed robots-txt"),
    "no location": ({"status": 301}, "deferred redirect-unresolved", "allowed robots-txt"),
    "rules": ({"status": 200, "body": b"User-agent: *\nDisallow: /"}, "blocked rules", "allowed robots-txt"),
}


@pytest.mark.parametrize("door", WITH_HEADERS)
def test_an_answer_means_the_same(door: str, tmp_path: Path) -> None:
    rows = [{"url": url_of(at), "coding": None, **row} for at, (row, _, _) in enumerate(MEANINGS.values())]
    policy = WITH_HEADERS[door](rows, tmp_path)
    found = zip(outcomes(policy, "/x", len(rows)), outcomes(policy, "/robots.txt", len(rows)), strict=True)
    expected = {name: (other, robots_txt) for name, (_, other, robots_txt) in MEANINGS.items()}
    assert dict(zip(MEANINGS, found, strict=True)) == expected


@pytest.mark.parametrize("door", WITH_HEADERS)
def test_a_location_means_the_same(door: str, tmp_path: Path) -> None:
    """By the table that the doors of Rust are held to."""
    groups = json.loads((ROOT / "tests/cli/doors/locations.json").read_text())
    cases = [(location, group["outcome"]) for group in groups for location in group["locations"]]
    assert cases
    rows = [{"url": url_of(at), "status": 301, "location": case[0]} for at, case in enumerate(cases)]
    found = {"url": "http://b.example/robots.txt", "status": 200, "body": ROBOTS}
    rows = [{"coding": None, **row} for row in [*rows, found]]
    policy = WITH_HEADERS[door](rows, tmp_path)
    assert list(zip([case[0] for case in cases], outcomes(policy, "/no", len(cases)), strict=True)) == cases


NOON = 1_768_219_200
UTC = datetime.timezone.utc

# A time as Python has it, and its second; or what is said of it.
TIMES: list[tuple[Any, int | str]] = [
    (NOON, NOON),
    (NOON + 0.25, NOON),
    (NOON + 0.999999, NOON),
    (0.75, 0),
    (-0.25, -1),
    (-7.5, -8),
    ("2026-01-12T12:00:00.999Z", NOON),
    ("1969-12-31T23:59:58.5Z", -2),
    (datetime.datetime(2026, 1, 12, 12, 0, 0, 999_999, UTC), NOON),
    (datetime.datetime(1969, 12, 31, 23, 59, 58, 500_000, UTC), -2),
    (pd.Timestamp("2026-01-12T12:00:00.999999999Z"), NOON),
    (float("nan"), "expected seconds of Unix time|is no time"),
    (float("inf"), "expected seconds of Unix time|is no time"),
    (-1e300, "expected seconds of Unix time|is no time"),
    ("9999-12-31T23:59:59Z", "beyond the year 5000"),
    ("5001-01-01T00:00:00Z", "beyond the year 5000"),
    (95_649_120_000.5, "beyond the year 5000"),
    ("2026-01-12", "not an RFC 3339 time"),
]

# Of an answer, and of one without a time, for which the call has one; as arguments, and in tables.
TIMED: dict[str, Callable[[Any], robosieve.Policy]] = {
    "an answer": lambda time: compiled([Answer(url_of(0), 404, fetched_at=time)]),
    "expires": lambda time: compiled([Answer(url_of(0), 404, fetched_at=time, expires=time)]),
    "fetched_at of a dict": lambda time: robosieve.compile({"http://case0.example": ""}, ["*"], fetched_at=time),
    "fetched_at of answers": lambda time: robosieve.compile([Answer(url_of(0), 404)], ["*"], fetched_at=time),
    "fetched_at of a table": lambda time: robosieve.compile(
        table([{"url": url_of(0), "status": 404}]), ["*"], fetched_at=time
    ),
}


@pytest.mark.parametrize(("time", "second"), TIMES, ids=repr)
def test_a_time_means_the_same(time: Any, second: int | str, tmp_path: Path) -> None:
    doors = dict(TIMED)
    if not isinstance(time, datetime.datetime):
        column = pa.array([time])
        doors["a table"] = lambda _: compiled(
            table([{"url": url_of(0), "status": 404}]).set_column(4, "fetched_at", column)
        )
        (tmp_path / "answers.jsonl").write_text(json.dumps({"url": url_of(0), "status": 404, "fetched_at": time}))
        doors["JSON Lines"] = lambda _: compiled([tmp_path / "answers.jsonl"])
    for name, door in doors.items():
        if isinstance(second, int):
            found = door(time).origin(url_of(0))
            assert found is not None
            assert found.fetched_at == second, name
        elif name == "JSON Lines" and not isinstance(time, str):
            with pytest.raises(robosieve.SourceError):
                door(time)
        else:
            with pytest.raises((robosieve.Error, ValueError), match=second):
                door(time)


def test_times_of_tables_have_fractions() -> None:
    columns = [
        pa.array([NOON + 0.5], pa.float32()).cast(pa.float64()),
        pa.array([decimal.Decimal(f"{NOON}.99")], pa.decimal128(12, 2)),
        pa.array([-0.5]),
        pa.array([decimal.Decimal("-0.01")], pa.decimal128(12, 2)),
        pa.array([NOON * 1_000 + 999], pa.timestamp("ms", "UTC")),
        pa.array([-1], pa.timestamp("ns")),
    ]
    found = []
    for column in columns:
        policy = compiled(table([{"url": url_of(0), "status": 404}]).set_column(4, "fetched_at", column))
        origin = policy.origin(url_of(0))
        found.append(origin and origin.fetched_at)
    # In 32 bits, a number is near.
    assert found[1:] == [NOON, -1, -1, NOON, -1]
    assert abs((found[0] or 0) - NOON) < 128


def test_a_time_for_those_without(tmp_path: Path) -> None:
    """It dates files and answers that have none; with "mtime", those of files."""
    for name, time in (("one", NOON), ("two", NOON + 60)):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "a.example"
        file.write_text(f"User-agent: *\nDisallow: /{name}\n")
        os.utime(file, (time, time + 0.9))
    folders = [tmp_path / "one", tmp_path / "two"]
    urls = ["http://a.example/one", "http://a.example/two"]
    newest = robosieve.compile(folders, ["*"], fetched_at="mtime")
    assert newest.judge(urls)["verdict"] == ["allowed", "blocked"]
    assert robosieve.compile(reversed(folders), ["*"], fetched_at="mtime").checksum == newest.checksum
    origin = newest.origin(urls[0])
    assert origin is not None
    assert origin.fetched_at == NOON + 60
    for fetched_at in (None, NOON):
        with pytest.warns(UserWarning, match="2 URLs have different answers"):
            robosieve.compile(folders, ["*"], fetched_at=fetched_at)
        with pytest.warns(UserWarning, match=r"1 URL has .* the first is http://a.example/robots.txt; .*fetched_at"):
            robosieve.compile(
                {"http://a.example": "", "http://A.example/": ROBOTS}, ["*"], tmp_path / "p.rsv", fetched_at=fetched_at
            )
    later = [
        Answer("http://a.example/robots.txt", 200, ROBOTS, NOON + 1),
        Answer("http://a.example/robots.txt", 200, ""),
    ]
    dated = robosieve.compile(later, ["*"], fetched_at=NOON + 2)
    assert dated.judge(["http://a.example/no"])["verdict"] == ["allowed"]
    with pytest.raises(robosieve.SourceError, match="no file has them"):
        robosieve.compile(later, ["*"], fetched_at="mtime")
    with pytest.raises(robosieve.Error, match="fetched_at: .*expected one, or mtime"):
        robosieve.compile(later, ["*"], fetched_at="ctime")
    with pytest.raises(TypeError, match="fetched_at: "):
        robosieve.compile(later, ["*"], fetched_at=[])  # type: ignore[arg-type]


def test_headers_are_part_of_an_answer() -> None:
    one = Answer(url_of(0), 200, ZIPPED, headers={"Content-Encoding": "gzip", "Vary": ["a", "b"], "Age": None})
    assert one.headers == [("Content-Encoding", "gzip"), ("Vary", "a"), ("Vary", "b")]
    assert repr(one).endswith("bytes, 3 headers>")
    for wrong in ("gzip", b"gzip", 5, ["gzip"], [("a", "b", "c")], {"Content-Encoding": 7}, {7: "gzip"}):
        with pytest.raises(TypeError, match="headers: expected"):
            Answer(url_of(0), 200, "", headers=wrong)  # type: ignore[arg-type]
    for column in (pa.array(["gzip"]), pa.array([["Content-Encoding"]]), pa.array([{"Content-Encoding": 7}])):
        with pytest.raises(robosieve.SourceError, match="answer 1: its headers cannot be read"):
            compiled(table([{"url": url_of(0), "status": 200, "body": b""}]).append_column("headers", column))
    with pytest.raises(TypeError, match='column "headers" is of type Int64; expected maps'):
        compiled(table([{"url": url_of(0), "status": 200, "body": b""}]).append_column("headers", pa.array([5])))


def test_names_that_no_file_can_have_are_refused() -> None:
    """Google's library reads names up to the first character that is no letter, "-" or "_"."""
    doors: list[Callable[[str, str], object]] = [
        lambda name, dialect: robosieve.compile({"http://h.example": ""}, [name], dialect=dialect),
        lambda name, dialect: robosieve.compile({"http://h.example": ""}, ["*", f"a,{name}"], dialect=dialect),
        lambda name, dialect: robosieve.RobotsTxt("", name, dialect=dialect),
    ]
    for door in doors:
        with pytest.raises(robosieve.AgentError, match="agent: .*MJ12bot.*MJ"):
            door("MJ12bot", "google")
        door("MJ_bot", "google")
        door("MJ12bot", "rfc9309")
    policy = robosieve.compile({"http://h.example": "User-agent: MJ12bot\nDisallow: /"}, ["MJ12bot"])
    assert robosieve.Policy.from_bytes(policy.to_bytes()).judge(["http://h.example/"], "MJ12bot")["verdict"] == [
        "blocked"
    ]


def test_a_tab_is_part_of_a_url_but_not_of_a_line(tmp_path: Path) -> None:
    policy = robosieve.compile({"http://h.example": "User-agent: *\nDisallow: /a$"}, ["*"])
    url, path = "http://h.example/a\tkey=value", tmp_path / "list"
    path.write_text(f"{url}\nhttp://h.example/a\n")
    assert policy.judge([url, url.encode()])["verdict"] == ["allowed", "allowed"]
    assert policy.judge(pa.array([url]))["verdict"] == policy.judge({"url": [url]})["verdict"] == ["allowed"]
    assert policy.allowed(url)
    assert robosieve.RobotsTxt("User-agent: *\nDisallow: /a$").allowed(url)
    keys = robosieve.unique([url, url.replace("\t", "")])["key"]
    assert keys[0] == keys[1] is not None
    with pytest.warns(UserWarning, match='1 of them, the first is line 1; .*delimiter="tab".*delimiter="none"'):
        receipt = robosieve.filter(policy, [path], count=True)
    assert receipt["partitions"]["invalid"]["reasons"]["tab"] == 1
    assert receipt["lists"][0]["tabbed"] == {"lines": 1, "first": 1}
    for delimiter, verdict in (("none", "allowed"), ("tab", "blocked"), ("whitespace", "blocked")):
        receipt = robosieve.filter(
            policy, [path], count=True, delimiter=delimiter, column="1" if delimiter != "none" else None
        )
        assert (receipt["partitions"]["invalid"]["lines"], receipt["partitions"][verdict]["lines"] > 0) == (0, True)
    assert robosieve.keys([path], tmp_path / "keys.rss", delimiter="none")["urls"] == 2
    assert robosieve.keys([path], tmp_path / "other.rss")["urls"] == 1


def test_how_much_is_blocked_is_told_by_its_name() -> None:
    bodies = {"all": "Disallow: /", "some": "Disallow: /x", "none": "Disallow:"}
    policy = robosieve.compile(
        {f"http://{name}.example": f"User-agent: *\n{rule}" for name, rule in bodies.items()}, ["*"]
    )
    shown = robosieve.export(policy, "access").to_pyarrow()
    assert sorted(zip(shown["origin"].to_pylist(), shown["blocked"].to_pylist(), strict=True)) == [
        ("http://all.example", "all"),
        ("http://none.example", "none"),
        ("http://some.example", "some"),
    ]
    entry = robosieve.inspect(policy, "http://all.example")
    assert entry is not None
    assert entry["agents"][0]["blocked"] == "all"
    assert "access" not in entry["agents"][0]


def test_choices_that_only_say_what_stale_is_mean_the_dialects_age() -> None:
    assert robosieve.Choices(on_stale="defer").max_age == "dialect"
    assert robosieve.Choices(on_stale="defer", max_age=5).max_age == 5
    assert (robosieve.Choices().max_age, robosieve.Choices().on_stale) == (None, "use")


def test_inspect_tells_of_the_origin_that_judges() -> None:
    policy = robosieve.compile({"http://www.h.example": "User-agent: *\nDisallow: /"}, ["*"])
    assert robosieve.inspect(policy, "http://h.example") is None
    entry = robosieve.inspect(policy, "http://h.example", choices=robosieve.Choices(www_fallback=True))
    assert entry is not None
    assert entry["origin"] == "http://www.h.example"
