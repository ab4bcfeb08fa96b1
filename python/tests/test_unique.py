"""`robosieve.unique`: which rows stay, and their keys."""

from pathlib import Path

import pyarrow
import pytest

import robosieve

URLS = [
    "http://a.example/x",
    "http://A.example/%78#f",
    "no url",
    "no url",
    None,
    "http://a.example/y",
    "http://a.example/x",
]


def test_the_first_row_of_each_url_stays() -> None:
    out = robosieve.unique(URLS)
    assert out.columns == ["stays", "key"]
    assert out["stays"] == [True, False, True, True, True, True, False]
    keys = out["key"]
    assert keys[0] == keys[1] == keys[6] != keys[5]
    assert keys[2:5] == [None] * 3
    assert all(len(key) == 16 for key in keys if key is not None)
    assert robosieve.unique(URLS, unique="bytes")["stays"] == [True, True, True, True, True, True, False]


def test_chunks_know_of_each_other() -> None:
    chunks = pyarrow.chunked_array([URLS[:1], URLS[1:3], [], URLS[3:]], pyarrow.string())
    for urls in (chunks, chunks.cast(pyarrow.large_binary()), chunks.dictionary_encode(), {"a": URLS, "url": chunks}):
        column = "url" if isinstance(urls, dict) else None
        table = robosieve.unique(urls, column=column).to_pyarrow()
        assert table["stays"].to_pylist() == [True, False, True, True, True, True, False]
    assert len(robosieve.unique([])) == 0


def test_urls_of_earlier_runs_do_not_stay(policy: robosieve.Policy, tmp_path: Path) -> None:
    seen = tmp_path / "seen.rss"
    (tmp_path / "urls").write_text("http://a.example/y\nhttp://a.example/z\n")
    robosieve.keys([tmp_path / "urls"], seen)
    before = seen.read_bytes()
    assert robosieve.unique(URLS, seen=seen)["stays"] == [True, False, True, True, True, False, False]
    assert seen.read_bytes() == before
    keys = robosieve.unique(["http://a.example/y", "http://a.example/z"])["key"]
    assert before[64:] == b"".join(sorted(keys))
    with pytest.raises(robosieve.Error, match="seen: in this file, URLs are the same by fetched"):
        robosieve.unique(URLS, unique="bytes", seen=seen)
    with pytest.raises(robosieve.Error, match="no file of seen URLs"):
        robosieve.unique(URLS, seen=tmp_path / "urls")
    with pytest.raises(robosieve.Error, match="compared as they stand"):
        robosieve.unique(URLS, unique="surt")
