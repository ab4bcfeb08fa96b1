"""The package's own claims: types, stubs, examples, and other interpreters."""

import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import robosieve
from robosieve import _robosieve

from .conftest import ROOT

PACKAGE = Path(robosieve.__file__).parent
MODULES = ["", ".compat.protego", ".compat.urllib", ".duckdb", ".polars", "._filter"]


def run(*command: object) -> None:
    done = subprocess.run([sys.executable, *map(str, command)], cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_strict() -> None:
    """Those of the package, and of its use by the tests."""
    tests = Path(__file__).parent
    config = tests.parent / "pyproject.toml"
    run("-m", "mypy", "--config-file", config, "-p", "robosieve")
    run("-m", "mypy", "--config-file", config, "--scripts-are-modules", tests)


def test_stubs_are_those_of_the_module() -> None:
    config = Path(__file__).parents[1] / "pyproject.toml"
    run("-m", "mypy.stubtest", "robosieve._robosieve", "--mypy-config-file", config)
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.skipif("ROBOSIEVE_WHEEL" not in os.environ, reason="SKIPPED: ROBOSIEVE_WHEEL names no wheel")
def test_the_wheel_has_the_licences() -> None:
    with zipfile.ZipFile(os.environ["ROBOSIEVE_WHEEL"]) as wheel:
        for name in ("LICENSE-MIT", "LICENSE-APACHE"):
            (inside,) = [path for path in wheel.namelist() if path.endswith(f".dist-info/licenses/{name}")]
            assert wheel.read(inside) == (ROOT / name).read_bytes()


@pytest.mark.skipif("ROBOSIEVE_WHEEL" not in os.environ, reason="SKIPPED: ROBOSIEVE_WHEEL names no wheel")
def test_the_wheel_has_no_build_path() -> None:
    with zipfile.ZipFile(os.environ["ROBOSIEVE_WHEEL"]) as wheel:
        for path in wheel.namelist():
            inside = wheel.read(path)
            for place in (str(ROOT), f"{Path.home()}/", ".cargo/registry"):
                assert place.encode() not in inside, f"{path} names {place}"
        (module,) = [path for path in wheel.namelist() if path.endswith(".so") or path.endswith(".pyd")]
        # The places of panics are still told.
        assert re.search(rb"robosieve/[a-z/]*src/", wheel.read(module))


def compiled() -> Iterator[tuple[str, str]]:
    """The docstrings of compiled objects; doctest finds only those of Python functions."""
    for name, item in vars(_robosieve).items():
        if name.startswith("__"):
            continue
        yield name, inspect.getdoc(item) or ""
        if inspect.isclass(item):
            members = {key: value for key, value in vars(item).items() if not key.startswith("_")}
            yield from ((f"{name}.{key}", inspect.getdoc(value) or "") for key, value in members.items())


@pytest.mark.parametrize(("name", "text"), sorted(compiled()))
def test_examples_of_what_is_compiled(name: str, text: str) -> None:
    if name in ("DIALECTS", "filter", "main") or isinstance(getattr(_robosieve, name, None), list):
        return
    assert text, f"{name} says nothing"
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(example).failed == 0
    if inspect.isclass(getattr(_robosieve, name, None)) and not name.endswith("Error"):
        assert example.examples, f"{name} has no example"


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_modules(name: str) -> None:
    results = doctest.testmod(importlib.import_module(f"robosieve{name}"))
    assert (results.failed, results.attempted > 0) == (0, True)
