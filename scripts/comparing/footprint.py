"""What it takes to have a matcher: how long it compiles, and how large it is."""

import functools
import json
import os
import shutil
import sysconfig
from pathlib import Path

from comparing import builds, install, note
from comparing.measure import Failed, TooSlow, Wrong, execute

#: Seconds after which a build is stopped.
LIMIT = 3600
#: The title of the row that says how much of the others is not the crate's.
AROUND = "the program around a crate, without one"
#: What a new environment of Python has before anything is installed.
OF_PYTHON = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")


def built(words, folder):
    """Build a program from nothing, stripped, in an empty folder; what its record says of it."""
    # The matchers were built before, so all sources are there. A wrapper of the compiler could keep what it compiled.
    env = {"CARGO_TARGET_DIR": str(folder), "CARGO_PROFILE_RELEASE_STRIP": "symbols", "RUSTC_WRAPPER": ""}
    shutil.rmtree(folder, ignore_errors=True)
    try:
        run, printed = execute([*words, "--message-format", "json"], LIMIT, env=env)
        said = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
        made = [one for one in said if one["reason"] == "compiler-artifact"]
        programs = [one["executable"] for one in made if one["executable"] and "bin" in one["target"]["kind"]]
        if not programs:
            raise Wrong("cargo names no program that it has built")
        size = os.stat(programs[-1]).st_size
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    took = {"seconds": run.seconds, "processor_seconds": run.cpu_seconds}
    return took | {"packages": len({one["package_id"] for one in made}), "size": size}


def sum_of(folder):
    """The bytes of all files of a folder, but for what Python compiles when it runs them."""
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return sum(path.stat().st_size for path in files)


def of_python(places):
    """The packages in a new environment of Python, without those that install others."""
    folder = places["python"].parent.parent
    packages = Path(sysconfig.get_path("purelib", "venv", vars={"base": str(folder)}))
    own = [path for path in packages.iterdir() if not path.name.startswith((*OF_PYTHON, "__pycache__"))]
    size = sum(sum_of(path) if path.is_dir() else path.stat().st_size for path in own)
    return {"packages": sum(path.name.endswith(".dist-info") for path in own), "size": size}


def of_node(places):
    """The packages in a folder of node_modules."""
    packages = places["bin"] / "node_modules"
    # Packages also have files of this name in other places; those of a scope are one level deeper.
    found = [places["bin"].rglob(f"node_modules/{name}/package.json") for name in ("*", "@*/*")]
    return {"packages": sum(len(list(one)) for one in found), "size": sum_of(packages)}


SIZES = {"pypi": of_python, "npm": of_node}


def around(root):
    """The command that builds the least program of scripts/peers: what the programs around crates have in common."""
    return ["cargo", *builds.peer_words(root, "copy"), "--no-default-features"]


def taken(find):
    """What a record says of a matcher by a function that finds it out."""
    load = os.getloadavg()[0]
    try:
        found = find()
    except TooSlow:
        return {"outcome": "too slow", "limit": LIMIT, "load": load}
    except (Failed, Wrong, OSError, ValueError, KeyError) as error:
        return {"outcome": "failed", "problem": str(error), "load": load}
    return {"outcome": "ok", "load": load} | found


def measure(setup, matchers, root, target, kept):
    """Keep a record of what it takes to have each matcher; two that are one program have one."""
    folder, seen = target / "alone", []
    rows = [(one.name, one.title, one.install["registry"], one, setup.facts_of(one)) for one in matchers]
    if setup.tools:
        rows.append(("copy", AROUND, "cargo", None, setup.facts))
    for name, title, registry, matcher, facts in rows:
        if registry == "cargo":
            words = install.build_words(matcher, folder, alone=True) if matcher else around(root)
            if words in seen:
                continue
            seen.append(words)
            find = functools.partial(built, words, folder)
        elif registry in SIZES:
            find = functools.partial(SIZES[registry], matcher.places)
        else:
            continue
        note(f"what it takes to have it: {name}")
        what = {"record": "measurement", "table": "builds", "program": name, "title": title, "registry": registry}
        kept.measured(what | facts, functools.partial(taken, find))
