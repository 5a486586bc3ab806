"""Agreement of two judges of the same documents: people against people, or a machine against people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.comparison.judges.agreement_rows import (
    ChanceCorrected,
    Row,
    binary_rows,
    chance_corrected_agreement,
    count_rows,
    share_row,
    two_classes,
)
from rankscope.comparison.judges.bias import (
    GradeBias,
    SystemTaste,
    bias_by_grade,
    bias_rows,
    taste_by_system,
    top_documents,
)
from rankscope.comparison.judges.common_documents import (
    CommonDocuments,
    JudgeSettings,
    find_common_documents,
    judgments_for_ranking,
    notes_on_documents,
    overlap,
    overlap_by_query,
)
from rankscope.comparison.judges.family_bias import FamilyBias, bias_by_family, family_rows
from rankscope.comparison.judges.group_bias import GroupBias, bias_by_group, group_rows
from rankscope.comparison.judges.ranking_effect import (
    RankingEffect,
    RankingEffects,
    effects_on_ranking,
)
from rankscope.data.grades import has_fractions, highest_grade, level_above_grades
from rankscope.data.qrels import Qrels
from rankscope.data.queries import Queries
from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.cluster_notes import cluster_notes
from rankscope.evaluation.conventions import make_plan
from rankscope.evaluation.joining import ENTITY, LETOR, Progress, as_qrels
from rankscope.evaluation.query_table import QueryTable
from rankscope.io.core import check_single_stdin, file_stem, is_path, source_name
from rankscope.settings import plain_number
from rankscope.stats.confusion import ConfusionMatrix, Rates, confusion_matrix, encode
from rankscope.stats.inputs import seed_of
from rankscope.stats.prevalence import Prevalence, rogan_gladen
from rankscope.typing import Bools, PathLike

__all__ = [
    "JudgeAgreement",
    "agree_judges",
    "agree_judgments",
]


RELEVANT = "relevant"
#: More grades than this are no table that anybody reads.
MAX_FRACTIONS = 20
#: The effects without runs.
NO_EFFECTS = RankingEffects((), "", (), (), ())
#: Arguments of `evaluate` that mean nothing without runs, with their defaults.
RUN_DEFAULTS = {
    "preset": None,
    "ties": None,
    "missing": "zero",
    "no_relevant": None,
    "unjudged": "nonrelevant",
    "input": None,
    "total_ranks": None,
    "workers": None,
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgeAgreement(Result):
    """How far two judges agree.

    `print` shows sentences and tables; `frame()` is the tidy table.

    Attributes
    ----------
    names
        The names of the judges, A and B.
    n_both
        How many documents both judged.
    n_only_a, n_only_b
        How many documents only one of them judged.
    n_queries
        How many queries have a document that both judged.
    confusion
        The confusion matrix of grades: rows are those of A, columns those of B.
    chance_corrected
        Kappa, weighted kappa and Krippendorff's alpha of the grades.
    relevance_agreement
        The same for relevant or not; None if both judges say the same of all documents.
    relevance_rates
        The rates for relevant or not; A is the truth.
    overlap
        Documents relevant for both over documents relevant for at least one.
    overlap_by_query
        The mean of the overlap over the queries that have a relevant document.
    biases
        By how many grades B is above A, by grade of A and over all documents.
    tastes
        The same on what each system ranks first, and which systems B favours; empty without runs.
    effects
        By measure, how the ranking of systems changes under B; empty without runs.
    settings
        How the judges were compared.
    scores_signature
        The settings of the evaluation; empty without runs.
    notes
        What a reader should know.
    n_clusters
        How many clusters the queries have; None if they are independent.
    families
        Which families of systems B favours; empty without families.
    groups
        The errors of B by group of queries; empty without groups.
    prevalence
        The share of relevant documents among those that B alone judged, corrected for its errors; None if there is no
        such document.
    """

    VIEW = "rankscope.comparison.judges.judgment_view:judgment_sections"
    COLUMNS = ("statistic", "label", "measure", "system", "value", "low", "high", "n")

    names: tuple[str, str]
    n_both: int
    n_only_a: int
    n_only_b: int
    n_queries: int
    confusion: ConfusionMatrix
    chance_corrected: ChanceCorrected
    relevance_agreement: ChanceCorrected | None
    relevance_rates: Rates
    overlap: float
    overlap_by_query: float
    biases: tuple[GradeBias, ...]
    tastes: tuple[SystemTaste, ...]
    effects: tuple[RankingEffect, ...]
    settings: JudgeSettings
    scores_signature: str
    notes: tuple[str, ...]
    n_clusters: int | None = None
    families: tuple[FamilyBias, ...] = ()
    groups: tuple[GroupBias, ...] = ()
    prevalence: Prevalence | None = None

    def records(self) -> Iterator[tuple[str, str, str, str, float, float, float, int]]:
        """The rows of the tidy table; NaN where a statistic has no value or no interval."""
        n_documents = self.n_both + self.n_only_a + self.n_only_b
        for name, n_judged in (("both", self.n_both), ("only_a", self.n_only_a), ("only_b", self.n_only_b)):
            yield f"judged_{name}", "", "", "", float(n_judged), np.nan, np.nan, n_documents
        rows = [*self.chance_corrected.rows(), *self.relevance_rows(), *count_rows(self.confusion)]
        for name, label, value, low, high, n in rows:
            yield name, label, "", "", value, low, high, n
        yield from bias_rows(self.biases, self.tastes)
        yield from family_rows(self.families)
        yield from group_rows(self.groups)
        for effect in self.effects:
            yield from effect.rows()

    def relevance_rows(self) -> Iterator[Row]:
        """Rows of the tidy table on relevant or not."""
        if self.relevance_agreement is not None:
            yield from self.relevance_agreement.rows(RELEVANT)
        yield from binary_rows(self.relevance_rates, RELEVANT, self.settings.confidence_level)
        tp, n_either = int(self.relevance_rates.tp[1]), int(self.relevance_rates.n - self.relevance_rates.tn[1])
        yield share_row("overlap", RELEVANT, tp, n_either, self.settings.confidence_level)
        yield "overlap_by_query", RELEVANT, self.overlap_by_query, np.nan, np.nan, self.n_queries
        if self.prevalence is not None:
            share = self.prevalence
            yield "apparent_prevalence", RELEVANT, float(share.apparent), np.nan, np.nan, self.n_only_b
            ends = float(share.low), float(share.high)
            yield "corrected_prevalence", RELEVANT, float(share.value), *ends, self.n_only_b

    def signature_parts(self) -> list[str]:
        """Every setting that changes the numbers."""
        settings = self.settings
        parts = [
            "agreement of judgments",
            *settings.parts("rel", "beta"),
            f"alpha:{self.chance_corrected.alpha.level}",
            f"confidence:{settings.confidence_level:g}",
            f"documents:{self.n_both}",
        ]
        if self.n_clusters is not None and not self.effects:
            parts.append(f"clusters:{self.n_clusters}")
        if self.effects:
            scores_parts = self.scores_signature.rpartition(" | rankscope ")[0]
            families = [f"{family.family}({len(family.systems)})" for family in self.families]
            parts += [
                f"judged:{settings.judged}",
                *settings.parts("margin"),
                *(settings.parts("top") if settings.top is not None else []),
                *([f"families:{','.join(families)}"] if families else []),
                f"bootstrap:{settings.n_resamples},rng:{settings.seed}",
                scores_parts,
            ]
        return parts

    def contents(self) -> str:
        """What it holds, in a few words."""
        name_a, name_b = self.names
        n_documents, n_measures = pluralise(self.n_both, "document"), pluralise(len(self.effects), "measure")
        return f"{name_a} and {name_b}, {n_documents}, {n_measures}"


def agree_judgments(
    qrels_a: Qrels | PathLike | Any,
    qrels_b: Qrels | PathLike | Any,
    runs: Any = None,
    measures: Any = None,
    *,
    rel: float = 1,
    beta: float = 1.0,
    normalise: str | None = None,
    judged: str = "both",
    names: tuple[str, str] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Any = 0,
    families: Mapping[str, str] | PathLike | None = None,
    top: int | None = None,
    margin: float = 0.02,
    queries: Mapping[str, Any] | None = None,
    preset: str | None = None,
    ties: str | None = None,
    missing: str = "zero",
    no_relevant: str | None = None,
    unjudged: str = "nonrelevant",
    input: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> JudgeAgreement:
    """How far two judges of the same documents agree, and what the second does to the ranking of systems.

    Parameters
    ----------
    qrels_a, qrels_b
        The judgments of A, the reference, and of B: each a Qrels, a path, or what `Qrels(...)` takes. Agreement is
        counted on the documents that both judged; a grade below 0 means not judged.
    runs, measures
        As `evaluate` takes them. With runs, their systems are ranked under both judges by the mean of each measure.
    rel
        Lowest grade that is relevant, for the measures and for agreement on relevant or not. Default: 1.
    beta
        Weight of recall in the F measure: recall counts B times as much as precision; 1 gives F1. Default: 1.0.
    normalise
        Show the confusion matrix as shares of each row, of each column, or of all. One of 'row', 'column', 'all'.
        Default: counts.
    judged
        Judgments used to rank the systems: only those of documents that both judges judged (both), or all judgments of
        each judge (own). One of 'both', 'own'. Default: 'both'.
    names
        The names of A and B. Default: those of their files.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    n_resamples
        Number of bootstrap resamples of the queries, for the intervals of the correlations between the two rankings of
        the systems. Default: 2000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    families
        Family of each system, for a test whether the second judge favours it, such as {'gpt-run': 'openai'}, or a table
        with the columns system and family. Name the second judge, too, to test its own family. Default: no families.
    top
        Also say how the order among the best K systems by the first judge changes. Default: all systems only.
    margin
        Largest change of a mean, or of a difference between systems, that does not matter, for the verdict whether the
        second judge may replace the first. Default: 0.02.
    queries
        Arguments of `Scores.with_queries`, such as {"cluster_by": "^[^_]+"}: what is known of the queries.
    preset, ties, missing, no_relevant, unjudged, input, workers, progress
        As `evaluate` takes them; only with runs. `unjudged="bounds"` does not rank systems and is refused.

    Returns
    -------
    JudgeAgreement
        Agreement by grade and on relevance, biases of B, and with runs its effect on the ranking of systems.

    Raises
    ------
    InputError
        No document was judged by both, or the judges gave one grade only.
    ParameterError
        A setting is out of range, a measure needs subtopics, or there are measures or arguments of `evaluate` without
        runs. Otherwise as `evaluate`.

    Notes
    -----
    With `judged="both"` the rankings differ by grades alone; with `judged="own"` what only one judge judged counts too.
    Where queries have clusters, the bootstrap draws whole clusters, and the intervals of biases and of changes of means
    allow for dependence within a cluster. Weights of queries count in the means of systems, not in what is said of
    documents.
    Sources of the coefficients are in `rankscope.stats.rater_agreement`.

    References
    ----------
    Voorhees (2000), "Variations in relevance judgments and the measurement of retrieval effectiveness", for the overlap
    and the effect on the ranking.

    Examples
    --------
    >>> agreement = agree_judgments({"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"a": 1, "b": 0, "c": 1, "d": 1}})
    >>> agreement.n_both, agreement.n_only_b, round(agreement.chance_corrected.kappa.agreement, 4), agreement.overlap
    (3, 1, 0.6667, 1.0)
    """
    settings = JudgeSettings(
        rel=rel,
        beta=beta,
        normalise=normalise,
        confidence_level=confidence_level,
        judged=judged,
        n_resamples=n_resamples,
        seed=seed_of(rng),
        families=families,  # type: ignore[arg-type]  # a path becomes a text
        top=top,
        margin=margin,
    )
    evaluation = {
        "preset": preset,
        "ties": ties,
        "missing": missing,
        "no_relevant": no_relevant,
        "unjudged": unjudged,
        "input": input,
        "workers": workers,
        "progress": progress,
    }
    return agree_judges(
        qrels_a,
        qrels_b,
        runs,
        measures,
        settings,
        names=names,
        evaluation=evaluation,
        queries=QueryTable.of(queries),
    )


def agree_judges(
    qrels_a: Any,
    qrels_b: Any,
    runs: Any,
    measures: Any,
    settings: JudgeSettings,
    *,
    names: Any = None,
    evaluation: Mapping[str, Any],
    queries: QueryTable | None = None,
) -> JudgeAgreement:
    """As `agree_judgments`, with its settings as one object. evaluation: the other arguments of `evaluate`."""
    if runs is None:
        refuse_without_runs(measures, settings, evaluation)
    evaluation = {"rel": settings.rel, **evaluation}
    check_evaluation(runs, (qrels_a, qrels_b), measures, evaluation)
    confidence_level = settings.confidence_level
    judge_names = names_of_judges(qrels_a, qrels_b, names)
    common, described, query_notes = with_clusters(
        find_common_documents(as_qrels(qrels_a), as_qrels(qrels_b), judge_names), queries, has_runs=runs is not None
    )
    confusion, chance_corrected = grade_by_grade(common, judge_names, settings.normalise, confidence_level)
    relevant_a, relevant_b = (grades >= settings.rel for grades in common.grades)
    relevance, binary = relevant_or_not(relevant_a, relevant_b, settings.beta, confidence_level)
    ranking_effects = NO_EFFECTS
    if runs is not None:
        qrels_pair = judgments_for_ranking(common, settings.judged)
        ranking_effects = effects_on_ranking(qrels_pair, judge_names, runs, measures, evaluation, settings, queries)
    tastes, families = biases_of_systems(common, ranking_effects, settings)
    judged_by = settings.judged if ranking_effects.effects else None
    highest = max(map(highest_grade, common.grades))
    fault = level_above_grades(settings.rel, highest)
    level_notes = [f"{fault}: relevant or not says nothing; choose a lower --rel (rel=)"] if fault else []
    notes = notes_on_documents(common, judge_names, (chance_corrected, relevance), binary, judged_by)
    return JudgeAgreement(
        names=judge_names,
        n_both=common.n_documents,
        n_only_a=common.n_only_a,
        n_only_b=common.n_only_b,
        n_queries=common.n_queries,
        confusion=confusion,
        chance_corrected=chance_corrected,
        relevance_agreement=relevance,
        relevance_rates=binary,
        overlap=overlap(binary),
        overlap_by_query=overlap_by_query(common, relevant_a, relevant_b),
        biases=bias_by_grade(common, confidence_level),
        tastes=tastes,
        effects=ranking_effects.effects,
        settings=settings,
        scores_signature=ranking_effects.scores_signature,
        notes=tuple(dict.fromkeys((*level_notes, *notes, *ranking_effects.notes, *query_notes))),
        n_clusters=None if common.clusters is None else np.unique(common.clusters).size,
        families=families,
        groups=bias_by_group(common, described, (relevant_a, relevant_b), confidence_level),
        prevalence=prevalence_of(common, binary, settings.rel, confidence_level),
    )


def biases_of_systems(
    common: CommonDocuments, effects: RankingEffects, settings: JudgeSettings
) -> tuple[tuple[SystemTaste, ...], tuple[FamilyBias, ...]]:
    """What each system ranks first, and each family of systems, under both judges; empty without runs."""
    systems, confidence_level = effects.systems, settings.confidence_level
    is_top = top_documents(common, settings.judged, effects.hits)
    return (
        taste_by_system(common, systems, is_top, confidence_level),
        bias_by_family(common, systems, is_top, effects.families, effects.own_family, confidence_level),
    )


def refuse_without_runs(measures: Any, settings: JudgeSettings, evaluation: Mapping[str, Any]) -> None:
    """Raise ParameterError for what means nothing without runs."""
    if measures is not None or any(evaluation.get(name, default) != default for name, default in RUN_DEFAULTS.items()):
        raise ParameterError(
            "measures and their options need runs, and none is given; name some, or remove the options"
        )
    if settings.families is not None or settings.top is not None:
        raise ParameterError(
            "families (--family) and top (--top) are of systems, which need runs, and none is given; name some, or "
            "remove the options"
        )


def with_clusters(
    common: CommonDocuments, queries: QueryTable | None, *, has_runs: bool
) -> tuple[CommonDocuments, Queries, tuple[str, ...]]:
    """The documents with the clusters of their queries, what is known of the queries of A, and notes.

    Raises as `Scores.with_queries`.

    has_runs: whether the queries are also noted as those of runs.
    """
    ids = common.qrels_a.query_ids
    if queries is None:
        unknown = Queries(query_ids=ids)
        return common, unknown, tuple(unknown.clustering_notes())
    described, notes = queries.queries(ids)
    common = common._replace(clusters=described.cluster_codes)
    weight_note = ["weights of queries count in the means of systems, not in what is said of documents"]
    notes_on_queries = (
        *(() if has_runs else notes),
        *cluster_notes(described.cluster_codes, np.nan),
        *(weight_note if described.weight is not None else described.clustering_notes()),
    )
    return common, described, notes_on_queries


def prevalence_of(common: CommonDocuments, binary: Rates, rel: float, confidence_level: float) -> Prevalence | None:
    """The corrected share of relevant documents among those that B alone judged; None without such documents."""
    if not common.n_only_b:
        return None
    grades = common.qrels_b.relevance
    n_relevant = int(((grades >= 0) & (grades >= rel)).sum()) - int((common.grades[1] >= rel).sum())
    tp, fp, fn, tn = (int(counts[1]) for counts in (binary.tp, binary.fp, binary.fn, binary.tn))
    return rogan_gladen(
        n_relevant,
        common.n_only_b,
        true_positives=tp,
        false_negatives=fn,
        true_negatives=tn,
        false_positives=fp,
        confidence_level=confidence_level,
    )


def grade_by_grade(
    common: CommonDocuments, names: tuple[str, str], normalise: str | None, confidence_level: float
) -> tuple[ConfusionMatrix, ChanceCorrected]:
    """The confusion matrix of grades, and agreement beyond chance. Raises InputError for one grade only."""
    labels, a, b = encode(*common.grades)
    if any(map(has_fractions, common.grades)):
        labels = tuple(map(plain_number, labels))
        if len(labels) > MAX_FRACTIONS:
            raise InputError(
                f"{names[0]} and {names[1]} gave {len(labels)} different grades, and are compared grade by grade, "
                f"expected at most {MAX_FRACTIONS} where grades are fractions; round them, as to quarters"
            )
    if len(labels) == 1:
        raise InputError(
            f"{names[0]} and {names[1]} gave only the grade {labels[0]} "
            f"({pluralise(common.n_documents, 'document')}), expected "
            "at least 2 grades; with one grade, agreement cannot be distinguished from chance"
        )
    n_grades = len(labels)
    counts = np.bincount(a * n_grades + b, minlength=n_grades * n_grades).reshape(n_grades, n_grades)
    confusion = confusion_matrix(counts, labels=labels, normalise=normalise)
    return confusion, chance_corrected_agreement(confusion, a, b, confidence_level)


def check_evaluation(runs: Any, qrels: tuple[Any, Any], measures: Any, evaluation: Mapping[str, Any]) -> None:
    """Raise for wrong arguments, before any file is read."""
    if runs is None:
        run_list: list[Any] = []
    else:
        run_list = list(runs) if isinstance(runs, (list, tuple)) else [runs]
        if evaluation.get("input") in (*LETOR, ENTITY) or evaluation.get("total_ranks") is not None:
            raise ParameterError(
                "two judges are compared on judgments and runs, but LETOR's files and tables of ranks are neither; "
                "convert them first (rankscope convert)"
            )
        if evaluation.get("unjudged") == "bounds":
            raise ParameterError(
                "--unjudged bounds (unjudged='bounds') has no meaning for a ranking of systems; choose nonrelevant or "
                "skip"
            )
        reading_options = ("input", "total_ranks", "progress", "workers")
        plan_options = {name: value for name, value in evaluation.items() if name not in reading_options}
        plan = make_plan(measures, **plan_options)
        if plan.needs_subtopics:
            raise ParameterError(
                "measures of diversity need judgments by subtopic, but judges are compared on grades of documents; "
                "choose other measures"
            )
    check_single_stdin((*qrels, *run_list))


def names_of_judges(qrels_a: Any, qrels_b: Any, names: Any) -> tuple[str, str]:
    """The names of the judges: as given, else those of their files, else A and B."""
    if names is not None:
        if not isinstance(names, (list, tuple)) or len(names) != 2:
            raise ParameterError(f"names are {names!r}, expected two, of A and B")
        return str(names[0]), str(names[1])
    if is_path(qrels_a) and is_path(qrels_b):
        for shorten in (file_stem, source_name):
            name_a, name_b = (shorten(path).removesuffix(".qrels") for path in (qrels_a, qrels_b))
            if name_a != name_b:
                return name_a, name_b
    return "A", "B"


def relevant_or_not(a: Bools, b: Bools, beta: float, confidence_level: float) -> tuple[ChanceCorrected | None, Rates]:
    """Agreement on relevance, None if both judges say the same of all documents; and the rates, A the truth."""
    labels = (f"not {RELEVANT}", RELEVANT)
    counts = np.bincount(2 * a.astype(np.int64) + b, minlength=4).reshape(2, 2)
    binary = two_classes(counts, labels, RELEVANT, beta)
    if counts.max() == a.size and counts.trace() == a.size:
        return None, binary
    confusion = confusion_matrix(counts, labels=labels)
    return chance_corrected_agreement(confusion, a.astype(np.int64), b.astype(np.int64), confidence_level), binary
