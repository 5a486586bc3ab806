"""The notebooks are notebooks, run from the first cell to the last, and come to the verdict that their data hold."""

import importlib.util
import json
import math
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rankscope as rs
from rankscope.demo.tour import demo_files

FOLDER = Path(__file__).resolve().parent.parent / "docs"
NOTEBOOKS = sorted((FOLDER / "notebooks").glob("*.ipynb"))
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def load_runner():
    spec = importlib.util.spec_from_file_location("notebook_pages", FOLDER / "notebook_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return rs.demo.write_demo(tmp_path_factory.mktemp("demo"))


def check_verdict(name, verdict, demo):
    {"rag": check_rag, "judge": check_judge, "paper": check_paper}[name](verdict, demo)


def rounded(value):
    """A number as it stands in a verdict."""
    return pytest.approx(value, abs=0.0005 + 1e-9)


def t_interval(differences):
    result = stats.ttest_1samp(differences, 0.0)
    return [rounded(end) for end in result.confidence_interval(0.95)]


def check_rag(verdict, demo):
    """Recall counted from the files; Student's interval and power from SciPy."""
    rows = {
        name: [json.loads(line) for line in (demo / f"demo-rag-{name}.jsonl").read_text("utf-8").splitlines()]
        for name in ("gold", "new", "old")
    }
    recall = {"new": [], "old": []}
    for name, values in recall.items():
        for gold, row in zip(rows["gold"], rows[name], strict=True):
            assert gold["question_id"] == row["question_id"]
            first_five = list(dict.fromkeys(chunk.split("#")[0] for chunk in row["retrieved_ids"]))[:5]
            values.append(len(set(gold["gold_ids"]) & set(first_five)) / len(gold["gold_ids"]))
    differences = np.subtract(recall["new"], recall["old"])
    needed = verdict["questions needed for 0.05"]
    effect = 0.05 / differences.std(ddof=1)
    power = [
        stats.nct.sf(stats.t.ppf(0.975, n - 1), n - 1, effect * math.sqrt(n))
        + stats.nct.cdf(stats.t.ppf(0.025, n - 1), n - 1, effect * math.sqrt(n))
        for n in (needed - 1, needed)
    ]
    assert power[0] < 0.8 <= power[1]
    assert [verdict["better"], verdict["questions"]] == ["demo-rag-new", 60]
    assert verdict["R@5 higher by"] == rounded(differences.mean())
    assert [verdict["at least"], verdict["at most"]] == t_interval(differences)


def check_judge(verdict, demo):
    """Judgments of people for all queries, which the notebook does not have, say what is true."""
    runs = [demo / f"{name}.run" for name in ("rerank", "hybrid", "dense")]
    by_people, few, by_machine = (
        rs.evaluate(demo / name, runs, "nDCG@10") for name in ("demo.qrels", "demo-few.qrels", "demo-judge.qrels")
    )
    queries = [by_machine.query_ids.index(query) for query in few.query_ids]
    bias = by_machine.matrix("nDCG@10")[2, queries] - few.matrix("nDCG@10")[2]
    assert verdict["the judge"] == "only beside people"
    assert verdict["it overrates dense by"] == rounded(bias.mean())
    assert bias.mean() > 0.1
    truth = {name: by_people.overall("nDCG@10", name) for name in ("rerank", "hybrid", "dense")}
    assert abs(verdict["dense"] - truth["dense"]) < 0.02 < by_machine.overall("nDCG@10", "dense") - truth["dense"]
    assert verdict["better than hybrid"] == "rerank"
    assert 0 < verdict["at least"] < verdict["by"] < verdict["at most"]
    assert verdict["at least"] < truth["rerank"] - truth["hybrid"] < verdict["at most"]


def check_paper(verdict, demo):
    """Values by pytrec_eval, the interval by SciPy; the t-test and Holm's rule find as many pairs to differ."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    grades = read_columns(demo / "demo.qrels", 0, 2, 3, int)
    judge = pytrec_eval.RelevanceEvaluator(grades, {"ndcg_cut.10", "map", "P.10"})
    values = []
    for name in ("rerank", "hybrid", "dense", "bm25-rm3", "bm25", "boolean"):
        found = judge.evaluate(read_columns(demo / f"{name}.run", 0, 2, 4, float))
        empty = dict.fromkeys(("ndcg_cut_10", "map", "P_10"), 0.0)
        values.append([[found.get(query, empty)[measure] for query in grades] for measure in empty])
    table = np.array(values)  # (systems, measures, queries)
    differences = table[0, 0] - table[1, 0]
    pvalues = sorted(
        stats.ttest_rel(table[a, m], table[b, m]).pvalue for a, b in combinations(range(6), 2) for m in range(3)
    )
    holm = next(i for i, p in enumerate([*pvalues, 1.0]) if p * (len(pvalues) - i) > 0.05 or p == 1.0)
    assert [verdict["best"], verdict["tests"], verdict["significant"]] == ["rerank", 45, holm]
    assert verdict["nDCG@10"] == rounded(table[0, 0].mean())
    assert verdict["ahead of hybrid by"] == rounded(differences.mean())
    assert [verdict["at least"], verdict["at most"]] == t_interval(differences)


def read_columns(path, query, doc, value, as_number):
    table = {}
    for line in path.read_text("utf-8").splitlines():
        fields = line.split()
        table.setdefault(fields[query], {})[fields[doc]] = as_number(fields[value])
    return table


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["judge", "paper", "rag"]


@each
def test_a_notebook_is_stored_without_outputs_with_few_cells_that_have_ids(path):
    book = json.loads(path.read_text("utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    cells = book["cells"]
    assert 8 <= len(cells) <= 14
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells if "outputs" in cell)
    assert {cell["cell_type"] for cell in cells if "outputs" not in cell} == {"markdown"}


@each
def test_a_notebook_comes_to_its_verdict(path, demo, monkeypatch):
    pytest.importorskip("altair", reason="altair is not installed: pip install 'rankscope[report]'")
    monkeypatch.setattr("rankscope.demo.tour.demo_files", cache(demo_files))
    monkeypatch.setattr("rankscope.reporting.notebook.draw", lambda figure: [f"<svg>{figure.name}</svg>"])  # slow
    *cells, last = load_runner().run_notebook(path)
    pages = [cell.value._repr_html_() for cell in cells if hasattr(cell.value, "_repr_html_")]
    assert len(pages) >= 4
    assert any(type(cell.value).__module__.startswith("altair") for cell in cells)
    assert any(type(cell.value).__module__.startswith("pandas") for cell in cells)
    check_verdict(path.stem, last.value, demo)


def test_a_page_shows_text_code_output_tables_and_figures(tmp_path):
    pytest.importorskip("vl_convert", reason="vl_convert is not installed: pip install 'rankscope[report]'")
    code = [
        "import rankscope as rs\nprint('<hello>')",
        "scores = rs.evaluate({'q': {'a': 1}}, rs.Run({'q': {'a': 1.0}}, name='<one>'), 'RR')\nscores",
        "import altair\naltair.Chart({'values': [{'x': 1}]}).mark_point().encode(x='x:Q')",
        "['<listed>']",
    ]
    cells = [{"cell_type": "markdown", "id": "a", "source": ["# Title\n", "Text"]}]
    cells += [{"cell_type": "code", "id": f"c{i}", "source": [source]} for i, source in enumerate(code)]
    path = tmp_path / "some.ipynb"
    path.write_text(json.dumps({"cells": cells}), "utf-8")
    page = load_runner().page_of(path)
    expected = [
        "# Title\nText\n",
        "[some.ipynb](some.ipynb)",
        f"```python\n{code[0]}\n```",
        "```text\n<hello>\n```",
        "&lt;one&gt;",
        "<svg",
        "<pre>[&#x27;&lt;listed&gt;&#x27;]</pre>",
    ]
    assert sorted(expected, key=page.index) == expected


@pytest.mark.slow
@each
def test_a_kernel_runs_a_notebook(path, demo, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient", reason="no kernel: `make test` installs it")
    pytest.importorskip("ipykernel", reason="no kernel: `make test` installs it")
    for name in ("TMPDIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in outputs) or path.stem == "paper"
    verdict = eval(book.cells[-1].outputs[-1]["data"]["text/plain"], {})
    check_verdict(path.stem, verdict, demo)
