"""Where no extra is installed: what needs none works, and what needs one says in one line which, and writes nothing."""

import json
import subprocess
import sys

import pytest

from rankscope.demo import write_demo

#: What the extras bring, and what only tests and users' own programs bring along.
EXTRAS = (
    *("altair", "vl_convert", "jinja2", "sacrebleu", "safetensors", "lightgbm", "torch"),
    *("dask", "distributed", "cloudpickle", "fsspec", "lz4", "cbor2", "pandas", "pyarrow", "sklearn"),
)
NEEDS_NONE = (
    "evaluate demo.qrels bm25.run dense.run",
    "evaluate demo-letor.txt demo-letor-bm25.txt --input letor --format csv",
    "evaluate demo.qrels bm25.run --save scores.parquet",
    "compare demo.qrels bm25.run rerank.run -m AP",
    "plan demo.qrels bm25.run bm25-rm3.run -m AP --difference 0.02",
    "stability demo.qrels bm25.run dense.run rerank.run -m AP --set-size 10 --seed 7",
    "consensus demo-votes.tsv --method kemeny --resamples 20",
    "leaderboard demo-preferences.csv --interval information",
    "fuse bm25.run dense.run -o fused.run",
    "pool bm25.run dense.run --depth 5 -o pool.qrels",
    "agree segments demo-answers.csv --higher llm,reward --resamples 10",
    "agree judgments demo.qrels demo-judge.qrels",
    "convert demo.qrels demo.parquet",
    "crossvalidate demo-features.csv --loss linear:listnet --seeds 1 --folds 3",
    "features runs demo.qrels bm25.run dense.run -o features.txt",
    "trec_eval -m map demo.qrels bm25.run",
    "measures nDCG",
)
#: Command -> the extra that it names.
NEEDS = {
    "report demo.qrels bm25.run rerank.run -o page.html": "report",
    "compare demo.qrels bm25.run rerank.run -m AP --plot figure.svg": "report",
    "evaluate demo.qrels bm25.run --format html -o page.html": "report",
    "train demo-train.txt --loss linear:listnet -o new.model": "learn",
    "train demo-train.txt --loss lambdamart -o new.model": "learn",
    "train demo-train.txt --loss torch:listnet -o new.model": "torch",
    "predict no.model demo-test.txt -o scores.txt": "learn",
    "crossvalidate demo-features.csv --loss lambdamart --seeds 1 -o found.txt": "learn",
    "crossvalidate demo-features.csv --loss torch:listnet --seeds 1 -o found.txt": "torch",
    "mt-experiment --data demo-mt --protocol cv --seeds 1 -o found.txt": "mt",
    "evaluate demo.qrels s3://somewhere/bm25.run -o found.txt": "scale",
    "evaluate demo.qrels bm25.run --dask tcp://127.0.0.1:1 -o found.txt": "scale",
}
RUN = """
import contextlib, io, json, os, sys
hidden, commands = json.loads(sys.argv[1])
sys.modules.update(dict.fromkeys(hidden))
from rankscope.cli.main import main
found = {}
for command in commands:
    before, code = set(os.listdir()), 0
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main(command.split())
        except SystemExit as end:
            code = end.code or 0
    found[command] = code, out.getvalue(), err.getvalue(), sorted(set(os.listdir()) - before)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What each command printed and left, all in one process in which no package of the extras can be imported."""
    folder = tmp_path_factory.mktemp("bare")
    write_demo(folder)
    asked = json.dumps([EXTRAS, [*NEEDS, *NEEDS_NONE]])
    done = subprocess.run([sys.executable, "-c", RUN, asked], cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("command", NEEDS_NONE)
def test_what_needs_no_extra_works(found, command):
    code, out, err, left = found[command]
    assert code == 0, err
    assert out or left
    assert "pip install" not in out + err


@pytest.mark.parametrize("command", NEEDS)
def test_what_needs_an_extra_says_which_in_one_line_and_writes_nothing(found, command):
    code, out, err, left = found[command]
    assert (code, out, left) == (2, "", []), err
    assert err.count("\n") == 1
    assert err.startswith("rankscope: ")
    assert f"pip install 'rankscope[{NEEDS[command]}]'" in err
