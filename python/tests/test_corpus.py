"""Real robots.txt files and URLs: Python's verdicts equal the program's and those of Google's library."""

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import robosieve

from .conftest import ROOT, Program

AGENTS = ["Googlebot", "Bingbot", "GPTBot", "examplebot"]
NAMES = {"1994": "original-1994", "draft1996": "draft-1996", "extended2008": "extended-2008"}


@pytest.mark.parametrize("dialect", robosieve.DIALECTS)
def test_verdicts_are_those_of_the_program(
    dialect: str, shared: Callable[[str], Path], program: Program, tmp_path: Path
) -> None:
    corpus = shared("corpus")
    robots = [corpus / "robots", ROOT / "datasets/origins.jsonl"]
    policy = robosieve.compile(robots, agents=AGENTS, out=tmp_path / "policy.rsv", dialect=dialect)
    files = [*sorted((corpus / "urls").iterdir()), *sorted((corpus / "probes").iterdir()), ROOT / "datasets/urls.txt"]
    text = b"".join(path.read_bytes().rstrip(b"\n") + b"\n" for path in files)
    (tmp_path / "list.txt").write_bytes(text)
    agents = [part for agent in AGENTS for part in ("--agent", agent)]
    program(
        "filter",
        "--policy",
        tmp_path / "policy.rsv",
        *agents,
        "--out",
        tmp_path / "out",
        "--verdicts",
        # As in arrays, tabs are parts of URLs.
        "--delimiter",
        "none",
        tmp_path / "list.txt",
    )
    rows = (tmp_path / "out" / "verdicts.tsv").read_bytes().removesuffix(b"\n").split(b"\n")[1:]
    out = policy.judge(pa.array(text.removesuffix(b"\n").split(b"\n"), pa.binary()), agents=AGENTS)
    assert len(out) > 100_000
    assert out["verdict"] == [[name.decode() for name in row.split(b"\t", 4)[:4]] for row in rows]
    receipt = json.loads((tmp_path / "out" / "receipt.json").read_text())
    told = sum((Counter(part["reasons"]) for part in receipt["partitions"].values()), Counter[str]())
    assert Counter(pc.list_flatten(out.to_pyarrow()["reason"]).to_pylist()) == told


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("urls", ["urls", "probes"])
def test_verdicts_are_those_of_google(agent: str, urls: str, shared: Callable[[str], Path]) -> None:
    corpus = shared("corpus")
    for line in (corpus / f"google/{urls}.{agent}.tsv").read_text().splitlines():
        host, bits = line.split("\t")
        rules = robosieve.RobotsTxt((corpus / "robots" / host).read_bytes(), agent, dialect="google")
        given = (corpus / urls / host).read_bytes().removesuffix(b"\n").split(b"\n")
        got = "".join("01"[rules.allowed(google_path(url))] for url in given)
        assert got == bits, host


def google_path(url: bytes) -> bytes:
    """The path that Google's library extracts from anything given as a URL."""
    start = 2 if url.startswith(b"//") else 0

    def find(begin: int) -> int | None:
        places = [at for at in (url.find(mark, begin) for mark in (b"/", b"?", b";")) if at >= 0]
        return min(places, default=None)

    scheme = url.find(b"://", start)
    early = find(start)
    host = start if scheme < 0 or (early is not None and early < scheme) else scheme + 3
    first = find(host)
    hash_at = url.find(b"#", start)
    if first is None or 0 <= hash_at <= first:
        return b"/"
    path = url[first:] if hash_at < 0 else url[first:hash_at]
    return path if path.startswith(b"/") else b"/" + path


def cases(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().rstrip("\n").split("\n"):
            case = json.loads(line)
            if case["kind"] == "verdict":
                yield case


def text(case: dict[str, Any], name: str) -> bytes:
    return base64.b64decode(case[f"{name}_b64"]) if f"{name}_b64" in case else str(case.get(name) or "").encode()


def path_of(case: dict[str, Any], dialect: str) -> bytes:
    url = text(case, "url")
    is_ours = url.lower().startswith((b"http://", b"https://", b"/"))
    return url if is_ours and dialect != "google" else google_path(url)


def rules(case: dict[str, Any], dialect: str) -> robosieve.RobotsTxt:
    body, agent, several = text(case, "robots"), case.get("agent", "*"), case.get("agents") or []
    if agent == "*":
        return robosieve.RobotsTxt(body, "*", dialect=dialect)
    if len(several) > 1:
        # A name that no file of the dialect can have is nobody's.
        named = ",".join(name for name in several if is_token(name, dialect))
        return robosieve.RobotsTxt(body, named or "*", dialect=dialect)
    verbatim = dialect == "google" or not is_token(agent)
    return robosieve.RobotsTxt(body, agent, dialect=dialect, verbatim=verbatim)


def is_token(agent: str, dialect: str = "rfc9309") -> bool:
    try:
        robosieve.RobotsTxt("", agent, dialect=dialect)
    except robosieve.AgentError:
        return False
    return agent != "*"


def test_conformance_cases_hold_or_stand_in_the_ledger(shared: Callable[[str], Path]) -> None:
    """Cases run under Google's dialect, for which each has the answer, and under the dialect that they name."""
    ledger = (ROOT / "tests/verdicts/conformance/ledger.tsv").read_text().splitlines()
    rows = [row.split("\t") for row in ledger if row and not row.startswith("#")]
    excuses = {
        dialect: [listed for ids, named, _ in rows if named == dialect for listed in ids.split()]
        for _, dialect, _ in rows
    }
    counts: Counter[str] = Counter()
    wrong = []
    for case in cases(shared("conformance")):
        if b"\n" in text(case, "url").strip():
            counts["a line feed in the URL, which is then invalid"] += 1
            continue
        named = NAMES.get(case["dialect"], case["dialect"])
        own = named if named in robosieve.DIALECTS and named != "google" else "rfc9309"
        for dialect, expected in (("google", case["google_cpp"]), (own, case["expect"])):
            holds = rules(case, dialect).allowed(path_of(case, dialect)) == (expected == "allowed")
            excused = any(fnmatchcase(case["id"], listed) for listed in excuses.get(dialect, []))
            counts["holds" if holds else "ledger" if excused else "wrong"] += 1
            if holds == excused:
                wrong.append((case["id"], dialect))
    assert not wrong
    assert counts["holds"] > 8000
