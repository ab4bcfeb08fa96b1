"""`compile` with a file as its destination."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
