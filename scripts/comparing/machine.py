"""The machine and the versions behind the figures."""

import os
import platform
import subprocess

import tomllib


def output(*command):
    """A command's output, or an empty string if it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def cpu_model():
    """The processor's name from lscpu."""
    for line in output("lscpu").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "Model name":
            return value.strip()
    return platform.processor() or "unknown"


def own_version(root):
    """robosieve's version and commit."""
    manifest = root / "Cargo.toml"
    version = tomllib.loads(manifest.read_text())["package"]["version"] if manifest.exists() else "none"
    commit = output("git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12")
    return f"{version} ({commit or 'no commit'})"


def facts(root):
    """All facts about machine and versions before the runs."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "kernel": platform.release(),
        "rustc": output("rustc", "--version"),
        "load_before": os.getloadavg()[0],
        "python": platform.python_version(),
        "node": output("node", "--version"),
        "commit": output("git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12") or "none",
        "versions": {"robosieve": own_version(root)},
    }


def finish(found):
    """Add the facts known only after the runs."""
    found["load_after"] = os.getloadavg()[0]
