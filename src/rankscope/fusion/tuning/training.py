"""`train`: choose fusion settings by cross-validation over queries, refine weights, and learn parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import decode_ids
from rankscope.data.run import Run
from rankscope.data.spelling import spelling_advice
from rankscope.data.text import first_names, pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan, make_plan
from rankscope.evaluation.joining import as_qrels
from rankscope.fusion.fuse_runs import fused_run
from rankscope.fusion.judgments import judge_pool
from rankscope.fusion.normalisation import normalise_pool
from rankscope.fusion.pool import LoadedPool, RunPool, check_runs, load_pool, pool_subset
from rankscope.fusion.tuning.candidates import FEWEST_FOLDS, Candidate, TrainingSettings, list_candidates
from rankscope.fusion.tuning.cross_fitting import (
    CandidateValues,
    Folds,
    evaluate_candidate,
    make_folds,
    measured_pool,
    normalise_folds,
)
from rankscope.fusion.tuning.result import FoldChoice, TrainedFusion, TriedSetting
from rankscope.io.core import check_single_stdin
from rankscope.kernels.means import nan_mean_of_list
from rankscope.kernels.rounding_ties import NOISE, best_places
from rankscope.measures.base import Measure
from rankscope.parallel import run_units, workers_for
from rankscope.settings import as_names
from rankscope.stats.inputs import seed_of
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = [
    "CoordinateAscent",
    "train",
    "train_fusion",
]


#: Weights to try for a run, as shares of the greatest weight, and the number of passes through all runs.
STEPS, PASSES = (0.0, 0.25, 0.5, 0.75, 1.0), 2


@dataclass(frozen=True, eq=False)
class CoordinateAscent:
    """Refinement of weights, one run after the other.

    Attributes
    ----------
    folds
        The judged queries.
    sign
        1 if higher values are better, else -1.
    values
        By the name of each candidate that was evaluated, (queries) its values.
    """

    folds: Folds
    sign: float
    values: dict[str, Floats] = field(default_factory=dict)

    def query_values(self, candidate: Candidate) -> Floats:
        """(queries) the values of a candidate whose setting is all it learns."""
        name = str(candidate)
        if name not in self.values:
            judged_pool, normalised_pool = self.folds.measured, self.folds.normalised_pools[candidate.normalise][0]
            parameters = candidate.learn(judged_pool.pool, self.folds.judgments)
            self.values[name] = judged_pool.values(candidate.fuse(judged_pool.pool, parameters, normalised_pool))
        return self.values[name]

    def mean(self, candidate: Candidate, counted: Bools) -> float:
        """The mean of a candidate over some queries, higher is better."""
        values = self.query_values(candidate)[counted]
        defined = values[~np.isnan(values)]
        return self.sign * float(defined.mean()) if defined.size else -np.inf

    def search(self, start: Candidate, counted: Bools) -> list[Candidate]:
        """The candidates tried from `start` on, the best last; none if there are no weights to refine.

        counted: (queries) those whose judgments may be used, all but those of a fold. Searches share the values of
        candidates, but which candidates a search tries depends on its own queries alone.
        """
        weights = start.setting.get("weights")
        if weights is None or len(weights) < 2:
            return []
        best = with_weights(start, [weight / max(weights) for weight in weights])
        highest = self.mean(best, counted)
        tried = {str(best): best}
        for _ in range(PASSES):
            previous_best = best
            for i in range(len(weights)):
                for share in STEPS:
                    new_weights = list(best.setting["weights"])
                    new_weights[i] = share
                    candidate = with_weights(start, new_weights)
                    if str(candidate) in tried or not any(new_weights):
                        continue
                    tried[str(candidate)] = candidate
                    value = self.mean(candidate, counted)
                    if value > highest + NOISE * max(1.0, abs(highest)):
                        best, highest = candidate, value
            if best is previous_best:
                break
        return [*(candidate for candidate in tried.values() if candidate is not best), best]


def with_weights(candidate: Candidate, weights: list[float]) -> Candidate:
    """The candidate with other weights."""
    return Candidate(candidate.method, candidate.normalise, {**candidate.setting, "weights": weights})


#: Settings times documents from which several workers are faster than one: half a second of work.
ENOUGH = 5_000_000


def train(
    qrels: Qrels | PathLike | Any,
    runs: Sequence[Run | PathLike | Any],
    method: str | Sequence[str] = "weighted-sum",
    *,
    normalise: str | Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    measure: str | Measure = "nDCG@10",
    refine: bool = False,
    folds: int = 5,
    rel: float = 1,
    rng: Any = 0,
    input: str | None = None,
    workers: int | None = None,
    progress: Callable[[float], Any] | None = None,
) -> TrainedFusion:
    """Choose how to fuse these runs, and learn it from judgments, by cross-validation over queries.

    Parameters
    ----------
    qrels
        Judgments, or a file of them.
    runs
        List of runs, files, or anything that `Run` takes.
    method
        Method of `TRAINED` or `METHODS`, or a list of methods to choose among. Default: 'weighted-sum'.
    normalise
        Normalisation of the scores of each list, or a list of normalisations to choose among. Default: 'min-max' for
        methods that use scores.
    settings
        Settings of the methods by name ("weights", "k", ...): a value, or a list of values to try. Default: try the
        usual values of each setting.
    measure
        Measure that chooses the settings. Default: 'nDCG@10'.
    refine
        Refine the best weights further, one run after the other; useful for more than four runs. Default: False.
    folds
        Number of folds into which the judged queries are split. Default: 5.
    rel
        Lowest relevance that counts as relevant. Default: 1.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    input
        Format of the files. Default: detected from their content.
    workers
        Number of processes. None uses all cores if that is faster. The result does not depend on it.
    progress
        Called with the share of the work just done.

    Returns
    -------
    TrainedFusion
        The chosen setting with what it learned from all judged queries. `cross_fitted` is the fused run in which each
        fold is fused with what was chosen and learned on the other folds; `cross_fitted_mean` is its mean.

    Raises
    ------
    InputError
        The runs and the judgments have no query in common, there are fewer judged queries than folds, and as `fuse`.
    ParameterError
        A setting is out of range, or no method has it.
    UnknownName
        There is no such method, normalisation or measure.

    Notes
    -----
    The judged queries are split into folds at random. The value of a setting is its mean over all judged queries, where
    each fold is fused with what was learned from the other folds; the best setting is chosen and learns from all.

    `cross_fitted` tells what the choice is worth on other queries: there the setting, too, is chosen by the other folds
    alone, by cross-validation within them, so that no judgment of a query affects how this query is fused (except for
    the highest grade, which some measures use). Queries without judgments are fused with what all others taught.

    References
    ----------
    Bartell et al. 1994 (weights chosen by judgments); Varma and Simon 2006 (nested cross-validation).

    Examples
    --------
    >>> import rankscope as rs
    >>> good = {f"q{i}": {"a": 3.0, "b": 2.0, "c": 1.0} for i in range(6)}
    >>> bad = {f"q{i}": {"c": 9.0, "b": 8.0, "a": 1.0} for i in range(6)}
    >>> trained = rs.fusion.train({f"q{i}": {"a": 1} for i in range(6)}, [bad, good], measure="RR", folds=3)
    >>> trained.setting, trained.cross_fitted_mean
    ({'weights': [0.0, 1.0]}, 1.0)
    """
    training_settings = TrainingSettings(
        methods=as_names(method),
        normalisations=as_names(normalise),
        settings=settings,
        measure=measure,
        refine=refine,
        folds=folds,
        rel=rel,
        seed=seed_of(rng),
    )
    return train_fusion(qrels, runs, training_settings, input=input, workers=workers, progress=progress)


def train_fusion(
    qrels: Qrels | PathLike | Any,
    runs: Sequence[Run | PathLike | Any],
    settings: TrainingSettings,
    *,
    input: str | None = None,
    workers: int | None = None,
    progress: Callable[[float], Any] | None = None,
) -> TrainedFusion:
    """As `train`, with its settings as one object."""
    check_runs(runs)
    check_single_stdin([qrels, *runs])
    plan = plan_of(settings)
    workers_for(workers, False)  # an invalid number is refused before anything is read
    candidates = list_candidates(settings, len(runs))
    loaded_qrels = as_qrels(qrels, plan)
    loaded = load_pool(runs, input=input, inverted=settings.is_inverted)
    is_judged = np.array([query in loaded_qrels.codes for query in loaded.pool.query_ids], np.bool_)
    notes = [*loaded.notes, *check_queries(loaded_qrels, loaded, is_judged, settings.folds)]
    query_folds = split_into_folds(pool_subset(loaded.pool, is_judged).pool, loaded_qrels, plan, settings)
    plan.refuse_levels_above_grades(query_folds.measured.empty_hits)
    query_folds, candidates, candidate_notes = normalise_for_candidates(query_folds, candidates, loaded.names)
    n_rounds = settings.folds + 2 if settings.refine else 1  # of work, about equal
    report = None if progress is None else lambda share: progress(share / n_rounds)
    results = evaluate_candidates(query_folds, candidates, workers, report)
    sign = 1.0 if plan.measures[0].higher_is_better else -1.0
    best = candidates[best_candidate([result.outer for result in results], sign)]
    fold_candidates = [choose_without_fold(f, query_folds, candidates, results, sign) for f in range(settings.folds)]
    tried = tried_settings(candidates, [result.outer for result in results], query_folds)
    if settings.refine:
        ascent = CoordinateAscent(query_folds, sign)
        best, fold_candidates, refined_settings = refine_weights(ascent, best, fold_candidates, report)
        tried_names = {setting.name for setting in tried}
        tried += [setting for setting in refined_settings if setting.name not in tried_names]
    parameters = query_folds.learn(best)
    fused, values = cross_fit(loaded, is_judged, query_folds, fold_candidates, best, parameters)
    notes += [*candidate_notes, *normalisation_notes(loaded, [best, *fold_candidates])]
    return TrainedFusion(
        method=best.method,
        normalise=best.normalise,
        setting=best.setting,
        parameters=parameters,
        runs=loaded.names,
        queries=query_folds.measured.empty_hits.query_ids,
        measure=plan.names[0],
        higher_is_better=sign > 0,
        settings_text=signature_line(plan, query_folds, candidates, len(tried), settings),
        tried=tuple(tried),
        chosen=fold_choices(fold_candidates, query_folds.fold, values),
        cross_fitted_mean=nan_mean_of_list(values),
        alone=tuple(nan_mean_of_list(query_folds.measured.run_values(i)) for i in range(len(loaded.names))),
        notes=tuple(notes),
        cross_fitted=fused_run(loaded.pool, fused, cross_fitted_name(candidates, fold_candidates), notes),
    )


def split_into_folds(pool: RunPool, qrels: Qrels, plan: Plan, settings: TrainingSettings) -> Folds:
    """The judged queries, whose pool this is, in folds at random."""
    fold_of_query = assign_folds(pool.query_ids, settings.folds, settings.seed)
    return make_folds(measured_pool(pool, qrels, plan), judge_pool(pool, qrels, settings.rel), fold_of_query)


def signature_line(
    plan: Plan, query_folds: Folds, candidates: Sequence[Candidate], n_tried: int, settings: TrainingSettings
) -> str:
    """The measure, and every setting that changes a number, in one line."""
    methods = ",".join(dict.fromkeys(candidate.method for candidate in candidates))
    training_settings = {"methods": methods, "settings": str(n_tried)}
    training_settings |= {"refined": "yes"} if settings.refine else {}
    training_settings |= {"folds": str(len(query_folds.fold_pools)), "rng": str(settings.seed)}
    all_settings = {
        **plan.settings(len(query_folds.measured.empty_hits)),
        **plan.measure_settings(query_folds.measured.empty_hits)[0],
        **training_settings,
    }
    return " | ".join([plan.names[0], *(f"{name}:{value}" for name, value in all_settings.items())])


def plan_of(settings: TrainingSettings) -> Plan:
    """The measurement plan. Raises ParameterError for a measure by which nothing can be chosen."""
    plan = make_plan([settings.measure], rel=settings.rel)
    if len(plan.measures) != 1:
        raise ParameterError(
            f"{settings.measure} is {len(plan.measures)} measures, expected one to choose by, such as nDCG@10"
        )
    single_measure = plan.measures[0]
    if single_measure.higher_is_better is None or single_measure.summary == "none":
        raise ParameterError(
            f"{single_measure} has no better direction, neither higher nor lower, so no setting can be chosen by it; "
            "choose another measure"
        )
    return plan


def check_queries(qrels: Qrels, loaded: LoadedPool, is_judged: Bools, folds: int) -> list[str]:
    """Notes on queries that are not learned from. Raises InputError if too few are left."""
    n_judged, n_used = len(qrels.query_ids), int(is_judged.sum())
    if not n_used:
        raise InputError(
            f"the runs and the qrels have no query in common (qrels: {first_names(qrels.query_ids)}; runs: "
            f"{first_names(decode_ids(loaded.pool.query_ids[:4]))}); "
            f"{spelling_advice(decode_ids(loaded.pool.query_ids), qrels.query_ids, 'check that they belong together')}"
        )
    if n_used < folds:
        raise InputError(
            f"{pluralise_queries(n_used)} of the runs with judgments, expected at least one for each of {folds} "
            f"folds; judge more, or take fewer folds (at least {FEWEST_FOLDS})"
        )
    notes = []
    if n_judged > n_used:
        verb = "is" if n_judged - n_used == 1 else "are"
        notes.append(f"{n_judged - n_used:,} of {pluralise_queries(n_judged)} with judgments {verb} in no run")
    if is_judged.size > n_used:
        verb = "has" if is_judged.size - n_used == 1 else "have"
        notes.append(
            f"{is_judged.size - n_used:,} of {pluralise_queries(is_judged.size)} {verb} no judgments: fused with "
            "what was learned from all other queries"
        )
    return notes


def assign_folds(query_ids: Sequence[bytes], folds: int, seed: int) -> Ints:
    """(queries) the fold of each, whatever their order. Sizes of folds differ by at most one."""
    order = np.array(sorted(range(len(query_ids)), key=query_ids.__getitem__))
    fold_of_query = np.empty(order.size, np.int64)
    fold_of_query[np.random.default_rng(seed).permutation(order)] = np.arange(order.size) % folds
    return fold_of_query


def normalise_for_candidates(
    query_folds: Folds, candidates: list[Candidate], names: Sequence[str]
) -> tuple[Folds, list[Candidate], list[str]]:
    """All scores with every normalisation of the candidates; one that fails is skipped with a note.

    Raises InputError if the only one fails.
    """
    normalised_pools, notes = {}, []
    normalisations = list(dict.fromkeys(candidate.normalise for candidate in candidates))
    for normalisation in normalisations:
        try:
            normalised_pools[normalisation] = normalise_folds(query_folds, normalisation, names)
        except InputError as error:
            if len(normalisations) == 1:
                raise
            notes.append(f"{normalisation} was not tried: {error}")
    candidates = [candidate for candidate in candidates if candidate.normalise in normalised_pools]
    return replace(query_folds, normalised_pools=normalised_pools, nested=len(candidates) > 1), candidates, notes


def evaluate_candidates(
    query_folds: Folds, candidates: Sequence[Candidate], workers: int | None, progress: Callable[[float], Any] | None
) -> list[CandidateValues]:
    """The values of each candidate."""
    report = None if progress is None else lambda _: progress(1 / len(candidates))
    n_workers = workers_for(workers, len(candidates) * query_folds.measured.pool.size >= ENOUGH)
    return list(run_units(evaluate_candidate, candidates, workers=n_workers, shared=query_folds, progress=report))


def best_candidate(values: Sequence[Floats], sign: float) -> int:
    """The index of the first candidate with the best mean. values: (queries) of each, NaN for those not counted.

    Raises InputError where no query has a value.
    """
    table = np.array(values)
    has_value = ~np.isnan(table)
    if not has_value.any(axis=1).all():
        raise InputError(
            "the measure has no value on these queries, so nothing can be chosen by it; choose another measure"
        )
    means = sign * np.where(has_value, table, 0.0).sum(axis=1) / has_value.sum(axis=1)
    return int(best_places(means, max(1.0, float(np.abs(table[has_value]).max()))).argmax())


def choose_without_fold(
    f: int, query_folds: Folds, candidates: Sequence[Candidate], results: Sequence[CandidateValues], sign: float
) -> Candidate:
    """The candidate that the other folds choose for fold f."""
    if not query_folds.nested:
        return candidates[0]
    in_other_folds = query_folds.fold != f
    values = [result.inner[f, in_other_folds] for result in results if result.inner is not None]
    return candidates[best_candidate(values, sign)]


def refine_weights(
    ascent: CoordinateAscent,
    final_candidate: Candidate,
    fold_candidates: Sequence[Candidate],
    report: Callable[[float], Any] | None,
) -> tuple[Candidate, list[Candidate], list[TriedSetting]]:
    """Weights refined by all queries, and for each fold by those of the others; and the settings tried by all."""
    query_folds = ascent.folds
    refined = []
    for f, start in enumerate([*fold_candidates, final_candidate]):
        tried = ascent.search(start, query_folds.fold != f)  # no query is in the fold behind the last: all count
        refined.append(tried[-1] if tried else start)
        if report is not None:
            report(1.0)
    settings = [tried_setting(candidate, ascent.query_values(candidate), query_folds) for candidate in tried]
    return refined[-1], refined[:-1], settings


def cross_fit(
    loaded: LoadedPool,
    is_judged: Bools,
    query_folds: Folds,
    fold_candidates: Sequence[Candidate],
    final_candidate: Candidate,
    parameters: Mapping[str, Any],
) -> tuple[Floats, Floats]:
    """(documents) the fused scores, those of each fold learned from the others, those of queries without judgments from
    all; and (queries) the values of the judged ones.
    """
    scores = np.zeros(query_folds.measured.pool.size)
    for f, candidate in enumerate(fold_candidates):
        scores[query_folds.fold_pools[f].documents] = query_folds.fuse(candidate, query_folds.learn(candidate, (f,)), f)
    fused = np.empty(loaded.pool.size)
    fused[pool_subset(loaded.pool, is_judged).documents] = scores
    if not is_judged.all():
        unjudged = pool_subset(loaded.pool, ~is_judged)
        fused[unjudged.documents] = final_candidate.fuse(
            unjudged.pool, parameters, normalise_pool(unjudged.pool, final_candidate.normalise, loaded.names)
        )
    return fused, query_folds.measured.values(scores)


def normalisation_notes(loaded: LoadedPool, candidates: Sequence[Candidate]) -> list[str]:
    """Notes on the normalisations in use, as on lists of equal scores."""
    normalisations = dict.fromkeys(candidate.normalise for candidate in candidates)
    return [
        note
        for normalisation in normalisations
        for note in normalise_pool(loaded.pool, normalisation, loaded.names).notes
    ]


def tried_settings(candidates: Sequence[Candidate], values: Sequence[Floats], query_folds: Folds) -> list[TriedSetting]:
    """Each candidate with its means. values: (queries) of each."""
    pairs = zip(candidates, values, strict=True)
    return [tried_setting(candidate, candidate_values, query_folds) for candidate, candidate_values in pairs]


def tried_setting(candidate: Candidate, values: Floats, query_folds: Folds) -> TriedSetting:
    fold_means = tuple(nan_mean_of_list(values[query_folds.fold == f]) for f in range(len(query_folds.fold_pools)))
    return TriedSetting(str(candidate), nan_mean_of_list(values), fold_means)


def cross_fitted_name(candidates: Sequence[Candidate], fold_candidates: Sequence[Candidate]) -> str:
    """The name of the cross-fitted run, with its parameters if all folds have the same and learn no others."""
    if not fold_candidates[0].learns and len(set(map(str, fold_candidates))) == 1:
        return str(fold_candidates[0])
    methods = list(dict.fromkeys(candidate.method for candidate in candidates))
    return f"{methods[0] if len(methods) == 1 else 'tuned'}(cross-fitted)"


def fold_choices(fold_candidates: Sequence[Candidate], fold_of_query: Ints, values: Floats) -> tuple[FoldChoice, ...]:
    """The choice for each fold, and its mean there. fold_of_query, values: (queries)."""
    return tuple(
        FoldChoice(str(choice), int((fold_of_query == f).sum()), nan_mean_of_list(values[fold_of_query == f]))
        for f, choice in enumerate(fold_candidates)
    )
