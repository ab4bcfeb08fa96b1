"""`Policy.judge`: URLs in any container go in, columns come out."""

import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import robosieve

BLOCKED = "https://shop.example/cart"
ALLOWED = "https://shop.example/"
UNFETCHED = "https://never.example/"
URLS = [BLOCKED, None, ALLOWED, "", UNFETCHED, "nonsense", BLOCKED + "?" + "long" * 2000]
VERDICTS = ["blocked", None, "allowed", "invalid", "deferred", "invalid", "blocked"]
REASONS = ["rules", None, "rules", "empty", "unfetched", "not-absolute", "rules"]


def of_type(kind: pa.DataType) -> Callable[[], object]:
    return lambda: pa.array(URLS, pa.string()).cast(kind)


def stream() -> pa.RecordBatchReader:
    table = pa.table({"url": pa.chunked_array([URLS[:3], URLS[3:]])})
    return table.to_reader(max_chunksize=2)


INPUTS: dict[str, Callable[[], object]] = {
    "list of str": lambda: URLS,
    "tuple of bytes": lambda: tuple(url and url.encode() for url in URLS),
    "generator": lambda: (url for url in URLS),
    "string": of_type(pa.string()),
    "large_string": of_type(pa.large_string()),
    "string_view": of_type(pa.string_view()),
    "binary": of_type(pa.binary()),
    "large_binary": of_type(pa.large_binary()),
    "binary_view": lambda: pa.array([url and url.encode() for url in URLS], pa.binary_view()),
    "dictionary": lambda: pa.array(URLS).dictionary_encode(),
    "dictionary of large_string": lambda: pa.array(URLS, pa.large_string()).dictionary_encode(),
    "dictionary with nulls as values": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3, 4, 5, 6], pa.uint8()), pa.array(URLS)
    ),
    "slice": lambda: pa.array(["x", "y", *URLS, "z"]).slice(2, len(URLS)),
    "slice of views": lambda: pa.array(["x", "y", *URLS, "z"], pa.string_view()).slice(2, len(URLS)),
    "slice of a dictionary": lambda: pa.array(["x", *URLS, "z"] * 2).dictionary_encode().slice(1, len(URLS)),
    "chunks": lambda: pa.chunked_array([URLS[:2], [], URLS[2:]], pa.string()),
    "table": lambda: pa.table({"url": URLS}),
    "record batch": lambda: pa.record_batch({"url": pa.array(URLS)}),
    "stream of a table": stream,
    "polars series": lambda: pl.Series(URLS),
    "polars slice": lambda: pl.Series(["x", *URLS])[1:],
    "polars categories": lambda: pl.Series(URLS, dtype=pl.Categorical),
    "polars frame": lambda: pl.DataFrame({"url": URLS}),
    "pandas series": lambda: pd.Series(URLS, dtype="str"),
    "pandas frame": lambda: pd.DataFrame({"url": URLS}),
    "duckdb relation": lambda: duckdb.from_arrow(pa.table({"url": URLS})),
    "verdicts' own stream": stream,
}


@pytest.mark.parametrize("make", INPUTS.values(), ids=INPUTS)
def test_whatever_holds_urls_is_judged(policy: robosieve.Policy, make: Callable[[], Any]) -> None:
    out = policy.judge(make(), agent="examplebot")
    assert (out["verdict"], out["reason"]) == (VERDICTS, REASONS)
    assert len(out) == len(URLS)


def test_a_column_is_named(policy: robosieve.Policy) -> None:
    table = pa.table({"id": [1, 2], "url": [BLOCKED, ALLOWED]})
    assert policy.judge(table, "*", column="url")["verdict"] == ["blocked", "allowed"]
    with pytest.raises(robosieve.Error, match=r"column: the table has several \(id, url\)"):
        policy.judge(table, "*")
    with pytest.raises(robosieve.Error, match='column: there is no column "uri"; the columns are id, url'):
        policy.judge(table, "*", column="uri")


