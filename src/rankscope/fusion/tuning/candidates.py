"""The candidates of tuning: methods, each with a normalisation and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.text import join_names
from rankscope.errors import ParameterError
from rankscope.fusion.fuse_runs import fused_scores
from rankscope.fusion.judgments import PoolJudgments
from rankscope.fusion.methods import (
    CONSENSUS,
    INVERTED,
    METHODS,
    FusionSettings,
    as_weights,
    is_consensus,
    weights_of_runs,
)
from rankscope.fusion.normalisation import NORMALISATIONS, NormalisedPool
from rankscope.fusion.pool import RunPool
from rankscope.fusion.supervised import TRAINED, weight_grid
from rankscope.measures.base import Measure
from rankscope.settings import Rule, Settings, count, declare, grade_level, names, seed_field, switch, text
from rankscope.typing import Floats

__all__ = [
    "FEWEST_FOLDS",
    "Candidate",
    "TrainingSettings",
    "list_candidates",
]


#: Fewest folds: one is fused, one is the inner fold, and one remains to learn from.
FEWEST_FOLDS = 3
#: Most combinations of settings; of more, each setting is varied alone.
MOST = 120
#: Values of each parameter to try; the first is the default, which is kept if none is better.
SETTINGS_TO_TRY = {
    "k": (60, 1, 2, 5, 10, 20, 40, 100, 200, 500),
    "p": (0.8, 0.5, 0.6, 0.7, 0.9, 0.95, 0.98, 0.99),
    "gamma": (1, 0, 0.25, 0.5, 0.75, 1.5, 2, 3),
    "sigma": (0.01, 0, 0.001, 0.1, 0.25, 0.5, 1),
}


@dataclass(frozen=True, eq=False)
class Candidate:
    """A method with its normalisation and setting.

    Attributes
    ----------
    method
        Name of the method.
    normalise
        Name of the normalisation.
    setting
        The values of its settings, by name.
    """

    method: str
    normalise: str
    setting: Mapping[str, Any]

    @property
    def learns(self) -> bool:
        """Whether it also learns parameters from judgments."""
        return self.method in TRAINED

    def learn(self, pool: RunPool, judgments: PoolJudgments) -> dict[str, Any]:
        """The learned parameters; of an unsupervised method, the setting itself."""
        if self.learns:
            return TRAINED[self.method].learn(pool, judgments, self.setting)
        return dict(self.setting)

    def fuse(self, pool: RunPool, parameters: Mapping[str, Any], normalised_pool: NormalisedPool) -> Floats:
        """(documents) the fused scores."""
        if self.learns:
            with np.errstate(over="ignore", invalid="ignore"):  # reported where they become a run
                return TRAINED[self.method].apply(pool, dict(parameters), normalised_pool)
        with np.errstate(over="ignore", invalid="ignore"):
            return fused_scores(pool, self.fusion_settings(parameters), (), normalised_pool)[0]

    def fusion_settings(self, parameters: Mapping[str, Any]) -> FusionSettings:
        """The settings of an unsupervised method with these parameters. Raises ParameterError."""
        values = dict(parameters)
        weights = as_weights(values.pop("weights", None))
        return FusionSettings(method=self.method, normalise=self.normalise, weights=weights, **values)

    def __str__(self) -> str:
        """One word, as the tag of a run."""
        arguments = [self.normalise] if self.normalise != "none" else []
        arguments += [f"{name}={format_value(value)}" for name, value in self.setting.items()]
        return f"{self.method}({','.join(arguments)})" if arguments else self.method


def format_value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(format_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


class ValuesByName(Rule):
    """Settings to try: by name a value, or a list of values."""

    expected = "values by name, as {'k': [10, 60]}"

    def accepts(self, value: object) -> bool:
        return isinstance(value, Mapping)


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(Settings):
    """Among which settings of a fusion to choose, and how; see `train`."""

    FUNCTIONS = ("rankscope.fusion:train",)
    COMMANDS = ("fuse",)

    methods: tuple[str, ...] = names(
        (),
        table=(*METHODS, *TRAINED, *CONSENSUS),
        kind="method",
        flag="--method",
        argument="method",
        metavar="METHOD",
        help=f"Fusion method: {', '.join(METHODS)}; or a method of `rankscope consensus`, as {CONSENSUS[0]}. With "
        f"--train also {', '.join(TRAINED)}; repeat it to choose among several methods. Default: rrf.",
        python_help="Method of `TRAINED` or `METHODS`, or a list of methods to choose among. Default: 'weighted-sum'.",
    )
    normalisations: tuple[str, ...] | None = names(
        None,
        table=NORMALISATIONS,
        kind="normalisation",
        flag="--normalise",
        argument="normalise",
        metavar="",
        help="Normalisation of the scores of each list; min-max-inverted: lower scores are better, for any method. "
        "With --train, repeat it to choose among several.",
        python_help="Normalisation of the scores of each list, or a list of normalisations to choose among.",
        unset="'min-max' for methods that use scores",
    )
    settings: Mapping[str, Any] | None = declare(
        ValuesByName(),
        None,
        flag="",
        help='Settings of the methods by name ("weights", "k", ...): a value, or a list of values to try.',
        unset="try the usual values of each setting",
    )
    measure: str | Measure = text(
        "nDCG@10", or_a=Measure, flag="--tune-on", metavar="MEASURE", help="Measure that chooses the settings."
    )
    refine: bool = switch(
        False, help="Refine the best weights further, one run after the other; useful for more than four runs."
    )
    folds: int = count(5, minimum=FEWEST_FOLDS, help="Number of folds into which the judged queries are split.")
    rel: float = grade_level(help="Lowest relevance that counts as relevant.")
    seed: int = seed_field()

    @property
    def is_inverted(self) -> bool:
        """Whether lower scores are better."""
        return self.normalisations is not None and INVERTED in self.normalisations

    def check(self) -> None:
        """Refuse methods that have nothing to learn, and normalisations and settings that no method has."""
        if not self.methods:
            raise ParameterError("method is [], expected a name as 'weighted-sum', or a list of them")
        for name in self.methods:
            if is_consensus(name):
                raise ParameterError(f"{name} has nothing to learn or to tune; fuse without training")
        if self.is_inverted and len(self.normalisations or ()) > 1:
            raise ParameterError(
                f"{INVERTED} means that lower scores are better, which cannot be tuned; give it alone, or leave it out"
            )
        self.refuse_ineffective_normalisations()
        known_settings = {setting_name for name in self.methods for setting_name in setting_names(name)}
        for unknown in self.settings or {}:
            if unknown not in known_settings:
                raise ParameterError(
                    f"{join_names(dict.fromkeys(self.methods))}: no setting {unknown!r}; "
                    f"{f'known: {join_names(sorted(known_settings))}' if known_settings else 'there are none'}"
                )

    def refuse_ineffective_normalisations(self) -> None:
        """Raise ParameterError for normalisations that would change nothing."""
        if not self.normalisations or set(self.normalisations) <= {INVERTED} or set(self.normalisations) <= {"none"}:
            return
        if not any(looks_at_scores(name) for name in self.methods):
            verb = "uses" if len(self.methods) == 1 else "use"
            raise ParameterError(
                f"{join_names(self.methods)} {verb} ranks only, which {join_names(self.normalisations)} "
                f"{'does' if len(self.normalisations) == 1 else 'do'} not change; leave out normalise, or choose a "
                "method that uses scores, such as weighted-sum"
            )


def list_candidates(settings: TrainingSettings, n_runs: int) -> list[Candidate]:
    """All candidates, defaults first. Raises ParameterError for values that a method does not accept."""
    candidates: dict[str, Candidate] = {}
    for name in dict.fromkeys(settings.methods):
        method_values = {key: value for key, value in (settings.settings or {}).items() if key in setting_names(name)}
        for normalisation in normalisations_for(settings, name):
            for setting in settings_of(name, method_values, n_runs):
                candidate = validate_candidate(Candidate(name, normalisation, setting), n_runs)
                candidates.setdefault(str(candidate), candidate)
    return list(candidates.values())


def looks_at_scores(method: str) -> bool:
    return TRAINED[method].uses_scores if method in TRAINED else METHODS[method].uses_scores


def setting_names(method: str) -> tuple[str, ...]:
    """The names of its settings."""
    if method in TRAINED:
        return tuple(TRAINED[method].default_setting)
    fusion_method = METHODS[method]
    parameter = (fusion_method.parameter[0],) if fusion_method.parameter else ()
    return (*parameter, *(("weights",) if fusion_method.takes_weights else ()))


def normalisations_for(settings: TrainingSettings, method: str) -> list[str]:
    """The normalisations to try with a method."""
    if not looks_at_scores(method):
        return [INVERTED if settings.is_inverted else "none"]
    return list(dict.fromkeys(settings.normalisations or ())) or ["min-max"]


def settings_of(method: str, given_settings: Mapping[str, Any], n_runs: int) -> Iterator[dict[str, Any]]:
    """The settings of a method; given ones replace its own."""
    if method in TRAINED:
        grid = [dict(setting) for setting in TRAINED[method].grid(n_runs)]
    else:
        fusion_method = METHODS[method]
        method_values: dict[str, Sequence[Any]] = {}
        if fusion_method.parameter:
            method_values[fusion_method.parameter[0]] = SETTINGS_TO_TRY[fusion_method.parameter[0]]
        if fusion_method.takes_weights:
            method_values["weights"] = [setting["weights"] for setting in weight_grid(n_runs)]
        method_values |= {name: values_to_try(name, value) for name, value in given_settings.items()}
        grid = list(setting_combinations(method_values))
    for setting in grid:
        for given_setting in setting_products(
            {name: values_to_try(name, value) for name, value in given_settings.items()}
        ):
            yield {**setting, **given_setting}


def values_to_try(name: str, value: Any) -> list[Any]:
    """The values to try: a single value, or a list of them; a list of weights is one value."""
    values = value.tolist() if isinstance(value, np.ndarray) else value
    is_single = not isinstance(values, (list, tuple))
    if not is_single and not values:
        raise ParameterError(f"no {name} to try, expected at least one value; leave it out to try the usual ones")
    if name == "weights":
        is_single = is_single or not isinstance(values[0], (list, tuple))
    return [values] if is_single else list(values)


def setting_products(values: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every combination."""
    if not values:
        yield {}
        return
    *other_values, (last_name, last_values) = values.items()
    for combination in setting_products(dict(other_values)):
        for value in last_values:
            yield {**combination, last_name: value}


def setting_combinations(values: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every combination; if there are too many, each setting varied alone, the others at their defaults."""
    if np.prod([len(setting_values) for setting_values in values.values()]) <= MOST:
        yield from setting_products(values)
        return
    default_setting = {name: setting_values[0] for name, setting_values in values.items()}
    yield default_setting
    for name, setting_values in values.items():
        yield from ({**default_setting, name: value} for value in setting_values[1:])


def validate_candidate(candidate: Candidate, n_runs: int) -> Candidate:
    """The candidate with its setting as plain numbers. Raises ParameterError."""
    setting = {name: as_json_value(value) for name, value in candidate.setting.items()}
    for name, value in setting.items():
        if value is None:
            raise ParameterError(f"{name} is None, expected a value to try; leave it out to try the usual ones")
    if "weights" in setting:
        weights_of_runs(setting["weights"], n_runs)
    if not candidate.learns:
        candidate.fusion_settings(setting)
    return Candidate(candidate.method, candidate.normalise, setting)


def as_json_value(value: Any) -> Any:
    """The value as JSON types."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return [as_json_value(item) for item in value] if isinstance(value, (list, tuple)) else value
