"""Claim: at ten million lines it takes at most 0.30 of pytrec_eval's CPU, and less than 200 MB of memory.

10,000 queries x 1,000 documents, 100 judged a query, nDCG@10 AP RR P@10, whole processes. The files take 420 MB;
pytrec_eval takes 2 GB of memory. Where the machine has not as much, the benchmark says so and does what it can.
"""

import os
import shutil

from measuring import DATA, OURS, RUNS, absolute, collection, files_to_numbers, main, report

DISK_PER_LINE = 90  # bytes: the file, and as much again while it is made
MEMORY_PER_LINE = 250  # bytes that pytrec_eval takes


def measure(runs=RUNS, folder=DATA, peers=("pytrec_eval",), queries=10_000, documents=1000, judged=100) -> dict:
    folder.mkdir(parents=True, exist_ok=True)
    label = f"files to numbers, {queries:,} x {documents:,}"
    needed, free = queries * documents * DISK_PER_LINE, shutil.disk_usage(folder).free
    if free < needed:
        print(f"{label}: skipped, {needed / 1e6:.0f} MB of disk needed, {free / 1e6:.0f} MB free")
        return report("files_10m", [], {}, 0)
    needed, free = queries * documents * MEMORY_PER_LINE, free_memory()
    if free < needed:
        print(f"{label}: without pytrec_eval, which needs {needed / 1e6:.0f} MB of memory; {free / 1e6:.0f} MB free")
        peers = ()
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    lines, found = files_to_numbers(label, qrels, run, peers, {"pytrec_eval": 0.30}, runs)
    memory = found[OURS].memory
    lines.append(absolute(f"{label}: peak memory", found[OURS], memory, "MB", 200))
    return report("files_10m", lines, found, runs)


def free_memory() -> float:
    """Bytes that are free for a new process, as far as the system tells."""
    try:
        with open("/proc/meminfo") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable")) * 1024
    except OSError:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2


if __name__ == "__main__":
    main(measure, __doc__)
