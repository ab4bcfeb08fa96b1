"""The frontiers of docs/recipes.md, word for word, and the environment in which every host is on loopback."""

import contextlib
import os
import re
import signal
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from . import ROOT
from .hosts import NOBODY, Host
from .server import Server

HERE = Path(__file__).resolve().parent
# Seconds that a request may take: a busy machine needs more than a moment for an answer, and silent hosts are waited for so long. No run
# takes as long as the second number, which is only there for a loop without end.
TIMEOUT, FOREVER = 5, 300


def block(page: str, name: str) -> str:
    """The block of a page after the comment `ci: NAME`."""
    text = (ROOT / "docs" / page).read_text()
    found = re.search(rf"^<!-- ci: {re.escape(name)} -->\n```(?:sh|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"docs/{page} has no block after <!-- ci: {name} -->")
    return found.group(1)


@dataclass(frozen=True)
class Recipe:
    """A frontier: its files, and what runs it."""

    name: str
    files: dict[str, str]
    command: tuple[str, ...]
    # So many commands, at most, are a kill's distance from a start.
    distance: int

    def changed(self, old: str, new: str) -> "Recipe":
        """The recipe with a mistake."""
        files = {name: text.replace(old, new) for name, text in self.files.items()}
        if files == self.files:
            raise SystemExit(f"{self.name} has no {old!r}")
        return replace(self, files=files)


def in_shell() -> Recipe:
    return Recipe("frontier.sh", {"frontier.sh": block("recipes.md", "frontier.sh")}, ("bash", "frontier.sh"), 29)


def in_python(python: Path) -> Recipe:
    files = {"crawler.py": block("python.md", "crawler.py"), "frontier.py": block("recipes.md", "frontier.py")}
    return Recipe("frontier.py", files, (str(python), "frontier.py"), 3000)


class Run:
    """A recipe in a folder of its own, started as often as it is killed."""

    def __init__(self, recipe: Recipe, folder: Path, program: Path, server: Server, hosts: dict[str, Host]) -> None:
        self.recipe, self.folder, self.server, self.starts = recipe, folder, server, 0
        folder.mkdir()
        for name, text in recipe.files.items():
            (folder / name).write_text(text)
        lines = [line for host in hosts.values() for line in host.lines]
        (folder / "urls.txt").write_text("".join(f"{line}\n" for line in lines))
        port, nobody = server.ports
        refused = [host.origin.split("//")[1] for host in hosts.values() if f"//{NOBODY}" in host.origin]
        (folder / ".curlrc").write_text(
            "".join(f'connect-to = "{name}::127.0.0.1:{nobody}"\n' for name in refused) + f'connect-to = "::127.0.0.1:{port}"\n'
        )
        kept = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        self.environment = {
            **kept,
            "BASH_ENV": str(HERE / "in_bash.sh"),
            "CLOCK": str(server.clock.path),
            "CURL_CA_BUNDLE": str(server.certificate),
            "CURL_HOME": str(folder),
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "PORTS": f"{port} {nobody}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(HERE / "in_python"),
            "SSL_CERT_FILE": str(server.certificate),
            **({"TIMEOUT": str(TIMEOUT)} if any(host.slow for host in hosts.values()) else {}),
        }

    def start(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs the recipe until it ends or is killed."""
        self.starts += 1
        with (self.folder / "output.txt").open("w+") as output:
            process = self.process = subprocess.Popen(
                [*self.recipe.command, "urls.txt"],
                cwd=self.folder,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            self.server.at_problem = self.kill_now
            try:
                process.wait(FOREVER)
            except subprocess.TimeoutExpired:
                self.server.problems.append(f"endless: {self.recipe.name} runs for more than {FOREVER} s")
                self.kill_now()
                process.wait()
            output.seek(0)
            return subprocess.CompletedProcess(process.args, process.returncode, output.read())

    def result(self) -> dict[str, str]:
        """In which partition each line is."""
        return {
            line: partition
            for partition in ("allowed", "blocked", "deferred", "invalid")
            for line in (self.folder / "result" / f"{partition}.txt").read_text().splitlines()
        }

    def rows(self, name: str) -> list[list[str]]:
        """The rows of a table that the recipe wrote."""
        return [row.split("\t") for row in (self.folder / name).read_text().splitlines()]

    def kill_now(self) -> None:
        """Kills what was started last, with all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