def test_pandas_rows_keep_their_index(policy: robosieve.Policy) -> None:
    frame = pd.DataFrame({"url": URLS, "status": [200, 404, 200, 404, 200, 404, 200]}, index=list("gfedcba"))
    for kept in (frame[frame.status == 200], frame.sort_index(), frame[frame.status == 0]):
        kept = kept.copy()
        expected = [VERDICTS[URLS.index(None if pd.isna(url) else url)] for url in kept["url"]]
        for urls in (kept["url"], kept[["url"]]):
            out = policy.judge(urls, "examplebot").to_pandas()
            assert out.index.equals(kept.index)
            kept["verdict"] = out["verdict"]
            assert [None if pd.isna(verdict) else verdict for verdict in kept["verdict"]] == expected
        assert policy.judge(kept, "examplebot", column="url").to_pandas().index.equals(kept.index)


def test_columns_of_pandas_in_a_dict_keep_their_index(policy: robosieve.Policy) -> None:
    urls = pd.Series(["https://shop.example/cart", "https://shop.example/"], index=["b", "a"])
    for table, column in (({"url": urls}, None), ({"id": [1, 2], "url": urls}, "url")):
        verdicts = policy.judge(table, "*", column=column).to_pandas()["verdict"]
        assert verdicts.to_dict() == {"b": "blocked", "a": "allowed"}
    parts = {"protocol": "https", "host_name": "shop.example", "port": 443, "path": "/cart", "query": None}
    crawled = {f"url_{name}": pd.Series([part], index=["c"]) for name, part in parts.items()}
    assert policy.judge(crawled, "*").to_pandas()["verdict"].to_dict() == {"c": "blocked"}


def test_rows_of_hugging_face_are_judged_in_their_order(policy: robosieve.Policy) -> None:
    urls = ["https://shop.example/cart", None, "https://shop.example/"]
    rows = datasets.Dataset.from_dict({"id": [1, 2, 3], "url": urls})
    for given in (
        rows,
        rows.select([2, 0]),
        rows.shuffle(seed=3),
        rows.with_format("numpy"),
        rows.filter(lambda _: False),
    ):
        expected = policy.judge(given["url"][:] if len(given) else [], "*")["verdict"]
        assert policy.judge(given, "*", column="url")["verdict"] == expected
    assert policy.judge(rows.select_columns(["url"]), "*")["verdict"] == ["blocked", None, "allowed"]
    with pytest.raises(robosieve.Error, match='column: there is no column "link"'):
        policy.judge(rows, "*", column="link")


def test_pandas_columns_and_indices_are_found(policy: robosieve.Policy) -> None:
    urls = [BLOCKED, ALLOWED]
    labelled = pd.DataFrame({"url": urls}, index=["a", "b"])
    assert policy.judge(labelled, "*")["verdict"] == ["blocked", "allowed"]
    indexed = pd.DataFrame({"n": [1, 2]}, index=pd.Index(urls, name="url"))
    assert policy.judge(indexed, "*", column="url")["verdict"] == ["blocked", "allowed"]
    indexed["verdict"] = policy.judge(indexed.index, "*").to_pandas()["verdict"]
    assert list(indexed["verdict"]) == ["blocked", "allowed"]
    with pytest.raises(robosieve.Error, match=r'column: there is no column "uri"; the columns are url'):
        policy.judge(labelled, "*", column="uri")
    twice = pd.DataFrame([[ALLOWED, BLOCKED]], columns=["url", "url"])
    with pytest.raises(robosieve.Error, match='column: the table has several that are called "url"'):
        policy.judge(twice, "*", column="url")


def test_a_dict_is_a_table(policy: robosieve.Policy) -> None:
    urls = [BLOCKED, ALLOWED]
    assert policy.judge({"url": urls}, "*")["verdict"] == ["blocked", "allowed"]
    table = {"id": [1, 2], "url": pa.array(urls)}
    assert policy.judge(table, "*", column="url")["verdict"] == ["blocked", "allowed"]
    with pytest.raises(robosieve.Error, match=r"column: the table has several \(id, url\)"):
        policy.judge(table, "*")
    with pytest.raises(robosieve.Error, match="column: the table has none"):
        policy.judge({}, "*")
    with pytest.raises(TypeError, match="urls: it is a single string"):
        policy.judge({"url": BLOCKED}, "*")
    with pytest.raises(TypeError, match="urls: the column is itself a mapping"):
        policy.judge({"url": {"url": urls}}, "*")


