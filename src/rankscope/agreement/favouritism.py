"""Whether judges favour systems of a family, such as an LLM answers of its own kind: judges against people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.agreement.direction import directions
from rankscope.agreement.load import JudgmentSource, PeopleAndMetrics, ScoreSource, load
from rankscope.agreement.match import MatchedScores, match, score_table
from rankscope.agreement.settings import (
    JudgmentSettings,
    MetricSettings,
    Names,
    SystemSettings,
    judgment_settings_of,
    metric_settings_of,
)
from rankscope.agreement.statistics import divide_or_nan
from rankscope.agreement.system_scores import on_common_segments, win_sums
from rankscope.data.metric_scores import PairScores
from rankscope.data.rankings import Rankings
from rankscope.data.result import Result
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.evaluation.families import FamiliesRule, read_families
from rankscope.kernels.rounding_ties import NOISE
from rankscope.settings import REQUIRED, Settings, alpha_field, choice, declare, switch
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.multiple_comparisons import CORRECTIONS, adjust_pvalues
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = [
    "MIN_QUERIES",
    "FamilyFavour",
    "FavourSettings",
    "favour",
    "favour_contrast",
    "judge_families",
    "spread_within_queries",
]


@dataclass(frozen=True, kw_only=True)
class FavourSettings(Settings):
    """How favouritism of judges is tested; see `favour`."""

    FUNCTIONS = ("rankscope.agreement:favour",)
    COMMANDS = ("agree favour",)

    families: Mapping[str, str] | str = declare(
        FamiliesRule(),
        REQUIRED,
        "Family of each system: SYSTEM=FAMILY with commas between several, or a table with the columns system and "
        "family. It may also hold the families of judges, for --own. Systems without a family are others.",
        flag="--family",
        metavar="SYSTEM=FAMILY,...|TABLE",
        python_help="Family of each system, such as {'gpt-5': 'openai'}, or a table with the columns system and "
        "family. It may also hold the families of judges, for `own`. Systems without a family are others.",
    )
    own: bool = switch(False, help="Test each judge with its own family only; judges without a family are not tested.")
    common: bool = switch(
        False, help="Skip systems, segments and language pairs that are missing from a judge, instead of stopping."
    )
    correction: str = choice(
        "holm", CORRECTIONS, help="Correction of p-values for multiple comparisons, over all judges and families."
    )
    alpha: float = alpha_field(
        help="Significance level. Confidence intervals have the level 1 - alpha, and are not corrected."
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FamilyFavour(Result):
    """How far judges favour systems of a family, beyond what people think of these systems.

    `frame()` is the tidy table, a row for each judge and family. Arrays have the shape (judges, families), and are NaN
    where nothing was tested. Where people's scores do not give the slope, only the advantages have a value. Advantages,
    expected advantages and favour are in standard deviations of the scores of one query: of people's for `by_people`,
    else of the judge's.

    Attributes
    ----------
    judges
        The names of the judges.
    families
        The names of the families that are tested.
    systems
        By family, its systems.
    others
        The systems that belong to no family.
    by_people, by_judge
        The advantage of the family over all other systems, on average over the queries.
    expected
        The advantage that the judge would give the family if it responded to quality there as it does among the systems
        within the family and among the others.
    favour
        by_judge - expected: above 0 if the judge favours the family, below 0 if it disfavours it.
    low, high
        Its confidence interval.
    slope
        By how many standard deviations the judge's scores rise where people's rise by one.
    slope_t
        How far people's scores tell the systems within the two groups apart, in standard errors.
    pvalue, pvalue_corrected
        Of no favour, over queries: for these systems.
    pvalue_systems, pvalue_systems_corrected
        Of no favour, over systems as a sample: for a family of which these systems are examples.
    n
        How many queries have scores of both the family and others.
    scale
        (judges) the standard deviation of each judge's scores within a query, in its points.
    scale_of_people
        That of people's scores.
    settings
        How favouritism was tested.
    gold
        The column of people.
    rule
        What human scores are: "mean" for scores, or "shares" of won comparisons for ranks.
    higher
        Those of the column of people and the judges in which higher is better.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.agreement.favour_view:sections_of"
    COLUMNS = (
        "judge",
        "family",
        "by_people",
        "by_judge",
        "expected",
        "favour",
        "low",
        "high",
        "slope",
        "pvalue",
        "pvalue_corrected",
        "pvalue_systems",
        "pvalue_systems_corrected",
        "n",
    )

    judges: tuple[str, ...]
    families: tuple[str, ...]
    systems: tuple[tuple[str, ...], ...]
    others: tuple[str, ...]
    by_people: Floats
    by_judge: Floats
    expected: Floats
    favour: Floats
    low: Floats
    high: Floats
    slope: Floats
    slope_t: Floats
    pvalue: Floats
    pvalue_corrected: Floats
    pvalue_systems: Floats
    pvalue_systems_corrected: Floats
    n: Ints
    scale: Floats
    scale_of_people: float
    settings: FavourSettings
    gold: str
    rule: str
    higher: tuple[str, ...]
    notes: tuple[str, ...]

    def cells(self) -> list[tuple[int, int]]:
        """The judges and families that are tested, by their places."""
        return [(j, f) for j, f in np.argwhere(self.n >= 0).tolist()]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table."""
        for j, f in self.cells():
            numbers = (float(getattr(self, name)[j, f]) for name in self.COLUMNS[2:-1])
            yield self.judges[j], self.families[f], *numbers, int(self.n[j, f])

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        families = [f"{name}({len(systems)})" for name, systems in zip(self.families, self.systems, strict=True)]
        return [
            "favour of families",
            f"families:{','.join(families)}{f',others({len(self.others)})' if self.others else ''}",
            *(["own"] if self.settings.own else []),
            f"gold:{self.gold}",
            f"human:{self.rule}",
            *directions(self.gold, self.judges, self.higher),
            *(["common"] if self.settings.common else []),
            f"correction:{self.settings.correction} ({pluralise(len(self.cells()), 'test')})",
            *self.settings.parts("alpha"),
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.judges), 'judge')}, {pluralise(len(self.families), 'family', 'families')}"


def favour(
    judgments: JudgmentSource,
    scores: ScoreSource = (),
    *,
    families: Mapping[str, str] | PathLike,
    own: bool = False,
    common: bool = False,
    correction: str = "holm",
    alpha: float = 0.05,
    gold: str | None = None,
    pairs: Names | None = None,
    metrics: Names | None = None,
    higher: Names = (),
    lower: Names = (),
    ranks: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    test_set: str | None = None,
) -> FamilyFavour:
    """Whether judges favour systems of a family, such as an LLM answers that models of its own maker wrote.

    Parameters
    ----------
    judgments
        What people said of the systems' outputs: scores or rankings of segments, as in `rankscope.agreement.systems`.
    scores
        The judges: their scores of the same outputs. Without any, every other column of the judgments is a judge.
    families
        Family of each system, such as {'gpt-5': 'openai'}, or a table with the columns system and family. It may also
        hold the families of judges, for `own`. Systems without a family are others.
    own
        Test each judge with its own family only; judges without a family are not tested. Default: False.
    common
        Skip systems, segments and language pairs that are missing from a judge, instead of stopping. Default: False.
    correction
        Correction of p-values for multiple comparisons, over all judges and families. One of 'holm', 'bonferroni',
        'hochberg', 'hommel', 'bh', 'by', 'none'. Default: 'holm'.
    alpha
        Significance level. Confidence intervals have the level 1 - alpha, and are not corrected. Default: 0.05.
    gold
        Column with the human ranks or scores. Default: the column named "rank", "gold" or "human".
    pairs
        Language pairs to include, in this order. Default: all.
    metrics
        Metrics to include, in this order. Default: all.
    higher
        Columns in which higher is better, such as scores; other columns of judgments hold ranks.
    lower
        Metrics, or human scores, in which lower is better, such as TER and HTER.
    ranks
        Columns of ranks, 1 for the best, whose values or names do not say so, such as means of ranks.
    duplicates
        What to do with judgments that repeat an earlier one in all fields. One of 'keep', 'drop', 'refuse'. Default:
        keep, as WMT does.
    reference
        What to do with the reference if a ranking CSV of WMT ranks it as a system. One of 'keep', 'drop'. Default:
        keep.
    lines
        For WMT11: a file whose line i names segment i of the ranking CSV.
    columns
        Column names in a table, where NAME is segment, system, pair, judge or judgment: system=engine. Default: found
        by their usual names.
    test_set
        Test set to use from score files that hold several.

    Returns
    -------
    FamilyFavour
        For each judge and family the advantage of the family by people and by the judge, the favour with its interval,
        and two p-values.

    Raises
    ------
    InputError
        Scores are of whole systems, a family has no system or all of them, a judge gives all outputs of each query the
        same score; or as `rankscope.agreement.systems`.
    UnknownName
        A mapping names a system that nobody judged.
    ParameterError
        A setting is out of range, or `own` is set and no judge has a family.

    Notes
    -----
    A judge who likes a family because it is better favours nobody, and one whose scores are noisy or coarse gives the
    better family a smaller advantage than people do. So the judge's advantage is compared with the *expected* one:
    people's advantage times the judge's slope, which tells how strongly it responds to quality among the systems within
    the family and among the others. The slope comes from products of different queries, so that the noise of neither
    side changes it; `favour_contrast` has the formula. Where people's scores do not tell these systems apart, there is
    no slope, and no verdict. The slope is one line: a judge whose scores end at a ceiling seems to disfavour the best.

    Two questions have two p-values. Over queries (a jackknife, Student's t): does the judge favour these systems? Any
    judge likes some systems more than people do, and with many queries that shows, for random families, too. Over
    systems (analysis of covariance): does it favour the family more than it favours single systems by chance?

    If two families hold all systems, the favour for one is the disfavour for the other; it is tested once. Queries of
    all language pairs count alike.

    Ranks become the share of comparisons in the same judgment that a system wins, ties as half.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> quality = np.array([2.0, 1, 0, 2, 1, 0])[:, None] + rng.normal(size=(6, 60))
    >>> def scored(name, values):
    ...     from rankscope.data.metric_scores import MetricScores, PairScores
    ...     return MetricScores(name, {"": PairScores(tuple("ABCDEF"), tuple(map(str, range(60))), values)})
    >>> people = scored("people", quality + rng.normal(size=(6, 60)))
    >>> fair = scored("fair", quality + 3 * rng.normal(size=(6, 60)))
    >>> kin = scored("kin", 10 * quality + 10 * rng.normal(size=(6, 60)) + ([[20]] * 3 + [[0]] * 3))
    >>> found = favour(people, [fair, kin], families={"A": "x", "B": "x", "C": "x"})
    >>> found.favour.round(1).tolist(), (found.pvalue_corrected < 0.05).tolist()
    ([[0.0], [0.9]], [[False], [True]])
    """
    settings = FavourSettings(
        families=families,  # type: ignore[arg-type]  # a path becomes a text
        own=own,
        common=common,
        correction=correction,
        alpha=alpha,
    )
    judgment_settings = judgment_settings_of(
        gold=gold, pairs=pairs, higher=higher, duplicates=duplicates, reference=reference, lines=lines, columns=columns
    )
    metric_settings = metric_settings_of(metrics=metrics, lower=lower, ranks=ranks, test_set=test_set)
    return judge_families(judgments, scores, judgment_settings, metric_settings, settings)


def judge_families(
    judgments: JudgmentSource,
    scores: ScoreSource,
    judgment_settings: JudgmentSettings,
    metric_settings: MetricSettings,
    settings: FavourSettings,
) -> FamilyFavour:
    """As `favour`, with its settings as objects."""
    is_table = isinstance(settings.families, str)
    family_of = read_families(settings.families) if isinstance(settings.families, str) else dict(settings.families)
    inputs = load(judgments, scores, judgment_settings, metric_settings, level="any").for_systems(None)
    refuse_systems_only(inputs)
    matches, notes = match(inputs, "system", "skip" if settings.common else "refuse")
    cells, cell_notes = scores_by_query(matches)
    judges = tuple(metric.metric for metric in inputs.metrics)
    unknown = [name for name in family_of if name not in cells.systems and name not in judges]
    if unknown and not is_table:
        raise UnknownName("system among the families", unknown[0], (*cells.systems, *judges))
    if unknown:
        notes.append(f"the table of families has {pluralise(len(unknown), 'system')} that nobody judged")
    masks = family_masks(cells.systems, family_of)
    return contrast_families(inputs, cells, judges, masks, family_of, settings, [*inputs.notes, *notes, *cell_notes])


def refuse_systems_only(inputs: PeopleAndMetrics) -> None:
    """Raise InputError where a side has scores of whole systems only."""
    sides = [(inputs.gold, inputs.people.level), *((metric.metric, metric.level) for metric in inputs.metrics)]
    for name, level in sides:
        if level == "system":
            raise InputError(
                f"{name} has scores of systems only; favour is tested over queries, so give scores of their outputs"
            )


class ScoresByQuery(NamedTuple):
    """The scores of all language pairs, higher is better; a query is a segment of a language pair.

    Attributes
    ----------
    systems
        The names of the systems.
    people
        (systems, queries) NaN where there is no score.
    judges
        (judges, systems, queries) the same of each judge.
    """

    systems: tuple[str, ...]
    people: Floats
    judges: Floats


def scores_by_query(matches: Sequence[MatchedScores]) -> tuple[ScoresByQuery, list[str]]:
    """The scores of people and judges on the queries that people judged, and notes on those without a score."""
    systems = tuple(dict.fromkeys(name for matched_scores in matches for name in matched_scores.systems))
    place_of = {name: place for place, name in enumerate(systems)}
    blocks, notes = [], []
    for matched_scores in matches:
        matched_scores, pair_notes = on_common_segments(matched_scores, SystemSettings(over="own"))
        people = matched_scores.people
        if isinstance(people, Rankings):
            people = win_shares(people, matched_scores.names[0], matched_scores.systems)
        block = np.full((1 + len(matched_scores.metrics), len(systems), len(people.segments)), np.nan)
        rows = [place_of[name] for name in matched_scores.systems]
        for side, (scores, higher) in enumerate(
            zip((people, *matched_scores.metrics), matched_scores.higher, strict=True)
        ):
            values = score_table(scores, people.segments)
            block[side, rows] = values if higher else -values
        blocks.append(block)
        notes += pair_notes
    stack = np.concatenate(blocks, axis=2)
    return ScoresByQuery(systems, stack[0], stack[1:]), notes


def win_shares(rankings: Rankings, gold: str, systems: tuple[str, ...]) -> PairScores:
    """By segment, the share of a system's comparisons that it wins, ties as half."""
    wins = win_sums(rankings, gold, systems, "wins").numerators
    sums = win_sums(rankings, gold, systems, "better_or_equal")
    assert wins is not None
    assert sums.numerators is not None
    assert sums.denominators is not None
    shares, games = (wins + sums.numerators)[:, :, 0] / 2, sums.denominators[:, :, 0]
    return PairScores(systems, sums.segments, divide_or_nan(shares, games).T)


def family_masks(systems: Sequence[str], family_of: Mapping[str, str]) -> dict[str, Bools]:
    """Family -> (systems) which are of it; families without a system are left out."""
    names = dict.fromkeys(family_of[name] for name in systems if name in family_of)
    masks = {name: np.array([family_of.get(system) == name for system in systems]) for name in names}
    if not masks:
        raise InputError(f"no system belongs to a family; the systems are {join_names(systems)}")
    if all(mask.all() for mask in masks.values()):
        raise InputError(
            f"all systems are of the family {next(iter(masks))}, expected systems of others to compare them with"
        )
    return masks


def tested_cells(
    judges: Sequence[str], masks: Mapping[str, Bools], family_of: Mapping[str, str], own: bool
) -> tuple[list[tuple[int, int]], list[str]]:
    """The judges and families that are tested, by their places, and notes. Raises ParameterError for none."""
    families = list(masks)
    if own:
        cells = [
            (j, families.index(family_of[judge])) for j, judge in enumerate(judges) if family_of.get(judge) in masks
        ]
        if not cells:
            raise ParameterError(
                "own (--own) tests judges with their own family, and no judge has a family with a system; add the "
                f"judges to the families (--family): {join_names(judges)}"
            )
        skipped = [judge for judge in judges if family_of.get(judge) not in masks]
        return cells, [f"{join_names(skipped)}: no family with a system, so not tested"] if skipped else []
    if len(families) == 2 and np.logical_xor(*masks.values()).all():
        note = f"all systems are of {families[0]} or {families[1]}: favour for one is disfavour for the other"
        return [(j, 0) for j in range(len(judges))], [note]
    return [(j, f) for j in range(len(judges)) for f in range(len(families))], []


def contrast_families(
    inputs: PeopleAndMetrics,
    scores: ScoresByQuery,
    judges: tuple[str, ...],
    masks: dict[str, Bools],
    family_of: Mapping[str, str],
    settings: FavourSettings,
    notes: Sequence[str],
) -> FamilyFavour:
    """The contrasts of all judges and families that are tested. Raises InputError for a judge that tells nothing."""
    families = list(masks)
    cells, cell_notes = tested_cells(judges, masks, family_of, settings.own)
    spreads = np.array([spread_within_queries(table) for table in (scores.people, *scores.judges)])
    for name, spread in zip((inputs.gold, *judges), spreads.tolist(), strict=True):
        if not spread > 0:
            raise InputError(f"{name} has the same score for all systems of each query; nothing to compare")
    shape = len(judges), len(families)
    table = {name: np.full(shape, np.nan) for name in CONTRAST_ARRAYS}
    n = np.full(shape, -1, np.int64)
    for j, f in cells:
        contrast = favour_contrast(scores.people, scores.judges[j], masks[families[f]], 1 - settings.alpha)
        if np.isnan(contrast.pvalue):  # a slope that is not known gives any favour
            contrast = contrast._replace(slope=math.nan, favour=math.nan)
        of_people, of_judge = float(spreads[0]), float(spreads[1 + j])
        table["by_people"][j, f] = contrast.by_people / of_people
        for name, value in (
            ("by_judge", contrast.by_judge),
            ("expected", contrast.slope * contrast.by_people),
            ("favour", contrast.favour),
            ("low", contrast.low),
            ("high", contrast.high),
            ("slope", contrast.slope * of_people),
        ):
            table[name][j, f] = value / of_judge
        for name in ("slope_t", "pvalue", "pvalue_systems"):
            table[name][j, f] = getattr(contrast, name)
        n[j, f] = contrast.n_queries
    corrected = {f"{name}_corrected": corrected_pvalues(table[name], settings) for name in ("pvalue", "pvalue_systems")}
    return FamilyFavour(
        judges=judges,
        families=tuple(families),
        systems=tuple(tuple(np.array(scores.systems, object)[mask].tolist()) for mask in masks.values()),
        others=tuple(name for name in scores.systems if name not in family_of),
        **table,
        **corrected,
        n=n,
        scale=spreads[1:],
        scale_of_people=float(spreads[0]),
        settings=settings,
        gold=inputs.gold,
        rule="shares" if inputs.people.is_of_lists else "mean",
        higher=inputs.higher,
        notes=(*dict.fromkeys(notes), *cell_notes),
    )


#: The arrays of a result that a contrast fills.
CONTRAST_ARRAYS = (
    "by_people",
    "by_judge",
    "expected",
    "favour",
    "low",
    "high",
    "slope",
    "slope_t",
    "pvalue",
    "pvalue_systems",
)


def corrected_pvalues(pvalues: Floats, settings: FavourSettings) -> Floats:
    """The p-values corrected together; NaN where there is none."""
    corrected = np.full(pvalues.shape, np.nan)
    defined = ~np.isnan(pvalues)
    if defined.any():
        corrected[defined] = adjust_pvalues(pvalues[defined], method=settings.correction).pvalue
    return corrected


#: The jackknife leaves one query out, and the slope needs two that are left.
MIN_QUERIES = 4
#: Differences of means are 0 up to rounding where they are this small a share of what they are made of.
ROUNDING = 1000 * NOISE


class Contrast(NamedTuple):
    """The favour of a judge for a family, in the judge's points; NaN where the scores do not give it.

    Attributes
    ----------
    by_people, by_judge
        The advantage of the family over the other systems, on average over the queries.
    slope
        By how many points the judge's scores rise where people's rise by one, from the systems within the family and
        within the others.
    slope_t
        How far people's scores tell the systems within each of the two groups apart, in standard errors.
    favour
        by_judge - slope x by_people.
    se
        Its standard error, by a jackknife over the queries.
    low, high
        Its confidence interval, from Student's distribution.
    pvalue
        Of no favour, over queries, for these systems.
    pvalue_systems
        Of no favour, over systems as a sample; NaN for fewer than four systems.
    n_queries
        Queries with scores of both groups.
    """

    by_people: float
    by_judge: float
    slope: float
    slope_t: float
    favour: float
    se: float
    low: float
    high: float
    pvalue: float
    pvalue_systems: float
    n_queries: int


def spread_within_queries(values: Floats) -> float:
    """The standard deviation of scores within a query, pooled over the queries; values: (systems, queries).

    Examples
    --------
    >>> spread_within_queries(np.array([[1.0, 5.0], [3.0, 7.0]])) == 2**0.5  # four squares of 1, two degrees of freedom
    True
    """
    present = ~np.isnan(values)
    deviations = centre_queries(values, present)
    n_free = int(np.count_nonzero(present) - np.count_nonzero(present.any(axis=0)))
    return math.sqrt(float((deviations**2).sum()) / n_free) if n_free else math.nan


def centre_queries(values: Floats, present: Bools) -> Floats:
    """(systems, queries) the scores less their mean in the query; 0 where there is none."""
    means = np.where(present, values, 0.0).sum(axis=0) / np.maximum(np.count_nonzero(present, axis=0), 1)
    return np.where(present, values - means, 0.0)


def favour_contrast(people: Floats, judge: Floats, in_family: Bools, confidence_level: float = 0.95) -> Contrast:
    """How much more a judge prefers a family than people do, apart from how strongly it responds to quality.

    Parameters
    ----------
    people, judge
        Scores, (systems, queries); higher is better, NaN for none. A cell counts where both have one.
    in_family
        (systems) those of the family.
    confidence_level
        Level of the interval.

    Returns
    -------
    Contrast
        NaN if fewer than `MIN_QUERIES` queries have scores of both groups, or if people's scores do not tell the
        systems within the groups apart.

    Notes
    -----
    The slope is a ratio of sums over pairs of *different* queries: sum of x_sq y_sr / sum of x_sq x_sr, q other than r,
    where x and y are people's and the judge's scores of a system less the mean of its group in the query. Errors of
    different queries are independent, so that neither a judge's noise nor that of people changes the slope on average;
    a regression of cells on cells would be too flat, and show favour for any family that is better.

    Examples
    --------
    >>> people = np.array([[3.0, 4, 3, 4], [1, 1, 2, 1], [2, 2, 1, 2], [0, 1, 0, 0]])
    >>> found = favour_contrast(people, 10 * people + [[5], [5], [0], [0]], np.array([True, True, False, False]))
    >>> round(found.slope, 6), round(found.favour, 6)
    (10.0, 5.0)
    """
    present = ~(np.isnan(people) | np.isnan(judge))
    used = present[in_family].any(axis=0) & present[~in_family].any(axis=0)
    x, y, present = people[:, used], judge[:, used], present[:, used]
    n = int(np.count_nonzero(used))
    advantages = [advantage(values, present, in_family) for values in (x, y)]
    by_people, by_judge = (float(values.mean()) if n else math.nan for values in advantages)
    if n < MIN_QUERIES:
        return Contrast(by_people, by_judge, *(math.nan,) * 8, n)
    x_centred, y_centred = (
        np.where(
            in_family[:, None],
            centre_queries(values, present & in_family[:, None]),
            centre_queries(values, present & ~in_family[:, None]),
        )
        for values in (x, y)
    )
    products, squares = (cross_product(x_centred, values) for values in (y_centred, x_centred))
    slope = float(divide_or_nan(products.all, squares.all))
    favour = by_judge - slope * by_people
    left_out = [(n * mean - values) / (n - 1) for mean, values in zip((by_people, by_judge), advantages, strict=True)]
    se = jackknife_error(left_out[1] - divide_or_nan(products.left_out, squares.left_out) * left_out[0])
    margin = se * float(special().stdtrit(n - 1, (1 + confidence_level) / 2))
    return Contrast(
        by_people=by_people,
        by_judge=by_judge,
        slope=slope,
        slope_t=distance_from_0(squares.all, jackknife_error(squares.left_out)),
        favour=favour,
        se=se,
        low=favour - margin,
        high=favour + margin,
        pvalue=two_sided(favour, se, n - 1, max(abs(by_judge), abs(slope * by_people))),
        pvalue_systems=math.nan
        if math.isnan(se)
        else pvalue_over_systems(x_centred, y_centred, present, in_family, slope, favour, by_people),
        n_queries=n,
    )


def advantage(values: Floats, present: Bools, in_family: Bools) -> Floats:
    """(queries) the mean of the family less that of the other systems."""
    means = [
        np.where(present[group], values[group], 0.0).sum(axis=0) / np.count_nonzero(present[group], axis=0)
        for group in (in_family, ~in_family)
    ]
    return np.asarray(means[0] - means[1])


class CrossProduct(NamedTuple):
    """The mean product of two tables over pairs of different queries, as `cross_product` gives it.

    Attributes
    ----------
    all
        On all queries.
    left_out
        (queries) without each query, for the jackknife.
    """

    all: float
    left_out: Floats


def cross_product(x: Floats, y: Floats) -> CrossProduct:
    """The mean of x_sq y_sr over pairs of different queries q and r, summed over systems s.

    x, y: (systems, queries).
    """
    n = x.shape[1]
    of_query = (x * y).sum(axis=0)
    x_sums, y_sums = x.sum(axis=1), y.sum(axis=1)
    total = float(x_sums @ y_sums - of_query.sum())
    without = ((x_sums[:, None] - x) * (y_sums[:, None] - y)).sum(axis=0) - (of_query.sum() - of_query)
    return CrossProduct(total / (n * (n - 1)), without / ((n - 1) * (n - 2)))


def jackknife_error(left_out: Floats) -> float:
    """The standard error of an estimate from its values without each query; NaN where one of them has no value."""
    n = left_out.size
    return math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))


