"""The machine and the versions behind the figures."""

import functools
import os
import platform
import subprocess

import tomllib


@functools.cache
def output(*command):
    """A command's output, or an empty string if it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def processor():
    """The processor's full name: some machines hide all but the maker, so family, model and stepping are part of it."""
    found = {}
    for line in output("lscpu").splitlines():
        key, _, value = line.partition(":")
        found[key.strip()] = value.strip()
    name = found.get("Model name") or platform.processor() or "unknown"
    numbers = {"CPU family": "family", "Model": "model", "Stepping": "stepping"}
    return ", ".join([name, *(f"{word} {found[key]}" for key, word in numbers.items() if key in found)])


#: How the program that compiles or runs a language says its version.
COMPILERS = {
    "Rust": ("rustc", "--version"),
    "C++": ("c++", "--version"),
    "C": ("cc", "--version"),
    "JavaScript": ("node", "--version"),
    "Go": ("go", "version"),
    "Java": ("java", "--version"),
}


def compiler(matcher):
    """What compiles or runs a matcher, with its version."""
    if matcher.language == "Python":
        return output(str(matcher.places.get("python", "python3")), "--version")
    words = COMPILERS.get(matcher.language)
    said = output(*words).splitlines()[:1] if words else []
    return " ".join([*(["Node.js"] if matcher.language == "JavaScript" else []), *said])


def own_version(root):
    """robosieve's version and commit."""
    manifest = root / "Cargo.toml"
    version = tomllib.loads(manifest.read_text())["package"]["version"] if manifest.exists() else "none"
    commit = output("git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12")
    return f"{version} ({commit or 'no commit'})"


def facts(root):
    """All facts about machine and versions before the runs."""
    return {
        "processor": processor(),
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