@pytest.mark.parametrize("kind", [list, pa.array, pl.Series, pd.Series, pd.Index], ids=lambda kind: kind.__name__)
def test_what_has_no_columns_refuses_one(policy: robosieve.Policy, kind: Any) -> None:
    with pytest.raises(robosieve.Error, match='column: "url" is given, but the URLs are one column, not a table'):
        policy.judge(kind([ALLOWED]), "*", column="url")


@pytest.mark.parametrize(
    "wrong",
    [
        5,
        BLOCKED,
        BLOCKED.encode(),
        [BLOCKED, 5],
        pa.array([1]),
        pa.array([[BLOCKED]]),
        pa.array([1]).dictionary_encode(),
    ],
    ids=str,
)
def test_what_holds_no_urls_is_refused(policy: robosieve.Policy, wrong: Any) -> None:
    with pytest.raises(TypeError, match="urls: .* expected an Arrow array"):
        policy.judge(wrong, "*")


def test_bytes_that_are_no_utf8_are_urls(policy: robosieve.Policy) -> None:
    url = b"https://shop.example/caf\xe9"
    texts: list[str | bytes] = [url, url.decode("utf-8", "surrogateescape")]
    assert policy.judge(texts, "*")["verdict"] == ["allowed", "allowed"]
    with pytest.raises(ValueError, match="urls: item 0: .* surrogates not allowed"):
        policy.judge(["https://shop.example/\ud800"], "*")


def test_nothing_is_judged_to_nothing(policy: robosieve.Policy) -> None:
    empties: tuple[Any, ...] = (
        [],
        pa.array([], pa.string()),
        pa.table({"url": pa.array([], pa.string())}),
        pa.chunked_array([], pa.string()),
    )
    for empty in empties:
        out = policy.judge(empty, agents=["*"], explain=True)
        assert (len(out), out.to_pyarrow().num_rows) == (0, 0)
    assert policy.judge(pa.nulls(2), "*")["verdict"] == [None, None]


def test_several_agents_have_lists_in_their_order(policy: robosieve.Policy) -> None:
    urls = [BLOCKED, "https://shop.example/checkout/x", None, UNFETCHED]
    for agents in (["examplebot", "*"], ["*", "examplebot"], ["*"]):
        out = policy.judge(urls, agents=agents, explain=True)
        single = {agent: policy.judge(urls, agent, explain=True) for agent in agents}
        for name in ("verdict", "reason", "rule", "line"):
            rows = [list(row) for row in zip(*(single[agent][name] for agent in agents), strict=True)]
            assert out[name] == [*rows[:2], None, rows[3]], name
        for name in ("blocked", "deferred"):
            named = [[a for a, v in zip(agents, row, strict=True) if v == name] for row in out["verdict"] if row]
            assert out[f"{name}_for"] == [*named[:2], None, named[2]]


def test_columns_are_chosen(policy: robosieve.Policy, urls: list[bytes]) -> None:
    agents = ["examplebot", "*"]
    every = policy.judge(urls, agents=agents, explain=True)
    names = ["blocked_for", "line", "verdict"]
    some = policy.judge(urls, agents=agents, columns=names)
    assert some.columns == names
    for name in names:
        assert some[name] == every[name], name
    assert policy.judge(urls, "*", columns=["reason"])["reason"] == policy.judge(urls, "*")["reason"]
    for wrong, problem in [
        (
            ["verdict", "word"],
            'there is no "word"; with these arguments, there are verdict, reason, rule, line, blocked_for',
        ),
        (["line", "line"], '"line" is given twice'),
        ([], "the list is empty"),
    ]:
        with pytest.raises(robosieve.Error, match=f"columns: {problem}"):
            policy.judge(urls, agents=agents, columns=wrong)
    with pytest.raises(robosieve.Error, match='columns: there is no "blocked_for"'):
        policy.judge(urls, "*", columns=["blocked_for"])
    with pytest.raises(robosieve.Error, match="columns: explain adds columns"):
        policy.judge(urls, "*", columns=["verdict"], explain=True)


