"""Claims: `read_features` reads 180 MB of 136 features at 75 MB a second of CPU and more, from its cache at 1 GB, and
takes no more CPU than XGBoost's reader.

The files of letor_score.py (105,000 lines: all numbers with six decimals), in the form of LETOR 4.0 with comments and
of MSLR without, and three with numbers of many forms: whole numbers, zeros, signs and decimals mixed, as MSLR's own;
six digits, some with an exponent (`%g`); and 16 digits (`%.16g`), as scikit-learn's `dump_svmlight_file` writes.
Beside it scikit-learn's `load_svmlight_file` into float32, and from the files without comments, both on one thread and
where they are installed, the `Dataset` of LightGBM (also without `qid:`, which it refuses; it sorts the numbers into
bins as well) and the `DMatrix` of XGBoost. Each reads in a process of its own, which measures its own CPU
(`time.process_time`) without start-up and imports; all must find as many documents, and those that give numbers out the
same mean. Megabytes are those of the text, for the cache, too.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from letor_score import made
from measuring import (
    DATA,
    OURS,
    RUNS,
    Medians,
    absolute,
    agree,
    available,
    main,
    median,
    ratio,
    read_values,
    report,
    start,
)

#: MB a second of CPU that are to be reached: of text, and of text from the cache.
SPEED, CACHED = 75.0, 1000.0
#: What is mixed in one more file, and how much of it.
SHARES = {"0": 0.25, "whole": 0.35, "decimals": 0.3, "negative": 0.05, "1": 0.05}
FORMS = ("mixed", "exponents", "digits16")
PEERS = {"sklearn": "scikit-learn", "lightgbm": "LightGBM", "xgboost": "XGBoost"}


def file_of_form(form: str, folder: Path, queries: int, documents: int, features: int) -> Path:
    """A file with numbers of many forms, made if it is not there (in a process of its own, as it loads NumPy)."""
    place = folder / f"letor-{form}-v1-{queries}x{documents}x{features}.txt"
    if not place.exists():
        folder.mkdir(parents=True, exist_ok=True)
        start([sys.executable, __file__, "--make", form, str(place), str(queries), str(documents), str(features)])
    return place


def pool_of(form: str, rng) -> list[str]:
    """Numbers as text."""
    import numpy as np

    if form == "exponents":
        return [f"{x:g}" for x in np.exp(4 * rng.normal(size=20_011))]
    if form == "digits16":
        return [f"{x:.16g}" for x in rng.random(20_011)]
    kinds = rng.choice(len(SHARES), 20_011, p=list(SHARES.values()))
    whole, part = rng.integers(1, 2000, kinds.size), rng.random(kinds.size) * 30
    texts = [np.full(kinds.size, "0"), whole.astype(str), [f"{x:.6f}" for x in part], [f"-{x:.6f}" for x in part]]
    return np.choose(kinds, [*texts, np.full(kinds.size, "1")]).tolist()


def make_file(form: str, place: Path, queries: int, documents: int, features: int) -> None:
    import numpy as np

    rng = np.random.default_rng(12)
    pool = pool_of(form, rng)
    with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False) as file:
        for line in range(queries * documents):
            begin = int(rng.integers(len(pool) - features))
            cells = " ".join(f"{i}:{x}" for i, x in enumerate(pool[begin : begin + features], 1))
            file.write(f"{line % 5} qid:{10 + line // documents} {cells} \n")
    os.replace(file.name, place)


def without_queries(path: str) -> str:
    """The same lines without `qid:`, which LightGBM refuses there; made if they are not there."""
    place = f"{path}.plain"
    if not os.path.exists(place):
        with open(path, "rb") as file, open(f"{place}.part", "wb") as out:
            for line in file:
                grade, _, features = line.split(b" ", 2)
                out.write(grade + b" " + features)
        os.replace(f"{place}.part", place)
    return place


def reader(name: str, path: str):
    """What reads a file, to be called: gives the number of documents, and the mean where numbers are given out."""
    if name in (OURS, "cache"):
        from rankscope.io.letor import read_features

        cache = f"{path}.rscache" if name == "cache" else None
        return lambda: read_features(path, cache=cache).values
    if name == "sklearn":
        import numpy as np
        from sklearn.datasets import load_svmlight_file

        return lambda: load_svmlight_file(path, query_id=True, zero_based=False, dtype=np.float32)[0]
    if name == "lightgbm":
        import lightgbm

        return lambda: lightgbm.Dataset(path, params={"num_threads": 1, "verbose": -1}).construct().num_data()
    import xgboost

    return lambda: xgboost.DMatrix(f"{path}?format=libsvm", nthread=1).num_row()


def work(name: str, path: str) -> None:
    """Runs in a process of its own; prints the CPU seconds, and what was found."""
    call = reader(name, path)
    begin = time.process_time()
    found = call()
    spent = time.process_time() - begin
    records = {"cpu": spent, "documents": found if isinstance(found, int) else found.shape[0]}
    if not isinstance(found, int):
        records["mean"] = float(found.sum(dtype="float64")) / (found.shape[0] * found.shape[1])
    for measure, value in records.items():
        print(json.dumps({"measure": measure, "value": value}))


def timed(names: list[str], path: str, runs: int) -> dict[str, Medians]:
    """As `measuring.in_turn`, with the CPU that each process measures of itself."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    printed = {}
    for run in range(runs + 1):
        for name in names:
            read = without_queries(path) if name == "lightgbm" else path
            spent = start([sys.executable, __file__, "--work", name, read])
            values = read_values(spent.output)
            if run:
                found[name].append((values["cpu"], spent.memory))
            else:  # the first is a warm-up, and writes the cache
                printed[name] = {measure: value for measure, value in values.items() if measure != "cpu"}
    agree(printed)
    shown = {OURS: OURS, "cache": "from its cache", **PEERS}
    return {
        name: Medians(shown[name], median(c for c, _ in all_), median(m for _, m in all_), [c for c, _ in all_])
        for name, all_ in found.items()
    }


def measure(runs=RUNS, folder=DATA, peers=tuple(PEERS), queries=1000, documents=105, features=136, judged=None) -> dict:
    del judged
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # of the processes that are started
    place = made(folder, queries, documents, features)
    files = {form: str(place / f"{form}.txt") for form in ("letor4", "mslr")}
    files |= {form: str(file_of_form(form, folder, queries, documents, features)) for form in FORMS}
    present = available(peers)
    lines, all_found = [], {}
    for form, path in files.items():
        beside = [name for name in present if form != "letor4" or name == "sklearn"]  # the others know no comments
        found = timed([OURS, "cache", *beside], path, runs)
        size = os.path.getsize(path) / 1e6
        for name, medians in found.items():
            all_found[f"{form} {name}"] = medians
            label = f"features of {size:.0f} MB, {form}"
            at_most = {OURS: size / SPEED, "cache": size / CACHED}.get(name)
            speed = f"{size / max(medians.cpu, 1e-9):.0f} MB a second"
            lines.append(absolute(label, medians, medians.cpu, "s", at_most, speed))
        if "xgboost" in found:
            lines.append(ratio(label, found[OURS], found["xgboost"], 1.0))
    return report("features", lines, all_found, runs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    elif sys.argv[1:2] == ["--make"]:
        make_file(sys.argv[2], Path(sys.argv[3]), *map(int, sys.argv[4:]))
    else:
        main(measure, __doc__)
