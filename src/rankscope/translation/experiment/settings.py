"""The settings of the experiment."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.errors import ParameterError
from rankscope.settings import (
    Settings,
    choice,
    count,
    layer_sizes,
    name_list,
    resamples_field,
    seed_field,
    switch,
)
from rankscope.translation.experiment.feature_tables import FEATURE_SETS, planned_models
from rankscope.translation.experiment.protocols import PROTOCOLS
from rankscope.translation.experiment.training import LOSSES, LearnedMetric, random_models
from rankscope.translation.experiment.wmt_campaigns import PAIRS

__all__ = [
    "ExperimentSettings",
]


@dataclass(frozen=True, kw_only=True)
class ExperimentSettings(Settings):
    """What is trained on what, and tested; see `translation_experiment`."""

    FUNCTIONS = ("rankscope.translation:translation_experiment",)
    COMMANDS = ("mt-experiment",)

    protocol: str = choice("wmt11", PROTOCOLS, kind="protocol", help="Training data; the test data are those of WMT12.")
    pairs: tuple[str, ...] | None = name_list(
        None,
        PAIRS,
        kind="language pair of WMT12",
        help=f"Language pairs to test: some of {', '.join(PAIRS)}.",
        unset="all that the data hold",
        metavar="P,...",
    )
    losses: tuple[str, ...] = name_list(
        tuple(LOSSES),
        LOSSES,
        kind="loss",
        help=f"Losses to train with: some of {', '.join(LOSSES)}.",
        unset="all",
        metavar="L,...",
    )
    features: tuple[str, ...] = name_list(
        tuple(FEATURE_SETS),
        FEATURE_SETS,
        kind="set of features",
        help=f"Sets of features to train on: some of {', '.join(FEATURE_SETS)}.",
        unset="all",
        metavar="F,...",
    )
    hidden: tuple[int, ...] = layer_sizes(
        (), help="Sizes of hidden layers, from the input to the output.", unset="none, a linear scorer"
    )
    seeds: int = count(3, help="Number of random seeds per model; scores are averaged over seeds.")
    test_references: bool = switch(
        False, help="Train language models on the references of the test set as well, as the paper did."
    )
    n_resamples: int = resamples_field(
        2000, "Number of bootstrap resamples of the segments, for confidence intervals and tests."
    )
    seed: int = seed_field()

    def check(self) -> None:
        """Refuse an experiment with nothing to train or test."""
        if not self.losses or not self.features:
            raise ParameterError("there is nothing to train: name at least one loss and one set of features")
        if self.pairs == ():
            raise ParameterError("there is nothing to test: name at least one language pair")

    @property
    def selected_pairs(self) -> list[str] | None:
        """The language pairs to test in the order of the published tables; None for all."""
        return None if self.pairs is None else [pair for pair in PAIRS if pair in self.pairs]

    @property
    def models(self) -> tuple[LearnedMetric, ...]:
        """A model for each set of features and loss."""
        return planned_models(self.losses, self.features)

    @property
    def depends_on_seed(self) -> bool:
        """Whether another seed gives other folds or another model."""
        return PROTOCOLS[self.protocol].depends_on_seed or random_models(self.models, self.hidden)

    @property
    def training_seeds(self) -> range:
        """The seeds that models are trained with: one where it changes nothing."""
        return range(self.seed, self.seed + (self.seeds if self.depends_on_seed else 1))
