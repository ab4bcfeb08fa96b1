"""Build the programs."""

import os
import subprocess
from pathlib import Path

from comparing import note


def default_target(root):
    """Return Cargo's target folder: from its own environment variable, or in the repository."""
    return Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))


def cargo(*words, target):
    """Run cargo with its output on stderr; abort if it fails."""
    command = ["cargo", *words]
    note("$ " + " ".join(map(str, command)))
    env = dict(os.environ, CARGO_TARGET_DIR=str(target))
    subprocess.run(command, env=env, stdout=2, check=True)


def build_copy(root, target):
    """Build the program that only copies lists; return its folder."""
    manifest = root / "scripts" / "peers" / "Cargo.toml"
    cargo("build", "--release", "--locked", "--bin", "copy", "--manifest-path", manifest, target=target / "peers")
    return target / "peers" / "release"


def build_generator(root, target):
    """Build the generator of lists; return its path."""
    words = ["build", "--release", "--locked", "--example", "generate", "--manifest-path", root / "Cargo.toml"]
    cargo(*words, target=target)
    return target / "release" / "examples" / "generate"


def build_robosieve(root, target):
    """Build robosieve, and the example that measures matching alone; return both paths."""
    words = ["build", "--release", "--locked", "--bin", "robosieve", "--example", "inprocess"]
    cargo(*words, "--manifest-path", root / "Cargo.toml", target=target)
    return target / "release" / "robosieve", target / "release" / "examples" / "inprocess"
