"""Claim: `rankscope diff` of two runs of a million lines takes at most 1.3 of the CPU of `rankscope compare` on them.

1,000 queries x 1,000 documents, 100 judged a query, nDCG@10, whole processes. The second run has the documents of the
first, each ten of a query in the opposite order. Also shown: AP, whose contributions are Shapley values in closed form.
"""

import itertools
import json
import os
from pathlib import Path

from measuring import DATA, OURS, RUNS, agree, collection, main, medians, program, ratio, report, start

AT_MOST = 1.3
#: Documents of which the order is the opposite in the second run.
BLOCK = 10


def second_run(run: str) -> str:
    """The path of the run with the documents of each block in the opposite order; made if it is not there."""
    path = Path(run).with_suffix(".reversed.run")
    if not path.exists():
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        with open(run, "rb") as lines, open(part, "wb") as out:
            for _, of_query in itertools.groupby(lines, key=lambda line: line.split(b" ", 1)[0]):
                fields = [line.split(b" ") for line in of_query]
                for begin in range(0, len(fields), BLOCK):
                    block = fields[begin : begin + BLOCK]
                    for line, other in zip(block, reversed(block), strict=True):
                        out.write(b" ".join([*line[:2], other[2], *line[3:5], b"reversed\n"]))
        part.rename(path)
    return str(path)


def differences(commands: dict[str, list[str]], queries: int) -> dict[str, dict[str, float]]:
    """The difference of the means by both commands: the sum of contributions, and what `compare` finds."""
    printed = {name: start([*command, "--format", "jsonl"]).output for name, command in commands.items()}
    records = {name: [json.loads(line) for line in text.splitlines()] for name, text in printed.items()}
    contributions = sum(record["contribution"] for record in records[OURS])
    found = {OURS: contributions / queries, "compare": records["compare"][0]["difference"]}
    return {name: {"absolute difference": abs(difference)} for name, difference in found.items()}


def measure(runs=RUNS, folder=DATA, peers=(), queries=1000, documents=1000, judged=100) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    both = [run, second_run(run)]
    lines, all_medians = [], {}
    for name, at_most in (("nDCG@10", AT_MOST), ("AP", None)):
        ways = ((OURS, "diff"), ("compare", "compare"))
        commands = {way: [*program(), command, qrels, *both, "-m", name] for way, command in ways}
        agree(differences(commands, queries), 1e-9)  # the first call of each warms up, too
        spent = {way: [] for way in commands}
        for _ in range(runs):
            for way, command in commands.items():
                spent[way].append(start(command))
        found = {way: medians(way, of_way) for way, of_way in spent.items()}
        label = f"diff of two runs, {queries:,} x {documents:,}, {name}"
        lines.append(ratio(label, found[OURS], found["compare"], at_most))
        all_medians |= {f"{name} {way}": of_way for way, of_way in found.items()}
    return report("diff", lines, all_medians, runs)


if __name__ == "__main__":
    main(measure, __doc__)
