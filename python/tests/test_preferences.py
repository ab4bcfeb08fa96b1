"""What sites say about uses of their pages, as columns: those of the program's table of verdicts."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import robosieve
import robosieve.duckdb
import robosieve.polars
from robosieve._robosieve import PREFERENCES
from robosieve.datatrove import RobotsFilter

from .conftest import Program

AGENTS = ["other", "ExampleBot", "a"]
USES = "train-ai,search,ai-input"
SITES = {
    "draft": "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n\n"
    "User-Agent: ExampleBot\nAllow: /\nContent-Usage: train-ai=y\n",
    "signal": "Content-Signal: search=yes, ai-train=no, ai-input=yes\nUser-agent: a\nDisallow: /no\n",
    "both": "User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\nDisallow:\n",
    "broken": "User-agent: *\nContent-Usage: Train-AI=n\nContent-Usage: /a search=y\nContent-Signal: ai-input=maybe\nDisallow:\n",
    "silent": "User-agent: *\nDisallow: /no\n\nContent-Usage: /no train-ai=n\n",
    "front": "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n\nUser-agent: ExampleBot\nDisallow: /no\n",
}
# Answers that come later: one origin says something else, one says something for the first time, and one is new.
LATER = {
    "draft": "User-agent: *\nContent-Usage: search=n\nDisallow:\n",
    "silent": "User-agent: other\nContent-Signal: ai-train=yes\nDisallow:\n",
    "new": "User-agent: *\nContent-Usage: search=y\n",
}
PATHS = ["", "test", "never/x", "ai-ok/x", "no", "a", "./a/../ai-ok/?x#y", "%61"]
URLS = [
    *(f"http://{host}.example/{path}" for host in [*SITES, "new", "unknown"] for path in PATHS),
    "HTTP://DRAFT.example:80/ai-ok/",
    "http://draft.example",
    "no URL",
    "",
]


def answers(sites: dict[str, str], fetched_at: int) -> list[robosieve.Answer]:
    return [
        robosieve.Answer(f"http://{host}.example/robots.txt", 200, body, fetched_at) for host, body in sites.items()
    ]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The policies of the answers, and of those that come later."""
    folder = tmp_path_factory.mktemp("preferences")
    for name, (sites, fetched_at) in {"base": (SITES, 1), "later": (LATER, 2)}.items():
        robosieve.compile(answers(sites, fetched_at), AGENTS, folder / f"{name}.rsv")
    return [folder / "base.rsv", folder / "later.rsv"]


@pytest.fixture(scope="module")
def sites(parts: list[Path]) -> robosieve.Policy:
    return robosieve.Policy(parts[0])


def table(program: Program, folder: Path, policies: list[Path], agents: list[str], *more: str) -> pa.Table:
    """The program's table of verdicts."""
    (folder / "urls.txt").write_text("".join(f"{url}\n" for url in URLS))
    named = [part for path in policies for part in ("--policy", path)]
    named += [part for agent in agents for part in ("--agent", agent)]
    options = ["--verdicts", "--preferences", USES, "--format", "parquet", "--force", "--out", folder / "out"]
    program("filter", *named, *options, *more, folder / "urls.txt")
    return pyarrow.parquet.read_table(folder / "out" / "verdicts" / "part-0001.parquet")


def columns_of(written: pa.Table, agents: list[str], names: list[str]) -> dict[str, list[Any]]:
    """Columns of such a table, as `Policy.judge` has them for a list of agents."""
    of = {name: [name] if len(agents) == 1 else [f"{name}.{agent}" for agent in agents] for name in names}
    return {
        name: [list(row) for row in zip(*(written[label].to_pylist() for label in labels), strict=True)]
        for name, labels in of.items()
    }


@pytest.mark.parametrize("agents", [["other"], ["ExampleBot"], AGENTS], ids=len)
@pytest.mark.parametrize("source", ["base", "merged", "layers"])
def test_columns_are_those_of_the_program(
    program: Program, parts: list[Path], tmp_path: Path, agents: list[str], source: str
) -> None:
    paths = {"base": parts[:1], "merged": [tmp_path / "merged.rsv"], "layers": parts}[source]
    if source == "merged":
        robosieve.merge(parts, paths[0])
    policy = robosieve.Policy(paths)
    names = ["verdict", "reason", *PREFERENCES]
    for more, choices in (
        ((), robosieve.Choices()),
        (("--require", "train-ai!=n"), robosieve.Choices(require="train-ai!=n")),
        (("--on-unfetched", "allow"), robosieve.Choices(on_unfetched="allow")),
        (("--content-signal", "everybody"), robosieve.Choices(content_signal="everybody")),
    ):
        written = columns_of(table(program, tmp_path, paths, agents, *more), agents, names)
        out = policy.judge(URLS, agents=agents, columns=names, choices=choices)
        assert out.columns == names
        assert {name: out[name] for name in names} == written, more
        out.to_pyarrow().validate(full=True)
        if len(agents) == 1:
            out = policy.judge(URLS, agents[0], columns=names, choices=choices)
            assert {name: [[item] for item in out[name]] for name in names} == written, more
    said = {answer for name in PREFERENCES for row in written[name] for answer in row}
    assert said == {"y", "n", None}


