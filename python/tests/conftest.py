"""Shared by the tests: the repository's datasets, the wheel's program, policies."""

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

import robosieve

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ["examplebot", "*"]

Program = Callable[..., subprocess.CompletedProcess[str]]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With SAMPLE_SEED, leave a third of the tests with Spark; another third for another version of Spark."""
    spark = {f"{item.nodeid} {version('pyspark')}": item for item in items if item.path.name == "test_spark.py"}
    if not spark:
        return
    command = [sys.executable, str(ROOT / "scripts/sample"), "3"]
    chosen = subprocess.run(
        command, input="\n".join(spark), check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    left = [item for name, item in spark.items() if name not in chosen]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@pytest.fixture(autouse=True)
def _in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve paths such as datasets/urls.txt in the repository."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def program() -> Program:
    """Run the program that the wheel installed."""
    path = Path(sys.executable).parent / "robosieve"

    def run(*arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run([path, *map(str, arguments)], check=check, capture_output=True, text=True)

    return run


@pytest.fixture(scope="session")
def policy_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy of the datasets, for two crawlers."""
    path = tmp_path_factory.mktemp("policy") / "policy.rsv"
    robosieve.compile([ROOT / "datasets/sites", ROOT / "datasets/origins.jsonl"], agents=AGENTS, out=path)
    return path


@pytest.fixture(scope="session")
def policy(policy_file: Path) -> robosieve.Policy:
    return robosieve.Policy(policy_file)


@pytest.fixture(scope="session")
def urls() -> list[bytes]:
    """The lines of datasets/urls.txt."""
    return (ROOT / "datasets/urls.txt").read_bytes().removesuffix(b"\n").split(b"\n")


@pytest.fixture(scope="session")
def lines(urls: list[bytes]) -> list[str]:
    """The same as text, with invalid UTF-8 replaced."""
    return [url.decode(errors="replace") for url in urls]


@pytest.fixture(scope="session")
def expected(policy: robosieve.Policy, lines: list[str]) -> dict[str, int]:
    """The number of lines with each verdict."""
    verdicts = policy.judge(lines, "examplebot")["verdict"]
    return {name: verdicts.count(name) for name in sorted(set(verdicts))}


@pytest.fixture(scope="session")
def shared(pytestconfig: pytest.Config) -> Callable[[str], Path]:
    """A folder of ../shared; if it is missing, the test is skipped with a message."""

    def folder(name: str) -> Path:
        path = ROOT.parent / "shared" / name
        if not path.is_dir():
            with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
                print(f"\nSKIPPED: ../shared/{name} is not there")
            pytest.skip(f"../shared/{name} is not there")
        return path

    return folder
