"""The guided tour of the demo: it writes the files, evaluates them, names the leader, and lists commands to try.

A part of the project joins the tour with a function in `PARTS` that makes its files, and with its steps in `TOUR`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rankscope.comparison.compare import compare
from rankscope.comparison.summary import short_verdict
from rankscope.demo.chunk_lists import chunk_list_files
from rankscope.demo.clicks import click_files
from rankscope.demo.collection import SEED, SYSTEMS, collection_files, judge_files, refuse_occupied, write_files
from rankscope.demo.drift import drift_files
from rankscope.demo.items import item_files
from rankscope.demo.labels import label_files
from rankscope.demo.letor import feature_files, letor_files
from rankscope.demo.nuggets import nugget_files
from rankscope.demo.queries import query_files
from rankscope.demo.rankings import N_AUTHORS, answer_files, entity_files, preference_files, vote_files
from rankscope.demo.scores import score_files
from rankscope.demo.translations import translation_files
from rankscope.errors import ParameterError
from rankscope.evaluation.engine import evaluate
from rankscope.io.core import StagedFolder, staged_folder
from rankscope.reporting.tables import render_scores

__all__ = [
    "PARTS",
    "TOUR",
    "Step",
    "full_tour",
    "take_tour",
    "write_demo",
]


class Step(NamedTuple):
    """A command to try in the demo's folder.

    Attributes
    ----------
    command
        The command.
    description
        What it shows.
    in_short_tour
        Whether the demo itself prints it.
    """

    command: str
    description: str
    in_short_tour: bool = False


#: The file of the report.
PAGE = "report.html"
#: What each part of the project writes: a function from the seed to {file name: text}.
PARTS: tuple[Callable[[int], Mapping[str, str]], ...] = (
    collection_files,
    letor_files,
    entity_files,
    judge_files,
    drift_files,
    label_files,
    item_files,
    nugget_files,
    answer_files,
    vote_files,
    preference_files,
    score_files,
    query_files,
    chunk_list_files,
    click_files,
    feature_files,
    translation_files,
)
#: Commands to try; the demo itself prints a few, `rankscope demo --tour` all. A test runs every command.
TOUR = (
    Step(
        "rankscope evaluate demo.qrels rerank.run hybrid.run",
        "two runs side by side, with the default measures",
        in_short_tour=True,
    ),
    Step(
        "rankscope evaluate demo.qrels rerank.run --by-query --format csv -o scores.csv",
        "every query's values, as a table for other programs",
    ),
    Step(
        "rankscope evaluate demo.qrels bm25.run bm25-rm3.run -m 'nDCG(gain=\"exp\")@20' -m 'RBP(p=0.9)' -m Judged@20",
        "measures of your choice; Judged@20 is the share of the first 20 documents that was judged",
    ),
    Step("rankscope evaluate demo.qrels dense.run", "the two queries missing from dense score as empty rankings"),
    Step("rankscope evaluate demo.qrels dense.run --missing drop", "the same without these queries: another number"),
    Step("rankscope evaluate demo.qrels boolean.run -m P@10", "a run full of ties, broken as trec_eval breaks them"),
    Step("rankscope evaluate demo.qrels boolean.run -m P@10 --ties file", "the same, ties in the order of the file"),
    Step("rankscope evaluate demo.qrels boolean.run -m P@10 --ties average", "the mean over all orders of the ties"),
    Step(
        "rankscope evaluate demo.qrels bm25.run rerank.run -m P@10 -m RR --unjudged bounds",
        "and the lowest and highest values they could have if all documents were judged",
    ),
    Step("rankscope evaluate demo.qrels bm25.run --rel 2", "only documents of grade 2 and 3 count as relevant"),
    Step(
        "rankscope evaluate demo.qrels bm25.run --preset gdeval",
        "nDCG@20 and ERR@20 as the TREC Web Track computes them",
    ),
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
        "nDCG@10 of the same predictions as a dozen tools compute it",
    ),
    Step("rankscope letor score demo-letor.txt demo-letor-rerank.txt - 0", "the output of LETOR's own script"),
    Step(
        f"rankscope evaluate demo-ranks.tsv --input entity-ranks --total-ranks {N_AUTHORS} -m MeanRank -m AP -m AUC",
        "only the ranks of known entities: where do five ways to rank authors put those known to be good",
    ),
    Step(
        "rankscope pool *.run --judged demo.qrels --method hedge --budget 200 -o next.qrels",
        "which 200 documents people should judge next to find most relevant documents with few judgments",
    ),
    Step(
        "rankscope pool *.run --sample 0.2 --seed 7 -o sample.qrels",
        "or a fifth of the pool at random, from which infAP can be estimated",
    ),
    Step(
        "rankscope pool *.run --judged demo.qrels --leave-out --depth 10 -m nDCG@10",
        "and how each run would score if it had not contributed to the pool",
    ),
    Step("rankscope agree judgments demo.qrels demo-judge.qrels", "how well a simulated LLM judge agrees with people"),
    Step(
        "rankscope agree judgments demo.qrels demo-judge.qrels *.run -m nDCG@10",
        "and which systems change places when it replaces them",
    ),
    Step(
        "rankscope agree judgments demo.qrels demo-judge.qrels *.run -m nDCG@10 --family demo-families.csv --top 3 "
        "--queries demo-queries.csv",
        "and may it be believed: does it favour its own family, does it err alike in all groups, what may it replace",
    ),
    Step(
        "rankscope agree judgments demo.qrels demo-drift.qrels --queries demo-batches.csv",
        "a judge that changed between two batches of queries: its new version is about half a grade more lenient, and "
        "calls twice as many documents relevant that are not",
    ),
    Step(
        "rankscope agree judgments demo-few.qrels demo-judge.qrels",
        "how many of the documents that only the judge judged are relevant, corrected for its errors",
    ),
    Step(
        "rankscope evaluate demo-few.qrels *.run --machine demo-judge.qrels -m nDCG@10",
        "estimates from judgments of all 50 queries by the judge and of 20 by people; which systems the judge "
        "overrates",
    ),
    Step(
        "rankscope plan demo-few.qrels rerank.run hybrid.run --machine demo-judge.qrels -m nDCG@10 --width 0.1",
        "and how many queries people must judge for an interval of that width",
    ),
    Step(
        "rankscope estimate demo-items.csv --human people --machine llm --columns query=answer",
        "the mean quality of 600 answers, of which people judged 71: a note finds out that these were not chosen at "
        "random",
    ),
    Step(
        "rankscope estimate demo-items.csv --human people --machine llm --columns query=answer,chance=picked "
        "--population items",
        "and with the chances with which they were chosen: the mean over all 600 answers without that bias",
    ),
    Step(
        "rankscope choose demo-items.csv --human people --machine llm --columns query=answer,chance=picked --budget 60",
        "and which answers people should judge next",
    ),
    Step("rankscope agree labels demo-labels.csv --normalise row", "the same for plain labels, relevant or not"),
    Step(
        "rankscope agree labels demo-raters.csv --raters ann,bob,cem,llm --machines llm --order bad,ok,good "
        "--columns cluster=question",
        "labels of three people and a language model: does it agree with people as well as they do with each other",
    ),
    Step(
        "rankscope nuggets demo-nuggets.csv --citations demo-citations.csv",
        "answers of four systems: which facts they hold, and whether their citations support them",
    ),
    Step(
        "rankscope nuggets demo-nuggets.csv --by-query --format csv -o nugget-scores.csv",
        "the same by query, as scores that compare, plan and report take",
    ),
    Step(
        "rankscope agree segments demo-answers.csv --higher llm,reward",
        "answers to prompts: do an LLM judge and a reward model rank them as people do",
    ),
    Step(
        "rankscope agree segments demo-answers.csv --higher llm,reward --decisions --normalise row",
        "and what they decide where people prefer one answer, or neither",
    ),
    Step(
        "rankscope agree systems demo-answers.csv --higher llm,reward --statistic pearson",
        "and whether they rank the four assistants as people do",
    ),
    Step(
        "rankscope agree metrics demo-answers.csv --higher llm,reward",
        "and which of the two agrees significantly better with people",
    ),
    Step(
        "rankscope agree favour demo-answers.csv --higher llm,reward --family large=ours,small=ours",
        "and whether they favour assistants of one maker",
    ),
    Step("rankscope agree raters demo-answers.csv --higher llm,reward", "how well these people agree with each other"),
    Step(
        "rankscope compare demo.qrels rerank.run hybrid.run -m nDCG@10",
        "which of the two is better, and how likely chance alone would cause such a difference",
        in_short_tour=True,
    ),
    Step(
        "rankscope diff demo.qrels rerank.run bm25.run -m nDCG@10",
        "which documents make the difference: relevant ones found, moved, or behind unjudged ones",
    ),
    Step(
        "rankscope diff demo.qrels rerank.run bm25.run -m nDCG@10 --query 149",
        "both lists of one query side by side, and what each document contributes",
    ),
    Step("rankscope diff demo.qrels bm25.run -m nDCG@10 --ideal", "how far a run is from the best order possible"),
    Step(
        "rankscope compare demo.qrels *.run -m AP --baseline bm25 --test permutation --seed 7",
        "all runs against one, by Fisher's randomisation test, corrected for multiple comparisons",
    ),
    Step(
        "rankscope compare demo.qrels *.run -m nDCG@10 -m AP --test max-t --table paper --format latex",
        "every run against every other as a table for a paper: letters say which systems each one beats",
    ),
    Step(
        "rankscope compare demo-qa.csv -m F1 --baseline base",
        "scores that another tool computed: a row for each question, and a column for each model",
    ),
    Step(
        "rankscope evaluate demo.qrels bm25-rm3.run bm25.run -m nDCG@10 --queries demo-queries.csv",
        "means of head and tail queries, and of all, weighted by how often each query is asked",
    ),
    Step(
        "rankscope compare demo.qrels bm25-rm3.run bm25.run -m nDCG@10 --queries demo-queries.csv",
        "which is better where wordings of one need are no independent queries, and whether that depends on the group",
    ),
    Step(
        "rankscope compare demo-rag-gold.jsonl demo-rag-old.jsonl demo-rag-new.jsonl --doc-of '^([^#]+)' -m R@5",
        "lists of retrieved chunks and of gold documents, as logs of retrieval hold them: which retriever finds more",
    ),
    Step(
        "rankscope plan demo.qrels bm25.run bm25-rm3.run -m AP --difference 0.02",
        "how many queries are needed to find a difference of .02 in AP, and what these 50 can show",
        in_short_tour=True,
    ),
    Step(
        "rankscope plan demo.qrels *.run -m nDCG@10 --baseline bm25 --difference 0.5 --standardise z",
        "the same against a baseline, with hard and easy queries weighted equally",
    ),
    Step(
        "rankscope plan demo.qrels *.run -m AP --assurance 0.8",
        "which differences these and other numbers of queries detect, if systems vary as much as they well may",
    ),
    Step(
        "rankscope gate demo.qrels hybrid.run rerank.run -m nDCG@10 --margin 0.02",
        "a gate for continuous integration: exit code 0, since rerank is non-inferior",
        in_short_tour=True,
    ),
    Step(
        "rankscope gate demo.qrels bm25.run hybrid.run -m P@10 --margin 0.02 --by-group 0.02 "
        "--queries demo-queries.csv",
        "the gate for head and for tail queries, too: neither may lose more",
    ),
    Step(
        "rankscope gate demo.qrels bm25.run rerank.run -m nDCG@10:0.02 -m R@100:5% --up-to 200 "
        "--summary gate.md --junit gate.xml",
        "margins by measure, a page for a step's summary, and the first of several looks at up to 200 queries",
    ),
    Step(
        "rankscope stability demo.qrels *.run --seed 7",
        "which measures can be trusted on these data, and with how many queries",
        in_short_tour=True,
    ),
    Step(
        "rankscope stability demo.qrels *.run -m nDCG --cutoffs 5,20 --set-size 10,25 --ablation --seed 7 --print eval",
        "the same over cutoffs and numbers of queries, and whether fewer judgments would give the same order of "
        "systems",
    ),
    Step(
        "rankscope stability demo-ranks.tsv --input entity-ranks --entities 50,100 --seed 7",
        "the same for ranks of known entities, in random groups that act as queries",
    ),
    Step(
        "rankscope consensus demo-votes.tsv --method schulze",
        "nine readers' rankings of books merged into one: how certain it is, and which reader disagrees",
        in_short_tour=True,
    ),
    Step(
        "rankscope consensus demo-votes.tsv --method kemeny --weight Ivo=0.5 --format html -o books.html",
        "the order with the fewest disagreements, with one voter at half weight, as a page",
    ),
    Step(
        "rankscope consensus bm25.run dense.run rerank.run --method copeland --format csv",
        "three runs merged into one order of the documents of each query",
    ),
    Step(
        "rankscope leaderboard demo-preferences.csv --cluster-by prompt",
        "which of six assistants leads after 600 pairwise comparisons, and which cannot be distinguished",
        in_short_tour=True,
    ),
    Step(
        "rankscope leaderboard demo-preferences.csv --cluster-by prompt --model davidson --covariate length --position",
        "another one leads when corrected for the length and the position of answers",
    ),
    Step(
        "rankscope leaderboard demo-answers.csv --model plackett-luce --scale wins",
        "the same from people's rankings of answers, each of all four at once",
    ),
    Step(
        "rankscope fuse bm25.run dense.run -o fused.run --evaluate demo.qrels -m nDCG@10",
        "two runs fused into one that is better than either",
    ),
    Step(
        "rankscope fuse bm25.run dense.run --method weighted-sum --train demo.qrels --save-parameters fusion.json",
        "weights for the two learned from judgments, and how well they work on other queries",
    ),
    Step(
        "rankscope train demo-train.txt --valid demo-valid.txt --loss listnet --hidden 0 -o demo.model",
        "a ranker learned from 20 queries, whose features are the six systems' scores",
        in_short_tour=True,
    ),
    Step("rankscope predict demo.model demo-test.txt -o demo-scores.txt", "its scores for 20 other queries"),
    Step(
        "rankscope compare demo-test.txt demo-scores.txt demo-test-rerank.txt demo-test-hybrid.txt --input letor "
        "-m nDCG@10",
        "which beat the two best of the six systems",
    ),
    Step(
        "rankscope train demo-train.txt --valid demo-valid.txt --loss \"lambdaloss(kind='2')\" --learning-rate 0.01 "
        "--stop-on AP -o network.model",
        "a network instead, with another loss, stopped where AP is best",
    ),
    Step(
        "rankscope crossvalidate demo-features.csv --loss linear:listnet --loss listnet --blend --seeds 2 --importance",
        "learning to rank: is a network, or a blend, better than a linear ranker on unseen queries, and which "
        "features matter",
    ),
    Step(
        "rankscope mt-experiment --data demo-mt --protocol cv --features nine,+chrF --seeds 1",
        "translation metrics learned from people's rankings: do they agree better with people than BLEU and chrF",
    ),
    Step(
        "rankscope report demo.qrels rerank.run hybrid.run bm25.run --baseline bm25 -o baseline.html",
        "a page with figures to send to a colleague",
        in_short_tour=True,
    ),
    Step(
        "rankscope report demo-few.qrels *.run -m nDCG@10 --machine demo-judge.qrels -o judged.html",
        "the page for few judgments by people beside those of the judge",
    ),
    Step(
        "rankscope interleave rerank.run bm25.run --seed 1 -o mixed.run --record mixed.jsonl",
        "two runs as one list for each query, to be shown to users, and whom a click on each document speaks for",
    ),
    Step(
        "rankscope online demo-clicks.jsonl --lists demo-interleaved.jsonl",
        "which of two interleaved systems users preferred in two weeks, and how many impressions show that",
    ),
    Step(
        "rankscope online demo-clicks.jsonl --lists demo-interleaved.jsonl --test anytime",
        "the same day by day, for those who look every day",
    ),
    Step(
        "rankscope counterfactual demo-clicks.jsonl dense.run bm25.run --lists demo-interleaved.jsonl --cutoff 1",
        "how often the first document of each would have been clicked, had users seen that system alone",
    ),
    Step(
        "rankscope clicks demo-clicks.jsonl --lists demo-interleaved.jsonl --expected bias --prior 2 "
        "--to-qrels clicks.qrels",
        "how likely users look at each rank, and judgments from their clicks",
    ),
    Step("rankscope evaluate clicks.qrels dense.run bm25.run -m nDCG@10", "the two runs by these judgments"),
    Step("rankscope convert demo.qrels - --to csv", "judgments in another format"),
    Step("rankscope evaluate demo.qrels rerank.run dense.run --format latex", "a table for a paper"),
    Step("rankscope evaluate demo.qrels - < bm25.run", "a run from standard input"),
    Step("rankscope measures", "all measures"),
    Step("rankscope measures nDCG", "one of them explained"),
)


def demo_files(seed: int) -> dict[str, str]:
    """Every file of the demo: its name and its text."""
    return {name: text for part in PARTS for name, text in part(seed).items()}


def write_demo(directory: str | Path, *, seed: int = SEED, overwrite: bool = False) -> Path:
    """Write the files of `rankscope demo` into a folder, without its page.

    Parameters
    ----------
    directory
        The folder, which is created if necessary.
    seed
        Seed of the simulation. Default: 2003.
    overwrite
        Replace the demo's own files if the folder is not empty. Default: False.

    Returns
    -------
    Path
        The folder, for the names of its files: `folder / "demo.qrels"`.

    Raises
    ------
    OutputError
        The folder is not empty, and `overwrite` is False.

    Examples
    --------
    >>> import tempfile
    >>> import rankscope as rs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     demo = rs.demo.write_demo(folder)
    ...     rs.read_qrels(demo / "demo.qrels")
    Qrels(50 queries, 2221 judgments)
    """
    write_files(directory, demo_files(seed), overwrite=overwrite)
    return Path(directory)


def take_tour(directory: str | Path, seed: int = SEED, *, overwrite: bool = False, quick: bool = False) -> str:
    """Write the demo and its page into a folder, all or nothing, and say what there is to see.

    quick: whether the page, which takes longer than all else, is left out. Raises OutputError as `write_collection`
    does.
    """
    files = demo_files(seed)
    folder = Path(directory)
    refuse_occupied(folder, overwrite=overwrite)
    with staged_folder(folder) as staged:
        for name, text in files.items():
            staged.write(name, [text.encode()])
        runs = [staged.path / f"{name}.run" for name in SYSTEMS]
        scores = evaluate(staged.path / "demo.qrels", runs)
        page_sentence = "The page was left out (--quick); `rankscope report` writes one."
        if not quick:
            page_sentence = write_page(staged, runs)
    n_judgments = files["demo.qrels"].count("\n")
    return "\n".join(
        [
            f"In {folder}: a test collection of {len(scores.query_ids)} queries, {n_judgments:,} judgments and "
            f"{len(SYSTEMS)} runs.",
            f"It is simulated (seed {seed}): the systems only bear the names of real methods.",
            "",
            render_scores(scores, "table"),
            short_verdict(compare(scores, scores.measure_names[0])),
            page_sentence,
            *command_hint(),
            "",
            "Try next:" if folder == Path() else f"Try next, after cd {folder}:",
            *step_lines(step for step in TOUR if step.in_short_tour),
            "",
            "`rankscope demo --tour` lists all commands to try on these files.",
            "",
        ]
    )


def full_tour() -> str:
    """Every step, to be tried in the demo's folder."""
    return "\n".join(["In the folder of the demo:", *step_lines(TOUR), *command_hint(), ""])


def step_lines(steps: Iterable[Step]) -> list[str]:
    return [f"  {step.command}\n      {step.description}" for step in steps]


def write_page(staged: StagedFolder, runs: Sequence[Path]) -> str:
    """Write the report beside the files; the sentence that says where it is, or what is missing for it."""
    from rankscope.reporting.report import report

    try:
        page = report(staged.path / "demo.qrels", runs, title="The demo's six systems")
    except ParameterError as error:  # without the extra
        return f"The report page was not written: {error}."
    staging_path = f"{staged.path.relative_to(staged.target)}{os.sep}"  # in the names of the files that it was made of
    staged.write(PAGE, [page.html.replace(staging_path, "").encode()])
    from rankscope.reporting.figures import drawing_problem

    if (problem := drawing_problem()) is not None:
        return f"For more, open {staged.target / PAGE} in a browser. It has no figures: {problem}."
    return f"For more, with figures, open {staged.target / PAGE} in a browser."


def command_hint() -> list[str]:
    """A line that says where the command is, where it is not on the PATH, as after `make demo`."""
    if shutil.which("rankscope"):
        return []
    return ["", f"The command rankscope is in {Path(sys.executable).parent}: put that folder on your PATH first."]
