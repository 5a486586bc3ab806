"""Every reader of files that the package has, each with small files that it takes: what is fuzzed, and from where.

The tests and the atheris harness beside this file use this one table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from helpers.fuzzing import seeds
from helpers.fuzzing.piecewise_readers import as_partition, by_workers, regrouped

import rankscope as rs
from rankscope import read_entity_ranks, read_features, read_letor, read_preferences
from rankscope.agreement.load import load, read_judgments, read_metric_scores
from rankscope.agreement.match import lists_with_metrics
from rankscope.agreement.rankeval.rank_agreement import each_experiment
from rankscope.agreement.settings import JudgmentSettings, MetricSettings
from rankscope.cli._leaderboard_input import read_leaderboard_data
from rankscope.cli.features.models import read_lm, read_parallel
from rankscope.compat import ranx
from rankscope.compat.letor import VERSIONS, Stopped, letor_score, letor_ttests
from rankscope.compat.rankeval import rankeval_output
from rankscope.compat.trec_eval import Options, trec_eval
from rankscope.consensus.leaderboard.settings import LeaderboardSettings
from rankscope.errors import in_one_line
from rankscope.evaluation.read_scores import read_baseline
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.experiments.crossvalidation import read_folds
from rankscope.experiments.random_search import SearchLog
from rankscope.fusion import load_fusion
from rankscope.io.chunk_tables import read_document_table
from rankscope.io.core import read_arrays
from rankscope.io.letor import read_labels, read_predictions
from rankscope.io.letor.feature_cache import SUFFIX
from rankscope.io.preferences import read_judged_table, read_preference_rankings
from rankscope.io.tables import read_label_table
from rankscope.io.translation import (
    read_lines,
    read_mt_documents,
    read_mt_scores,
    read_mt_system_scores,
    read_ranking_table,
    read_seg_scores,
    read_sys_scores,
    read_system_table,
    read_wmt_rankings,
)
from rankscope.judging.pooling.run_lists import read_lists as read_cuts
from rankscope.learning import load_ranker
from rankscope.stability.checkpoint import Checkpoint, saved_settings
from rankscope.translation import load_language_model, load_lexicon, read_translation_features
from rankscope.translation.language_model.vocabulary import sentence_blocks

__all__ = ["READERS", "Reader", "refusals"]

JUDGED = {"q": {"a": 1, "b": 0}}
MEASURES = ["AP", "nDCG@10", "Bpref", "ERR@10"]


@dataclass(frozen=True)
class Reader:
    """uses: each reads the file of a path. seeds: files that one of them takes, by what they are. name: of the file."""

    uses: tuple[Callable[[Path], Any], ...]
    seeds: Callable[[], Mapping[str, bytes]]
    name: str = "file"


def read_system_level(path):
    read_metric_scores(path, level="system")


def read_metrics_of(path: Path) -> None:
    read_metric_scores(path, level="any")


def streamed(path: Path) -> None:
    """The run past judgments, and judgments past a run."""
    rs.evaluate(JUDGED, path, MEASURES)


def gold_spans(path: Path) -> None:
    rs.evaluate(path, beside(path, b"query,file,begin,end\nq,a,0,9\n"), MEASURES, overlap=0.5)


def retrieved_spans(path: Path) -> None:
    rs.evaluate(beside(path, b"query,file,begin,end\nq,a,0,9\n"), path, MEASURES, overlap=0.5)


def judged(path: Path) -> None:
    rs.evaluate(path, {"q": {"a": 1.0}}, MEASURES)


def averaged_scores(path: Path) -> None:
    rs.read_scores(path, repeats="mean")


def converted(path: Path, kind: str, to: str) -> None:
    rs.convert(path, path.with_name(f"converted.{to}"), to=to, kind=kind)


def beside(path: Path, content: bytes) -> Path:
    """Another file in the folder."""
    other = path.with_name("other")
    other.write_bytes(content)
    return other


def as_letor_scripts(path: Path, version: str, *, predictions: bool) -> None:
    labels, scores = seeds.letor()["of a script"], b"0.5\n0.25\n-1\n"
    files = (beside(path, labels), path) if predictions else (path, beside(path, scores))
    letor_score(*files, by_query=True, preset=version)


def trec_eval_of_qrels(path: Path) -> None:
    trec_eval(path, beside(path, b"q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\n"), options=Options(complete=True), notify=str)


def trec_eval_of_run(path: Path) -> None:
    trec_eval(beside(path, b"q 0 a 1\nq 0 b 0\n"), path, options=Options(complete=True))


def cached_features(path: Path) -> None:
    """The file is the cache of another one, which was not changed since."""
    read_features(seeds.cached_file(path), cache=path)


def checkpoint(path: Path) -> None:
    folder = path.parent
    saved_settings(folder)


def kept_outcome(path: Path) -> None:
    Checkpoint(path.parent, {}).load(seeds.CONDITION)


def kept_arrays(path: Path) -> None:
    read_arrays(path, seeds.ARRAYS_MAGIC)


def search_log(path: Path) -> None:
    SearchLog(path, seeds.SEARCHED)


def of_ranx(path: Path, kind: str) -> None:
    ranx.Run.from_file(str(path), kind)


def qrels_of_ranx(path: Path, kind: str) -> None:
    ranx.Qrels.from_file(str(path), kind)


def folds(path: Path) -> None:
    """One of the files of a folder of folds."""
    for other in ("S2.txt", "S3.txt"):
        path.with_name(other).write_bytes(seeds.letor()["plain"].replace(b"qid:1", b"qid:" + other[1:2].encode()))
    read_folds(path.parent)


def wmt_lines(path: Path) -> None:
    """The file says which segments judgments are of."""
    read_wmt_rankings(beside(path, seeds.wmt_rankings()["csv"]), lines=path)


def experiments(path: Path) -> None:
    metric_settings = MetricSettings(metrics=("reward",))
    for _, _, judgments, settings in each_experiment(path, JudgmentSettings(gold="gold"), ("reward",)):
        lists_with_metrics(load(judgments, (), settings, metric_settings, level="segment"))


def sentences(path: Path) -> None:
    list(sentence_blocks(path))


def refusals(reader: Reader, path: Path) -> list[rs.RankscopeError | None]:
    """What each use of the file says against it, None where it takes it; anything else that is raised is a fault."""
    found: list[rs.RankscopeError | None] = []
    for use in reader.uses:
        try:
            use(path)
            found.append(None)
        except rs.RankscopeError as error:
            check_message(error)
            found.append(error)
    return found


def check_message(error: rs.RankscopeError) -> None:
    """What is refused is told in one line that no name or cell of the file can break."""
    text = str(error)
    if isinstance(error, Stopped):  # what a script prints, with the line of the file below
        text = re.sub(r"[\n\r\t]", " ", text)
    assert text.strip(), repr(error)
    assert text == in_one_line(text), repr(text)


def queries_of_responses(path: Path) -> None:
    """The file names the queries of two responses."""
    answers = b'{"responses": [{"hits": {"hits": [{"_id": "a", "_score": 1}]}}, {"hits": {"hits": []}}]}'
    rs.read_run(beside(path, answers), input=f"elasticsearch:{path}")


def board(kind: str | None, *, multiway: bool = False) -> Callable[[Path], Any]:
    settings = LeaderboardSettings(model="plackett-luce" if multiway else "bradley-terry")
    return lambda path: read_leaderboard_data(str(path), kind, settings, ScoreTableSettings(), higher=False)


def of_formats(read: Callable[..., Any]) -> list[Callable[[Path], Any]]:
    """Read as each format by name, whatever the content says."""
    return [partial(read, input=form) for form in ("trec", "csv", "tsv", "jsonl", "json", "parquet", "lz4", "msmarco")]


def reader(*uses: Callable[[Path], Any], seeds: Callable[[], Mapping[str, bytes]], name: str = "file") -> Reader:
    return Reader(uses, seeds, name)


NAMED_COLUMNS = {"query_id": "frage", "doc_id": "hit", "score": "wert"}
NAMED_LISTS = {"query_id": "frage", "retrieved_ids": "treffer"}
READERS: dict[str, Reader] = {
    "qrels": reader(rs.read_qrels, judged, seeds=seeds.qrels),
    "run": reader(rs.read_run, streamed, seeds=seeds.runs),
    "named columns": reader(
        partial(rs.read_run, columns=NAMED_COLUMNS),
        partial(rs.read_run, columns=NAMED_LISTS),
        seeds=seeds.named_columns,
    ),
    "subtopics": reader(partial(rs.read_qrels, subtopics=True), seeds=seeds.subtopics),
    "named format": reader(*of_formats(rs.read_qrels), *of_formats(rs.read_run), seeds=seeds.rankings),
    "convert": reader(
        partial(converted, kind="run", to="trec"), partial(converted, kind="qrels", to="csv"), seeds=seeds.rankings
    ),
    "responses": reader(rs.read_run, partial(rs.read_run, input="elasticsearch"), streamed, seeds=seeds.responses),
    "queries of responses": reader(queries_of_responses, seeds=seeds.query_files),
    "ratings": reader(
        rs.read_qrels,
        rs.read_run,
        *(partial(rs.read_qrels, input=form) for form in ("rank-eval", "search-relevance", "rre", "quepid")),
        partial(rs.read_qrels, input="llama-index"),
        seeds=seeds.ratings,
    ),
    "predictions by split": reader(
        rs.read_run, partial(rs.read_run, input="mteb:default/test"), seeds=seeds.predictions_by_split
    ),
    "result file": reader(rs.read_scores, seeds=seeds.result_files),
    "run by workers": reader(by_workers, seeds=seeds.longer_runs),
    "run of any order": reader(regrouped, seeds=seeds.longer_runs),
    "partition": reader(as_partition, seeds=seeds.partitions, name="parts/part-1"),
    "pool": reader(lambda path: read_cuts([path, {"q": {"a": 1.0}}], 10), seeds=seeds.runs),
    "trec_eval": reader(trec_eval_of_qrels, trec_eval_of_run, seeds=seeds.trec),
    "ranx": reader(
        *(partial(use, kind=kind) for use in (of_ranx, qrels_of_ranx) for kind in ("json", "trec", "parquet")),
        seeds=seeds.of_ranx,
    ),
    "letor": reader(read_labels, lambda path: read_letor(path, beside(path, b"1\n2\n3\n")), seeds=seeds.letor),
    "letor predictions": reader(
        read_predictions,
        lambda path: read_letor(beside(path, seeds.letor()["of a script"]), path),
        lambda path: read_letor(beside(path, seeds.letor()["of a script"]), path, ranks=True),
        seeds=seeds.predictions,
    ),
    "letor scripts": reader(
        *(partial(as_letor_scripts, version=version, predictions=False) for version in VERSIONS),
        partial(as_letor_scripts, version="letor4", predictions=True),
        seeds=lambda: {**seeds.letor(), **seeds.predictions()},
    ),
    "letor ttest": reader(lambda path: letor_ttests(path, path), seeds=seeds.letor_output),
    "features": reader(
        read_features, partial(read_features, relevance="optional", dtype="float64"), seeds=seeds.features
    ),
    "features of a number": reader(partial(read_features, n_features=3, relevance="optional"), seeds=seeds.features),
    "folds": reader(partial(read_folds, folds=3), folds, seeds=seeds.folds, name="folds/S1.txt"),
    "features cache": reader(cached_features, seeds=seeds.feature_caches, name=f"train.txt{SUFFIX}"),
    "entity ranks": reader(read_entity_ranks, partial(read_entity_ranks, least=0.0), seeds=seeds.entities),
    "jcml": reader(rs.agreement.read_jcml, seeds=seeds.jcml),
    "judged ranks": reader(
        partial(rankeval_output, predicted="bleu", original="rank"),
        partial(rs.agreement.read_jcml, columns=["bleu", "rank"]),
        partial(read_judged_table, columns=["reward", "gold"]),
        experiments,
        seeds=seeds.experiments,
    ),
    "appraise": reader(rs.agreement.read_appraise_rankings, seeds=seeds.appraise),
    "wmt rankings": reader(read_wmt_rankings, seeds=seeds.wmt_rankings),
    "wmt lines": reader(wmt_lines, seeds=seeds.lines_of_segments),
    "better pairs": reader(rs.agreement.read_better_pairs, seeds=seeds.better_pairs),
    "ranking table": reader(read_ranking_table, seeds=seeds.ranking_tables),
    "preference rankings": reader(read_preference_rankings, seeds=seeds.choices),
    "rankings": reader(rs.read_rankings, read_judgments, seeds=seeds.judgments),
    "seg.scr": reader(read_seg_scores, seeds=seeds.segment_scores),
    "sys.scr": reader(read_sys_scores, seeds=seeds.system_scores),
    "seg.score": reader(read_mt_scores, seeds=seeds.folder_scores, name="de-en.x.seg.score"),
    "sys.score": reader(read_mt_system_scores, seeds=seeds.folder_systems, name="de-en.x.sys.score"),
    "documents": reader(
        lambda path: read_mt_documents(path.parent.parent, "de-en"),
        seeds=seeds.documents,
        name="documents/de-en.docs",
    ),
    "plain text": reader(read_lines, sentences, seeds=seeds.texts),
    "text to learn from": reader(
        lambda path: read_lm(str(path)), lambda path: read_parallel((str(path), str(path))), seeds=seeds.learnt_texts
    ),
    "system table": reader(read_system_table, seeds=seeds.system_tables),
    "metric scores": reader(rs.read_segment_scores, read_system_level, read_metrics_of, seeds=seeds.metric_scores),
    "votes": reader(rs.read_votes, partial(rs.read_votes, higher=True), seeds=seeds.votes),
    "ballots": reader(
        rs.read_votes,
        partial(rs.read_votes, input="ballots"),
        partial(rs.read_votes, columns={"1": "3rd", "voter": "1st"}),
        seeds=seeds.ballots,
    ),
    "preferences": reader(read_preferences, seeds=seeds.winners),
    "leaderboard": reader(
        board(None), board(None, multiway=True), board("scores"), board("votes"), board("rankings"), seeds=seeds.boards
    ),
    "labels": reader(
        read_label_table,
        partial(read_label_table, columns={"cluster": "predicted"}, raters=("true",)),
        partial(read_label_table, raters=("true", "predicted")),
        seeds=seeds.labels,
    ),
    "judged scores": reader(
        rs.agreement.systems, partial(rs.agreement.systems, gold="m"), seeds=seeds.scores_by_measure
    ),
    "saved scores": reader(rs.read_scores, read_baseline, seeds=seeds.saved_scores),
    "score table": reader(rs.read_scores, averaged_scores, seeds=seeds.score_tables),
    "chunk table": reader(read_document_table, seeds=seeds.chunk_tables),
    "spans": reader(gold_spans, retrieved_spans, seeds=seeds.spans),
    "fusion": reader(load_fusion, seeds=seeds.fusions),
    "ranker": reader(load_ranker, seeds=seeds.rankers),
    "language model": reader(load_language_model, seeds=seeds.language_models),
    "lexicon": reader(load_lexicon, seeds=seeds.lexicons),
    "translation features": reader(read_translation_features, seeds=seeds.translation_features),
    "checkpoint": reader(checkpoint, seeds=seeds.studies, name="study.json"),
    "outcome": reader(kept_outcome, seeds=seeds.outcomes, name=Checkpoint(".", {}).file_of(seeds.CONDITION).name),
    "arrays": reader(kept_arrays, seeds=seeds.arrays),
    "search log": reader(search_log, seeds=seeds.search_logs),
}
