"""The speed of all programs as a picture: medians with their confidence intervals, on a logarithmic scale."""

import math
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, ROW, TOP = 860, 250, 110, 24, 60
#: Colours that are safe for colour-blind readers (Okabe and Ito).
RIGHT_COLOUR, WRONG_COLOUR = "#0072b2", "#d55e00"
STYLE = "text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}"


def plain(title):
    """A title without its emphasis."""
    return title.replace("*", "")


def draw(results, order):
    """The rows of matchers with one thread, fastest first, as SVG; empty if there is none."""
    rows = [one for one in results if (one.kind, one.threads, one.order) == ("filter", 1, order) and one.rate()]
    if not rows:
        return ""
    rows.sort(key=lambda row: -row.rate())
    intervals = [row.interval() for row in rows]
    least = math.floor(math.log10(min(one.low for one in intervals)))
    most = max(math.ceil(math.log10(max(one.high for one in intervals))), least + 1)
    scale = (WIDTH - LEFT - RIGHT) / (most - least)

    def place(speed):
        return LEFT + scale * (math.log10(speed) - least)

    height = TOP + ROW * len(rows) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>Million lines a second, one thread, {escape(order)} list</title><style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{LEFT}" y="18">million lines a second, one thread, {escape(order)}: median, interval</text>',
        f'<text x="{LEFT}" y="34" style="fill:{WRONG_COLOUR}">this colour: some lines differ from the reference</text>',
    ]
    for power in range(least, most + 1):
        x = place(10**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="52" x2="{x:.1f}" y2="{height - 8}"/>')
        parts.append(f'<text x="{x:.1f}" y="50" text-anchor="middle">{10**power:g}</text>')
    for at, (row, found) in enumerate(zip(rows, intervals, strict=True)):
        y, colour = TOP + ROW * at + 12, RIGHT_COLOUR if row.wrong == 0 else WRONG_COLOUR
        said = f"{found.median:.3g}" + (f", {row.wrong:,} wrong" if row.wrong else "")
        parts += [
            f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(plain(row.title))}</text>',
            f'<line x1="{place(found.low):.1f}" y1="{y}" x2="{place(found.high):.1f}" y2="{y}" '
            f'stroke="{colour}" stroke-width="3"/>',
            f'<circle cx="{place(found.median):.1f}" cy="{y}" r="4" fill="{colour}"/>',
            f'<text x="{place(found.high) + 8:.1f}" y="{y + 4}">{escape(said)}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])
