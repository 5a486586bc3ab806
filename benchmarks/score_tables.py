"""Claim: reading a CSV of 1M scores (100 systems, 10,000 queries) takes at most 2 of the CPU of polars reading the same
file, as rows of system, query and value and as a column for each system; reading it and comparing the systems with a
baseline by t-tests at most 3.

polars ends with a frame, ours with scores: names, an array by system and query, and checks that every value is finite
and stands once. Both run in one process, in turn, which measures its own CPU (`time.process_time`, all threads).
"""

import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from measuring import DATA, OURS, RUNS, Medians, agree, main, median, ratio, report, start

AT_MOST, AT_MOST_COMPARED = 2.0, 3.0
PEER = "polars"
COMPARED = "read and compared"


def write_tables(folder, systems, queries):
    """The same scores in both forms: name -> path."""
    import numpy as np
    import polars as pl

    values = np.random.default_rng(1).random((systems, queries))
    names, query_ids = [f"system-{s}" for s in range(systems)], [f"q{q}" for q in range(queries)]
    long = {"system": np.repeat(names, queries), "query": np.tile(query_ids, systems), "value": values.ravel()}
    wide = {"query": query_ids, **dict(zip(names, values, strict=True))}
    paths = {"long": folder / "long.csv", "wide": folder / "wide.csv"}
    for form, columns in (("long", long), ("wide", wide)):
        pl.DataFrame(columns).write_csv(paths[form])
    return paths


def work(runs, systems, queries, folder) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way and form."""
    import polars as pl

    from rankscope import compare, read_scores

    def read_and_compare(path):
        return compare(read_scores(path), baseline="system-0")

    spent = defaultdict(list)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        paths = write_tables(Path(place), int(systems), int(queries))
        means = {form: {"mean": float(read_scores(path).values.mean())} for form, path in paths.items()}
        means[PEER] = {"mean": float(pl.read_csv(paths["long"])["value"].mean())}
        agree(means, 1e-12)
        for _ in range(int(runs)):
            for form, path in paths.items():
                for name, read in ((OURS, read_scores), (PEER, pl.read_csv), (COMPARED, read_and_compare)):
                    begin = time.process_time()
                    read(path)
                    spent[f"{name} {form}"].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(), systems=100, queries=10_000) -> dict:
    del peers  # polars is always there
    Path(folder).mkdir(parents=True, exist_ok=True)
    spent = json.loads(
        start([sys.executable, __file__, "--work", str(runs), str(systems), str(queries), str(folder)]).output
    )
    found = {name: Medians(name, median(cpu), None, cpu) for name, cpu in spent.items()}
    lines = [
        ratio(
            f"scores {what}, {form}, {systems} x {queries:,}", found[f"{name} {form}"], found[f"{PEER} {form}"], bound
        )
        for form in ("long", "wide")
        for what, name, bound in (("read", OURS, AT_MOST), (COMPARED, COMPARED, AT_MOST_COMPARED))
    ]
    return report("score_tables", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
