"""ranks: predicted rankings against people's, all of RankEval's measures in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankscope.agreement.as_rankeval import all_metrics, tau_and_counts, tool_table
from rankscope.agreement.best_predicted import count_ranks
from rankscope.agreement.experiments import Sources, load_experiments
from rankscope.agreement.rank_agreement import ALL, RankAgreement, RankPart
from rankscope.agreement.rank_sources import Source, select_columns
from rankscope.agreement.rank_table import segments_of, table_of
from rankscope.agreement.set_values import IntervalStatistic, RankSettings, SetMeasures, measure_lists
from rankscope.data.rank_list import check_normalisation
from rankscope.data.rankings import Rankings
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.streams import source_name
from rankscope.stats.inputs import check_choice, check_count, check_share, seed_of

__all__ = ["ORDERS", "PRESETS", "ranks"]

PRESETS = ("rankeval",)
#: What may order the figure over experiments.
ORDERS = ("MRR", "tau", "tau_macro", "tau_original", "tau_original_macro", "DCG", "nDCG", "ERR", "average_predicted")


def ranks(
    rankings: Sources,
    *,
    predicted: str | Sequence[str] | None = None,
    gold: str | None = None,
    preset: str | None = None,
    by_segment: bool = False,
    order_by: str = "MRR",
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    normalise: str = "ceiling",
    invert: bool = False,
    cutoff: int | None = None,
    missing: str = "error",
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
) -> RankAgreement:
    """How well predicted rankings agree with people's: every segment and set measure of RankEval's paper.

    rankings: Rankings, or a file of them (JCML; CSV, TSV, JSONL, Parquet with segment and system); several, or a
    mapping of names to them, are so many experiments; so are those that a column "experiment" of a table names.
    predicted, gold: names of columns; gold is "rank" or "gold" by default, predicted the other column, or several of
    them. invert: the predicted ones are scores, of which higher is better. by_segment: every list too. order_by: the
    measure that orders experiments in the figure, the best first.

    tau is penalised and micro (all pairs counted together), its original and macro (mean over lists) forms beside it;
    its p-values come from permutations of the systems of each segment, one for all judgments of it, and from the
    segments' p-values by Fisher and Stouffer. MRR is the mean of FARR;
    DCG, nDCG and ERR have relevance n - rank + 1, and are averaged over the orders of what the machine ties. The
    options of ties, cutoff and missing are explained in `per_segment` and `per_set`. Intervals are percentiles of a
    bootstrap of segments; what was judged of one segment is drawn together. Several language pairs are measured one
    by one, and all together (pair "all").

    preset: "rankeval" gives what RankEval's reference code prints instead, keys and digits, errors included.

    -1 says "not ranked"; in a predicted column it is a number like others where it holds scores (invert) or another
    number below 0. Raises InputError for what cannot be read or has no rank, UnknownName for a column or preset that
    there is not, ParameterError for arguments out of range.

    Source: Avramidis (2013), RankEval.

    >>> import numpy as np
    >>> import rankscope as rs
    >>> from rankscope.data.rankings import Rankings
    >>> judged = Rankings.of([{"a": 1, "b": 2, "c": 3, "d": 3}, {"a": 2, "b": 1}])
    >>> judged = judged.with_column("metric", np.array([3, 4, 1, 2, 1.5, 1.5]), score=False)
    >>> found = rs.agreement.ranks(judged, predicted="metric")
    >>> round(found["tau"], 4), round(found["MRR"], 4)  # (1 - 5) / 6, (1/3 + 1/2) / 2
    (-0.6667, 0.4167)
    """
    asked = validate_settings(
        RankSettings(
            exclude_gold_ties=exclude_gold_ties,
            penalise_predicted_ties=penalise_predicted_ties,
            normalise=normalise,
            invert=invert,
            cutoff=cutoff,
            missing=missing,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            seed=seed_of(rng),
        )
    )
    refuse_options_of_preset(preset, asked, by_segment, order_by)
    parts: list[RankPart] = []
    notes: list[str] = []
    gold_names: dict[str, None] = {}
    for name, source, found in load_experiments(rankings, predicted, gold):
        if not len(found):
            raise InputError("there is no judgment, expected at least one")
        gold_name, columns = select_columns(found, predicted, gold)
        gold_names[gold_name] = None
        notes += [f"{name}: {note}" if name else note for note in found.notes]
        for column in columns:
            metric = column if not name else name if len(columns) == 1 else f"{name} {column}"
            with file_name_in_errors(source):
                if preset is not None:
                    parts.append(tool_part(metric, found, gold_name, column))
                    continue
                made, note = measure_language_pairs(metric, found, gold_name, column, asked, progress)
            parts += made
            notes += note
    return RankAgreement(
        parts=tuple(parts),
        gold=join_names(gold_names),
        by_segment=by_segment,
        asked=asked,
        order_by=order_by,
        notes=tuple(dict.fromkeys(notes)),
        preset=preset,
    )


def validate_settings(asked: RankSettings) -> RankSettings:
    """The same. Raises ParameterError for what is out of range."""
    check_normalisation(asked.normalise, "normalise")
    check_choice("missing", asked.missing, ("error", "drop"))
    check_count("n_resamples", asked.n_resamples)
    check_share("confidence_level", asked.confidence_level)
    if asked.cutoff is not None:
        check_count("cutoff", asked.cutoff)
    return asked


def refuse_options_of_preset(preset: str | None, asked: RankSettings, by_segment: bool, order_by: str) -> None:
    """The tool's output has no options: refuse those that would be forgotten. Raises UnknownName, ParameterError."""
    check_choice("order_by", order_by, ORDERS)
    if preset is None:
        return
    if preset not in PRESETS:
        raise UnknownName("preset", str(preset), PRESETS)
    usual = RankSettings(confidence_level=asked.confidence_level, n_resamples=asked.n_resamples, seed=asked.seed)
    changed = [name for name in RankSettings._fields if getattr(asked, name) != getattr(usual, name)]
    changed += ["by_segment"] if by_segment else []
    changed += ["order_by"] if order_by != ORDERS[0] else []
    if changed:
        raise ParameterError(f"{changed[0]} is given with preset 'rankeval', whose output has no options; leave it out")


