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


#: Where settings of a method have more combinations, each is varied alone.
MOST = 120
#: Values of each parameter that are tried; the first is the one by default, which is kept where none is better.
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

    def learn(self, pool: RunPool, known: PoolJudgments, ready: NormalisedPool) -> dict[str, Any]:
        """What the judgments teach it; of an unsupervised method, the setting itself. ready: the pool's scores."""
        if self.learns:
            return TRAINED[self.method].learn(pool, known, self.setting, ready)
        return dict(self.setting)

    def fuse(self, pool: RunPool, parameters: Mapping[str, Any], ready: NormalisedPool) -> Floats:
        """(documents) the fused scores."""
        if self.learns:
            with np.errstate(over="ignore", invalid="ignore"):  # told where they become a run
                return TRAINED[self.method].apply(pool, dict(parameters), ready)
        given = dict(parameters)
        weights = np.array(given.pop("weights", [1.0] * len(pool.entries)), np.float64)
        settings = FusionSettings(method=self.method, normalise=self.normalise, parameters=given, weights=weights)
        with np.errstate(over="ignore", invalid="ignore"):
            return fused_scores(pool, settings, (), ready)[0]

    def __str__(self) -> str:
        """In one word, as the tag of a run is."""
        said = [self.normalise] if self.normalise != "none" else []
        said += [f"{name}={format_value(value)}" for name, value in self.setting.items()]
        return f"{self.method}({','.join(said)})" if said else self.method


def format_value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(format_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def list_candidates(
    methods: str | Sequence[str], normalise: str | Sequence[str] | None, given: Mapping[str, Any] | None, runs: int
) -> list[Candidate]:
    """All that is to be tried, what is usual first. given: for settings by name a value, or a list of those to try.

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
    hows = validate_normalisations(normalise)
    by_ranks = [name for name in names if not looks_at_scores(name)]
    if hows is not None and hows != [INVERTED] and hows != ["none"] and len(by_ranks) == len(names):
        raise ParameterError(
            f"{join_names(names)} {'looks' if len(names) == 1 else 'look'} at ranks, which {join_names(hows)} "
            f"{'does' if len(hows) == 1 else 'do'} not change; leave normalise out, or choose a method that looks at "
            "scores, as weighted-sum"
        )
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(f"settings are {given!r}, expected values by name, as {{'k': [10, 60]}}")
    fixed = dict(given or {})
    for unknown in fixed:
        if not any(unknown in setting_names(name) for name in names):
            known = sorted({one for name in names for one in setting_names(name)})
            raise ParameterError(
                f"{join_names(dict.fromkeys(names))}: no setting {unknown!r}; "
                f"{f'known: {join_names(known)}' if known else 'there are none'}"
            )
    found: dict[str, Candidate] = {}
    for name in dict.fromkeys(names):
        own = {key: value for key, value in fixed.items() if key in setting_names(name)}
        for how in normalisations_for(hows, name):
            for setting in settings_of(name, own, runs):
                one = validate_candidate(Candidate(name, how, setting), runs)
                found.setdefault(str(one), one)
    return list(found.values())


def looks_at_scores(method: str) -> bool:
    return TRAINED[method].scores if method in TRAINED else METHODS[method].scores


def setting_names(method: str) -> tuple[str, ...]:
    """The names of its settings."""
    if method in TRAINED:
        return tuple(TRAINED[method].takes)
    known = METHODS[method]
    return (*((known.takes[0],) if known.takes else ()), *(("weights",) if known.weighted else ()))


def validate_normalisations(normalise: str | Sequence[str] | None) -> list[str] | None:
    """None where nothing was said."""
    if normalise is None:
        return None
    if not isinstance(normalise, (str, list, tuple)):
        raise ParameterError(f"normalise is {normalise!r}, expected a name as 'min-max', or a list of them")
    hows = [normalise] if isinstance(normalise, str) else list(normalise)
    for how in hows:
        if not isinstance(how, str) or how not in NORMALISATIONS:
            raise UnknownName("normalisation", str(how), NORMALISATIONS)
    if INVERTED in hows and len(hows) > 1:
        raise ParameterError(
            f"{INVERTED} says that lower scores are better, which is not to be tuned; give it alone, or leave it out"
        )
    return list(dict.fromkeys(hows)) or None


def normalisations_for(hows: list[str] | None, method: str) -> list[str]:
    """The normalisations to try with a method."""
    if not looks_at_scores(method):
        return [INVERTED] if hows == [INVERTED] else ["none"]
    return hows or ["min-max"]


def settings_of(method: str, given: Mapping[str, Any], runs: int) -> Iterator[dict[str, Any]]:
    """The settings of a method, those given in the place of those of its own."""
    if method in TRAINED:
        grid = [dict(setting) for setting in TRAINED[method].grid(runs)]
    else:
        known = METHODS[method]
        own: dict[str, Sequence[Any]] = {known.takes[0]: SETTINGS_TO_TRY[known.takes[0]]} if known.takes else {}
        if known.weighted:
            own["weights"] = [setting["weights"] for setting in weight_grid(runs)]
        own |= {name: values_to_try(name, value) for name, value in given.items()}
        grid = list(setting_combinations(own))
    for setting in grid:
        for replaced in product_of({name: values_to_try(name, value) for name, value in given.items()}):
            yield {**setting, **replaced}


def values_to_try(name: str, value: Any) -> list[Any]:
    """The values to try of what was given: one, or a list; of weights a list is one."""
    found = value.tolist() if isinstance(value, np.ndarray) else value
    one = not isinstance(found, (list, tuple))
    if not one and not found:
        raise ParameterError(f"no {name} to try, expected at least one value; leave it out to try the usual ones")
    if name == "weights":
        one = one or not isinstance(found[0], (list, tuple))
    return [found] if one else list(found)


def product_of(values: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every combination."""
    if not values:
        yield {}
        return
    *before, (last, of_last) = values.items()
    for head in product_of(dict(before)):
        for value in of_last:
            yield {**head, last: value}


def setting_combinations(values: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every combination; where those are too many, each setting varied alone, the others as they are usually."""
    if np.prod([len(of_one) for of_one in values.values()]) <= MOST:
        yield from product_of(values)
        return
    first = {name: of_one[0] for name, of_one in values.items()}
    yield first
    for name, of_one in values.items():
        yield from ({**first, name: value} for value in of_one[1:])


def validate_candidate(candidate: Candidate, runs: int) -> Candidate:
    """With settings of plain numbers. Raises ParameterError."""
    setting = {name: as_json_value(value) for name, value in candidate.setting.items()}
    for name, value in setting.items():
        if value is None:
            raise ParameterError(f"{name} is None, expected a value to try; leave it out to try the usual ones")
    if "weights" in setting:
        validate_weights(setting["weights"], runs, "rrf")
    if not candidate.learns:
        given = {name: value for name, value in setting.items() if name != "weights"}
        how = None if candidate.normalise == "none" else candidate.normalise
        validate(candidate.method, how, setting.get("weights"), given, runs)
    return Candidate(candidate.method, candidate.normalise, setting)


def as_json_value(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return [as_json_value(one) for one in value] if isinstance(value, (list, tuple)) else value
