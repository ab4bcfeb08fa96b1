"""`compile` with a file as its destination, and within a budget of memory."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import robosieve

fcntl = pytest.importorskip("fcntl")

LOCK = ".policy.rsv.lock"

CHILD = """
import robosieve
print("begun", flush=True)
try:
    print(len(robosieve.compile(["sites"], agents=["examplebot"], out="policy.rsv").agents))
except KeyboardInterrupt:
    print("interrupted")
"""


def waits(process: int) -> bool:
    """Whether a process sleeps while it has the lock file open."""
    files = Path(f"/proc/{process}/fd")
    opened = any(os.path.realpath(file).endswith(LOCK) for file in files.iterdir())
    return opened and Path(f"/proc/{process}/stat").read_text().rsplit(") ")[-1].startswith("S")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
@pytest.mark.parametrize(("interrupted", "printed"), [(True, "interrupted\n"), (False, "1\n")])
def test_a_file_that_another_process_writes_is_waited_for(tmp_path: Path, interrupted: bool, printed: str) -> None:
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "a.example").write_text("User-agent: *\nDisallow: /\n")
    with (tmp_path / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        child = subprocess.Popen([sys.executable, "-c", CHILD], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        while not waits(child.pid):
            assert child.poll() is None
        if interrupted:
            child.send_signal(signal.SIGINT)
        else:
            (tmp_path / LOCK).unlink()
            fcntl.flock(lock, fcntl.LOCK_UN)
        assert child.communicate()[0] == printed
    assert (tmp_path / "policy.rsv").exists() is not interrupted
    assert (tmp_path / LOCK).exists() is interrupted


def test_the_memory_changes_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    answer = '{{"url": "http://h{}.example/robots.txt", "status": 200, "body": "User-agent: *\\nDisallow: /{}"}}\n'
    log.write_text("".join(answer.format(number, number % 7) for number in range(300)))
    expected = robosieve.compile([log], ["*"]).to_bytes()
    # There is memory for a hundred URLs.
    assert robosieve.compile([log], ["*"], memory=100 << 10).to_bytes() == expected
    robosieve.compile([log], ["*"], tmp_path / "policy.rsv", memory=100 << 10)
    assert (tmp_path / "policy.rsv").read_bytes() == expected
    # Nor for a line that takes much of it.
    log.write_text(answer.format("x", "x" * 10_000))
    with pytest.raises(robosieve.SourceError, match="line 1"):
        robosieve.compile([log], ["*"], tmp_path / "policy.rsv", memory=100 << 10)
