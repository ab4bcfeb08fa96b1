"""Processes that fork, or start others, after a policy was opened or compiled. None may hang: each case has a limit of time."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

# The seconds after which a case hangs.
LIMIT = 120

# Long enough for several threads.
CASE = """
import json, multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
import robosieve

# A server of forks imports this file without its arguments.
PATH, FOLDER = os.environ["POLICY"], os.environ["FOLDER"]
URLS = ["https://shop.example/cart", "https://shop.example/"] * 40_000

def verdicts(policy):
    compiled = robosieve.compile(["datasets/sites"], agents=["examplebot"])
    opened = robosieve.Policy(PATH)
    return [policy.judge(URLS, "examplebot")["verdict"].count("blocked") for policy in (policy, compiled, opened)]

if __name__ == "__main__":
    policy = robosieve.Policy(PATH)
    expected = [40_000] * 3
    assert verdicts(policy) == expected
CASE
    print("done")
"""

POOL = """
    with multiprocessing.get_context("METHOD").Pool(2) as pool:
        assert pool.map(verdicts, [policy] * 3) == [expected] * 3
"""

# The first map gets verdicts in a forked worker, the second compiles, opens and judges there.
DATASETS = """
    import datasets
    multiprocess = sys.modules["multiprocess"]
    multiprocess.set_start_method("fork", force=True)
    datasets.disable_progress_bars()
    rows = datasets.Dataset.from_dict({"url": URLS})
    judged = rows.map(
        lambda batch: {"verdict": policy.judge(batch, "examplebot", column="url")["verdict"]}, batched=True, num_proc=2
    )
    assert judged["verdict"][:] == policy.judge(URLS, "examplebot")["verdict"]
    few = datasets.Dataset.from_dict({"url": URLS[:2]})
    counted = few.map(lambda row: {"counts": verdicts(policy), "worker": os.getpid()}, num_proc=2)
    assert counted["counts"][:] == [expected] * 2
    assert len({*counted["worker"], os.getpid()}) == 3
"""

DATATROVE = """
    from datatrove.data import Document
    from datatrove.executor import LocalPipelineExecutor
    from robosieve.datatrove import RobotsFilter
    documents = [Document(text="", id=str(at), metadata={"url": url}) for at, url in enumerate(URLS[:2000])]
    step = RobotsFilter(PATH, ["examplebot", "*"])
    step.filter(documents[0])
    LocalPipelineExecutor([documents, step], tasks=4, workers=2, start_method="METHOD", logging_dir=FOLDER).run()
    with open(os.path.join(FOLDER, "stats.json")) as stats:
        told = json.load(stats)[-1]["stats"]
    assert (told["total"], told["forwarded"]) == (4 * 2000, 4 * 1000), told
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
    **{f"pool by {method}": POOL.replace("METHOD", method) for method in ("fork", "spawn", "forkserver")},
    "datasets": DATASETS,
    **{f"datatrove by {method}": DATATROVE.replace("METHOD", method) for method in ("fork", "forkserver")},
}


@pytest.mark.skipif(sys.platform != "linux", reason="SKIPPED: only Linux forks safely")
@pytest.mark.parametrize("name", CASES)
def test_no_process_hangs(policy_file: Path, tmp_path: Path, name: str) -> None:
    script = tmp_path / "case.py"
    script.write_text(CASE.replace("CASE", CASES[name]))
    command = [sys.executable, str(script)]
    environment = {
        **os.environ,
        "POLICY": str(policy_file),
        "FOLDER": str(tmp_path / "folder"),
        "HF_HOME": str(tmp_path / "cache"),
        "HF_HUB_OFFLINE": "1",
    }
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, told = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            # With its workers, which would keep the pipes open.
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail(f"it hung for {LIMIT} seconds")
    assert (process.returncode, out) == (0, "done\n"), told


# The most threads that a call was seen to have at once, beyond those before.
THREADS = """
import os, sys, threading
import pyarrow as pa
import robosieve

policy = robosieve.Policy(sys.argv[1])

def most(rows, threads):
    urls = pa.array(["https://shop.example/cart"] * rows)
    ended, seen = threading.Event(), []
    def watch():
        while not ended.is_set():
            seen.append(len(os.listdir("/proc/self/task")))
    watcher = threading.Thread(target=watch)
    before = len(os.listdir("/proc/self/task")) + 1
    watcher.start()
    policy.judge(urls, "examplebot", threads=threads)
    ended.set()
    watcher.join()
    return max(seen) - before

print(most(2_000_000, 1), most(65_536, 0), most(2_000_000, 4) > 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="SKIPPED: only Linux has /proc")
def test_one_thread_judges_while_the_caller_waits_for_signals_and_none_is_started_for_few(policy_file: Path) -> None:
    command = [sys.executable, "-c", THREADS, str(policy_file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)
    assert done.stdout == "1 0 True\n"
