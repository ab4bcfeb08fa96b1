"""The goals as a picture: how far each figure is from the required one."""

from xml.sax.saxutils import escape

from comparing.goals import all_goals

WIDTH, LEFT, ROW, TOP = 860, 430, 26, 44
#: Colours that are safe for colour-blind readers (Okabe and Ito).
MET, MISSED = "#0072b2", "#d55e00"
STYLE = "text{font:12px sans-serif;fill:#222}.asked{stroke:#222}.aim{stroke:#222;stroke-dasharray:2 2}"


def share(figure, asked, more):
    """A figure as a multiple of the required one, so that more is always better."""
    return figure / asked if more else asked / figure


def draw(results, matching):
    """The measured goals as SVG: a bar each, a line at the required figure, a mark at the target."""
    rows = [goal for goal in all_goals(results, matching) if goal[3] is not None]
    most = max([1.5, *(share(figure, goal[1], goal[5]) for goal in rows for figure in goal[2:4])])
    scale = (WIDTH - LEFT - 60) / most
    height = TOP + ROW * len(rows) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f'<title>Goals and figures measured</title><style>{STYLE}</style><rect width="100%" '
        'height="100%" fill="#fff"/>',
        f'<text x="{LEFT + scale}" y="16" text-anchor="middle">asked for</text>',
        f'<line class="asked" x1="{LEFT + scale}" y1="22" x2="{LEFT + scale}" y2="{height - 8}"/>',
    ]
    for place, (what, asked, aim, measured, unit, more) in enumerate(rows):
        y = TOP + ROW * place
        length = scale * share(measured, asked, more)
        mark = LEFT + scale * share(aim, asked, more)
        colour = MET if length >= scale else MISSED
        parts += [
            f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(what)}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="16" fill="{colour}" fill-opacity="0.6"/>',
            f'<line class="aim" x1="{mark:.1f}" y1="{y - 3}" x2="{mark:.1f}" y2="{y + 19}"/>',
            f'<text x="{LEFT + 6}" y="{y + 12}">{measured:.3g}{escape(unit)}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])
