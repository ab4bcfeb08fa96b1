"""Every block of docs/python.md runs, from top to bottom."""

import re
from pathlib import Path

import pytest

from .conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs/python.md"
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    monkeypatch.chdir(tmp_path)
    text, scope = page.read_text(), {}  # type: ignore[var-annotated]
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) > 10
    for block in blocks:
        # Errors then show the line number in the page.
        code = "\n" * text.count("\n", 0, block.start(1)) + block.group(1)
        exec(compile(code, str(page), "exec"), scope)
