"""Claim: evaluating a run of 1M chunks, 5 of a document, whose ids are cut at a mark, takes no more CPU than doing it
by hand: polars reads the run, cuts the ids, takes the highest score of each document, and hands the frame to
rankscope.

Both run in one process, in turn, which measures its own CPU (`time.process_time`, all threads). Beside it: the same run
without chunks, and with `duplicates="max"` where no document stands twice, which should cost at most a quarter more
than without (it adds no work; the rest is noise).
"""

import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from measuring import DATA, OURS, RUNS, Medians, agree, main, median, ratio, report, start

AT_MOST = 1.0
PEER = "polars"
MEASURES = ["nDCG@10", "AP"]
N_CHUNKS = 5


def write_files(folder, queries, documents):
    """Judgments, a run of chunks, and one without."""
    import numpy as np

    rng = np.random.default_rng(1)
    lines, plain_lines, judged = [], [], []
    for q in range(queries):
        scores = np.sort(rng.random(documents).round(6))[::-1].tolist()
        owners = rng.permutation(np.repeat(np.arange(max(documents // N_CHUNKS, 1)), N_CHUNKS))[:documents].tolist()
        lines += [
            f"{q} Q0 document-{d}#{i} {i + 1} {s} t\n" for i, (d, s) in enumerate(zip(owners, scores, strict=False))
        ]
        plain_lines += [f"{q} Q0 document-{i} {i + 1} {s} t\n" for i, s in enumerate(scores)]
        judged += [f"{q} 0 document-{d} {int(d % 3 == 0)}\n" for d in range(0, max(documents // N_CHUNKS, 1), 2)]
    paths = folder / "judged.qrels", folder / "chunks.run", folder / "plain.run"
    for path, content in zip(paths, (judged, lines, plain_lines), strict=True):
        path.write_text("".join(content))
    return paths


def by_hand(qrels, run):
    """What a user does without the option."""
    import polars as pl

    import rankscope as rs

    names = ["query_id", "q0", "chunk", "rank", "score", "tag"]
    frame = pl.read_csv(
        run, separator=" ", has_header=False, new_columns=names, schema_overrides={"column_1": pl.String}
    )
    frame = frame.with_columns(doc_id=pl.col("chunk").str.split("#").list.first())
    frame = frame.group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("score").max())
    return rs.evaluate(qrels, frame, MEASURES)


def work(runs, queries, documents, folder) -> None:
    """Runs in a process of its own; prints the CPU seconds of each way."""
    import rankscope as rs

    spent = defaultdict(list)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        qrels, chunks, plain = write_files(Path(place), int(queries), int(documents))
        ways = {
            f"{OURS} chunks": lambda: rs.evaluate(qrels, chunks, MEASURES, doc_of="^([^#]+)", workers=1),
            f"{PEER} chunks": lambda: by_hand(qrels, chunks),
            f"{OURS} plain, max": lambda: rs.evaluate(qrels, plain, MEASURES, duplicates="max", workers=1),
            f"{OURS} plain": lambda: rs.evaluate(qrels, plain, MEASURES, workers=1),
        }
        means = {name: {m: way().overall(m) for m in MEASURES} for name, way in ways.items()}
        agree({name: means[f"{name} chunks"] for name in (OURS, PEER)}, 1e-12)
        for _ in range(int(runs)):
            for name, way in ways.items():
                begin = time.process_time()
                way()
                spent[name].append(time.process_time() - begin)
    print(json.dumps(spent))


def measure(runs=RUNS, folder=DATA, peers=(), queries=1000, documents=1000) -> dict:
    del peers  # polars is always there
    Path(folder).mkdir(parents=True, exist_ok=True)
    spent = json.loads(
        start([sys.executable, __file__, "--work", str(runs), str(queries), str(documents), str(folder)]).output
    )
    found = {name: Medians(name, median(cpu), None, cpu) for name, cpu in spent.items()}
    lines = [
        ratio(f"{queries * documents:,} chunks", found[f"{OURS} chunks"], found[f"{PEER} chunks"], AT_MOST),
        ratio("duplicates=max, none twice", found[f"{OURS} plain, max"], found[f"{OURS} plain"], 1.25),
    ]
    return report("chunks", lines, found, runs)


if __name__ == "__main__":
    main(measure, __doc__, work=work)