def test_crawlers_are_named_as_their_verdicts_say(policy: robosieve.Policy, urls: list[bytes]) -> None:
    agents = ["examplebot", "*"]
    given = pa.array([*urls[:500], None, b"no URL", *urls[500:1000]])
    for column in (given, given.dictionary_encode(), given.cast(pa.binary_view()), given[300:700]):
        out = policy.judge(column, agents=agents)
        wanted = {"blocked_for": {"blocked", "invalid"}, "deferred_for": {"deferred"}}
        for name, verdicts in wanted.items():
            named = [
                None
                if row is None
                else [agent for agent, verdict in zip(agents, row, strict=True) if verdict in verdicts]
                for row in out["verdict"]
            ]
            assert out[name] == named
            assert policy.judge(column, agents=agents, columns=[name])[name] == named


def test_rules_are_told_of_what_is_blocked(policy: robosieve.Policy) -> None:
    out = policy.judge([BLOCKED, ALLOWED, None], "examplebot", explain=True)
    assert (out["rule"], out["line"]) == (["Disallow: /cart", None, None], [23, None, None])


def test_columns_are_plain_or_dictionaries(policy: robosieve.Policy) -> None:
    plain = policy.judge(URLS, "examplebot").to_pyarrow()
    assert plain.schema.types == [pa.string(), pa.string()]
    small = policy.judge(URLS, "examplebot", dictionary=True)
    assert small["verdict"] == VERDICTS
    assert small.to_pyarrow().schema.types == [pa.dictionary(pa.int8(), pa.string())] * 2
    assert small.to_pyarrow().cast(plain.schema) == plain
    plain.validate(full=True)
    small.to_pyarrow().validate(full=True)
    lists = policy.judge(URLS, agents=["examplebot"], dictionary=True, explain=True)
    lists.to_pyarrow().validate(full=True)
    assert lists["verdict"] == [verdict and [verdict] for verdict in VERDICTS]


def test_columns_become_those_of_other_libraries(policy: robosieve.Policy) -> None:
    out = policy.judge(URLS, "examplebot")
    assert out.to_polars()["verdict"].to_list() == VERDICTS
    assert out.to_pandas()["reason"].dropna().tolist() == [reason for reason in REASONS if reason]
    assert duckdb.from_arrow(out.to_pyarrow()).count("*").fetchall() == [(7,)]
    assert out.columns == ["verdict", "reason"]
    assert repr(out).startswith("<robosieve.Verdicts: 7 rows of verdict, reason>\nverdict ")
    with pytest.raises(KeyError, match="nothing"):
        out["nothing"]


def test_threads_change_nothing(policy: robosieve.Policy, urls: list[bytes]) -> None:
    many = pa.array(urls * 100, pa.binary())
    once = policy.judge(urls, "examplebot")
    for threads in (1, 2, 7, 0):
        out = policy.judge(many, agents=["examplebot", "*"], threads=threads).to_pyarrow()
        assert [row[0] for row in out["verdict"].to_pylist()] == once["verdict"] * 100


def test_others_run_meanwhile(policy: robosieve.Policy, urls: list[bytes]) -> None:
    """Judge a stream that waits for another Python thread: it would hang if the lock were held."""
    asked, given = threading.Event(), threading.Event()

    def batches() -> Any:
        asked.set()
        assert given.wait(60)
        yield pa.record_batch({"url": pa.array(urls, pa.binary())})

    def other() -> None:
        asked.wait(60)
        given.set()

    thread = threading.Thread(target=other)
    thread.start()
    schema = pa.schema({"url": pa.binary()})
    assert len(policy.judge(pa.RecordBatchReader.from_batches(schema, batches()), "*")) == len(urls)
    thread.join()


@pytest.mark.skipif(not Path("/proc/thread-self/io").exists(), reason="SKIPPED: the system does not count reads")
def test_small_calls_read_no_files(policy: robosieve.Policy) -> None:
    def reads() -> int:
        return int(Path("/proc/thread-self/io").read_text().split("syscr: ")[1].split()[0])

    policy.judge([ALLOWED], "*")
    before, again = reads(), reads()
    for _ in range(100):
        policy.judge([ALLOWED], "*")
    assert reads() - again == again - before


