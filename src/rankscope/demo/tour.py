"""The guided tour: write the demo's files, evaluate them, say who leads, and list what to try next.

A later part of the project joins the tour with a function in `PARTS` that makes its files, and its lines in `TOUR`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankscope.data.scores import Scores
from rankscope.demo.collection import SEED, SYSTEMS, collection_files, write_files
from rankscope.demo.entities import TOTAL, entity_files
from rankscope.demo.letor import letor_files
from rankscope.evaluation.engine import evaluate
from rankscope.reporting.tables import render_scores

__all__ = ["PARTS", "TOUR", "Step", "leader_sentence", "take_tour"]


class Step(NamedTuple):
    """A command to try in the demo's folder, and what it shows."""

    command: str
    shows: str


#: What each part of the project writes: a function from the seed to {file name: text}.
PARTS: tuple[Callable[[int], Mapping[str, str]], ...] = (collection_files, letor_files, entity_files)

#: What to try next. A test runs every command.
TOUR = (
    Step("rankscope evaluate demo.qrels rerank.run hybrid.run", "two runs side by side, with the default measures"),
    Step(
        "rankscope evaluate demo.qrels rerank.run --by-query --format csv -o scores.csv",
        "every query's values, as a table for other programs",
    ),
    Step(
        "rankscope evaluate demo.qrels bm25.run bm25-rm3.run -m 'nDCG(gain=\"exp\")@20' -m 'RBP(p=0.9)' -m Judged@20",
        "measures of your choice; Judged@20 tells how much of what they rest on was judged",
    ),
    Step("rankscope evaluate demo.qrels dense.run", "the two queries that dense lacks count as empty rankings"),
    Step("rankscope evaluate demo.qrels dense.run --missing drop", "the same without these queries: another number"),
    Step("rankscope evaluate demo.qrels boolean.run -m P@10", "a run full of ties, broken as trec_eval breaks them"),
    Step("rankscope evaluate demo.qrels boolean.run -m P@10 --ties file", "the same, ties in the order of the file"),
    Step("rankscope evaluate demo.qrels boolean.run -m P@10 --ties average", "the mean over all orders of the ties"),
    Step(
        "rankscope evaluate demo.qrels bm25.run rerank.run -m P@10 -m RR --unjudged bounds",
        "and between which values the documents that nobody judged could move them",
    ),
    Step("rankscope evaluate demo.qrels bm25.run --rel 2", "only documents of grade 2 and 3 count as relevant"),
    Step("rankscope evaluate demo.qrels bm25.run --preset gdeval", "nDCG@20 and ERR@20 as the TREC Web Track has them"),
    Step("rankscope evaluate demo.qrels bm25.run -m map -m ndcg_cut.5,10 --format trec", "trec_eval's names and lines"),
    Step(
        "rankscope trec_eval -q -c -m map -m ndcg_cut.10 -m iprec_at_recall demo.qrels dense.run",
        "trec_eval's own arguments and output, all of its measures",
    ),
    Step(
        "rankscope evaluate demo-diversity.qrels rerank.run hybrid.run -m nDCG@10 -m alpha_nDCG@10 -m StRecall@10",
        "judgments by subtopic: which run shows more of the subtopics of each query",
    ),
    Step(
        "rankscope evaluate demo-letor.txt demo-letor-bm25.txt demo-letor-rerank.txt --input letor",
        "LETOR's files: labels, and predictions line by line",
    ),
    Step(
        "rankscope evaluate demo-letor.txt demo-letor-rerank.txt --input letor --conventions nDCG@10",
        "what a dozen tools make of nDCG@10 on the same predictions",
    ),
    Step("rankscope letor score demo-letor.txt demo-letor-rerank.txt - 0", "the output of LETOR's own script"),
    Step(
        f"rankscope evaluate demo-ranks.tsv --input entity-ranks --total-ranks {TOTAL} -m MeanRank -m AP -m AUC",
        "only the ranks of known entities: where do three ways to rank authors put the good ones",
    ),
    Step("rankscope convert demo.qrels - --to csv", "judgments in another format"),
    Step("rankscope evaluate demo.qrels rerank.run dense.run --format latex", "a table for a paper"),
    Step("rankscope evaluate demo.qrels - < bm25.run", "a run from standard input"),
    Step("rankscope measures", "all measures"),
    Step("rankscope measures nDCG", "one of them explained"),
)


def take_tour(directory: str | Path, seed: int = SEED, *, overwrite: bool = False) -> str:
    """Write the demo into a folder and say what there is to see. Raises OutputError as `write_collection` does."""
    files = {name: text for part in PARTS for name, text in part(seed).items()}
    write_files(directory, files, overwrite=overwrite)
    folder = Path(directory)
    scores = evaluate(folder / "demo.qrels", [folder / f"{name}.run" for name in SYSTEMS])
    judgments = files["demo.qrels"].count("\n")
    return "\n".join(
        [
            f"In {folder}: a test collection of {len(scores.query_ids)} queries, {judgments:,} judgments and "
            f"{len(SYSTEMS)} runs.",
            f"It is simulated (seed {seed}): the systems bear the names of real methods and are none.",
            "",
            render_scores(scores, "table"),
            leader_sentence(scores, scores.measure_names[0]),
            "",
            "Try next:" if folder == Path() else f"Try next, after cd {folder}:",
            *(f"  {step.command}\n      {step.shows}" for step in TOUR),
            *where_rankscope_is(),
            "",
        ]
    )


def where_rankscope_is() -> list[str]:
    """A line for those who cannot call it by its name yet, as after `make demo`."""
    if shutil.which("rankscope"):
        return []
    return ["", f"The command rankscope is in {Path(sys.executable).parent}: put that folder on your PATH first."]


def leader_sentence(scores: Scores, measure: str) -> str:
    """Which system leads, by how much over the next, and on how many queries; no more than the numbers say.

    Needs at least two systems.
    """
    means = scores.summary(measure)
    first, second = np.argsort(-means, kind="stable")[:2].tolist()
    difference = scores.matrix(measure)[first] - scores.matrix(measure)[second]
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    n = len(scores.query_ids)
    return (
        f"{scores.systems[first]} leads: its mean {measure} over {n} queries is {means[first]:.4f}, "
        f"{means[first] - means[second]:.4f} above that of {scores.systems[second]}, the next; it is better on {wins} "
        f"queries, worse on {losses}, equal on {n - wins - losses}. Whether this would hold for other queries is "
        "another question, and no test of it has been made here."
    )
