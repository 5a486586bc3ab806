"""What is written for papers is LaTeX that a TeX takes; where there is none, this is skipped."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.comparison.compare import paper_table
from rankscope.reporting.tables import render_result, render_scores

TEX = next(filter(None, map(shutil.which, ("pdflatex", "lualatex", "xelatex", "tectonic"))), None)
HEAD = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"


@pytest.mark.skipif(TEX is None, reason="no TeX on the PATH (pdflatex, lualatex, xelatex or tectonic)")
def test_tables_of_scores_and_comparisons_compile(tmp_path: Path) -> None:
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(8)}
    runs = [
        rs.Run({f"q{i}": {"a": 1.0, "b": float(i % k)} for i in range(8)}, name=name)
        for k, name in ((2, "50% & co_1"), (3, r"a\b~c^d#$"), (5, "{braces} <&> |"))
    ]
    scores = rs.evaluate(qrels, runs, ["RR", "AP"])
    text = render_scores(scores, "latex") + render_result(rs.compare(scores), "latex", details=True)
    for baseline in (None, scores.systems[0]):
        text += render_result(paper_table(rs.compare(scores, baseline=baseline), ["mean", "interval"]), "latex")
    (tmp_path / "paper.tex").write_text(f"{HEAD}{text}\\end{{document}}\n", encoding="utf-8")
    assert TEX is not None
    options = [] if TEX.endswith("tectonic") else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([TEX, *options, "paper.tex"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 1000
