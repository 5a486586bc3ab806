"""Agreement of raters with each other and with themselves: kappa and alpha of decisions on pairs of translations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.agreement.load import load_people
from rankscope.agreement.settings import JudgmentSettings, Names, judgment_settings_of
from rankscope.agreement.statistics import pair_indices
from rankscope.data.columns import column, digits, table_of, thousands
from rankscope.data.rankings import Rankings
from rankscope.data.result import Result
from rankscope.data.section import Section
from rankscope.data.text import format_number, format_percent, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.resample import bootstrap_counts, draw
from rankscope.kernels.segments import place_in_group
from rankscope.settings import Settings, choice, confidence_field, resamples_field, seed_field
from rankscope.stats.inputs import as_generator, seed_of
from rankscope.stats.intervals import percentile_ends
from rankscope.stats.rater_agreement import LEVELS, krippendorffs_alpha
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "CHANCE",
    "Decisions",
    "RaterAgreement",
    "RaterSettings",
    "agree_raters",
    "count_agreements",
    "count_repeated_judgments",
    "decisions_on_pairs",
    "kappas",
    "raters",
]


#: How often two decisions agree by chance.
CHANCE = ("pooled", "third")


@dataclass(frozen=True, kw_only=True)
class RaterSettings(Settings):
    """How raters are compared; see `raters`."""

    FUNCTIONS = ("rankscope.agreement:raters",)
    COMMANDS = ("agree raters",)

    chance: str = choice(
        "pooled",
        CHANCE,
        help="Chance agreement: from the observed share of ties (pooled), or one third (third).",
    )
    level: str = choice("nominal", LEVELS, help="Level of measurement for Krippendorff's alpha.")
    n_resamples: int = resamples_field(1000, "Number of bootstrap resamples of the segments, for intervals of kappa.")
    confidence_level: float = confidence_field()
    seed: int = seed_field()


class Decisions(NamedTuple):
    """Decisions on pairs of translations: the pair (unit), segment and judge of each, -1, 0 or 1, sorted by unit."""

    unit: Ints
    segment: Ints
    judge: Ints
    sign: Ints
    segments: int


def decisions_on_pairs(rankings: Rankings, gold: str) -> Decisions:
    """All decisions in the judgments of one language pair; a unit is a segment and two systems in a fixed order."""
    table = rankings.table(gold)
    system = np.full(table.shape, -1, np.int64)
    system[rankings.judgment, place_in_group(rankings.offsets)] = rankings.system.codes
    first, second = pair_indices(table.shape[1])
    differences = table[:, first] - table[:, second]
    present = ~np.isnan(differences)
    _, segment = np.unique(rankings.segment.codes, return_inverse=True)
    judgments = np.broadcast_to(np.arange(len(rankings))[:, None], differences.shape)[present]
    a, b = system[:, first][present], system[:, second][present]
    sign = np.sign(differences[present]).astype(np.int64) * np.where(a < b, 1, -1)
    n_systems = len(rankings.systems)
    keys = (segment[judgments] * n_systems + np.minimum(a, b)) * n_systems + np.maximum(a, b)
    order = np.argsort(keys, kind="stable")
    _, unit = np.unique(keys[order], return_inverse=True)
    n_segments = int(segment.max(initial=-1)) + 1
    return Decisions(
        unit.astype(np.int64),
        segment[judgments][order],
        rankings.judge.codes[judgments][order],
        sign[order],
        n_segments,
    )


def count_repeated_judgments(rankings: Rankings, gold: str) -> int:
    """How many judgments repeat an earlier one: the same pair, segment, judge, systems in order, and ranks."""
    table = rankings.table(gold)
    system = np.full(table.shape, -1.0)
    system[rankings.judgment, place_in_group(rankings.offsets)] = rankings.system.codes
    label_codes = [labels.codes for labels in (rankings.pair, rankings.segment, rankings.judge)]
    rows = np.column_stack((*label_codes, system, np.where(np.isnan(table), np.inf, table)))
    return len(rows) - len(np.unique(rows, axis=0))


def count_agreements(decisions: Decisions, within: bool) -> Floats:
    """(segments, 4) the numbers of agreeing pairs of decisions, of all pairs, of decisions that are ties, of decisions.

    Pairs of one judge are counted in groups of unit and judge; those between judges are all pairs less these.
    """
    all_pairs = pairs_by_segment(decisions, decisions.unit)
    judge_groups = np.unique(np.stack((decisions.unit, decisions.judge)), axis=1, return_inverse=True)[1].ravel()
    pairs_within = pairs_by_segment(decisions, judge_groups)
    n_ties = np.bincount(decisions.segment[decisions.sign == 0], minlength=decisions.segments)
    n_decisions = np.bincount(decisions.segment, minlength=decisions.segments)
    return np.column_stack((*(pairs_within if within else all_pairs - pairs_within), n_ties, n_decisions)).astype(
        np.float64
    )


def pairs_by_segment(decisions: Decisions, group: Ints) -> Floats:
    """(2, segments) the numbers of agreeing pairs of decisions within groups, and of all such pairs."""
    n_groups = int(group.max(initial=-1)) + 1
    counts = np.bincount(group * 3 + decisions.sign + 1, minlength=3 * n_groups).reshape(n_groups, 3).astype(np.float64)
    segment = np.zeros(n_groups, np.int64)
    segment[group] = decisions.segment
    group_sizes = counts.sum(axis=1)
    agreeing_and_all = (counts * (counts - 1) / 2).sum(axis=1), group_sizes * (group_sizes - 1) / 2
    return np.stack([np.bincount(segment, kind, decisions.segments) for kind in agreeing_and_all])


def kappas(sums: Floats, chance: str) -> tuple[Floats, Floats, Floats]:
    """Agreement, chance agreement and kappa from sums (..., 4) of `count_agreements`; NaN where there is no pair."""
    n_agreeing, n, n_ties, n_decisions = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = n_agreeing / n
        tied = n_ties / n_decisions
        by_chance = tied**2 + (1 - tied) ** 2 / 2 if chance == "pooled" else np.full_like(share, 1 / 3)
        kappa = np.where(by_chance < 1, (share - by_chance) / (1 - by_chance), np.nan)
    return share, by_chance, kappa


#: Two decisions by two judges, or by one judge who judged the pair twice.
RATERS = ("between", "within")
NONE = float("nan")
#: The name of the language pair where judgments name none.
UNNAMED = "all"


class RaterRow(NamedTuple):
    """Agreement on one language pair, between or within raters.

    Attributes
    ----------
    pair
        The language pair.
    raters
        "between" two judges, or "within" one who judged the same translations twice.
    agreement
        The share of pairs of decisions that agree.
    chance
        The share that would agree by chance.
    kappa
        (agreement - chance) / (1 - chance), at most 1.
    low, high
        The confidence interval of kappa.
    n
        How many pairs of decisions are compared.
    """

    pair: str
    raters: str
    agreement: float
    chance: float
    kappa: float
    low: float
    high: float
    n: int


class RaterAlpha(NamedTuple):
    """Krippendorff's alpha of one language pair.

    Attributes
    ----------
    pair
        The language pair.
    value
        Alpha, at most 1.
    n
        How many decisions are on pairs of translations that were judged repeatedly.
    """

    pair: str
    value: float
    n: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RaterAgreement(Result):
    """How far raters agree on which of two translations is better: with each other, and with themselves.

    Attributes
    ----------
    rows
        For each language pair, between and within raters: the share of agreeing decisions, that by chance, and kappa
        with its confidence interval.
    alphas
        Krippendorff's alpha of each language pair.
    gold
        The column of people.
    judges
        How many raters there are.
    settings
        How raters were compared.
    notes
        What a reader should know.
    """

    COLUMNS = ("pair", "raters", "statistic", "value", "low", "high", "n")

    rows: tuple[RaterRow, ...]
    alphas: tuple[RaterAlpha, ...]
    gold: str
    judges: int
    settings: RaterSettings
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; NaN where there is no value or no interval."""
        for row in self.rows:
            pair = row.pair or UNNAMED
            yield pair, row.raters, "agreement", row.agreement, NONE, NONE, row.n
            yield pair, row.raters, "chance_agreement", row.chance, NONE, NONE, row.n
            yield pair, row.raters, "kappa", row.kappa, row.low, row.high, row.n
        for alpha in self.alphas:
            yield alpha.pair or UNNAMED, "all", f"alpha_{self.settings.level}", alpha.value, NONE, NONE, alpha.n

    def sections(self) -> tuple[Section, ...]:
        """One table of all rows."""
        alphas = {alpha.pair: alpha.value for alpha in self.alphas}
        level = f"{format_percent(self.settings.confidence_level)} from"
        return (
            Section(
                title="Inter-annotator agreement",
                sentence=self.sentence(),
                table=table_of(
                    column("pair", (row.pair or UNNAMED for row in self.rows), name=True),
                    column("judges", (row.raters for row in self.rows), name=True),
                    column("same decision", (row.agreement for row in self.rows), digits()),
                    column("by chance", (row.chance for row in self.rows), digits()),
                    column("kappa", (row.kappa for row in self.rows), digits()),
                    column(level, (row.low for row in self.rows), digits()),
                    column("to", (row.high for row in self.rows), digits()),
                    column("comparisons", (row.n for row in self.rows), thousands),
                    column(
                        "alpha",
                        (format_number(alphas[row.pair]) if row.raters == "between" else "" for row in self.rows),
                    ),
                ),
            ),
        )

    def sentence(self) -> str:
        """The sentence on what was compared, and what agreement by chance means."""
        rule = {
            "pooled": "as many ties as observed, and a coin toss otherwise",
            "third": "one third",
        }[self.settings.chance]
        return (
            "Two judges (between), or one judge twice (within), decided which of the same two translations of a "
            f"segment is better. Kappa: 1 means that they always agree, 0 that they agree as often as by chance "
            f"({rule}). Krippendorff's alpha ({self.settings.level}) of all decisions: 1 means full agreement, 0 "
            "agreement by chance."
        )

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        settings = self.settings
        return [
            "agreement of raters",
            f"gold:{self.gold}",
            f"chance:{settings.chance}",
            f"alpha:{settings.level}",
            f"judges:{self.judges}",
            f"bootstrap:{settings.n_resamples},{settings.confidence_level:g}",
            f"rng:{settings.seed}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(self.judges, 'judge')}, {pluralise(len(self.alphas), 'language pair')}"


def raters(
    rankings: Rankings | PathLike,
    *,
    gold: str | None = None,
    higher: Names = (),
    duplicates: str | None = None,
    reference: str | None = None,
    lines: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    chance: str = "pooled",
    level: str = "nominal",
    pairs: Sequence[str] | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    rng: Any = None,
) -> RaterAgreement:
    """How far people agree with each other, and with themselves, on which of two translations is better.

    Parameters
    ----------
    rankings
        Judgments, or a file of them.
    gold
        Column with the human ranks or scores. Default: the column named "rank", "gold" or "human".
    higher
        Columns in which higher is better, such as scores; other columns of judgments hold ranks.
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
    chance
        Chance agreement: from the observed share of ties (pooled), or one third (third). One of 'pooled', 'third'.
        Default: 'pooled'.
    level
        Level of measurement for Krippendorff's alpha. One of 'nominal', 'ordinal', 'interval'. Default: 'nominal'.
    pairs
        Language pairs to include, in this order. Default: all.
    n_resamples
        Number of bootstrap resamples of the segments, for intervals of kappa. Default: 1000.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    RaterAgreement
        Agreement, kappa with its confidence interval, and Krippendorff's alpha, for each language pair. NaN if there is
        nothing to compare, and with `chance="pooled"` if all decisions are ties.

    Raises
    ------
    InputError
        No two judgments rank the same two translations of a segment.
    UnknownName
        A column or language pair does not exist.
    ParameterError
        A setting is out of range, or the judgments are scores, which name no judges.

    Notes
    -----
    Which way is better changes nothing here. Each judgment decides for every two translations that it ranks: better,
    tie or worse. Any two decisions on the same two translations of a segment are compared: between judges, or within
    one who judged them twice. A note counts the judgments that repeat an earlier one, which raise agreement within
    judges if they are duplicates by mistake.

    kappa = (agreement - chance) / (1 - chance). With `chance="pooled"`, chance is t^2 + 2 ((1 - t) / 2)^2, where t is
    the share of ties among all decisions of the language pair (WMT from 2012 on); with `chance="third"`, it is 1/3 (WMT
    until 2011). Alpha is computed on the same decisions (better 1, tie 0, worse -1), with all decisions on a pair of
    translations as one unit.

    References
    ----------
    Callison-Burch et al. (2011; 2012), findings of the workshop on statistical machine translation, section 3.2;
    Krippendorff (2004), "Content analysis".

    Examples
    --------
    >>> from dataclasses import replace
    >>> from rankscope.data.rankings import Labels
    >>> ranks = Rankings.of([{"A": 1, "B": 2, "C": 3}, {"A": 1, "B": 3, "C": 2}])
    >>> ranks = replace(ranks, segment=Labels.of(["1", "1"]), judge=Labels.of(["x", "y"]))
    >>> found = raters(ranks, chance="third", rng=1)
    >>> round(found.rows[0].agreement, 4), round(found.rows[0].kappa, 4)  # of 3 pairs 2: (2/3 - 1/3) / (1 - 1/3)
    (0.6667, 0.5)
    """
    settings = RaterSettings(
        chance=chance,
        level=level,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed_of(rng),
    )
    judgment_settings = judgment_settings_of(
        gold=gold, pairs=pairs, higher=higher, duplicates=duplicates, reference=reference, lines=lines, columns=columns
    )
    return agree_raters(rankings, judgment_settings, settings)


def agree_raters(
    rankings: Rankings | PathLike, judgment_settings: JudgmentSettings, settings: RaterSettings
) -> RaterAgreement:
    """As `raters`, with its settings as objects."""
    people, _ = load_people(rankings, judgment_settings)
    selected, gold = people.values, people.gold
    if not isinstance(selected, Rankings):
        raise ParameterError("these are scores, one for each translation, and name no judges; expected rankings")
    rows: list[RaterRow] = []
    alphas = []
    for pair, pair_rankings in selected.by_pair():
        decisions = decisions_on_pairs(pair_rankings, gold)
        for within in (False, True):
            sums = count_agreements(decisions, within)
            rows.append(row_of(pair, RATERS[within], sums, settings))
        alphas.append(alpha_of(pair, decisions, settings.level))
    if not any(row.n for row in rows):
        raise InputError("no two judgments rank the same two translations of a segment, so there is nothing to compare")
    notes = list(selected.notes)
    if len(np.unique(selected.judge.codes)) == 1:
        notes.append("all judgments are by one judge (or name none), so there is no agreement between judges")
    if n_repeated := count_repeated_judgments(selected, gold):
        notes.append(repeated_judgments_note(n_repeated))
    return RaterAgreement(
        rows=tuple(rows),
        alphas=tuple(alphas),
        gold=gold,
        judges=int(np.unique(selected.judge.codes).size),
        settings=settings,
        notes=tuple(notes),
    )


def repeated_judgments_note(n: int) -> str:
    """A note on repeated judgments, which make judges look more consistent than they are."""
    repeated = pluralise(n, "judgment repeats", "judgments repeat")
    counts = "counts as a second decision" if n == 1 else "count as second decisions"
    return (
        f"{repeated} an earlier one of the same judge in all ranks and {counts}; if they came twice by mistake, "
        "agreement within judges is too high: --duplicates drop (duplicates='drop') skips them"
    )


def row_of(pair: str, raters: str, sums: Floats, settings: RaterSettings) -> RaterRow:
    share, by_chance, kappa = (float(x) for x in kappas(sums.sum(axis=0), settings.chance))
    low = high = NONE
    if not np.isnan(kappa):
        generator = as_generator([settings.seed, len(pair), *pair.encode("utf-8", "surrogateescape")])
        samples = bootstrap_counts(draw(generator, settings.n_resamples), len(sums), 4)
        resampled = np.concatenate([kappas(counts @ sums, settings.chance)[2] for counts in samples])
        low, high = (float(end) for end in percentile_ends(resampled, settings.confidence_level))
    return RaterRow(pair, raters, share, by_chance, kappa, low, high, int(sums[:, 1].sum()))


def alpha_of(pair: str, decisions: Decisions, level: str) -> RaterAlpha:
    """Alpha of the decisions on pairs of translations, each seen from both sides, as their order has no meaning."""
    unit_sizes = np.bincount(decisions.unit)
    if not (unit_sizes > 1).any():
        return RaterAlpha(pair, NONE, 0)
    positions = place_in_group(np.concatenate((np.zeros(1, np.int64), np.cumsum(unit_sizes))))
    table = np.full((int(unit_sizes.max()), unit_sizes.size), np.nan)
    table[positions, decisions.unit] = decisions.sign
    alpha = krippendorffs_alpha(np.concatenate((table, -table), axis=1), level=level)
    return RaterAlpha(pair, alpha.value, alpha.n // 2)
