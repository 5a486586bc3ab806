"""What simulations find, for those who want to read it: `pytest -s`, or `-rP` at the end."""

from __future__ import annotations

import sys


def show(name: str, rates: object) -> None:
    """Write the rates of a simulation, with their standard errors, to standard output, which pytest keeps."""
    sys.stdout.write(f"\n{name}: {rates}\n")
