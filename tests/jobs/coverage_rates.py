"""Says which part of lines and of branches the tests ran, by coverage's JSON, and fails where that is too little."""

import json
import sys
from pathlib import Path

LEAST = {"lines": 95, "branches": 90}


def rates(totals: dict[str, int]) -> dict[str, float]:
    """Percent that were run, of lines and of branches."""
    return {
        "lines": 100 * totals["covered_lines"] / totals["num_statements"],
        "branches": 100 * totals["covered_branches"] / totals["num_branches"],
    }


if __name__ == "__main__":
    found = rates(json.loads(Path(sys.argv[1]).read_text("utf-8"))["totals"])
    sys.stdout.writelines(f"{kind}: {found[kind]:.2f} % were run, at least {LEAST[kind]} % must be\n" for kind in LEAST)
    sys.exit(any(found[kind] < LEAST[kind] for kind in LEAST))
