"""The candidates of tuning: methods, each with a normalisation and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.data.text import join_names
from rankscope.errors import ParameterError, UnknownName
from rankscope.fusion.by_consensus import is_consensus
from rankscope.fusion.fuse_runs import fused_scores
from rankscope.fusion.judgments import PoolJudgments
from rankscope.fusion.methods import INVERTED, METHODS, FusionSettings, validate, validate_weights
from rankscope.fusion.normalisation import NORMALISATIONS, NormalisedPool
from rankscope.fusion.pool import RunPool
from rankscope.fusion.supervised import TRAINED, weight_grid
from rankscope.typing import Floats

__all__ = [
    "Candidate",
    "list_candidates",
]


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
    """A method with its normalisation and setting. learns: whether it also learns parameters from judgments."""

    method: str
    normalise: str
    setting: Mapping[str, Any]

    @property
    def learns(self) -> bool:
        return self.method in TRAINED

    def learn(self, pool: RunPool, judgments: PoolJudgments, normalised_pool: NormalisedPool) -> dict[str, Any]:
        """The learned parameters; of an unsupervised method, the setting itself. normalised_pool: the pool's scores."""
        if self.learns:
            return TRAINED[self.method].learn(pool, judgments, self.setting, normalised_pool)
        return dict(self.setting)

    def fuse(self, pool: RunPool, parameters: Mapping[str, Any], normalised_pool: NormalisedPool) -> Floats:
        """(documents) the fused scores."""
        if self.learns:
            with np.errstate(over="ignore", invalid="ignore"):  # reported where they become a run
                return TRAINED[self.method].apply(pool, dict(parameters), normalised_pool)
        method_parameters = dict(parameters)
        weights = np.array(method_parameters.pop("weights", [1.0] * len(pool.entries)), np.float64)
        settings = FusionSettings(
            method=self.method, normalise=self.normalise, parameters=method_parameters, weights=weights
        )
        with np.errstate(over="ignore", invalid="ignore"):
            return fused_scores(pool, settings, (), normalised_pool)[0]

    def __str__(self) -> str:
        """One word, as the tag of a run."""
        arguments = [self.normalise] if self.normalise != "none" else []
        arguments += [f"{name}={format_value(value)}" for name, value in self.setting.items()]
        return f"{self.method}({','.join(arguments)})" if arguments else self.method


def format_value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(format_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def list_candidates(
    methods: str | Sequence[str],
    normalise: str | Sequence[str] | None,
    given_settings: Mapping[str, Any] | None,
    n_runs: int,
) -> list[Candidate]:
    """All candidates, defaults first. given_settings: by name a value, or a list of values to try.

    Raises UnknownName, ParameterError.
    """
    names = [methods] if isinstance(methods, str) else list(methods) if isinstance(methods, Sequence) else []
    if not names:
        raise ParameterError(f"method is {methods!r}, expected a name as 'weighted-sum', or a list of them")
    for name in names:
        if is_consensus(name):
            raise ParameterError(f"{name} has nothing to learn or to tune; fuse with it as it is")
        if not isinstance(name, str) or name not in (*METHODS, *TRAINED):
            raise UnknownName("method", str(name), (*METHODS, *TRAINED))
    normalisations = validate_normalisations(normalise)
    rank_methods = [name for name in names if not looks_at_scores(name)]
    if normalisations and normalisations not in ([INVERTED], ["none"]) and len(rank_methods) == len(names):
        verb = "looks" if len(names) == 1 else "look"
        raise ParameterError(
            f"{join_names(names)} {verb} at ranks, which {join_names(normalisations)} "
            f"{'does' if len(normalisations) == 1 else 'do'} not change; leave normalise out, or choose a method that "
            "looks at scores, as weighted-sum"
        )
    if given_settings is not None and not isinstance(given_settings, Mapping):
        raise ParameterError(f"settings are {given_settings!r}, expected values by name, as {{'k': [10, 60]}}")
    given_values = dict(given_settings or {})
    for unknown in given_values:
        if not any(unknown in setting_names(name) for name in names):
            known_settings = sorted({setting_name for name in names for setting_name in setting_names(name)})
            raise ParameterError(
                f"{join_names(dict.fromkeys(names))}: no setting {unknown!r}; "
                f"{f'known: {join_names(known_settings)}' if known_settings else 'there are none'}"
            )
    candidates: dict[str, Candidate] = {}
    for name in dict.fromkeys(names):
        method_values = {key: value for key, value in given_values.items() if key in setting_names(name)}
        for normalisation in normalisations_for(normalisations, name):
            for setting in settings_of(name, method_values, n_runs):
                candidate = validate_candidate(Candidate(name, normalisation, setting), n_runs)
                candidates.setdefault(str(candidate), candidate)
    return list(candidates.values())


def looks_at_scores(method: str) -> bool:
    return TRAINED[method].scores if method in TRAINED else METHODS[method].scores


def setting_names(method: str) -> tuple[str, ...]:
    """The names of its settings."""
    if method in TRAINED:
        return tuple(TRAINED[method].takes)
    fusion_method = METHODS[method]
    parameter = (fusion_method.takes[0],) if fusion_method.takes else ()
    return (*parameter, *(("weights",) if fusion_method.weighted else ()))


def validate_normalisations(normalise: str | Sequence[str] | None) -> list[str] | None:
    """The normalisations to choose among; None if none was given."""
    if normalise is None:
        return None
    if not isinstance(normalise, (str, list, tuple)):
        raise ParameterError(f"normalise is {normalise!r}, expected a name as 'min-max', or a list of them")
    names = [normalise] if isinstance(normalise, str) else list(normalise)
    for name in names:
        if not isinstance(name, str) or name not in NORMALISATIONS:
            raise UnknownName("normalisation", str(name), NORMALISATIONS)
    if INVERTED in names and len(names) > 1:
        raise ParameterError(
            f"{INVERTED} says that lower scores are better, which is not to be tuned; give it alone, or leave it out"
        )
    return list(dict.fromkeys(names)) or None


def normalisations_for(normalisations: list[str] | None, method: str) -> list[str]:
    """The normalisations to try with a method."""
    if not looks_at_scores(method):
        return [INVERTED] if normalisations == [INVERTED] else ["none"]
    return normalisations or ["min-max"]


def settings_of(method: str, given_settings: Mapping[str, Any], n_runs: int) -> Iterator[dict[str, Any]]:
    """The settings of a method; given ones replace its own."""
    if method in TRAINED:
        grid = [dict(setting) for setting in TRAINED[method].grid(n_runs)]
    else:
        fusion_method = METHODS[method]
        method_values: dict[str, Sequence[Any]] = {}
        if fusion_method.takes:
            method_values[fusion_method.takes[0]] = SETTINGS_TO_TRY[fusion_method.takes[0]]
        if fusion_method.weighted:
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
        validate_weights(setting["weights"], n_runs, "rrf")
    if not candidate.learns:
        parameters = {name: value for name, value in setting.items() if name != "weights"}
        normalisation = None if candidate.normalise == "none" else candidate.normalise
        validate(candidate.method, normalisation, setting.get("weights"), parameters, n_runs)
    return Candidate(candidate.method, candidate.normalise, setting)


def as_json_value(value: Any) -> Any:
    """The value as JSON types."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return [as_json_value(item) for item in value] if isinstance(value, (list, tuple)) else value