@contextmanager
def file_name_in_errors(source: Source) -> Iterator[None]:
    """What is wrong with the ranks of a file is told with its name."""
    try:
        yield
    except InputError as error:
        if isinstance(source, Rankings):
            raise
        raise InputError(f"{source_name(source)}: {error}") from None


def measure_language_pairs(
    metric: str,
    rankings: Rankings,
    gold: str,
    column: str,
    asked: RankSettings,
    progress: Callable[[float], Any] | None,
) -> tuple[list[RankPart], list[str]]:
    """Each language pair, and all of them where there are several; and a note on what was left out."""
    codes, names = np.unique(rankings.pair.codes), rankings.pair.names
    pairs = [(names[codes[0]], rankings)] if codes.size == 1 else [*rankings.by_pair(), (ALL, rankings)]
    parts, left_out = [], 0
    for pair, one in pairs:
        part, left_out = measure_part(metric, pair, one, gold, column, asked, progress)
        parts.append(part)
    if not any((part.found.taus.pairs - part.found.taus.gold_ties).any() for part in parts):
        raise InputError(
            f"in column {gold!r} no item is ranked above another of its list: all of a list are tied, or a list has "
            "one item; expected lists in which people prefer some items"
        )
    return parts, [f"{metric}: {pluralise(left_out, 'item')} without a rank left out"] if left_out else []


def tool_part(metric: str, rankings: Rankings, gold: str, column: str) -> RankPart:
    """What the tool prints of it."""
    table = tool_table(rankings, gold, column)
    nan = float("nan")
    values = (IntervalStatistic(key, value, nan, nan, len(table)) for key, value in all_metrics(table).items())
    found = SetMeasures(tuple(values), tau_and_counts(table), count_ranks(np.empty(0)), {})
    pairs = np.unique(rankings.pair.codes)
    return RankPart(
        metric=metric,
        pair=rankings.pair.names[pairs[0]] if pairs.size == 1 else ALL,
        lists=rankings,
        lengths=tuple(table.lengths.tolist()),
        found=found,
    )


def measure_part(
    metric: str,
    pair: str,
    rankings: Rankings,
    gold: str,
    column: str,
    asked: RankSettings,
    progress: Callable[[float], Any] | None,
) -> tuple[RankPart, int]:
    table, left_out = table_of(rankings, gold, column, missing=asked.missing, invert=asked.invert)
    if not table.lengths.all():
        kept = np.flatnonzero(table.lengths > 0)
        table, rankings = table.rows(kept), rankings.select(kept)
    found = measure_lists(table, segments_of(rankings), asked, progress)
    return (
        RankPart(metric=metric, pair=pair, lists=rankings, lengths=tuple(table.lengths.tolist()), found=found),
        left_out,
    )
