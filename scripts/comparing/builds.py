"""Build the programs, once, in a folder that stays."""

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


def build_peer(root, target, name):
    """Build a program of scripts/peers: `copy`, which only copies lists, or `generate`, which makes them."""
    cargo(*peer_words(root, name), target=target / "peers")
    return target / "peers" / "release" / name


def peer_words(root, name):
    """What Cargo is told to build a program of scripts/peers."""
    manifest = root / "scripts" / "peers" / "Cargo.toml"
    return ["build", "--release", "--locked", "--bin", name, "--manifest-path", manifest]


def build_robosieve(root, target):
    """Build robosieve, and the example that measures the walk only; return both paths."""
    words = ["build", "--release", "--locked", "--bin", "robosieve", "--example", "inprocess"]
    cargo(*words, "--manifest-path", root / "Cargo.toml", target=target)
    return target / "release" / "robosieve", target / "release" / "examples" / "inprocess"
