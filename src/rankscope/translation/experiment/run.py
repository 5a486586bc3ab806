"""The experiment: train metrics on people's rankings, test them on WMT12."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.metric_scores import MetricScores
from rankscope.errors import InputError
from rankscope.parallel import run_units, workers_for
from rankscope.stats.inputs import seed_of
from rankscope.translation.experiment.feature_tables import (
    BASELINES,
    COLUMNS,
    ArrayCache,
    FeatureTables,
    compute_feature_tables,
    text_digest,
)
from rankscope.translation.experiment.human_agreement import (
    PairTest,
    PlannedComparison,
    compared_systems,
    has_ranked_outputs,
    pair_tests,
    segment_tau,
    segment_taus,
    system_correlations,
)
from rankscope.translation.experiment.protocols import (
    PROTOCOLS,
    ProtocolFold,
    folds_of,
    into_english,
    lists_of_judgments,
)
from rankscope.translation.experiment.result import DIRECTIONS, DirectionResult, TranslationExperiment
from rankscope.translation.experiment.settings import ExperimentSettings
from rankscope.translation.experiment.training import LOSSES, FoldTraining, LearnedMetric, train_fold
from rankscope.translation.experiment.wmt_campaigns import TESTED, JudgedPair, read_campaign
from rankscope.translation.sentence_scores import corpus_scorer
from rankscope.typing import Floats, PathLike

__all__ = [
    "corpus_bleu",
    "run_experiment",
    "translation_experiment",
]


def corpus_bleu(judged_pairs: Sequence[JudgedPair], cache: ArrayCache) -> MetricScores:
    """BLEU of each system with a ranked output, over all of its lines; in [0, 100], higher is better.

    Parameters
    ----------
    judged_pairs
        Judgments and texts.
    cache
        Cache of the scores.

    Returns
    -------
    MetricScores
        The scores.

    Raises
    ------
    ParameterError
        sacrebleu is not installed.
    """
    metric = corpus_scorer()
    scores_by_pair = {}
    for judged_pair in judged_pairs:

        def make(judged_pair: JudgedPair = judged_pair) -> dict[str, npt.NDArray[np.float64]]:
            scorer = metric.prepare(judged_pair.texts.references)
            return {
                "values": np.array(
                    [scorer(judged_pair.texts.systems[system]) for system in compared_systems(judged_pair)]
                )
            }

        settings = {
            "outputs": text_digest(judged_pair.texts.references, dict(judged_pair.texts.systems)),
            "scored": metric.settings,
        }
        arrays = cache.get(
            f"{judged_pair.campaign}-{judged_pair.pair}-bleu",
            settings,
            make,
            {"values": (len(compared_systems(judged_pair)),)},
        )
        scores_by_pair[judged_pair.pair] = dict(
            zip(compared_systems(judged_pair), arrays["values"].tolist(), strict=True)
        )
    return MetricScores.of(metric.name, scores_by_pair)


JudgedPairs = dict[tuple[str, str], JudgedPair]
#: Lists times models from which on training in several processes is faster than in one.
WORTH_WORKERS = 20_000
#: Losses that are compared on the same features.
PLANNED_COMPARISONS = (("ListNet", "RankNet"), ("ListMLE", "RankNet"), ("ListNet", "ListMLE"), ("RankNet", "pointwise"))


def translation_experiment(
    folder: PathLike,
    protocol: str = "wmt11",
    *,
    pairs: Sequence[str] | None = None,
    losses: Sequence[str] = ("ListNet", "ListMLE", "RankNet", "pointwise"),
    features: Sequence[str] = ("nine", "smoothed", "+chrF", "extended", "others"),
    hidden: Sequence[int] = (),
    seeds: int = 3,
    test_references: bool = False,
    cache: PathLike | None = None,
    n_resamples: int = 2000,
    rng: Any = 0,
    workers: int = 1,
    reading: Callable[[float], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> TranslationExperiment:
    """Train metrics of translations on people's rankings, and compare them with people, baselines and published values.

    Parameters
    ----------
    folder
        Folder with wmt12/ and, as the protocol needs them, wmt11/ and wmt13/, each with its judgments and plain/; and
        with mt-train/, parallel text.
    protocol
        Training data; the test data are those of WMT12. One of 'wmt11', 'wmt11-all', 'cv', 'leave-pair-out', 'wmt13'.
        Default: 'wmt11'.
    pairs
        Language pairs to test: some of fr-en, de-en, es-en, cs-en, en-fr, en-de, en-es, en-cs. Default: all that the
        data hold.
    losses
        Losses to train with: some of ListNet, ListMLE, RankNet, pointwise. Default: all.
    features
        Sets of features to train on: some of nine, smoothed, +chrF, extended, others. Default: all.
    hidden
        Sizes of hidden layers, from the input to the output. Default: none, a linear scorer.
    seeds
        Number of random seeds per model; scores are averaged over seeds. Default: 3.
    test_references
        Train language models on the references of the test set as well, as the paper did. Default: False.
    cache
        Folder in which computed features are kept. Default: features are not kept.
    n_resamples
        Number of bootstrap resamples of the segments, for confidence intervals and tests. Default: 2000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    workers
        Number of processes; it does not change the result.
    reading, progress
        Called with the share of the work that was just done: of computing features, and of training.

    Returns
    -------
    TranslationExperiment
        Segment taus in [-1, 1] and Spearman's correlations on systems, higher is better, beside published values. A tau
        is NaN where people ordered no pair of translations.

    Raises
    ------
    ParameterError
        A setting is out of range, or there is nothing to train or test. Raised before any file is read.
    UnknownName
        A protocol, language pair, loss or set of features does not exist.
    InputError
        Files are missing or do not belong together, or there is nothing to learn from.

    Notes
    -----
    Protocols: "wmt11" trains on WMT11 and tests on WMT12, as the paper does; "wmt11-all" trains on all language pairs
    of WMT11 at once; "cv" is a 5-fold cross-validation within each pair of WMT12; "leave-pair-out" trains on the other
    pairs of WMT12; "wmt13" trains on WMT13 French-English and tests the pairs into English.

    Sets of features: "nine" of the paper, "smoothed" with smoothed lexical probabilities, "+chrF" is nine with chrF,
    "extended" adds chrF and untranslated words to smoothed, "others" adds features of the other systems' outputs.

    The segment tau is the statistic "wmt12" of `rankscope.agreement.segments`.

    References
    ----------
    Li, Jiang and Wang (2013), "Listwise approach to learning to rank for automatic evaluation of machine translation".
    """
    settings = ExperimentSettings(
        protocol=protocol,
        pairs=None if pairs is None else tuple(pairs),
        losses=tuple(losses),
        features=tuple(features),
        hidden=tuple(hidden),
        seeds=seeds,
        test_references=test_references,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    return run_experiment(folder, settings, cache=cache, workers=workers, reading=reading, progress=progress)


def run_experiment(
    folder: PathLike,
    settings: ExperimentSettings,
    *,
    cache: PathLike | None = None,
    workers: int | None = 1,
    guarded: bool = False,
    reading: Callable[[float], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> TranslationExperiment:
    """As `translation_experiment`, with its settings as one object. guarded: as for `workers_for`, for workers=None."""
    workers_for(workers, False)  # an invalid number is refused before anything is read
    models = settings.models
    array_cache = ArrayCache(cache)
    judged_pairs = read_judged(folder, settings)
    test_pairs = tested_pairs(folder, judged_pairs, settings)
    feature_tables = compute_feature_tables(
        folder, judged_pairs, array_cache, test_references=settings.test_references, progress=reading
    )
    start_seconds = time.process_time()
    n_workers = workers_for(
        workers, training_work(judged_pairs, test_pairs, settings) >= WORTH_WORKERS, guarded=guarded
    )
    scores_by_seed = [
        scores_of_seed(judged_pairs, test_pairs, feature_tables, settings, seed, n_workers, progress)
        for seed in settings.training_seeds
    ]
    seconds = time.process_time() - start_seconds
    scores = {pair: mean_scores(pair, models, scores_by_seed, feature_tables) for pair in test_pairs}
    judged_test_pairs = [judged_pairs[TESTED, pair] for pair in test_pairs]
    results, tests, skipped_notes = compare_with_people(
        judged_test_pairs, scores, models, corpus_bleu(judged_test_pairs, array_cache), settings
    )
    return TranslationExperiment(
        settings=settings,
        pairs=tuple(test_pairs),
        results=results,
        tests=tuple(tests),
        models=models,
        by_seed=np.array([taus_by_seed(m, judged_test_pairs, scores_by_seed) for m in range(len(models))]),
        scores=scores,
        systems={judged_pair.pair: judged_pair.systems for judged_pair in judged_test_pairs},
        seconds=seconds,
        feature_settings=feature_tables.settings,
        data_notes=(*data_notes(judged_pairs, feature_tables, settings), *skipped_notes),
    )


def mean_scores(
    pair: str,
    models: Sequence[LearnedMetric],
    scores_by_seed: Sequence[Mapping[str, Floats]],
    feature_tables: FeatureTables,
) -> dict[str, Floats]:
    """By metric, (systems, lines) scores of one language pair: those of models averaged over seeds, and baselines."""
    learned = {
        model.name: np.mean([seed_scores[pair][m] for seed_scores in scores_by_seed], axis=0)
        for m, model in enumerate(models)
    }
    return learned | {name: feature_tables.feature((TESTED, pair), column) for name, column in BASELINES.items()}


def taus_by_seed(
    model: int, judged_pairs: Sequence[JudgedPair], scores_by_seed: Sequence[Mapping[str, Floats]]
) -> list[list[float]]:
    """(pairs, seeds) the segment tau of one model."""
    return [
        [segment_tau(judged_pair, seed_scores[judged_pair.pair][model]) for seed_scores in scores_by_seed]
        for judged_pair in judged_pairs
    ]


def compare_with_people(
    judged_pairs: Sequence[JudgedPair],
    scores: Mapping[str, Mapping[str, Floats]],
    models: Sequence[LearnedMetric],
    bleu: MetricScores,
    settings: ExperimentSettings,
) -> tuple[dict[str, DirectionResult], list[PairTest], list[str]]:
    """The result of each direction, the tests between models, and notes on systems that are not compared."""
    n_resamples, seed = settings.n_resamples, settings.seed
    results = {}
    tests = []
    skipped_notes = []
    for direction, direction_pairs in directions([judged_pair.pair for judged_pair in judged_pairs]).items():
        direction_judged = [judged_pair for judged_pair in judged_pairs if judged_pair.pair in direction_pairs]
        taus = segment_taus(direction_judged, scores, n_resamples=n_resamples, seed=seed)
        comparable = all(np.count_nonzero(has_ranked_outputs(judged_pair)) > 2 for judged_pair in direction_judged)
        correlations = None
        if comparable:
            try:
                correlations = system_correlations(direction_judged, scores, [bleu], n_resamples=n_resamples, seed=seed)
            except InputError as error:  # all systems are tied for people or for a metric
                skipped_notes.append(
                    f"systems, {DIRECTIONS[direction].description}, are not compared: {str(error).partition(';')[0]}"
                )
        results[direction] = DirectionResult(segments=taus, systems=correlations)
        tests += [test for family in comparisons(models) for test in pair_tests(direction, taus, family)]
    return results, tests, skipped_notes


def tested_pairs(folder: PathLike, judged_pairs: JudgedPairs, settings: ExperimentSettings) -> list[str]:
    """The language pairs of WMT12 that are tested. Raises InputError where there are none, or nothing to train on."""
    test_pairs = [pair for campaign, pair in judged_pairs if campaign == TESTED and pair_is_tested(pair, settings)]
    if not test_pairs:
        raise InputError(f"{folder}: no language pair into English has judgments, and this protocol tests only those")
    for _ in folds_of(settings.protocol, judged_pairs, test_pairs, settings.seed):  # raises before the long work
        pass
    return test_pairs


def read_judged(folder: PathLike, settings: ExperimentSettings) -> JudgedPairs:
    """The judged pairs of a protocol. Pairs used neither for training nor for testing are skipped."""
    protocol, selected_pairs = settings.protocol, settings.selected_pairs
    judged_pairs: JudgedPairs = {}
    for campaign in PROTOCOLS[protocol].campaigns:
        campaign_pairs = selected_pairs if campaign == TESTED and protocol != "leave-pair-out" else None
        judged_pairs |= {
            (campaign, pair): judged_pair
            for pair, judged_pair in read_campaign(folder, campaign, campaign_pairs).items()
        }
    if selected_pairs is not None and (
        missing := [pair for pair in selected_pairs if (TESTED, pair) not in judged_pairs]
    ):
        raise InputError(f"{Path(folder) / TESTED}: no judgments with texts of {missing[0]}, expected both")
    return judged_pairs


def pair_is_tested(pair: str, settings: ExperimentSettings) -> bool:
    return (settings.pairs is None or pair in settings.pairs) and (settings.protocol != "wmt13" or into_english(pair))


def training_work(judged_pairs: JudgedPairs, test_pairs: Sequence[str], settings: ExperimentSettings) -> int:
    """The number of lists that all models of all folds and seeds are trained on."""
    n_lists = sum(
        len(judged_pairs[selection.campaign, selection.pair].rankings)
        if selection.judgments is None
        else selection.judgments.size
        for fold in folds_of(settings.protocol, judged_pairs, test_pairs, settings.seed)
        for selection in fold.train
    )
    return n_lists * len(settings.models) * len(settings.training_seeds)


def scores_of_seed(
    judged_pairs: JudgedPairs,
    test_pairs: Sequence[str],
    feature_tables: FeatureTables,
    settings: ExperimentSettings,
    seed: int,
    workers: int,
    progress: Callable[[float], Any] | None,
) -> Mapping[str, Floats]:
    """By language pair, (models, systems, lines) scores of the models of one seed."""
    folds = list(folds_of(settings.protocol, judged_pairs, test_pairs, seed))
    n_units = len(settings.training_seeds) * len(folds)
    report_progress = None if progress is None else lambda n_folds: progress(n_folds / n_units)
    shapes = {pair: (len(settings.models), *feature_tables.tables[TESTED, pair].shape[:2]) for pair in test_pairs}
    scores = {pair: np.empty(shape) for pair, shape in shapes.items()}
    units = fold_trainings(folds, judged_pairs, feature_tables, settings, seed)
    for fold, values in zip(
        folds, run_units(train_fold, units, workers=workers, progress=report_progress), strict=True
    ):
        scores[fold.pair][:, :, slice(None) if fold.lines is None else fold.lines] = values
    return scores


def fold_trainings(
    folds: Sequence[ProtocolFold],
    judged_pairs: JudgedPairs,
    feature_tables: FeatureTables,
    settings: ExperimentSettings,
    seed: int,
) -> Iterator[FoldTraining]:
    for fold in folds:
        table = feature_tables.tables[TESTED, fold.pair]
        test = table if fold.lines is None else table[:, fold.lines]
        train = lists_of_judgments(fold.train, judged_pairs, feature_tables.tables, COLUMNS)
        yield FoldTraining(train, test, COLUMNS, settings.models, settings.hidden, seed)


def directions(pairs: Sequence[str]) -> dict[str, list[str]]:
    """The language pairs into English and out of it; a direction without any is skipped."""
    by_direction = {"into": [pair for pair in pairs if into_english(pair)]}
    by_direction["out"] = [pair for pair in pairs if pair not in by_direction["into"]]
    return {name: direction_pairs for name, direction_pairs in by_direction.items() if direction_pairs}


def comparisons(models: Sequence[LearnedMetric]) -> list[list[PlannedComparison]]:
    """The planned comparisons, a family for each set of features: listwise losses against RankNet and one another,
    RankNet against the pointwise one, and RankNet (or the first model) against the baselines.
    """
    families = []
    for features in dict.fromkeys(model.features for model in models):
        model_of_loss = {
            loss: model.name for loss in LOSSES for model in models if model[1:3] == (LOSSES[loss], features)
        }
        family = [
            PlannedComparison(model_of_loss[a], model_of_loss[b])
            for a, b in PLANNED_COMPARISONS
            if a in model_of_loss and b in model_of_loss
        ]
        representative = model_of_loss.get("RankNet", next(iter(model_of_loss.values())))
        families.append([*family, *(PlannedComparison(representative, baseline) for baseline in BASELINES)])
    return families


def data_notes(
    judged_pairs: JudgedPairs, feature_tables: FeatureTables, settings: ExperimentSettings
) -> tuple[str, ...]:
    """Notes on the data and the training."""
    notes = []
    for campaign in dict.fromkeys(campaign for campaign, _ in judged_pairs):
        all_rankings = next(
            judged_pair.all_rankings for (name, _), judged_pair in judged_pairs.items() if name == campaign
        )
        notes += [note.rpartition("/")[2] for note in all_rankings.notes]
        judgment_counts = [
            (pair, len(judged_pair.rankings)) for (name, pair), judged_pair in judged_pairs.items() if name == campaign
        ]
        notes.append(f"{campaign}: judgments of {', '.join(f'{pair} {n:,}' for pair, n in judgment_counts)}")
    if not settings.depends_on_seed and settings.seeds > 1:
        notes.append("no model depends on the seed, so each was trained once")
    return tuple(dict.fromkeys((*notes, *feature_tables.notes)))
