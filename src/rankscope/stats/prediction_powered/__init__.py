"""Prediction-powered estimates of a mean: from few values of people and many of a machine.

The units (queries) that people judged are a random sample of those that the machine judged, and all of them are a
sample of a population, whose mean is estimated.
"""

from rankscope.stats.prediction_powered.active_sampling import (
    FEWEST_IN_STRATUM,
    ActiveSampling,
    active_sampling,
    chances_within,
    systematic_sample,
)
from rankscope.stats.prediction_powered.combined import PredictionPowered, prediction_powered
from rankscope.stats.prediction_powered.cross_fitting import FEWEST_FITTED
from rankscope.stats.prediction_powered.expected_width import (
    HumanSpread,
    combined_half,
    fewest_enough,
    spread_of,
)
from rankscope.stats.prediction_powered.single_queries import FEWEST

__all__ = [
    "FEWEST",
    "FEWEST_FITTED",
    "FEWEST_IN_STRATUM",
    "ActiveSampling",
    "HumanSpread",
    "PredictionPowered",
    "active_sampling",
    "chances_within",
    "combined_half",
    "fewest_enough",
    "prediction_powered",
    "spread_of",
    "systematic_sample",
]