def test_an_error_of_the_stream_is_told(policy: robosieve.Policy) -> None:
    def batches() -> Any:
        yield pa.record_batch({"url": [ALLOWED]})
        raise ValueError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"url": pa.string()}), batches())
    with pytest.raises(robosieve.UrlsError, match="the disk is gone"):
        policy.judge(reader, "*")


def test_the_agent_is_one_of_the_policy(policy: robosieve.Policy) -> None:
    with pytest.raises(
        robosieve.AgentError, match="agent: the policy was not compiled for otherbot, only for examplebot"
    ):
        policy.judge(URLS, "otherbot")
    with pytest.raises(robosieve.AgentError, match="agent: .* is a whole user-agent string"):
        policy.judge(URLS, "Mozilla/5.0 (compatible; examplebot/1.0)")
    with pytest.raises(robosieve.AgentError, match="agent: the policy has several crawlers"):
        policy.judge(URLS)
    with pytest.raises(robosieve.AgentError, match="agents is empty"):
        policy.judge(URLS, agents=[])
    with pytest.raises(TypeError, match="not both"):
        policy.judge(URLS, "*", agents=["*"])


def test_answers_may_have_other_keys(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"url": "http://a.example/robots.txt", "code": 200, "text": "User-agent: *\\nDisallow: /"}\n')
    with pytest.raises(robosieve.SourceError, match='no "status", .* its keys are url, code, text'):
        robosieve.compile([log], agents=["*"])
    policy = robosieve.compile([log], agents=["*"], columns={"status": "code", "body": "text"})
    assert policy.judge(["http://a.example/"])["reason"] == ["rules"]
    files = robosieve.compile([log], agents=["*"], columns={"status": None, "body": "text"})
    assert files.judge(["http://a.example/"])["verdict"] == ["blocked"]
    with pytest.raises(robosieve.Error, match='columns: "code=status" names no field'):
        robosieve.compile([log], agents=["*"], columns={"code": "status"})


def test_choices_decide_where_there_is_no_verdict(policy: robosieve.Policy, tmp_path: Path) -> None:
    choices = robosieve.Choices(on_unfetched="allow")
    assert policy.judge([UNFETCHED], "*", choices=choices)["verdict"] == ["allowed"]
    page = "<!DOCTYPE html>\n<title>Welcome</title>\n"
    (tmp_path / "a.example").write_text(page)
    pages = robosieve.compile([tmp_path], agents=["*"])
    for on_html, verdict in (("use", "allowed"), ("block", "blocked"), ("defer", "deferred")):
        choices = robosieve.Choices(on_html=on_html)  # type: ignore[arg-type]
        assert pages.judge(["http://a.example/"], choices=choices)["verdict"] == [verdict]
    old = robosieve.Choices(max_age=1, on_stale="block", now=4_000_000_000)
    assert policy.judge([ALLOWED], "*", choices=old)["reason"] in (["stale"], ["rules"])
    with pytest.raises(robosieve.Error, match='on_stale: "maybe" is unknown; expected allow, block, defer or use'):
        robosieve.Choices(on_stale="maybe")  # type: ignore[arg-type]
    with pytest.raises(robosieve.Error, match="max_age: "):
        robosieve.Choices(max_age="never")


def test_statuses_mean_what_they_are_said_to_mean(tmp_path: Path) -> None:
    statuses = (403, 404, 429)
    answers = [robosieve.Answer(f"http://s{status}.example/robots.txt", status) for status in statuses]
    policy = robosieve.compile(answers, agents=["*"])
    urls = [f"http://s{status}.example/" for status in statuses]
    file = tmp_path / "statuses.toml"
    file.write_text('403 = "defer"\n429 = "defer"\n"5xx" = "defer"\n')
    for given in ({403: "defer", "429": "defer", "5xx": "defer"}, "common-crawl", file, str(file)):
        choices = robosieve.Choices(statuses=given)  # type: ignore[arg-type]
        assert choices == robosieve.Choices(statuses="common-crawl")
        assert choices.statuses == {"403": "defer", "429": "defer", "5xx": "defer"}
        assert policy.judge(urls, choices=choices)["verdict"] == ["deferred", "allowed", "deferred"]
    assert robosieve.Choices().statuses == robosieve.Choices(statuses={}).statuses == {}
    for wrong, message in (
        ({200: "allow"}, 'statuses: "200" is no status'),
        ({404: "maybe"}, 'statuses: "maybe" is unknown; expected allow, block or defer'),
        ({404: "use"}, 'statuses: "use" is unknown; expected allow, block or defer'),
        ({404: "block", "404": "allow"}, 'statuses: "404" has a meaning already'),
        ("nowhere", 'statuses: "nowhere" is no file, and none of the names'),
    ):
        with pytest.raises(robosieve.Error, match=message):
            robosieve.Choices(statuses=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="statuses: expected a dict, a name or a path, not int"):
        robosieve.Choices(statuses=403)  # type: ignore[arg-type]


