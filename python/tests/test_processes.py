"""Processes that fork, or start others, after a policy was opened or compiled. None may hang: each case has a limit of time."""

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

# Long enough for several threads.
CASE = """
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
import robosieve

URLS = ["https://shop.example/cart", "https://shop.example/"] * 40_000

def verdicts(policy):
    compiled = robosieve.compile(["datasets/sites"], agents=["examplebot"])
    opened = robosieve.Policy({path!r})
    return [policy.judge(URLS, "examplebot")["verdict"].count("blocked") for policy in (policy, compiled, opened)]

if __name__ == "__main__":
    policy = robosieve.Policy({path!r})
    expected = [40_000] * 3
    assert verdicts(policy) == expected
{case}
    print("done")
"""

POOL = """
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        assert pool.map(verdicts, [policy] * 3) == [expected] * 3
"""

CASES = {
    "os.fork": """
    child = os.fork()
    if child == 0:
        os._exit(0 if verdicts(policy) == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""",
    "executor": """
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(verdicts, [policy] * 3)) == [expected] * 3
""",
    **{f"pool by {method}": POOL.format(method=method) for method in ("fork", "spawn", "forkserver")},
}


@pytest.mark.skipif(sys.platform != "linux", reason="SKIPPED: only Linux forks safely")
@pytest.mark.parametrize("name", CASES)
def test_no_process_hangs(policy_file: Path, tmp_path: Path, name: str) -> None:
    script = tmp_path / "case.py"
    script.write_text(CASE.format(path=str(policy_file), case=CASES[name]))
    done = subprocess.run([sys.executable, script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
