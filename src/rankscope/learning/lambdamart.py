"""LambdaMART and its kin: how gradient-boosted trees are trained, as a loss by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from rankscope.errors import ParameterError, UnknownName
from rankscope.learning.installed import load_lightgbm
from rankscope.learning.losses.named import CALL_FORM, LOSSES, Loss, LossFunction, parse_loss
from rankscope.measures.names import parse_parameters
from rankscope.stats.inputs import check_count, check_flag, check_positive, is_real

__all__ = ["LAMBDAMART", "LambdaMART", "parse_objective"]

#: The name of the loss, whose parameters are those of the class.
LAMBDAMART = "lambdamart"
#: A leaf holds at least so many documents, or this share of all of them where that is less.
LEAST_DOCUMENTS, LEAST_SHARE = 200, 1 / 40
#: What LightGBM itself takes at most: leaves beyond are an error of its own; so many more threads end the process.
LIGHTGBM_LIMITS = {"leaves": 131_072, "threads": 1024}


@dataclass(frozen=True, kw_only=True)
class LambdaMART:
    """Gradient-boosted trees, grown by LightGBM one after the other, each to lessen what those before it left.

    objective: what trees are grown by: None for LightGBM's own lambdarank, written in C++, or a loss of
    `rankscope.learning.LOSSES` with its parameters, as "listnet" or "ranknet(weights='gains')". trees: at most so many.
    patience: with validation lists, growing ends where `stop_on` has not risen for so many trees, and those up to the
    best are kept. leaves: of a tree, at most. rate: what a tree's
    scores are multiplied by. min_documents: in each leaf; None: 200, or 1 in 40 of all documents where that is less.
    features, documents: the shares of them, drawn anew for each tree, that it is grown on. l2: how strongly scores of
    leaves are drawn to 0. truncation: of "lambdarank", pairs count of which one document is among so many first.
    bins: values of a feature that are told apart. threads: of LightGBM. ranks: whether trees see, beside each feature,
    its rank within the list, as `with_list_ranks` has it: a value of .7 may be the best of one list and the worst of
    another. Then `predict` asks for the queries.

    Raises ParameterError and UnknownName for values that are none.

    >>> print(LambdaMART(objective="listnet", trees=200))
    lambdamart(objective='listnet', trees=200)
    """

    objective: str | LossFunction | None = None
    trees: int = 1000
    patience: int = 100
    leaves: int = 7
    rate: float = 0.05
    min_documents: int | None = None
    features: float = 0.3
    documents: float = 0.5
    l2: float = 0.0
    truncation: int = 30
    bins: int = 255
    threads: int = 1
    ranks: bool = False

    def __post_init__(self) -> None:
        for name in ("trees", "patience", "truncation", "threads"):
            check_count(name, getattr(self, name))
        check_count("leaves", self.leaves, 2)
        check_count("bins", self.bins, 2)
        for name, most in LIGHTGBM_LIMITS.items():
            if getattr(self, name) > most:
                raise ParameterError(f"{name} is {getattr(self, name)}, and LightGBM takes at most {most}")
        if self.min_documents is not None:
            check_count("min_documents", self.min_documents)
        check_positive("rate", self.rate)
        check_positive("l2", self.l2, zero=True)
        check_flag("ranks", self.ranks)
        for name in ("features", "documents"):
            share = getattr(self, name)
            if not is_real(share) or not 0 < share <= 1:
                raise ParameterError(f"{name} is {share!r}, expected a share above 0 and at most 1")
        self.loss()

    def loss(self) -> Loss | None:
        """The loss of ours whose gradients trees are grown by; None: LightGBM's own."""
        if self.objective is None:
            return None
        loss = parse_objective(self.objective)
        if not isinstance(loss, Loss) or loss.ranks:
            raise ParameterError(
                f"objective is {self.objective!r}, expected a loss that trees are grown by, as 'listnet'"
            )
        return loss

    @property
    def name(self) -> str:
        return LAMBDAMART

    @property
    def objective_name(self) -> str:
        """What trees are grown by, and by whom where it is not ours."""
        loss = self.loss()
        return "lambdarank of LightGBM" if loss is None else str(loss)

    def least_documents(self, documents: int) -> int:
        """In each leaf, of so many."""
        if self.min_documents is not None:
            return self.min_documents
        return max(1, min(LEAST_DOCUMENTS, int(documents * LEAST_SHARE)))

    def check_installed(self) -> None:
        """Raise ParameterError where LightGBM cannot be loaded."""
        load_lightgbm()

    def shown(self) -> Mapping[str, Any]:
        """All parameters, as a signature has them."""
        loss = self.loss()
        return {**asdict(self), "objective": None if loss is None else str(loss)}

    def __str__(self) -> str:
        default = {one.name: one.default for one in fields(self)}
        inner = ", ".join(f"{name}={value!r}" for name, value in self.shown().items() if value != default[name])
        return f"{LAMBDAMART}({inner})" if inner else LAMBDAMART


def parse_objective(text: str | LossFunction | LambdaMART) -> Loss | LambdaMART:
    """What `Ranker` minimises: a loss, or how trees are grown, from its name. Raises as `parse_loss`.

    >>> parse_objective("lambdamart(leaves=15)").leaves
    15
    """
    if isinstance(text, LambdaMART):
        return text
    match = CALL_FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match["name"].lower() in LOSSES:
        return parse_loss(text, ranker=True)
    if match["name"].lower() != LAMBDAMART:
        raise UnknownName("loss", match["name"], [*LOSSES, LAMBDAMART])
    parameters = parse_parameters(LAMBDAMART, match["inner"] or "", str(text))
    known = [one.name for one in fields(LambdaMART)]
    for name in parameters:
        if name not in known:
            raise UnknownName(f"parameter of {LAMBDAMART}", name, known)
    return LambdaMART(**parameters)
