"""Claim: a log of 10 million impressions of two interleaved systems is tested in at most 10 CPU seconds and 1 GB.

A JSON line an impression (time, user, query, list, clicks), 1.1 GB, of two million users and 1,000 lists, which are in
a file of their own; four of ten impressions have no click. Whole processes of the command line: the cluster t-test by
user and, beside it, for information, the confidence sequence over 28 days. The files are made in a temporary folder and
deleted; where there is no room, the benchmark says so.
"""

import json
import shutil
import tempfile
from pathlib import Path

from measuring import DATA, RUNS, Contestant, absolute, in_turn, main, program, report

SECONDS, MEGABYTES = 10, 1000
LISTS, LENGTH = 1000, 10
LINE = 115  # bytes
BLOCK = 500_000
#: The tests, and what they are called in the table.
TESTS = {"t": "cluster t", "anytime": "confidence sequence"}


def write_lists(path) -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    teams = np.array(["dense", "bm25"])[rng.permuted(np.tile([0, 1], (LISTS, LENGTH // 2)), axis=1)]
    records = (
        {"list": f"l{number}", "query": f"q{number // 10}", "method": "team-draft", "team": team}
        for number, team in enumerate(teams.tolist())
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def write_log(path, impressions, users) -> None:
    import numpy as np

    rng = np.random.default_rng(2)
    with path.open("w") as stream:
        for begin in range(0, impressions, BLOCK):
            n = min(BLOCK, impressions - begin)
            day = 1 + 28 * np.arange(begin, begin + n) // impressions
            shown = (LISTS * rng.random(n) ** 2).astype(int)
            columns = (day, rng.integers(users, size=n), shown // 10, shown, rng.random(n), *rng.integers(1, 6, (2, n)))
            stream.writelines(
                f'{{"time": "2026-03-{day:02}T10:00:00Z", "user": "u{user:07}", "query": "q{query}", '
                f'"list": "l{number}", "clicks": {[first, first + second][: (chance >= 0.4) + (chance >= 0.8)]}}}\n'
                for day, user, query, number, chance, first, second in zip(*(c.tolist() for c in columns), strict=True)
            )


def measure(runs=RUNS, folder=DATA, peers=(), impressions=10_000_000, users=2_000_000) -> dict:
    del peers
    folder.mkdir(parents=True, exist_ok=True)
    needed, free = impressions * LINE, shutil.disk_usage(folder).free
    if free < needed:
        print(f"click_logs: skipped, {needed / 1e6:.0f} MB of disk needed, {free / 1e6:.0f} MB free")
        return report("click_logs", [], {}, 0)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        log, lists = Path(scratch, "log.jsonl"), Path(scratch, "lists.jsonl")
        write_lists(lists)
        write_log(log, impressions, users)
        command = [*program(), "online", str(log), "--lists", str(lists)]
        found = {}
        for test, name in TESTS.items():  # the values of two tests differ, and are not compared
            found |= in_turn([Contestant(name, [*command, "--test", test])], runs)
    label = f"{impressions:,} impressions"
    lines = [
        absolute(f"{label}: {name}", one, one.cpu, "CPU s", SECONDS if name == TESTS["t"] else None)
        for name, one in found.items()
    ]
    t = found[TESTS["t"]]
    lines.append(absolute(f"{label}: memory", t, t.memory, "MB", MEGABYTES))
    return report("click_logs", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__)
