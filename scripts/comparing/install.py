"""Install matchers from their registries, each with the version that its description pins; what is installed stays."""

import json
import os
import shutil
import subprocess
import sys

import tomllib

from comparing import note


class CannotInstall(Exception):
    """A matcher that is skipped; the message says why."""


def run(words, **options):
    """Run a command with its output on stderr."""
    words = list(map(str, words))
    note("$ " + " ".join(words))
    try:
        subprocess.run(words, stdout=2, check=True, **options)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotInstall(f"{words[0]} failed: {error}") from error


def once(folder, matcher, make):
    """Install into a folder, unless it has what this description asks for already."""
    mark, asked = folder / "installed.json", json.dumps(matcher.install, sort_keys=True)
    if mark.exists() and mark.read_text() == asked:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make()
    mark.write_text(asked)


def manifest_of(matcher):
    """The manifest of the program around a crate, or None if the crate has its own program."""
    install = matcher.install
    return (matcher.folder / install["manifest"]).resolve() if "manifest" in install else None


def build_words(matcher, folder, alone=False):
    """The command that builds a matcher, or the program around it; `alone` without what it shares a program with."""
    install, manifest = matcher.install, manifest_of(matcher)
    if manifest is None:
        package = ["--version", install["version"], install["package"]]
        return ["cargo", "install", "--locked", "--root", folder, *package]
    targets = install.get("alone" if alone and "alone" in install else "targets", [])
    return ["cargo", "build", "--release", "--locked", "--manifest-path", manifest, *targets]


def from_cargo(matcher, target):
    """Build a package around the crate, whose lock file must have the pinned version; or the crate's own program."""
    install, manifest = matcher.install, manifest_of(matcher)
    if manifest is None:
        folder = target / "matchers" / matcher.name
        once(folder, matcher, lambda: run(build_words(matcher, folder)))
        return {"bin": folder / "bin"}
    lock = tomllib.loads((manifest.parent / "Cargo.lock").read_text())["package"]
    versions = [package["version"] for package in lock if package["name"] == install["package"]]
    if install["version"] not in versions:
        raise CannotInstall(
            f"{manifest.parent.name}/Cargo.lock has {install['package']} {versions}, not {install['version']}"
        )
    # A folder for each package, as each has its own lock file; the repository's own is the target itself.
    folder = target if (manifest.parent / "benches" / "matchers").exists() else target / manifest.parent.name
    run(build_words(matcher, folder), env=dict(os.environ, CARGO_TARGET_DIR=str(folder)))
    return {"bin": folder / "release"}


def from_pypi(matcher, target):
    """A fresh environment of Python with the package."""
    folder = target / "matchers" / matcher.name
    python = folder / "bin" / "python"
    package = f"{matcher.install['package']}=={matcher.install['version']}"

    def make():
        run([sys.executable, "-m", "venv", folder])
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package])

    once(folder, matcher, make)
    return {"bin": folder / "bin", "python": python}


def from_npm(matcher, target):
    """A folder with the package in its node_modules; no script of the package is run."""
    folder = target / "matchers" / matcher.name
    package = f"{matcher.install['package']}@{matcher.install['version']}"
    words = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, package]
    once(folder, matcher, lambda: run(words))
    return {"bin": folder}


def given(matcher, _target):
    """A program that somebody has built: its path is in an environment variable."""
    path = os.environ.get(matcher.install["variable"], "")
    if not path:
        raise CannotInstall(f"{matcher.install['variable']} is not set; it must have the path of the program")
    if not os.access(path, os.X_OK):
        raise CannotInstall(f"{matcher.install['variable']}: {path} is no program")
    return {"given": os.path.abspath(path)}


def nothing(_matcher, _target):
    """Nothing to install."""
    return {}


KINDS = {"cargo": from_cargo, "pypi": from_pypi, "npm": from_npm, "given": given, "none": nothing}


def install(matcher, root, target):
    """Install a matcher, and find its version."""
    for tool in matcher.install.get("requires", []):
        if shutil.which(tool) is None:
            raise CannotInstall(f"there is no {tool}")
    matcher.places = {"root": root, "python": sys.executable} | KINDS[matcher.install["registry"]](matcher, target)
    matcher.version = matcher.install.get("version", "")
    if matcher.version_command:
        done = subprocess.run(matcher.words(matcher.version_command), capture_output=True, text=True, check=False)
        matcher.version = (done.stdout or done.stderr).strip()


def install_all(matchers, root, target):
    """Install all; return those that can be used, and {name: reason} for the others."""
    usable, skipped = [], {}
    for matcher in matchers:
        try:
            install(matcher, root, target)
            usable.append(matcher)
        except CannotInstall as error:
            skipped[matcher.name] = str(error)
            note(f"SKIPPED: {matcher.name}: {error}")
    return usable, skipped
