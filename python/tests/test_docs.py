"""Every block of docs/python.md runs, from top to bottom; the crawler at its top and the frontier of docs/recipes.md have strict types.

scripts/frontier-check runs that frontier.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


PAGE = ROOT / "docs/python.md"


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    monkeypatch.chdir(tmp_path)
    text, scope = PAGE.read_text(), {}  # type: ignore[var-annotated]
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) > 10
    for block in blocks:
        # Errors then show the line number in the page.
        code = "\n" * text.count("\n", 0, block.start(1)) + block.group(1)
        exec(compile(code, str(PAGE), "exec"), scope)


def test_crawler_and_frontier_have_strict_types(tmp_path: Path) -> None:
    (crawler, *_) = BLOCK.finditer(PAGE.read_text())
    (frontier, *_) = BLOCK.finditer((ROOT / "docs/recipes.md").read_text())
    assert "class Crawler" in crawler.group(1)
    (tmp_path / "crawler.py").write_text(crawler.group(1))
    (tmp_path / "frontier.py").write_text(frontier.group(1))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        str(ROOT / "python/pyproject.toml"),
        "crawler.py",
        "frontier.py",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
