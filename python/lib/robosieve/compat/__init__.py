"""Drop-ins for other robots.txt parsers: their interfaces with robosieve's verdicts."""
