"""Claim: `rankscope report` of 20 systems on 250 queries takes at most 6 CPU seconds with its figures, and its page is
smaller than 3 MB.

A whole process: 20 files of 100 documents a query are read, evaluated, compared in 190 pairs by five measures, and
drawn. No peer makes such a page; beside it stands the same page without figures, which shows what drawing costs.
"""

import json
import sys
from pathlib import Path

from measuring import DATA, OURS, RUNS, Contestant, Line, absolute, collection, in_turn, main, program, report

SECONDS, KILOBYTES = 6.0, 3000.0


def make_runs(run, systems, folder):
    """Systems that are worse and worse copies of one run: the n-th has noise of n tenths of the scores' spread."""
    import numpy as np

    rows = [line.split() for line in Path(run).read_text().splitlines()]
    scores = np.array([float(row[4]) for row in rows])
    rng = np.random.default_rng(1)
    paths = []
    for s in range(systems):
        noisy = scores + rng.normal(0, 0.1 * s * scores.std() + 1e-9, scores.size)
        path = Path(folder) / f"report-{len(rows)}-{s}.run"
        if not path.is_file():
            lines = (f"{row[0]} Q0 {row[2]} 0 {x:.6f} system{s:02}" for row, x in zip(rows, noisy, strict=True))
            path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths


def measure(runs=RUNS, folder=DATA, peers=(), systems=20, queries=250, documents=100, judged=50) -> dict:
    qrels, run = collection(folder, queries=queries, documents=documents, judged=judged)
    paths = make_runs(run, systems, folder)
    page = Path(folder) / "report.html"
    drawn = [*program(), "report", qrels, *paths, "-o", str(page)]
    bare = [*program(), "report", qrels, *paths, "--no-figures", "-o", str(Path(folder) / "bare.html")]
    # What both must agree on is the comparison itself.
    checked = [sys.executable, __file__, qrels, *paths[:2]]
    found = in_turn([Contestant(OURS, drawn, checked), Contestant("without figures", bare, checked)], runs)
    label = f"page of {systems} x {queries}"
    size, bare_page = page.stat().st_size / 1e3, found["without figures"]
    lines = [absolute(label, found[OURS], found[OURS].cpu, "CPU s", SECONDS)]
    lines.append(absolute(f"{label}, without figures", bare_page, bare_page.cpu, "CPU s", None))
    lines.append(Line(f"{label}, size", OURS, "", size, "kB", KILOBYTES))
    return report("report_page", lines, found, runs)


if __name__ == "__main__":
    if len(sys.argv) > 2 and not sys.argv[1].startswith("-"):
        import rankscope as rs

        for name, value in zip(("a", "b"), rs.evaluate(sys.argv[1], sys.argv[2:], "AP").summary("AP"), strict=True):
            print(json.dumps({"measure": name, "value": float(value)}))
    else:
        main(measure, __doc__)
