"""The result of the experiment: the published tables beside our values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.translation.experiment.human_agreement import SYSTEM_RULES, PairTest, SegmentTaus, SystemCorrelations
from rankscope.translation.experiment.protocols import PROTOCOLS
from rankscope.translation.experiment.published import AVERAGE, published_cells
from rankscope.translation.experiment.settings import ExperimentSettings
from rankscope.translation.experiment.training import LearnedMetric
from rankscope.translation.experiment.wmt_campaigns import TESTED
from rankscope.translation.wmt12 import PUBLISHED
from rankscope.typing import Floats

__all__ = [
    "DIRECTIONS",
    "Direction",
    "DirectionResult",
    "PublishedRow",
    "TranslationExperiment",
    "lines_of_tests",
    "score_lines",
]


NAN = float("nan")


class Direction(NamedTuple):
    """A direction of translation.

    Attributes
    ----------
    description
        In words.
    segments, systems
        Numbers of the paper's tables.
    """

    description: str
    segments: str
    systems: str


DIRECTIONS = {"into": Direction("into English", "2", "4"), "out": Direction("out of English", "3", "5")}


class PublishedRow(NamedTuple):
    """A cell of a table.

    Attributes
    ----------
    table, metric, pair
        Table, metric and language pair.
    published, found
        The published value and ours; NaN if there is none.
    low, high
        Ends of the 95 % interval of our value.
    """

    table: str
    metric: str
    pair: str
    published: float
    found: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class DirectionResult:
    """The results of one direction.

    Attributes
    ----------
    segments
        Segment taus.
    systems
        Correlations on systems; None if these cannot be compared.
    """

    segments: SegmentTaus
    systems: SystemCorrelations | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TranslationExperiment(Result):
    """Metrics trained on people's rankings of translations, beside baselines and published values.

    Columns of the tidy table: table (2 and 3: segment tau, 4 and 5: Spearman on systems by the share rule; "4 (mean)"
    and "5 (mean)" by means), metric, pair (or "average"), published, found, low, high.

    Attributes
    ----------
    settings
        Settings of the experiment.
    pairs
        Language pairs that were tested.
    results
        Results by direction, "into" and "out" of English.
    tests
        Tests of pairs of models, by a paired bootstrap.
    models
        The trained models.
    by_seed
        Segment tau of each seed by itself, (models, pairs, seeds).
    scores
        Language pair -> metric -> (systems, lines).
    systems
        Language pair -> names of the systems.
    seconds
        CPU time of the training.
    feature_settings
        How features were computed, for the signature.
    data_notes
        Notes on data and training.
    """

    #: The view of the result.
    VIEW = "rankscope.translation.experiment.view:experiment_sections"
    COLUMNS = ("table", "metric", "pair", "published", "found", "low", "high")

    settings: ExperimentSettings
    pairs: tuple[str, ...]
    results: Mapping[str, DirectionResult]
    tests: tuple[PairTest, ...]
    models: tuple[LearnedMetric, ...]
    by_seed: Floats
    scores: Mapping[str, Mapping[str, Floats]]
    systems: Mapping[str, tuple[str, ...]]
    seconds: float
    feature_settings: str
    data_notes: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        if self.is_wmt12:
            return self.data_notes
        return (*self.data_notes, "these are not the judgments of WMT12, so no published values are shown")

    @property
    def protocol(self) -> str:
        """The name of the protocol."""
        return self.settings.protocol

    @property
    def seeds(self) -> int:
        """From how many seeds each model was trained."""
        return int(self.by_seed.shape[2])

    @property
    def is_wmt12(self) -> bool:
        """Whether people ordered as many pairs of translations as were published: else nothing published is shown."""
        counts = {
            pair: n_pairs
            for direction_result in self.results.values()
            for pair, n_pairs in zip(direction_result.segments.pairs, direction_result.segments.n, strict=True)
        }
        return all(PUBLISHED.get(pair) == n for pair, n in counts.items())

    def records(self) -> Iterator[PublishedRow]:
        """A row a table, metric and language pair; NaN where nothing was published, or nothing was run."""
        for name, direction in DIRECTIONS.items():
            if name in self.results:
                yield from self.rows(direction.segments, segment_cells(self.results[name].segments))
        for name, direction in DIRECTIONS.items():
            correlations = self.results[name].systems if name in self.results else None
            if correlations is not None:
                for rule in SYSTEM_RULES:
                    cells = {
                        (metric, pair): (value, low, high) for metric, pair, value, low, high in correlations.rows(rule)
                    }
                    yield from self.rows(direction.systems, cells, rule)

    def rows(
        self, table: str, cells: Mapping[tuple[str, str], tuple[float, float, float]], rule: str = ""
    ) -> list[PublishedRow]:
        """The rows of one table: metrics with published values first, then the other metrics.

        Parameters
        ----------
        table
            Name of the published table.
        cells
            The value of each metric and pair, with the ends of its interval.
        rule
            How segment scores become scores of systems, "share" or "mean"; empty for tables of segments.
        """
        rows = []
        table_name = table if rule in ("", SYSTEM_RULES[0]) else f"{table} ({rule})"
        printed_cells = published_cells() if self.is_wmt12 and table_name == table else ()
        published = {(cell.metric, cell.pair): cell.value for cell in printed_cells if cell.table == table}
        printed_pairs = {pair for _, pair in published if pair != AVERAGE}
        if not printed_pairs <= {pair for _, pair in cells}:  # the published average is over all of them
            published = {key: value for key, value in published.items() if key[1] != AVERAGE}
        pairs = [*self.pairs, AVERAGE]
        has_several_pairs = sum(pair != AVERAGE for _, pair in dict.fromkeys((None, pair) for _, pair in cells)) > 1
        for metric in dict.fromkeys(metric for metric, _ in (*published, *cells)):
            for pair in pairs:
                key = metric, pair
                if key not in cells and key not in published:
                    continue
                if pair == AVERAGE and not has_several_pairs:
                    continue
                value, low, high = cells.get(key, (NAN, NAN, NAN))
                rows.append(PublishedRow(table_name, metric, pair, published.get(key, NAN), value, low, high))
        return rows

    def table(self, name: str) -> list[PublishedRow]:
        """The rows of one table.

        Parameters
        ----------
        name
            Name of the table, as "2" or "4 (mean)".
        """
        return [row for row in self.records() if row.table == name]

    def average(self, direction: str, metric: str) -> float:
        """The segment tau averaged over the language pairs of a direction; NaN for a metric that was not run.

        Parameters
        ----------
        direction
            "into" or "out" of English.
        metric
            Name of the metric.
        """
        taus = self.results[direction].segments
        return float(taus.average[taus.metrics.index(metric)]) if metric in taus.metrics else NAN

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        settings = self.settings
        parts = [f"translations, {self.protocol}", f"pairs:{','.join(self.pairs)}", f"seeds:{self.seeds}"]
        parts += [f"hidden:{','.join(map(str, settings.hidden))}"] if settings.hidden else []
        parts += [f"folds:{settings.seed}", self.feature_settings]
        return [*parts, f"bootstrap:{settings.n_resamples},0.95", f"rng:{settings.seed}"]

    def contents(self) -> str:
        """What it holds, in a few words."""
        contents = f"{pluralise(len(self.models), 'model')}, {pluralise(len(self.pairs), 'language pair')}"
        return f"{self.protocol}: {contents}"

    @property
    def description(self) -> str:
        """What was trained on what, in words."""
        return PROTOCOLS[self.protocol].description


def segment_cells(taus: SegmentTaus) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Value and interval by metric and pair."""
    cells = {}
    for m, metric in enumerate(taus.metrics):
        for p, pair in enumerate(taus.pairs):
            cells[metric, pair] = (float(taus.value[m, p]), float(taus.low[m, p]), float(taus.high[m, p]))
        interval = float(taus.average_low[m]), float(taus.average_high[m])
        cells[metric, AVERAGE] = (float(taus.average[m]), *interval)
    return cells


def score_lines(result: TranslationExperiment, metric: str) -> Iterator[str]:
    """The scores of one metric in WMT's format seg.scr, one text per language pair and system; higher is better.

    Parameters
    ----------
    result
        The result.
    metric
        Name of the metric.

    Notes
    -----
    Lines are METRIC, LANGPAIR, TESTSET, SYSTEM, SEGNR (from 1), SCORE, separated by tabs, with nine significant digits.
    """
    for pair, metrics in result.scores.items():
        for system, values in zip(result.systems[pair], metrics[metric].tolist(), strict=True):
            prefix = f"{metric}\t{pair}\t{TESTED}\t{system}\t"
            yield "".join(f"{prefix}{i}\t{value:.9g}\n" for i, value in enumerate(values, 1))


def lines_of_tests(result: TranslationExperiment) -> Iterator[str]:
    """The tests as CSV."""
    columns = ("direction", "first", "second", "difference", "low", "high", "p", "p_corrected")
    for row in (columns, *((DIRECTIONS[test.direction].description, *test[1:]) for test in result.tests)):
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerow(row)
        yield buffer.getvalue()