def test_what_is_said_stands_in_columns(sites: robosieve.Policy) -> None:
    names = [
        *("train_ai", "train_ai_content_usage", "train_ai_content_signal"),
        *("search", "search_content_usage", "ai_input"),
    ]
    expected: dict[str, list[str | None]] = {
        "http://draft.example/test": ["n", "n", None, None, None, None],
        "http://draft.example/ai-ok/x": ["y", "y", None, None, None, None],
        # Blocked.
        "http://draft.example/never/x": [None] * 6,
        "http://signal.example/no": ["n", None, "n", "y", None, "y"],
        "http://both.example/": ["n", "y", "n", None, None, None],
        # Broken is no answer, neither yes nor no; and what is broken in one kind of line is no yes in all together.
        "http://broken.example/": [None] * 6,
        "http://broken.example/a": [None, None, None, None, "y", None],
        "http://unknown.example/": [None] * 6,
        "no URL": [None] * 6,
    }
    out = sites.judge(list(expected), "other", columns=names)
    rows = zip(*(out[name] for name in names), strict=True)
    assert {url: list(row) for url, row in zip(expected, rows, strict=True)} == expected
    out = sites.judge(["http://signal.example/no", None], agents=AGENTS, columns=["blocked_for", "train_ai"])
    assert (out["blocked_for"], out["train_ai"]) == ([["a"], None], [["n", "n", None], None])
    assert out.to_pyarrow().schema.types == [pa.list_(pa.string())] * 2
    for scope, said in (("group", None), ("everybody", "n")):
        choices = robosieve.Choices(content_signal=scope)  # type: ignore[arg-type]
        out = sites.judge(["http://front.example/"], "ExampleBot", columns=["train_ai"], choices=choices)
        assert out["train_ai"] == [said]
    # They are there only if they are named.
    assert sites.judge(URLS, agents=AGENTS, explain=True).columns == [
        *("verdict", "reason", "rule", "line", "blocked_for", "deferred_for")
    ]
    with pytest.raises(robosieve.Error, match='columns: there is no "training"; .* train_ai, train_ai_content_usage'):
        sites.judge(URLS, "other", columns=["training"])
    with pytest.raises(robosieve.Error, match='columns: "search" is given twice'):
        sites.judge(URLS, "other", columns=["search", "verdict", "search"])


@pytest.mark.parametrize("agents", [None, AGENTS], ids=["one", "three"])
def test_containers_and_threads_change_nothing(sites: robosieve.Policy, agents: list[str] | None) -> None:
    names = ["train_ai", "line", "search"]
    options: dict[str, Any] = {"agent": None if agents else "other", "agents": agents, "columns": names}
    urls = [*URLS, None]
    expected = sites.judge(urls, **options).to_pyarrow()
    rows = expected.to_pylist()
    assert rows[0]["train_ai"] == (["n", "y", "n"] if agents else "n")
    assert rows[-1] == dict.fromkeys(names)
    encoded = pa.array(urls).dictionary_encode()
    for given in (encoded, pa.array(urls, pa.string_view()), pa.chunked_array([urls[:5], urls[5:]])):
        assert sites.judge(given, **options).to_pyarrow().to_pylist() == rows
    small = sites.judge(urls, dictionary=True, **options).to_pyarrow()
    small.validate(full=True)
    kind = pa.dictionary(pa.int8(), pa.string())
    assert small.schema.field("train_ai").type == (pa.list_(kind) if agents else kind)
    assert small.to_pylist() == rows
    # More than are judged at a time, by any number of threads.
    times = 70_000 // len(urls)
    many = pa.array(urls * times)
    for threads in (1, 3):
        assert sites.judge(many, threads=threads, **options).to_pyarrow().to_pylist() == rows * times


def test_a_null_with_bytes_of_a_url_is_null(sites: robosieve.Policy) -> None:
    url = pa.array(["http://draft.example/test"])
    null = pa.Array.from_buffers(pa.string(), 1, [pa.py_buffer(b"\0"), *url.buffers()[1:]])
    for dictionary in (False, True):
        out = sites.judge(null, "other", columns=["verdict", "train_ai"], dictionary=dictionary)
        assert (out["verdict"], out["train_ai"]) == ([None], [None])


def test_a_stream_has_them(sites: robosieve.Policy) -> None:
    names = ["search", "verdict", "train_ai_content_signal"]

    def batches() -> Iterator[pa.RecordBatch]:
        for _ in range(3):
            yield pa.record_batch({"url": URLS})

    scanner = pyarrow.dataset.Scanner.from_batches(batches(), schema=pa.schema({"url": pa.string()}))
    stream = sites.judge(scanner, "other", columns=names)
    assert stream.columns == names
    assert stream.to_pyarrow().to_pylist() == sites.judge(URLS, "other", columns=names).to_pyarrow().to_pylist() * 3


