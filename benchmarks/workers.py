"""Claim: on a run of ten million lines, two workers are at least 1.6 times as fast as one, and print the same.

10,000 queries x 1,000 documents, with 100 and with 10 judged a query, nDCG@10 AP RR P@10, whole processes, from the
start of the command to its end. Judgments are read before there is anything to share: the fewer, the more is gained.
Seconds of the clock, so the machine has to be idle: the load before each pair of runs is printed, of which this
benchmark's own is a part. The memory is that of the largest process. The median of the ratios of neighbouring runs is
compared, so that a load that comes and goes meets both.
"""

import os
from statistics import median

from measuring import DATA, MEASURES, RUNS, Line, collection, main, program, report, start

#: Two workers take at most this share of the time of one.
AT_MOST = 1 / 1.6


def measure(runs=RUNS, folder=DATA, peers=(), queries=10_000, documents=1000, judged=100) -> dict:
    folder.mkdir(parents=True, exist_ok=True)
    if (os.cpu_count() or 1) < 2:
        print("two workers: skipped, this machine has one core")
        return report("workers", [], {}, 0)
    lines = [
        line
        for n in (judged, judged // 10)
        for line in compare(
            runs,
            collection(folder, queries=queries, documents=documents, judged=n),
            f"two workers, {queries:,} x {documents:,}, {n:,} judged",
        )
    ]
    return report("workers", lines, {}, runs)


def compare(runs: int, files: tuple[str, str], label: str) -> list[Line]:
    qrels, run = files
    commands = {n: command(qrels, run, n) for n in (1, 2)}
    printed = {n: start([*one, "--format", "jsonl"]).output for n, one in commands.items()}
    if printed[1] != printed[2]:
        raise SystemExit(f"one and two workers do not print the same:\n{printed[1]}\n{printed[2]}")
    spent = {n: [] for n in commands}
    loads = []
    for _ in range(runs):
        loads.append(os.getloadavg()[0])
        for n, one in commands.items():
            spent[n].append(start(one))
    ratios = [two.wall / one.wall for one, two in zip(spent[1], spent[2], strict=True)]
    texts = {n: describe(n, found) for n, found in spent.items()}
    memory = max(one.memory for one in spent[2])
    return [
        Line(label, f"{texts[2]}, load {median(loads):.1f}", texts[1], median(ratios), "x", AT_MOST),
        Line(f"{label}: peak memory of a process", texts[2], "", memory, "MB", 300),
    ]


def command(qrels: str, run: str, workers: int) -> list[str]:
    measures = [x for name in MEASURES for x in ("-m", name)]
    return [*program(), "evaluate", qrels, run, *measures, "--workers", str(workers)]


def describe(workers: int, found: list) -> str:
    wall, cpu = (median(getattr(one, name) for one in found) for name in ("wall", "cpu"))
    return f"{workers} worker{'s' if workers > 1 else ''} {wall:.2f} s of the clock, {cpu:.2f} CPU s"


if __name__ == "__main__":
    main(measure, __doc__)
