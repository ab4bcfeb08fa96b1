"""The package with no other packages: prints the output shown in the README, under any Python."""

import platform
import warnings
from collections import Counter
from pathlib import Path

import robosieve

# One of its origins has two answers of one second.
warnings.filterwarnings("ignore", "1 URL has different answers of one time", UserWarning)
policy = robosieve.compile(["datasets/sites", "datasets/origins.jsonl"], agents=["examplebot"])
lines = Path("datasets/urls.txt").read_bytes().removesuffix(b"\n").split(b"\n")
verdicts = Counter(policy.judge(lines)["verdict"])
assert verdicts == {"allowed": 1846, "blocked": 772, "deferred": 448, "invalid": 45}, verdicts
print(f"Python {platform.python_version()}, robosieve {robosieve.__version__}: {dict(sorted(verdicts.items()))}")
