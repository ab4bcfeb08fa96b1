"""The environment of a check: a Python with libraries from PyPI, and the program to check."""

import os
import subprocess
import sys

CANNOT = 77


def enter_libraries(target, libraries):
    """Restart under a Python that has the libraries, installing them first if necessary, in a folder of their own."""
    folder = target / "foreign"
    python = folder / "bin" / "python"
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        return
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, stdout=2)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *libraries]
        subprocess.run(install, check=True, stdout=2)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"SKIPPED: {', '.join(libraries)} could not be installed: {error}", file=sys.stderr)
        sys.exit(CANNOT)
    os.execv(python, [str(python), *sys.argv])


def build(root, target):
    """Build the program."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", str(root / "Cargo.toml")]
    subprocess.run(command, check=True, env=dict(os.environ, CARGO_TARGET_DIR=str(target)))
    return target / "release" / "robosieve"
