"""For each pair of matchers, the lines on which they differ."""

from itertools import combinations

from comparing import protocol
from comparing.markdown import table


def between(verdicts):
    """The lines on which each pair differs: {(one, other): [line, ...]}, by the verdicts of each matcher."""
    return {
        (one, other): [line for line, verdict in verdicts[one].items() if verdicts[other].get(line) != verdict]
        for one, other in combinations(verdicts, 2)
    }


def write(folder, verdicts):
    """Write the lines of each pair to a file, with both verdicts; return how many they are, as a record holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.tsv"):
        path.unlink()
    numbers = {}
    for (one, other), lines in between(verdicts).items():
        numbers[f"{one} {other}"] = len(lines)
        if lines:
            rows = [
                f"{verdicts[one][line]}\t{verdicts[other].get(line, protocol.LOST)}\t".encode() + line for line in lines
            ]
            head = f"{one}\t{other}\tURL\n".encode()
            (folder / f"{one}--{other}.tsv").write_bytes(head + b"\n".join(rows) + b"\n")
    return numbers


def shown(numbers, titles):
    """How often each pair differs, as a table: the number in the row of one and the column of the other."""
    names = [name for name in titles if any(name in pair.split(" ") for pair in numbers)]
    rows = []
    for one in names:
        cells = [numbers.get(f"{one} {other}", numbers.get(f"{other} {one}", "")) for other in names]
        rows.append([titles[one], *(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells)])
    return table(["lines that differ", *(titles[name] for name in names)], rows)
