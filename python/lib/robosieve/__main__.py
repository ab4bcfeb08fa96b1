"""The program `robosieve`, as `python -m robosieve`."""

import sys

from robosieve._robosieve import main

if __name__ == "__main__":
    sys.exit(main())