def test_requirements_refuse_what_is_allowed() -> None:
    body = "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok search=y\nDisallow: /no\n"
    answers = [robosieve.Answer("http://a.example/robots.txt", 200, body)]
    policy = robosieve.compile(answers, agents=["*"])
    urls = [f"http://a.example/{path}" for path in ("", "ok", "no")]
    for require, reasons in (
        ("train-ai!=n", ["preference", "rules", "rules"]),
        ("search=y", ["preference", "rules", "rules"]),
        ("train-ai!=n,search=y,ai-input!=n", ["preference", "rules", "rules"]),
        ("ai-input=y", ["preference", "preference", "rules"]),
    ):
        choices = robosieve.Choices(require=require)
        judged = policy.judge(urls, choices=choices)
        assert (choices.require, judged["reason"]) == (require, reasons)
        verdicts = [
            "blocked" if reason == "preference" else verdict
            for reason, verdict in zip(reasons, judged["verdict"], strict=True)
        ]
        assert judged["verdict"] == verdicts
    assert robosieve.Choices().require is None
    for wrong, message in (("train-ai=n", "require: .*train-ai=n.* is no requirement"), ("", "require: ")):
        with pytest.raises(robosieve.Error, match=message):
            robosieve.Choices(require=wrong)


def test_a_policy_can_be_pickled(policy: robosieve.Policy, policy_file: Path, tmp_path: Path) -> None:
    again = pickle.loads(pickle.dumps(policy))
    assert (again.checksum, len(pickle.dumps(policy)) < 500) == (policy.checksum, True)
    in_memory = robosieve.compile(["datasets/sites"], agents=["examplebot"])
    again = pickle.loads(pickle.dumps(in_memory))
    assert (again.checksum, again.agents, again.dialect) == (in_memory.checksum, ["examplebot"], "rfc9309")
    assert robosieve.Policy.from_bytes(policy_file.read_bytes()).origins == policy.origins == 59
    words = tmp_path / "overrides.toml"
    words.write_text('["https://shop.example"]\nverdict = "allow-all"\n')
    above = pickle.loads(pickle.dumps(robosieve.Policy(policy_file, words)))
    assert above.judge([BLOCKED], "*")["reason"] == ["override"]


def test_what_is_no_policy_is_told(tmp_path: Path) -> None:
    with pytest.raises(robosieve.PolicyError, match="cannot read the policy .*nowhere"):
        robosieve.Policy(tmp_path / "nowhere")
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(robosieve.PolicyError, match="it is not a policy file"):
        robosieve.Policy(other)
    with pytest.raises(robosieve.Error, match=r"out: .*notes.txt exists and is not a policy file"):
        robosieve.compile(["datasets/sites"], agents=["*"], out=other)
    assert other.read_text() == "mine"


def test_what_cannot_be_compiled_is_told() -> None:
    with pytest.raises(robosieve.SourceError, match="nowhere"):
        robosieve.compile(["nowhere"], agents=["*"])
    with pytest.raises(robosieve.AgentError, match="agent: examplebot is given twice"):
        robosieve.compile(["datasets/sites"], agents=["examplebot", "examplebot"])
    with pytest.raises(robosieve.Error, match="dialect: "):
        robosieve.compile(["datasets/sites"], agents=["*"], dialect="klingon")