def distance_from_0(estimate: float, error: float) -> float:
    """The estimate in standard errors."""
    return estimate / error if error > 0 else math.inf if estimate > 0 else 0.0


def two_sided(estimate: float, error: float, df: int, scale: float) -> float:
    """The p-value of an estimate by Student's distribution; 1 where it differs from 0 by rounding only."""
    if math.isnan(estimate) or math.isnan(error):
        return math.nan
    if abs(estimate) <= ROUNDING * scale:
        return 1.0
    statistic = math.inf if error <= ROUNDING * abs(estimate) else abs(estimate) / error
    return float(t_pvalue(np.array([statistic]), df, "two-sided")[0])


def pvalue_over_systems(
    x: Floats, y: Floats, present: Bools, in_family: Bools, slope: float, favour: float, by_people: float
) -> float:
    """The p-value of a favour, as if the systems were a sample of many.

    How far a judge favours any single system, the residuals say. This is an analysis of covariance of the systems'
    means with one slope and two groups.

    Parameters
    ----------
    x, y
        Scores of people and of the judge, (systems, queries), centred in query and group.
    present
        (systems, queries) where both have a score.
    in_family
        (systems) those of the family.
    slope, favour, by_people
        As of `Contrast`.
    """
    counts = np.count_nonzero(present, axis=1)
    scored = counts > 1
    n_family, n_others = (int(np.count_nonzero(scored & group)) for group in (in_family, ~in_family))
    df = n_family + n_others - 3
    if df < 1 or not n_family or not n_others or math.isnan(slope):
        return math.nan
    x, y, counts = x[scored], y[scored], counts[scored]
    residuals = (y.sum(axis=1) - slope * x.sum(axis=1)) / counts
    # People's differences without their noise: products of different queries.
    spread = float(((x.sum(axis=1) ** 2 - (x * x).sum(axis=1)) / (counts * (counts - 1))).sum())
    if spread <= 0:
        return math.nan
    variance = float((residuals**2).sum()) / df
    error = math.sqrt(variance * (1 / n_family + 1 / n_others + by_people**2 / spread))
    return two_sided(favour, error, df, abs(slope * by_people) + abs(favour))