def test_a_run_has_them(sites: robosieve.Policy, program: Program, parts: list[Path], tmp_path: Path) -> None:
    written = table(program, tmp_path, parts[:1], AGENTS)
    for name, format in (("table", "parquet"), ("text", "text")):
        options: dict[str, Any] = {"verdicts": True, "preferences": USES, "format": format}
        receipt = robosieve.filter(sites, [tmp_path / "urls.txt"], tmp_path / name, agents=AGENTS, **options)
        assert receipt["options"]["preferences"] == USES
        program("verify", tmp_path / name)
    assert pyarrow.parquet.read_table(tmp_path / "table/verdicts/part-0001.parquet").equals(written)
    lines = io.BytesIO()
    robosieve.filter(sites, [tmp_path / "urls.txt"], lines, "other", verdicts=True, preferences="search")
    rows = [line.split("\t") for line in lines.getvalue().decode().splitlines()]
    assert rows[0] == ["other", "search", "search_content_usage", "search_content_signal", "url"]
    out = sites.judge(URLS, "other", columns=["verdict", *rows[0][1:-1]])
    assert [row[:-1] for row in rows[1:]] == [
        [item or "" for item in row] for row in zip(*(out[name] for name in out.columns), strict=True)
    ]
    allowed = io.BytesIO()
    robosieve.filter(sites, [tmp_path / "urls.txt"], allowed, "other", only=["allowed"], preferences="search")
    expected = [row[1:] for row in rows if row[0] in ("other", "allowed")]
    assert [line.split("\t") for line in allowed.getvalue().decode().splitlines()] == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preferences": "search", "only": ["blocked", "deferred"]}, r'preferences: .*only=\["allowed"\]'),
        ({"preferences": "search", "blocked_for": True}, "blocked_for: .*preferences"),
        ({"preferences": "search", "count": True}, "count: .*preferences"),
        ({"preferences": "search", "verdicts": True, "blocked_for": True}, "blocked_for: "),
        (
            {"preferences": "training", "verdicts": True},
            'preferences: "training" is unknown; expected train-ai, search',
        ),
        ({"preferences": "", "verdicts": True}, "preferences: "),
    ],
    ids=str,
)
def test_a_run_that_writes_no_such_lines_has_none(
    sites: robosieve.Policy, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(robosieve.Error, match=message):
        robosieve.filter(sites, ["datasets/urls.txt"], agent="other", **options)


def test_frames_have_them(sites: robosieve.Policy) -> None:
    names = ["verdict", "train_ai", "search_content_signal"]
    rows = sites.judge(URLS, "other", columns=names).to_pyarrow().to_pylist()
    lists = sites.judge(URLS, agents=AGENTS, columns=names).to_pyarrow().to_pylist()
    frame = pl.LazyFrame({"url": URLS})
    one = frame.select(robosieve.polars.judge("url", sites, "other", columns=names))
    assert one.collect()["url"].to_list() == rows
    several = frame.select(robosieve.polars.judge("url", sites, agents=AGENTS, columns=names))
    assert several.collect()["url"].to_list() == lists
    con = duckdb.connect()
    con.register("urls", pa.table({"id": range(len(URLS)), "url": URLS}))
    robosieve.duckdb.register(con, sites, "other", columns=names)
    robosieve.duckdb.register(con, sites, agents=AGENTS, columns=names, name="several")
    for function, expected in (("robots", rows), ("several", lists)):
        found = con.execute(f"select {function}(url) from urls order by id").fetchall()
        assert [row for (row,) in found] == expected


def test_documents_have_them(parts: list[Path], sites: robosieve.Policy) -> None:
    from datatrove.data import Document

    columns = ("verdict", "train_ai", "ai_input")
    documents = [Document(text="text", id=url, metadata={"url": url}) for url in URLS]
    kept = RobotsFilter(parts[0], AGENTS, columns=columns).filter_batch(documents)
    out = sites.judge(URLS, agents=AGENTS, columns=columns)
    for at, document in enumerate(documents):
        told = {agent: {name: out[name][at][crawler] for name in columns} for crawler, agent in enumerate(AGENTS)}
        assert document.metadata["robots"] == told
        assert (kept[at] is True) == (set(out["verdict"][at]) == {"allowed"})
    # Nor do they need to stand beside verdicts.
    robots = RobotsFilter(parts[0], ["other"], columns=("search",))
    assert robots.filter(document := Document(text="text", id="", metadata={"url": "http://signal.example/"})) is True
    assert json.loads(json.dumps(document.metadata["robots"])) == {"other": {"search": "y"}}
    for wrong in (("training",), ("blocked_for", "search")):
        with pytest.raises(robosieve.Error, match="columns: expected some of verdict, reason, train_ai"):
            RobotsFilter(parts[0], AGENTS, columns=wrong)
