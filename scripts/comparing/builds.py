"""Build the programs."""

import json
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


def build_peers(root, target):
    """Build the comparison programs; return the folder of their binaries."""
    target = target / "peers"
    manifest = root / "scripts" / "peers" / "Cargo.toml"
    cargo("build", "--release", "--locked", "--manifest-path", manifest, target=target)
    return target / "release"


def build_robosieve(root, target):
    """Build robosieve; return its binary, or None with a warning if the repository has no such program yet."""
    manifest = root / "Cargo.toml"
    if not has_target(manifest, "bin", "robosieve"):
        note("WARNING: this repository has no program robosieve; only the others are compared")
        return None
    cargo("build", "--release", "--bin", "robosieve", "--manifest-path", manifest, target=target)
    return target / "release" / "robosieve"


def example(root, target, robosieve):
    """Build robosieve's example `inprocess`, which measures as the peers' one does; None if there is no such example."""
    manifest = root / "Cargo.toml"
    if robosieve is None or not has_target(manifest, "example", "inprocess"):
        return None
    cargo("build", "--release", "--example", "inprocess", "--manifest-path", manifest, target=target)
    return target / "release" / "examples" / "inprocess"


def has_target(manifest, kind, name):
    """Whether a Cargo package exists and has a target of this kind and name."""
    if not manifest.exists():
        return False
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--manifest-path", str(manifest)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    packages = json.loads(done.stdout)["packages"]
    targets = [target for package in packages for target in package["targets"]]
    return any(kind in target["kind"] and target["name"] == name for target in targets)
