"""Claim: saving scores of 20 systems, 10 measures and 1,000 queries and reading them again takes at most 0.3 of the CPU
of the same as JSON, at most 0.2 of that of a tidy pandas frame as CSV, and at most 0.6 of that of one as Parquet.

Each peer begins with names and an array of values and ends with an array again; ours keeps settings, notes and flags
besides, and checks that nothing was changed. All run in one process, in turn, which measures its own CPU
(`time.process_time`, all threads). Also shown: the sizes of the files.
"""

import importlib.util
import itertools
import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from measuring import DATA, OURS, RUNS, Line, Medians, agree, available, main, median, ratio, report, start

CLAIMED = {"json": 0.3, "pandas CSV": 0.2, "pandas Parquet": 0.6}


def make_scores(systems, measures, queries):
    import numpy as np

    from rankscope.data.scores import Scores
    from rankscope.measures.names import parse_measures

    names = [f"P@{k + 1}" for k in range(measures)]
    return Scores(
        systems=tuple(f"system-{s}" for s in range(systems)),
        measures=tuple(parse_measures(names)),
        query_ids=tuple(str(301 + q) for q in range(queries)),
        values=np.random.default_rng(1).random((systems, measures, queries)),
        missing=np.zeros((systems, queries), np.bool_),
        undefined=np.zeros((measures, queries), np.bool_),
        measure_settings=({"rel": "1"},) * measures,
    )


def ways(scores, folder, peers):
    """Name -> (path, what to call for the values that were read again)."""
    from rankscope import read_scores, write_scores

    def ours(path):
        write_scores(scores, path)
        return read_scores(path).values

    found = {OURS: (folder / "scores.parquet", ours), "json": (folder / "scores.json", json_way(scores))}
    if "pandas" in peers:
        found["pandas CSV"] = (folder / "scores.csv", pandas_way(scores, "to_csv", "read_csv"))
        if importlib.util.find_spec("pyarrow"):
            found["pandas Parquet"] = (folder / "tidy.parquet", pandas_way(scores, "to_parquet", "read_parquet"))
    return found


def json_way(scores):
    import numpy as np

    def call(path):
        nested = {
            system: {
                measure: dict(zip(scores.query_ids, of_measure.tolist(), strict=True))
                for measure, of_measure in zip(scores.measure_names, of_system, strict=True)
            }
            for system, of_system in zip(scores.systems, scores.values, strict=True)
        }
        path.write_text(json.dumps(nested))
        read = json.loads(path.read_text())
        return np.array([[list(values.values()) for values in by.values()] for by in read.values()])

    return call


def pandas_way(scores, write, read):
    import pandas as pd

    def call(path):
        names = itertools.product(scores.systems, scores.measure_names, scores.query_ids)
        frame = pd.DataFrame(names, columns=["system", "measure", "query"])
        frame["value"] = scores.values.ravel()
        getattr(frame, write)(path, index=False)
        return getattr(pd, read)(path)["value"].to_numpy().reshape(scores.values.shape)

    return call


def work(runs, systems, measures, queries, folder, *peers) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way and the sizes of the files."""
    scores = make_scores(int(systems), int(measures), int(queries))
    spent = defaultdict(list)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        found = ways(scores, Path(place), peers)
        agree({name: {"mean": float(call(path).mean())} for name, (path, call) in found.items()}, 1e-12)
        for _ in range(int(runs)):
            for name, (path, call) in found.items():
                begin = time.process_time()
                call(path)
                spent[name].append(time.process_time() - begin)
        sizes = {name: path.stat().st_size for name, (path, _) in found.items()}
    print(json.dumps({"spent": spent, "sizes": sizes}))


def measure(runs=RUNS, folder=DATA, peers=("pandas",), systems=20, measures=10, queries=1000) -> dict:
    there = available(peers)
    Path(folder).mkdir(parents=True, exist_ok=True)
    size = [str(systems), str(measures), str(queries)]
    told = json.loads(start([sys.executable, __file__, "--work", str(runs), *size, str(folder), *there]).output)
    found = {name: Medians(name, median(cpu), None, cpu) for name, cpu in told["spent"].items()}
    label = f"scores saved and read, {systems} x {measures} x {queries:,}"
    lines = [ratio(label, found[OURS], found[name], CLAIMED[name]) for name in found if name != OURS]
    ours, peer = (told["sizes"][name] / 1e6 for name in (OURS, "json"))
    lines.append(Line("the file", f"{OURS} {ours:.2f} MB", f"json {peer:.2f} MB", ours / peer, "x", None))
    return report("saved_scores", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
