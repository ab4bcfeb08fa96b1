"""Differences between the programs' verdicts, counted over the list without repetition."""

import shutil

from comparing import note
from comparing.measure import Failed, TooSlow, execute
from comparing.programs import PARTITIONS, PEERS, peer_command, robosieve_command

#: Examples shown per program.
EXAMPLES = 5
#: The meaning of a verdict's byte.
MEANING = {"1": "allowed", "0": "blocked", "-": "no verdict"}


def of_robosieve(setup, listed, lines, limit, out):
    """robosieve's verdicts, one character per line, from its partitions."""
    execute(robosieve_command(setup, setup.robosieve, ("--robots", setup.robots), 1, listed, out), limit)
    letters = dict(zip(PARTITIONS, "10--", strict=True))
    verdict = {}
    for name, letter in letters.items():
        path = out / f"{name}.txt"
        for line in path.read_bytes().split(b"\n") if path.exists() else []:
            if verdict.setdefault(line, letter) != letter and line:
                raise Failed(f"robosieve put the same line into two partitions: {line!r}")
    return "".join(verdict.get(line, "?") for line in lines)


def of_peer(setup, name, listed, limit, out):
    """A comparison program's verdicts, one character per line."""
    dump = out / "verdicts"
    words = peer_command(setup, name, 1, listed)
    execute([*words, "--verdicts", str(dump)], limit)
    return dump.read_text()


def compare(setup, data, wanted, limit, out):
    """Differences from robosieve (or, without it, the first program): {"reference": name, "programs": {name: ...}}."""
    listed = data.path("shuffled", base=True)
    lines = listed.read_bytes().split(b"\n")[:-1]
    names = (["robosieve"] if setup.robosieve else []) + PEERS
    names = [name for name in names if not wanted or name in wanted]
    found, reference = {}, None
    for name in names:
        note(f"verdicts: {name}")
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        try:
            if name == "robosieve":
                text = of_robosieve(setup, listed, lines, limit, out)
            else:
                text = of_peer(setup, name, listed, limit, out)
            if len(text) != len(lines):
                raise Failed(f"{len(text)} verdicts for {len(lines)} lines")
        except TooSlow:
            found[name] = {"failed": f"over {limit:.0f} s"}
            continue
        except (Failed, OSError) as error:
            found[name] = {"failed": str(error)}
            continue
        if reference is None:
            reference = (name, text)
        found[name] = differences(text, reference[1], lines)
    shutil.rmtree(out, ignore_errors=True)
    return {"reference": reference[0] if reference else None, "lines": len(lines), "programs": found}


def differences(text, reference, lines):
    """How often two strings of verdicts differ, with examples, from different hosts if possible."""
    places = [at for at, (one, other) in enumerate(zip(text, reference, strict=True)) if one != other]
    hosts, first, more = set(), [], []
    for at in places:
        host = lines[at].split(b"/")[2]
        (more if host in hosts else first).append(at)
        hosts.add(host)
    examples = [
        {"url": lines[at].decode(errors="replace"), "here": meaning(text[at]), "reference": meaning(reference[at])}
        for at in (first + more)[:EXAMPLES]
    ]
    return {"differ": len(places), "hosts": len(hosts), "allowed": text.count("1"), "examples": examples}


def meaning(letter):
    """A verdict in words."""
    return MEANING.get(letter, "line lost")
