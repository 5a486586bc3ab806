"""Claim: `rankscope letor score` reads a label file of 136 features at 300 MB a second of CPU, start-up included.

105,000 lines in the form of LETOR 4.0, of 3.0 and of MSLR, 180 MB, scored with a line a query; only the label, the
query and the comment are looked at. Memory is bounded: the file is read in blocks.
"""

import os
import sys
import tempfile
from pathlib import Path

from measuring import DATA, RUNS, Contestant, absolute, in_turn, main, program, report, start

#: MB a second of CPU that are to be reached.
SPEED = 300.0
MEMORY = 150.0
VERSION = 1  # part of the files' names: raise it when what is made changes
MAKE = r"""
import sys
import numpy as np
folder, queries, documents, features = sys.argv[1], *map(int, sys.argv[2:])
rng = np.random.default_rng(11)
pool = [b"%.6f" % x for x in rng.random(10_007)]
names = [b" %d:" % i for i in range(1, features + 1)]
named = b" #docid = GX%03d-%02d-%08d"
ends = {"letor4": named + b" inc = 1 prob = 0.126384", "letor3": named, "mslr": b""}
files = {preset: open(f"{folder}/{preset}.txt", "wb") for preset in ends}
with open(f"{folder}/pred.txt", "w") as pred:
    for line in range(queries * documents):
        begin = int(rng.integers(len(pool) - features))
        values = b"".join([x for pair in zip(names, pool[begin : begin + features]) for x in pair])
        head = b"%d qid:%d" % (rng.choice([0, 0, 0, 1, 2]), 10 + line // documents)
        for preset, end in ends.items():
            comment = end % (line % 273, line % 100, line) if end else end
            files[preset].write(head + values + comment + b"\n")
        pred.write(f"{rng.random():.6f}\n")
"""


def made(folder: Path, queries: int, documents: int, features: int) -> Path:
    """The folder of the files, made if it is not there."""
    place = folder / f"letor-v{VERSION}-{queries}x{documents}x{features}"
    if not place.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        part = tempfile.mkdtemp(dir=folder)
        start([sys.executable, "-c", MAKE, part, str(queries), str(documents), str(features)])
        os.replace(part, place)
    return place


def measure(runs=RUNS, folder=DATA, peers=(), queries=1000, documents=105, features=136, judged=None) -> dict:
    del peers, judged  # there is none beside it; all documents are judged
    place = made(folder, queries, documents, features)
    presets = ("letor4", "letor3", "mslr")
    command = [*program(), "letor", "score", "--preset"]
    files = {preset: str(place / f"{preset}.txt") for preset in presets}
    out = os.devnull
    contestants = [Contestant(p, [*command, p, files[p], str(place / "pred.txt"), out, "1"]) for p in presets]
    found = {}
    for contestant in contestants:  # they do not print, so there is nothing to agree on
        found |= in_turn([contestant], runs)
    lines = []
    for preset in presets:
        size = os.path.getsize(files[preset]) / 1e6
        label = f"letor score, {preset}, {size:.0f} MB"
        lines.append(absolute(label, found[preset], found[preset].cpu, "s", size / SPEED))
    lines.append(absolute("letor score, memory", found["letor4"], found["letor4"].memory, "MB", MEMORY))
    return report("letor_score", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__)
