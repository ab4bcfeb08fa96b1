"""The package on executors that may not have it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from pyspark import SparkFiles
from pyspark.sql import SparkSession


def ship_wheel(spark: SparkSession, wheel: str | PathLike[str]) -> str:
    """Sends this package's wheel to the executors of a job; returns the archive name for `judge` and `compile`."""
    name = f"robosieve-{Path(wheel).stem}"
    # Spark unpacks files that are named like archives.
    copy = session_folder() / f"{name}.zip"
    shutil.copyfile(wheel, copy)
    spark.sparkContext.addArchive(f"{copy}#{name}")
    return name


def session_folder() -> Path:
    """A new folder for files that are added to the session, which deletes it when it stops."""
    return Path(tempfile.mkdtemp(prefix="robosieve-", dir=SparkFiles.getRootDirectory()))


def shipped(archive: str | None, module: str, name: str) -> Callable[..., Any]:
    """A function of this package for executors, which import it only once the archive is on their path."""

    if archive is not None and not isinstance(archive, str):
        raise TypeError(f"archive: expected the result of ship_wheel, not {archive!r}")

    # Spark pickles a nested function with its code, and a function of a module as the name of the module.
    def call(*arguments: Any) -> Any:
        import importlib
        import sys

        from pyspark import SparkFiles

        if archive is not None and (folder := SparkFiles.get(archive)) not in sys.path:
            sys.path.insert(0, folder)
        return getattr(importlib.import_module(module), name)(*arguments)

    return call
