"""The experiment: train metrics on people's rankings, test them on WMT12."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.segment_scores import SystemScores
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.parallel import run_units
from rankscope.stats.inputs import check_count, seed_of
from rankscope.translation.experiment.feature_tables import (
    BASELINES,
    COLUMNS,
    FEATURE_SETS,
    ArrayCache,
    FeatureTables,
    compute_feature_tables,
    planned_models,
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
from rankscope.translation.experiment.training import LOSSES, FoldTraining, LearnedMetric, random_models, train_fold
from rankscope.translation.experiment.wmt_campaigns import PAIRS, TESTED, JudgedPair, read_campaign
from rankscope.translation.sentence_scores import corpus_scorer
from rankscope.typing import Floats, PathLike

__all__ = [
    "corpus_bleu",
    "translation_experiment",
]


def corpus_bleu(judged: Sequence[JudgedPair], cache: ArrayCache) -> SystemScores:
    """BLEU of each system of which people ranked an output, over all of its lines; in [0, 100], higher is better.

    Raises ParameterError where sacrebleu is missing.
    """
    name, prepare, how = corpus_scorer()
    found = {}
    for one in judged:

        def make(one: JudgedPair = one) -> dict[str, npt.NDArray[np.float64]]:
            score = prepare(one.texts.references)
            return {"values": np.array([score(one.texts.systems[system]) for system in compared_systems(one)])}

        settings = {"outputs": text_digest(one.texts.references, dict(one.texts.systems)), "scored": how}
        kept = cache.get(f"{one.campaign}-{one.pair}-bleu", settings, make, {"values": (len(compared_systems(one)),)})
        found[one.pair] = dict(zip(compared_systems(one), kept["values"].tolist(), strict=True))
    return SystemScores(name, found)


JudgedPairs = dict[tuple[str, str], JudgedPair]
#: Losses that are compared on the same features.
PLANNED_COMPARISONS = (("ListNet", "RankNet"), ("ListMLE", "RankNet"), ("ListNet", "ListMLE"), ("RankNet", "pointwise"))


def translation_experiment(
    folder: PathLike,
    protocol: str = "wmt11",
    *,
    pairs: Sequence[str] | None = None,
    losses: Sequence[str] = tuple(LOSSES),
    features: Sequence[str] = tuple(FEATURE_SETS),
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
    """Train models of translations on people's rankings; compare them with people, baselines and published values.

    folder: with wmt12/ and, as the protocol needs them, wmt11/ and wmt13/, each with its judgments and plain/; and with
    mt-train/, parallel text. protocol: "wmt11" trains on WMT11 and tests on WMT12, as the paper does; "wmt11-all" on
    all pairs of WMT11 at once; "cv" by 5-fold cross-validation within each pair of WMT12; "leave-pair-out" on the other
    pairs; "wmt13" on WMT13 French-English, for pairs into English. pairs: of WMT12 those wanted; None: all there are.
    losses: ListNet, ListMLE, RankNet, pointwise. features: "nine" of the paper, "smoothed", "+chrF" (nine with chrF),
    "extended", "others" (with the other systems' outputs). hidden: sizes of hidden layers; () is linear. seeds: how
    often each is trained; scores are averaged. test_references: whether language models learn from the references of
    the test set, too, as the paper's did. cache: a folder that keeps features; None: nothing. n_resamples: of the
    bootstrap over segments. workers: processes; the result is the same. reading, progress: told of the share of the
    features, and of the training, just done.

    Segment taus are "wmt12" of `rankscope.agreement.segments`, in [-1, 1]; higher is better, NaN where people ordered
    no pair. Raises InputError for files that are missing or do not belong together and where there is nothing to learn
    from, UnknownName and ParameterError for arguments, before anything is read.

    Source: Li, Jiang and Wang (2013), "Listwise approach to learning to rank for automatic evaluation of machine
    translation".
    """
    check_count("seeds", seeds)
    check_count("n_resamples", n_resamples)
    seed = seed_of(rng)
    models = planned_models(losses, features)
    wanted = check_arguments(protocol, pairs, models)
    kept = ArrayCache(cache)
    judged = read_judged(folder, protocol, wanted)
    tested = tested_pairs(folder, protocol, judged, wanted, seed)
    columns = compute_feature_tables(folder, judged, kept, test_references=test_references, progress=reading)
    moving = PROTOCOLS[protocol].moves or random_models(models, hidden)
    began = time.process_time()
    by_seed = [
        scores_of_seed(protocol, judged, tested, columns, models, tuple(hidden), seed + s, workers, progress, 1 / seeds)
        for s in range(seeds if moving else 1)
    ]
    seconds = time.process_time() - began
    scores = {
        pair: {model.name: np.mean([found[pair][m] for found in by_seed], axis=0) for m, model in enumerate(models)}
        | {name: columns.one((TESTED, pair), column) for name, column in BASELINES.items()}
        for pair in tested
    }
    parts = [judged[TESTED, pair] for pair in tested]
    found, tests, left_out = against_people(parts, scores, models, corpus_bleu(parts, kept), n_resamples, seed)
    settings = [f"hidden:{','.join(map(str, hidden))}"] if hidden else []
    settings += [f"folds:{seed}", columns.settings, f"bootstrap:{n_resamples},0.95", f"rng:{seed}"]
    return TranslationExperiment(
        protocol=protocol,
        pairs=tuple(tested),
        found=found,
        tests=tuple(tests),
        models=models,
        by_seed=np.array(
            [[[segment_tau(one, of[one.pair][m]) for of in by_seed] for one in parts] for m in range(len(models))]
        ),
        scores=scores,
        systems={one.pair: one.systems for one in parts},
        seconds=seconds,
        settings=" | ".join(settings),
        data_notes=(*data_notes(judged, columns, moving, seeds), *left_out),
    )


def against_people(
    parts: Sequence[JudgedPair],
    scores: Mapping[str, Mapping[str, Floats]],
    models: Sequence[LearnedMetric],
    bleu: SystemScores,
    n_resamples: int,
    seed: int,
) -> tuple[dict[str, DirectionResult], list[PairTest], list[str]]:
    """What is found of each direction, the tests between models, and why systems are not compared, where so."""
    found = {}
    tests = []
    left_out = []
    for name, own in directions([one.pair for one in parts]).items():
        these = [one for one in parts if one.pair in own]
        on_lines = segment_taus(these, scores, n_resamples=n_resamples, seed=seed)
        enough = all(np.count_nonzero(has_ranked_outputs(one)) > 2 for one in these)
        whole = None
        if enough:
            try:
                whole = system_correlations(these, scores, [bleu], n_resamples=n_resamples, seed=seed)
            except InputError as error:  # systems that people only tied, or that a metric does not tell apart
                left_out.append(f"systems, {DIRECTIONS[name].said}, are not compared: {str(error).partition(';')[0]}")
        found[name] = DirectionResult(segments=on_lines, systems=whole)
        tests += [test for family in comparisons(models) for test in pair_tests(name, on_lines, family)]
    return found, tests, left_out


def tested_pairs(
    folder: PathLike, protocol: str, judged: JudgedPairs, wanted: Sequence[str] | None, seed: int
) -> list[str]:
    """The language pairs of WMT12 that are tested. Raises InputError where there are none, or nothing to train on."""
    tested = [pair for campaign, pair in judged if campaign == TESTED and pair_is_tested(protocol, pair, wanted)]
    if not tested:
        raise InputError(f"{folder}: no language pair into English has judgments, and this protocol tests only those")
    for _ in folds_of(protocol, judged, tested, seed):  # refuses what cannot be trained before the long work
        pass
    return tested


def check_arguments(protocol: str, pairs: Sequence[str] | None, models: Sequence[LearnedMetric]) -> list[str] | None:
    """The pairs wanted. Raises for a protocol, a pair, or nothing to train."""
    if protocol not in PROTOCOLS:
        raise UnknownName("protocol", str(protocol), PROTOCOLS)
    if not models:
        raise ParameterError("there is nothing to train: name at least one loss and one set of features")
    if pairs is not None and not pairs:
        raise ParameterError("there is nothing to test: name at least one language pair")
    for pair in pairs or ():
        if pair not in PAIRS:
            raise UnknownName("language pair of WMT12", str(pair), PAIRS)
    return None if pairs is None else [pair for pair in PAIRS if pair in pairs]


def read_judged(folder: PathLike, protocol: str, wanted: list[str] | None) -> JudgedPairs:
    """What the protocol reads. Pairs that are neither trained on nor tested are left out."""
    found: JudgedPairs = {}
    for campaign in PROTOCOLS[protocol].campaigns:
        own = wanted if campaign == TESTED and protocol != "leave-pair-out" else None
        found |= {(campaign, pair): one for pair, one in read_campaign(folder, campaign, own).items()}
    if wanted is not None and (missing := [pair for pair in wanted if (TESTED, pair) not in found]):
        raise InputError(f"{Path(folder) / TESTED}: no judgments with texts of {missing[0]}, expected both")
    return found


def pair_is_tested(protocol: str, pair: str, wanted: Sequence[str] | None) -> bool:
    return (wanted is None or pair in wanted) and (protocol != "wmt13" or into_english(pair))


def scores_of_seed(
    protocol: str,
    judged: JudgedPairs,
    tested: Sequence[str],
    columns: FeatureTables,
    models: tuple[LearnedMetric, ...],
    hidden: tuple[int, ...],
    seed: int,
    workers: int,
    progress: Callable[[float], Any] | None,
    share: float,
) -> Mapping[str, Floats]:
    """By language pair, (models, systems, lines) scores of the models of one seed."""
    folds = list(folds_of(protocol, judged, tested, seed))
    tell = None if progress is None else lambda n: progress(share * n / len(folds))
    shapes = {pair: (len(models), *columns.tables[TESTED, pair].shape[:2]) for pair in tested}
    found = {pair: np.empty(shape) for pair, shape in shapes.items()}
    units = fold_trainings(folds, judged, columns, models, hidden, seed)
    for fold, values in zip(folds, run_units(train_fold, units, workers=workers, progress=tell), strict=True):
        found[fold.pair][:, :, slice(None) if fold.lines is None else fold.lines] = values
    return found


def fold_trainings(
    folds: Sequence[ProtocolFold],
    judged: JudgedPairs,
    columns: FeatureTables,
    models: tuple[LearnedMetric, ...],
    hidden: tuple[int, ...],
    seed: int,
) -> Iterator[FoldTraining]:
    for fold in folds:
        table = columns.tables[TESTED, fold.pair]
        test = table if fold.lines is None else table[:, fold.lines]
        train = lists_of_judgments(fold.train, judged, columns.tables, COLUMNS)
        yield FoldTraining(train, test, COLUMNS, models, hidden, seed)


def directions(pairs: Sequence[str]) -> dict[str, list[str]]:
    """The language pairs into English and out of it; a direction without any is left out."""
    found = {"into": [pair for pair in pairs if into_english(pair)]}
    found["out"] = [pair for pair in pairs if pair not in found["into"]]
    return {name: own for name, own in found.items() if own}


def comparisons(models: Sequence[LearnedMetric]) -> list[list[PlannedComparison]]:
    """What was planned, a family a set of features: listwise losses against RankNet and one another, RankNet against
    the pointwise one, and RankNet (or the first there is) against the baselines.
    """
    families = []
    for features in dict.fromkeys(model.features for model in models):
        own = {loss: model.name for loss in LOSSES for model in models if model[1:3] == (LOSSES[loss], features)}
        family = [PlannedComparison(own[a], own[b]) for a, b in PLANNED_COMPARISONS if a in own and b in own]
        chosen = own.get("RankNet", next(iter(own.values())))
        families.append([*family, *(PlannedComparison(chosen, baseline) for baseline in BASELINES)])
    return families


def data_notes(judged: JudgedPairs, columns: FeatureTables, moving: bool, seeds: int) -> tuple[str, ...]:
    """What a reader should know of the data and the training."""
    notes = []
    for campaign in dict.fromkeys(campaign for campaign, _ in judged):
        whole = next(one.whole for (name, _), one in judged.items() if name == campaign)
        notes += [note.rpartition("/")[2] for note in whole.notes]
        read = [(pair, len(one.rankings)) for (name, pair), one in judged.items() if name == campaign]
        notes.append(f"{campaign}: judgments of {', '.join(f'{pair} {n:,}' for pair, n in read)}")
    if not moving and seeds > 1:
        notes.append("no model depends on the seed here, and each was trained once")
    return tuple(dict.fromkeys((*notes, *columns.notes)))
