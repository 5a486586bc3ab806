"""Print the lowest declared version of every dependency, a line each, for `pip install --constraint`.

Taken from pyproject.toml: what users need, what the extras bring, and the group `test`. PyTorch is not among them: its
lowest version is the one of the constraints file.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path


def requirements(project: dict[str, object]) -> list[str]:
    """As they are declared, groups within groups included."""
    table = project["project"]
    extras = table["optional-dependencies"]
    groups = project["dependency-groups"]
    declared = [*table["dependencies"], *(line for extra in extras.values() for line in extra)]
    waiting = ["test", "http"]
    while waiting:
        for line in groups[waiting.pop()]:
            if isinstance(line, dict):
                waiting.append(line["include-group"])
            else:
                declared.append(line)
    return [line for line in declared if not line.startswith(("rankscope[", "torch"))]


def lowest(requirement: str) -> str:
    """`numpy>=2.0` as `numpy==2.0`; what stands behind a semicolon is kept."""
    if not re.fullmatch(r"[\w.-]+>=[\w.]+(; .+)?", requirement):
        raise SystemExit(f"pyproject.toml: {requirement!r}: expected a lowest version alone, as numpy>=2.0")
    return requirement.replace(">=", "==", 1)


if __name__ == "__main__":
    for line in requirements(tomllib.loads(Path(sys.argv[1]).read_text("utf-8"))):
        print(lowest(line))
