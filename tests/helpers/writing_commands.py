"""A call of each command that writes something. {} is the folder that it writes into; all else lies in the demo's."""

from __future__ import annotations

from typing import NamedTuple


class Writer(NamedTuple):
    """name: of the test. call: the arguments. outputs: the files or folders that it writes. before: a call that it
    needs. slow: too long to be repeated in every test run.
    """

    name: str
    call: str
    outputs: tuple[str, ...]
    before: str = ""
    slow: bool = False


LOSS = "--loss linear:listnet"
RUNS = "demo.qrels bm25.run dense.run -m AP"
TRAIN = f"train demo-train.txt {LOSS} -o"
STUDY = f"stability {RUNS} --iterations 5 --resamples 20 --seed 1"
SEARCH = f"crossvalidate demo-features.csv {LOSS} --search 2 --folds 3 --seeds 1"
TEXTS = "demo-mt/mt-train/newstest2010/newstest2010"
LISTS = "--lists demo-interleaved.jsonl"
LOG = f"demo-clicks.jsonl {LISTS}"
MT = "demo-mt/wmt12/plain"

WRITERS = (
    Writer("evaluate", "evaluate demo.qrels bm25.run --format csv -o {}/a", ("a",)),
    Writer("evaluate as a page", "evaluate demo.qrels bm25.run -m AP --format html -o {}/a.html", ("a.html",)),
    Writer("saved scores", f"compare {RUNS} --save {{}}/a.parquet -o {{}}/b", ("a.parquet", "b")),
    Writer("a table as parquet", f"compare {RUNS} --format parquet -o {{}}/a", ("a",)),
    Writer("a figure", f"compare {RUNS} --plot {{}}/a.json -o {{}}/b", ("a.json", "b"), slow=True),
    Writer("plan", f"plan {RUNS} -o {{}}/a", ("a",)),
    Writer("a study and its checkpoint", f"{STUDY} --checkpoint {{}}/a -o {{}}/b", ("a", "b")),
    Writer("agree labels", "agree labels demo-labels.csv -o {}/a", ("a",)),
    Writer("consensus", "consensus demo-votes.tsv -o {}/a", ("a",)),
    Writer("leaderboard", "leaderboard demo-preferences.csv --resamples 20 --seed 1 -o {}/a", ("a",)),
    Writer("fuse", "fuse bm25.run dense.run -o {}/a.run", ("a.run",)),
    Writer(
        "a trained fusion",
        "fuse bm25.run dense.run --method weighted-sum --train demo.qrels --save-parameters {}/a -o {}/b.run",
        ("a", "b.run"),
        slow=True,
    ),
    Writer("pool", "pool bm25.run dense.run --depth 5 -o {}/a.qrels", ("a.qrels",)),
    Writer(
        "interleave",
        "interleave bm25.run dense.run --seed 1 -o {}/a.run --record {}/b.jsonl.gz",
        ("a.run", "b.jsonl.gz"),
    ),
    Writer("online", f"online {LOG} --format csv -o {{}}/a", ("a",)),
    Writer("counterfactual", f"counterfactual demo-clicks.jsonl dense.run {LISTS} --cutoff 1 -o {{}}/a", ("a",)),
    Writer("clicks", f"clicks {LOG} --to-qrels {{}}/a.qrels -o {{}}/b", ("a.qrels", "b")),
    Writer("train", f"{TRAIN} {{}}/a", ("a",)),
    Writer("predict", "predict {}/m demo-test.txt -o {}/a.gz", ("a.gz",), f"{TRAIN} {{}}/m"),
    Writer("features runs", "features runs demo.qrels bm25.run dense.run -o {}/a.txt", ("a.txt",)),
    Writer("a language model", f"features lm {TEXTS}.en -o {{}}/a", ("a",)),
    Writer("a language model as text", f"features lm {TEXTS}.en -o {{}}/a.arpa.gz", ("a.arpa.gz",)),
    Writer("a lexicon", f"features lexicon {TEXTS}.de {TEXTS}.en -o {{}}/a", ("a",), slow=True),
    Writer("a search and its log", f"{SEARCH} --log {{}}/a -o {{}}/b", ("a", "b"), slow=True),
    Writer("convert to csv", "convert demo.qrels {}/a.csv", ("a.csv",)),
    Writer("convert to zstandard", "convert bm25.run {}/a.run.zst", ("a.run.zst",)),
    Writer("convert to parquet", "convert bm25.run {}/a.parquet", ("a.parquet",)),
    Writer("measures", "measures nDCG -o {}/a", ("a",)),
    Writer("letor", "letor score demo-letor.txt demo-letor-rerank.txt {}/a 0", ("a",)),
    Writer("dunaiski", "dunaiski -f demo-ranks.tsv -b 10 -i 2 -s 1 -o {}/a", ("a",)),
    Writer("report", f"report {RUNS} -o {{}}/a.html", ("a.html",), slow=True),
    Writer("demo", "demo {}/a --overwrite", ("a",), slow=True),
    Writer(
        "mt-experiment",
        "mt-experiment --data demo-mt --protocol cv --features nine --losses ListNet --seeds 1 --resamples 10 "
        "--workers 1 -o {}/a",
        ("a",),
        slow=True,
    ),
)
QUICK = tuple(writer for writer in WRITERS if not writer.slow)
