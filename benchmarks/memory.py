"""Claim: a run of 1 GB is evaluated in less than 300 MB of memory, however it is written and whatever its order.

10,000 queries x 2,500 documents, 100 judged a query, nDCG@10 AP RR P@10, whole processes with one worker: TREC's lines
query by query, the same compressed, its lines in random order, Parquet and CSV, and a folder of ten partitions in
Parquet. The values of all must agree. The files are made in a temporary folder, take 4 GB together, and are deleted;
where there is no room, the benchmark says so.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from measuring import DATA, RUNS, Contestant, absolute, collection, in_turn, main, ours, report, start

VARIANTS = {
    "plain": "query by query",
    "gz": "gzip",
    "shuffled": "lines in random order",
    "parquet": "Parquet",
    "csv": "CSV",
}
#: Writes the rows of a Parquet file as ten partitions, cut wherever that falls.
PARTITIONS = """
import sys
import polars as pl
table = pl.scan_parquet(sys.argv[1])
rows = table.select(pl.len()).collect().item()
for i in range(10):
    begin, end = rows * i // 10, rows * (i + 1) // 10
    table.slice(begin, end - begin).sink_parquet(f"{sys.argv[2]}/part-{i:04}.parquet")
"""
DISK_PER_LINE = 300  # bytes: all files, and the temporary ones of the shuffled run
LIMIT = 300


def measure(runs=RUNS, folder=DATA, peers=(), queries=10_000, documents=2_500, judged=100) -> dict:
    del peers
    folder.mkdir(parents=True, exist_ok=True)
    needed, free = queries * documents * DISK_PER_LINE, shutil.disk_usage(folder).free
    if free < needed:
        print(f"memory: skipped, {needed / 1e6:.0f} MB of disk needed, {free / 1e6:.0f} MB free")
        return report("memory", [], {}, 0)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        shape = {"queries": queries, "documents": documents, "judged": judged}
        paths = {variant: collection(Path(scratch), **shape, variant=variant) for variant in VARIANTS}
        qrels, table = paths["parquet"]
        parts = Path(scratch, "parts")
        parts.mkdir()
        start([sys.executable, "-c", PARTITIONS, table, str(parts)])
        paths["parts"] = qrels, str(parts)
        size = Path(paths["plain"][1]).stat().st_size / 1e9
        names = {**VARIANTS, "parts": "ten partitions in Parquet"}
        found = in_turn([one_worker(*paths[variant], name) for variant, name in names.items()], runs)
    label = f"memory for a run of {size:.2g} GB"
    lines = [absolute(f"{label}: {name}", one, one.memory, "MB", LIMIT) for name, one in found.items()]
    return report("memory", lines, found, runs)


def one_worker(qrels, run, name):
    """Ours, in one process: what each of several takes."""
    contestant = ours(qrels, run, name=name)
    alone = ["--workers", "1"]
    return Contestant(name, [*contestant.command, *alone], [*contestant.checked, *alone])


if __name__ == "__main__":
    main(measure, __doc__)
