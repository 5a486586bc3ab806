"""A CSV of a million comparisons (100 systems) read again and again, beside pandas on the same file; for information.

pandas reads the three columns of texts and codes them (`factorize`), as every model of such data needs them; ours also
checks every row, as the outcome may be a word or the name of a system. Both run in one process, in turn, which measures
its own CPU (`time.process_time`, all threads). Both must find as many wins of each system.
"""

import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from measuring import DATA, OURS, RUNS, Medians, absolute, agree, available, main, median, ratio, report, start


def write_comparisons(path, systems, comparisons):
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(1)
    names = np.array([f"model-{s}" for s in range(systems)])
    left = rng.integers(0, systems, comparisons)
    right = (left + rng.integers(1, systems, comparisons)) % systems
    winner = np.array(["model_a", "model_b", "tie"])[rng.integers(0, 3, comparisons)]
    pl.DataFrame({"model_a": names[left], "model_b": names[right], "winner": winner}).write_csv(path)


def read_ours(path):
    """Wins of each system."""
    import numpy as np

    from rankscope import read_preferences

    comparisons = read_preferences(path)
    winners = np.where(comparisons.outcome > 0, comparisons.left, comparisons.right)[comparisons.outcome != 0]
    return dict(
        zip(comparisons.systems, np.bincount(winners, minlength=len(comparisons.systems)).tolist(), strict=True)
    )


def read_pandas(path):
    """The same."""
    import numpy as np
    import pandas as pd

    frame = pd.read_csv(path)
    codes, names = pd.factorize(pd.concat([frame["model_a"], frame["model_b"]]))
    words, choices = pd.factorize(frame["winner"])
    sides = np.array([{"model_a": 0, "model_b": 1, "tie": 2}[choice] for choice in choices])[words]
    left, right = codes.reshape(2, -1)
    winners = np.where(sides == 0, left, right)[sides != 2]
    return dict(zip(names, np.bincount(winners, minlength=len(names)).tolist(), strict=True))


READERS = {OURS: read_ours, "pandas": read_pandas}


def work(runs, systems, comparisons, folder, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each reader."""
    spent = defaultdict(list)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place, "comparisons.csv")
        write_comparisons(path, int(systems), int(comparisons))
        agree({name: READERS[name](path) for name in (OURS, *peers)})
        for _ in range(int(runs)):
            for name in (OURS, *peers):
                begin = time.process_time()
                READERS[name](path)
                spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=("pandas",), systems=100, comparisons=1_000_000) -> dict:
    Path(folder).mkdir(parents=True, exist_ok=True)
    call = [sys.executable, __file__, "--work", str(runs), str(systems), str(comparisons), str(folder)]
    spent = json.loads(start([*call, *available(peers)]).output)
    found = {name: Medians(name, median(cpu), None, cpu) for name, cpu in spent.items()}
    label = f"{comparisons:,} comparisons read"
    lines = [absolute(label, found[OURS], found[OURS].cpu, "CPU s", None)]
    lines += [ratio(label, found[OURS], found[name]) for name in found if name != OURS]
    return report("preference_tables", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
