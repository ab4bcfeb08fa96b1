"""Drop-ins for other parsers of robots.txt: their interfaces, and the verdicts of robosieve."""
