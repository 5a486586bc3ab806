"""Outputs that are one of the inputs, by whichever name: refused before anything is read, and no file is changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.finished_commands import Done

TEXTS = "demo-mt/mt-train/newstest2010/newstest2010"
SEARCH = "crossvalidate demo-train.txt --loss linear:listnet --search 2 --folds 3 --seeds 1"
TRAINED = "fuse bm25.run dense.run --method weighted-sum --train demo.qrels"
#: A call and the input that {} stands for.
CALLS = (
    ("evaluate demo.qrels bm25.run -o {}", "demo.qrels"),
    ("evaluate demo.qrels dense.run bm25.run -o {}", "bm25.run"),
    ("compare demo.qrels bm25.run dense.run -o {}", "dense.run"),
    ("plan demo.qrels bm25.run dense.run -o {}", "dense.run"),
    ("stability demo.qrels bm25.run dense.run -o {}", "dense.run"),
    ("agree labels demo-labels.csv -o {}", "demo-labels.csv"),
    ("consensus demo-votes.tsv -o {}", "demo-votes.tsv"),
    ("leaderboard demo-preferences.csv -o {}", "demo-preferences.csv"),
    ("fuse bm25.run dense.run -o {}", "bm25.run"),
    (f"{TRAINED} -o {{}}", "demo.qrels"),
    (f"{TRAINED} --save-parameters {{}} -o out.run", "bm25.run"),
    (f"{TRAINED} --save-parameters {{}} -o out.run", "demo.qrels"),
    ("interleave bm25.run dense.run --record {}", "dense.run"),
    ("clicks demo-clicks.jsonl --lists demo-interleaved.jsonl --to-qrels {}", "demo-interleaved.jsonl"),
    ("pool bm25.run dense.run --depth 5 -o {}", "bm25.run"),
    ("train demo-train.txt --loss linear:listnet -o {}", "demo-train.txt"),
    ("train demo-train.txt --valid demo-valid.txt --loss linear:listnet -o {}", "demo-valid.txt"),
    ("features runs demo.qrels bm25.run dense.run -o {}", "demo.qrels"),
    ("features runs demo.qrels bm25.run dense.run -o {}", "bm25.run"),
    (f"features lm {TEXTS}.en -o {{}}", f"{TEXTS}.en"),
    (f"features lexicon {TEXTS}.de {TEXTS}.en -o {{}}", f"{TEXTS}.de"),
    (f"{SEARCH} -o {{}}", "demo-train.txt"),
    (f"{SEARCH} --log {{}} -o out.run", "demo-train.txt"),
    ("convert demo.qrels {} --to csv", "demo.qrels"),
    ("letor score demo-letor.txt demo-letor-rerank.txt {} 0", "demo-letor.txt"),
    ("letor score demo-letor.txt demo-letor-rerank.txt {} 0", "demo-letor-rerank.txt"),
    ("dunaiski -f demo-ranks.tsv -b 10 -i 2 -s 1 -o {}", "demo-ranks.tsv"),
)
#: Two outputs in one place.
BOTH = (
    (f"{TRAINED} --save-parameters out.run -o out.run", "out.run: cannot hold both the fused run and the parameters"),
    ("compare demo.qrels bm25.run dense.run --plot out.json -o ./out.json", "is to hold the figure and the output"),
    (f"{SEARCH} --log out -o ./out", "out: cannot hold both the log and the output"),
    (
        "stability demo.qrels bm25.run dense.run --checkpoint out -o out",
        "the checkpoint and the output have the same name",
    ),
)
READ = "is also an input and would be overwritten; write to another file"
Call = Callable[..., Done]


@pytest.mark.parametrize("by", ["its name", "a link", "a hard link"])
@pytest.mark.parametrize(("line", "input_"), CALLS, ids=[f"{line.split('{')[0]}{file}" for line, file in CALLS])
def test_no_input_is_overwritten(line: str, input_: str, by: str, place: Path, call: Call) -> None:
    before = Path(input_).read_bytes()
    output = place / Path(input_).name
    if by == "its name":
        output = Path(input_).absolute()
    elif by == "a link":
        output.symlink_to(Path(input_).absolute())
    else:
        os.link(input_, output)
    done = call(*[part.replace("{}", str(output)) for part in line.split()])
    assert (done.code, done.out, done.said) == (2, "", f"rankscope: {output}: {READ}")
    assert Path(input_).read_bytes() == before
    assert not Path("out.run").exists()
    assert set(place.iterdir()) == ({output} if output.parent == place else set())


@pytest.mark.parametrize(("line", "said"), BOTH, ids=[line.split()[0] for line, _ in BOTH])
def test_no_place_is_for_two_outputs(line: str, said: str, place: Path, call: Call) -> None:
    if "--plot" in line:
        pytest.importorskip("altair")
    done = call(*line.split())
    assert (done.code, done.out) == (2, "")
    assert said in done.said
    assert not list(Path().glob("out*"))


def test_no_partition_is_overwritten(place: Path, call: Call) -> None:
    os.link("bm25.run", place / "part-0")
    done = call("evaluate", "demo.qrels", place, "-o", place / "part-0")
    assert (done.code, done.said) == (2, f"rankscope: {place / 'part-0'}: {READ}")
    assert (place / "part-0").read_bytes() == Path("bm25.run").read_bytes()
