"""Dunaiski's tool for the stability of measures, commit 616db4e: measures, experiment, output."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.compat.dunaiski.experiment import dunaiski as dunaiski
    from rankscope.compat.dunaiski.experiment import dunaiski_study as dunaiski_study
    from rankscope.compat.dunaiski.experiment import dunaiski_table as dunaiski_table
    from rankscope.compat.dunaiski.experiment import experiment_conditions as experiment_conditions
    from rankscope.compat.dunaiski.experiment import needs_total_ranks as needs_total_ranks
    from rankscope.compat.dunaiski.experiment import run_experiment as run_experiment
    from rankscope.compat.dunaiski.named_measures import DEFAULT_NAMES as DEFAULT_NAMES
    from rankscope.compat.dunaiski.named_measures import FUNCTIONS as FUNCTIONS
    from rankscope.compat.dunaiski.named_measures import NamedMeasure as NamedMeasure
    from rankscope.compat.dunaiski.named_measures import coded_measure as coded_measure
    from rankscope.compat.dunaiski.named_measures import name_measures as name_measures
    from rankscope.compat.dunaiski.named_measures import parse_texts as parse_texts
    from rankscope.compat.dunaiski.named_measures import read_measure_file as read_measure_file
    from rankscope.compat.dunaiski.output import PRINTING as PRINTING
    from rankscope.compat.dunaiski.output import show_study as show_study

HOMES = {
    "DEFAULT_NAMES": "named_measures",
    "FUNCTIONS": "named_measures",
    "NamedMeasure": "named_measures",
    "PRINTING": "output",
    "coded_measure": "named_measures",
    "dunaiski": "experiment",
    "dunaiski_study": "experiment",
    "dunaiski_table": "experiment",
    "experiment_conditions": "experiment",
    "name_measures": "named_measures",
    "needs_total_ranks": "experiment",
    "parse_texts": "named_measures",
    "read_measure_file": "named_measures",
    "run_experiment": "experiment",
    "show_study": "output",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
