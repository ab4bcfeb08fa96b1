"""Arrow arrays of every kind: Python's verdicts equal the program's for the same lines."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import robosieve

from .conftest import ROOT, Program

HOSTS = [
    "shop.example",
    "blog.example.net",
    "reversed.example.org",
    "www.moved.example",
    "never.example",
    "SHOP.example:443",
]
TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]

# Lines contain no LF, and the program strips CR at their ends.
texts = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=30)
paths = st.lists(
    st.sampled_from(["/", "cart", "private", "?", "sort=", ".html", "%41", "*", "new", "a" * 40]) | texts
).map("".join)
urls = st.builds("{}://{}{}".format, st.sampled_from(["http", "https", "HTTPS", "ftp"]), st.sampled_from(HOSTS), paths)
huge = st.builds(lambda url, times: url + "x" * times, urls, st.sampled_from([4096, 70_000, 300_000]))
rows = st.lists(st.none() | urls | urls | texts | huge, max_size=60)


@st.composite
def arrays(draw: st.DrawFn) -> tuple[list[str | None], object]:
    """Rows, and an array or chunks of them: slices of something longer, of any type."""
    listed = draw(rows)
    kind = draw(st.sampled_from(TYPES))
    before, after = draw(rows.map(lambda all_rows: all_rows[:9])), draw(rows.map(lambda all_rows: all_rows[:9]))
    encoded = [*before, *listed, *after]
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()
    values = encoded if is_text else [row if row is None else row.encode() for row in encoded]
    array = pa.array(values, kind)
    if draw(st.booleans()) and kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        array = array.dictionary_encode()
    array = array.slice(len(before), len(listed))
    if not draw(st.booleans()):
        return listed, array
    cuts = sorted(draw(st.lists(st.integers(0, len(listed)), max_size=4)))
    chunks = [array.slice(start, end - start) for start, end in zip([0, *cuts], [*cuts, len(listed)], strict=True)]
    return listed, pa.chunked_array(chunks, array.type)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays(), st.sampled_from([1, 3]))
def test_random_arrays_are_judged_as_the_program_does(
    policy: robosieve.Policy,
    policy_file: Path,
    program: Program,
    tmp_path: Path,
    drawn: tuple[list[str | None], Any],
    threads: int,
) -> None:
    listed, array = drawn
    out = policy.judge(array, "examplebot", threads=threads)
    out.to_pyarrow().validate(full=True)
    (tmp_path / "list.txt").write_bytes(b"".join((row or "").encode() + b"\n" for row in listed))
    arguments = [
        "filter",
        "--policy",
        policy_file,
        "--agent",
        "examplebot",
        "--quiet",
        "--verdicts",
        # As in arrays, tabs are parts of URLs.
        "--delimiter",
        "none",
        tmp_path / "list.txt",
    ]
    lines = program(*arguments).stdout.split("\n")[1:-1]
    expected = [line.split("\t", 1)[0] for line in lines]
    assert out["verdict"] == [None if row is None else verdict for row, verdict in zip(listed, expected, strict=True)]
    both = policy.judge(array, agents=["examplebot", "*"], explain=True, dictionary=True)
    both.to_pyarrow().validate(full=True)
    assert [row and row[0] for row in both["verdict"]] == out["verdict"]


def test_nothing_is_amiss_in_development_mode(policy_file: Path) -> None:
    code = f"""
import gc, pathlib, pyarrow as pa, robosieve
policy = robosieve.Policy({str(policy_file)!r})
lines = pathlib.Path("datasets/urls.txt").read_bytes().split(b"\\n")
for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
    out = policy.judge(pa.chunked_array([lines, lines[:7]], kind), agents=["examplebot", "*"], explain=True)
    capsule = out.__arrow_c_stream__()
    table = out.to_pyarrow()
    del out, capsule
    gc.collect()
    assert table.num_rows == len(lines) + 7
    table.validate(full=True)
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
