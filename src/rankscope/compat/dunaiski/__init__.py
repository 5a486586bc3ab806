"""Dunaiski's tool for the stability of measures, commit 616db4e: measures, experiment, output."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.compat.dunaiski.experiment import FUNCTIONS as FUNCTIONS
    from rankscope.compat.dunaiski.experiment import PRINTING as PRINTING
    from rankscope.compat.dunaiski.experiment import SIGNS as SIGNS
    from rankscope.compat.dunaiski.experiment import coded_measure as coded_measure
    from rankscope.compat.dunaiski.experiment import default_measures as default_measures
    from rankscope.compat.dunaiski.experiment import dunaiski as dunaiski
    from rankscope.compat.dunaiski.experiment import dunaiski_study as dunaiski_study
    from rankscope.compat.dunaiski.experiment import dunaiski_table as dunaiski_table
    from rankscope.compat.dunaiski.experiment import experiment_conditions as experiment_conditions
    from rankscope.compat.dunaiski.experiment import run_experiment as run_experiment
    from rankscope.compat.dunaiski.experiment import show_study as show_study

HOMES = {
    "FUNCTIONS": "experiment",
    "PRINTING": "experiment",
    "SIGNS": "experiment",
    "coded_measure": "experiment",
    "default_measures": "experiment",
    "dunaiski": "experiment",
    "dunaiski_study": "experiment",
    "dunaiski_table": "experiment",
    "experiment_conditions": "experiment",
    "run_experiment": "experiment",
    "show_study": "experiment",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
