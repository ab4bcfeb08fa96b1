"""A policy as a file of the job.

It travels to each executor once, and is staged once per host, so that all Python workers of a host map a single copy.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from functools import lru_cache
from pathlib import Path

from pyspark import SparkFiles
from pyspark.sql import SparkSession

from robosieve._robosieve import Policy, PolicyError
from robosieve.spark.shipping import session_folder


def add_policy(spark: SparkSession, policy: Policy) -> str:
    """Adds a policy to the job's files, named by the checksum of its file; returns that checksum."""
    context = spark.sparkContext
    # Layers have a checksum that no file has.
    if any(known.endswith(_file_name(policy.checksum)) for known in context.listFiles):
        return policy.checksum
    path = session_folder() / "policy.rsv"
    _write(policy, path)
    checksum = Policy(path).checksum
    if not any(known.endswith(_file_name(checksum)) for known in context.listFiles):
        context.addFile(str(path.rename(path.with_name(_file_name(checksum)))))
    return checksum


def _file_name(checksum: str) -> str:
    return f"robosieve-{checksum}.rsv"


def _write(policy: Policy, path: Path) -> None:
    """Makes a file of a policy: a link to that which it was opened from, if the file alone is the policy still."""
    _, (source, *more) = policy.__reduce__()
    if isinstance(source, str | os.PathLike) and more == [None, policy.checksum]:
        try:
            _link(Path(source), path)
            if Policy(path).checksum == policy.checksum:
                return
        except (OSError, PolicyError):
            pass
        # Another policy took its place, and this process still has the old one mapped.
        path.unlink(missing_ok=True)
    path.write_bytes(source if isinstance(source, bytes) else policy.to_bytes())


def _link(source: Path, path: Path) -> None:
    # Not a symbolic link: Spark would send the file under its old name.
    try:
        os.link(source.resolve(), path)
    except OSError:
        shutil.copyfile(source, path)


# The following runs in tasks.


@lru_cache(maxsize=4)
def policy_of(checksum: str) -> Policy:
    """The mapped policy with this checksum; a worker keeps it between tasks."""
    path = staged(SparkFiles.get(_file_name(checksum)), checksum)
    policy = Policy(path)
    if policy.checksum != checksum:
        raise PolicyError(f"{path}: its checksum is {policy.checksum}, and the job's policy has {checksum}; remove it")
    return policy


def staged(source: str, checksum: str, folder: str | None = None) -> str:
    """Return this host's only copy of a policy; the first caller copies `source`.

    Each executor has its own files; mapping one copy per executor would take that many times the memory.
    """
    own = Path(folder or os.path.join(tempfile.gettempdir(), f"robosieve-{os.geteuid()}"))
    own.mkdir(mode=0o700, exist_ok=True)
    status = own.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(f"{own} is not a folder that only this user can write to; remove it")
    target = own / f"{checksum}.rsv"
    with open(own / f"{checksum}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            partial = own / f"{checksum}.partial"
            shutil.copyfile(source, partial)
            os.replace(partial, target)
    return str(target)
