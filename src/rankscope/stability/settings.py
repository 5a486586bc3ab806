"""The settings of a study, declared once."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.settings import (
    SHARE,
    Count,
    Number,
    Settings,
    choice,
    count,
    declare,
    excludes,
    number_list,
    resamples_field,
    switch,
    text,
)

__all__ = [
    "DUNAISKI_LEVELS",
    "LEVELS",
    "PRESET",
    "SWAP_SETS",
    "StudySettings",
]


#: The preset that also computes the statistics as its tool does.
PRESET = "dunaiski"
#: Default levels of significance, and those of Dunaiski's tool under its preset.
LEVELS = (0.01, 0.05, 0.1)
DUNAISKI_LEVELS = (0.005, 0.01, 0.05, 0.1, 0.15)
#: Sets of the swap method: bootstrap samples of the same queries, or sets without a query in common.
SWAP_SETS = ("bootstrap", "disjoint")

NOT_WITH_SET_SIZE = excludes("set_size", reason="the size of sets decides on splits and entities")


@dataclass(frozen=True, kw_only=True)
class StudySettings(Settings):
    """How measures are studied; see `rankscope.stability.study`."""

    FUNCTIONS = ("rankscope.stability:study",)
    COMMANDS = ("stability",)

    cutoffs: tuple[int, ...] | None = number_list(
        None, rule=Count(1, None), help="Cutoffs of the measures that are named without one, such as nDCG."
    )
    alpha: tuple[float, ...] | None = number_list(
        None,
        rule=SHARE,
        metavar="A,...",
        help="Significance levels.",
        unset="0.01,0.05,0.1, or those of the preset dunaiski",
    )
    splits: tuple[int, ...] | None = number_list(
        None,
        rule=Count(1, None),
        help="Number of groups of entities, or of disjoint sets of queries (of whole clusters).",
        unset="10 groups, or 2 sets",
        depends=NOT_WITH_SET_SIZE,
    )
    systems: tuple[int, ...] | None = number_list(
        None, rule=Count(2, None), flag="--n-systems", help="Number of systems in each draw.", unset="all"
    )
    entities: tuple[int, ...] | None = number_list(
        None,
        rule=Count(2, None),
        help="Number of entities, of queries, or of their clusters, in each draw.",
        unset="all",
        depends=NOT_WITH_SET_SIZE,
    )
    set_size: tuple[int, ...] | None = number_list(
        None,
        rule=Count(2, None),
        help="Number of queries, or of their clusters, in a set; replaces splits and entities.",
    )
    fuzz: tuple[float, ...] = number_list(
        (0.05,),
        rule=Number(0, 1, high_open=True),
        metavar="F,...",
        help="Fuzziness: systems tie if their means differ by at most this share of the greater mean.",
    )
    iterations: int = count(50, help="Number of random draws.")
    n_resamples: int = resamples_field(1000, "Number of bootstrap samples of each draw.")
    seed: int | None = declare(
        Count(0, None),
        None,
        "Random seed; the same seed gives the same results.",
        flag="--seed",
        argument="rng",
        python_help="Seed or `numpy.random.Generator`. The same seed gives the same results.",
        metavar="N",
        unset="that of the checkpoint, else a new seed",
    )
    error_tie: bool = switch(
        True,
        help="Show error rates, tie rates, the share of pairs that a t-test distinguishes, and the share of "
        "relevant items that the values depend on.",
    )
    swap: bool = switch(False, help="Decide pairs by the swap method instead of the bootstrap.")
    swap_sets: str = choice(
        "bootstrap",
        SWAP_SETS,
        help="Sets of queries that the swap method compares: bootstrap samples, or sets without a common query.",
    )
    ablation: bool = switch(
        False,
        help="Also study the effect of fewer judgments: with judgments dropped at random, and with shallower "
        "pools. Needs judgments and runs.",
    )
    preset: str | None = text(
        None,
        flag="",
        help="Conventions of a reference tool; 'dunaiski' also computes the statistics as that tool does.",
    )

    @property
    def as_dunaiski(self) -> bool:
        """Whether statistics are computed as Dunaiski's tool does."""
        return self.preset == PRESET

    @property
    def tested_alpha(self) -> tuple[float, ...]:
        """The significance levels, by default those of the preset."""
        return (DUNAISKI_LEVELS if self.as_dunaiski else LEVELS) if self.alpha is None else self.alpha

    @property
    def root_seed(self) -> int:
        """The seed, which `with_seed` has drawn if none was given."""
        assert self.seed is not None
        return self.seed
