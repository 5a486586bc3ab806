"""LambdaMART: gradient-boosted trees, trained by LightGBM, with predictions by our own arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.segments import bounds
from rankscope.kernels.trees import tree_sums
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses.gains import finite_gains
from rankscope.learning.losses.registry import CALL_FORM, LOSSES, Loss, LossFunction, parse_loss
from rankscope.learning.optional_libraries import load_lightgbm
from rankscope.measures.names import parse_parameters
from rankscope.stats.inputs import check_count, check_flag, check_positive, is_real
from rankscope.typing import Floats, Ints32, Reals

__all__ = [
    "LAMBDAMART",
    "BoostedTrees",
    "LambdaMART",
    "TreeEnsemble",
    "boost",
    "parse_objective",
    "parse_trees",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeEnsemble:
    """Nodes of all trees one after the other; of each tree those that ask come first, then its leaves.

    feature, threshold: (nodes) a document whose feature is at most the threshold goes on to the first child. children:
    (nodes, 2) numbers of nodes, greater than the node's own; a leaf has itself twice. worth: (nodes) what a leaf adds
    to the score. roots: (trees) the first node of each.
    """

    feature: Ints32
    threshold: Floats
    children: Ints32
    worth: Floats
    roots: Ints32

    def __call__(self, values: npt.NDArray[np.floating[Any]]) -> Floats:
        """(documents) scores of (documents, features)."""
        return tree_sums(values, self.feature, self.threshold, self.children, self.worth, self.roots)


@dataclass(frozen=True, eq=False, kw_only=True)
class BoostedTrees:
    """forest: the trees up to the best one. losses, values: by tree, the loss of training before it was grown (none of
    LightGBM's own objectives, which do not tell) and the measure in validation after it. best_epoch: the place of the
    last tree that was kept; the last of all where there was nothing to validate on. grown: trees that were tried.
    """

    forest: TreeEnsemble
    losses: tuple[float, ...]
    values: tuple[float, ...]
    best_epoch: int
    grown: int

    def scores(self, values: npt.NDArray[np.floating[Any]]) -> Floats:
        """(documents) scores of features as they are."""
        return self.forest(values)

    @property
    def epochs(self) -> int:
        """How many trees were grown."""
        return self.grown


def parse_trees(text: str) -> TreeEnsemble:
    """The trees of LightGBM's text of a model.

    Raises ValueError for trees that ours cannot stand for: with categories, with linear leaves, and with a way of
    their own for missing numbers, which is not how we train them.
    """
    parts = [
        dict(line.split("=", 1) for line in part.splitlines() if "=" in line) for part in text.split("\nTree=")[1:]
    ]
    lengths = [2 * int(one["num_leaves"]) - 1 for one in parts]
    starts = bounds(np.array(lengths, np.int64))
    total = int(starts[-1])
    feature, worth, threshold = np.zeros(total, np.int32), np.zeros(total), np.zeros(total)
    children = np.repeat(np.arange(total, dtype=np.int32)[:, None], 2, axis=1)
    for one, start, end in zip(parts, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        inner = int(one["num_leaves"]) - 1
        worth[start + inner : end] = parse_numbers(one["leaf_value"])
        if int(one.get("num_cat", 0)) or int(one.get("is_linear", 0)):
            raise ValueError("a tree with categories or linear leaves")
        if not inner:
            continue
        ways = parse_numbers(one["decision_type"]).astype(np.int64)
        if (ways & ~2).any():  # the second bit alone says where a missing number would go if there were any
            raise ValueError("a tree with categories or missing numbers")
        asks = slice(start, start + inner)
        feature[asks], threshold[asks] = parse_numbers(one["split_feature"]), parse_numbers(one["threshold"])
        below = np.stack([parse_numbers(one["left_child"]), parse_numbers(one["right_child"])], axis=1).astype(np.int64)
        children[asks] = start + np.where(below >= 0, below, inner + ~below)  # leaf i is written as -1 - i
    roots = starts[:-1].astype(np.int32)
    return TreeEnsemble(feature=feature, threshold=threshold, children=children, worth=worth, roots=roots)


def parse_numbers(text: str) -> Floats:
    """Numbers with spaces between them, exactly as they are written."""
    return np.array(text.split(), np.float64)


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


#: A list in which LightGBM's own objective looks at pairs holds at most so many documents.
MAX_LIST_LENGTH = 10_000
#: Rows by which LightGBM chooses between which values of a feature to tell.
BIN_SAMPLE_SIZE = 200_000


def boost(
    features: Features,
    loss: LambdaMART,
    watch: EarlyStopping | None,
    held: Features | None,
    rng: np.random.Generator,
    progress: Callable[[int], Any] | None = None,
) -> BoostedTrees:
    """One model. held: the lists that are watched.

    Raises InputError where there is nothing to learn from, no tree can be grown, and where the loss is no number or
    scores are none.
    """
    library = load_lightgbm()
    features = lists_with_order(features)
    ours = loss.loss()
    settings = lightgbm_parameters(loss, features, rng)
    try:
        data = dataset(library, features, settings, ours is None)
        booster = library.Booster(settings, data)
        if held is not None:
            booster.add_valid(dataset(library, held, settings, False, data), "held")
        slopes = None if ours is None else LossGradients(ours, features, rng)
        grown = grow_trees(booster, loss, slopes, watch, progress)
        kept = grown if watch is None else watch.best_epoch + 1
        text = booster.model_to_string(num_iteration=kept)
    except library.basic.LightGBMError as error:
        why = " ".join(str(error).split())
        raise InputError(f"{features.name}: LightGBM cannot train on it ({why})") from None
    forest = parse_trees(text)
    if not np.isfinite(forest.worth).all():
        raise InputError(
            f"{features.name}: trees diverged: their scores are no finite numbers, with a rate of {loss.rate:g}; try a "
            "smaller one, as in lambdamart(rate=0.05)"
        )
    return BoostedTrees(
        forest=forest,
        losses=() if slopes is None else tuple(slopes.losses),
        values=() if watch is None else tuple(watch.values),
        best_epoch=kept - 1,
        grown=grown,
    )


def lists_with_order(features: Features) -> Features:
    """The lists that there is an order in. Raises InputError where there is none."""
    lists = informative_lists(features)
    return features if lists.size == len(features.query_ids) else features.select(lists)


def lightgbm_parameters(loss: LambdaMART, features: Features, rng: np.random.Generator) -> dict[str, Any]:
    """LightGBM's parameters. Nothing is left to its defaults that changes numbers and is a matter of choice."""
    found: dict[str, Any] = {
        "objective": "lambdarank" if loss.objective is None else "none",
        "metric": "none",
        "verbosity": -1,
        "num_threads": loss.threads,
        "deterministic": True,
        "force_row_wise": True,
        "seed": int(rng.integers(2**31)),
        "learning_rate": loss.rate,
        "num_leaves": loss.leaves,
        "min_data_in_leaf": loss.least_documents(len(features)),
        "min_sum_hessian_in_leaf": 0.0,
        "feature_fraction": loss.features,
        "bagging_fraction": loss.documents,
        "bagging_freq": int(loss.documents < 1),
        "lambda_l2": loss.l2,
        "max_bin": loss.bins,
        "data_random_seed": 1,  # bins are the same for all seeds
        "bin_construct_sample_cnt": BIN_SAMPLE_SIZE,
        "use_missing": False,  # features are finite
    }
    if loss.objective is None:
        longest = int(np.diff(features.offsets).max())
        if longest > MAX_LIST_LENGTH:
            raise InputError(
                f"{features.name}: a query has {longest} documents, and lambdamart takes at most {MAX_LIST_LENGTH}; "
                "give it a loss of ours, as in \"lambdamart(objective='listnet')\", or fewer documents"
            )
        gains = finite_gains(np.unique(features.relevance))
        found["lambdarank_truncation_level"] = loss.truncation
        found["label_gain"] = [repr(gain) for gain in gains.tolist()]
    return found


def dataset(library: Any, features: Features, settings: dict[str, Any], graded: bool, reference: Any = None) -> Any:
    """Documents as LightGBM has them; graded: with places of grades among all, whose gains are in the settings."""
    labels = np.unique(features.relevance, return_inverse=True)[1] if graded else None
    sizes = np.diff(features.offsets) if graded else None
    return library.Dataset(features.values, labels, group=sizes, reference=reference, params=settings)


class LossGradients:
    """The gradient and the second derivatives of a loss of ours, as LightGBM asks for them. losses: of each round.

    Lists are summed, not averaged, so that numbers do not shrink with how many there are: LightGBM has them as float32.
    """

    def __init__(self, loss: Loss, features: Features, rng: np.random.Generator) -> None:
        self.loss, self.features, self.rng = loss, features, rng
        self.highest = int(features.relevance.max())
        self.losses: list[float] = []
        self.flat = 0.0

    def __call__(self, scores: Reals, _: Any) -> tuple[Reals, Reals]:
        features, bend = self.features, np.zeros(scores.size)
        lists = features.offsets.size - 1
        value, slope = self.loss(
            np.asarray(scores, np.float64),
            features.relevance,
            features.offsets,
            rng=self.rng,
            max_grade=self.highest,
            curvature=bend,
        )
        if not np.isfinite(value):
            raise InputError(f"the loss {self.loss} is {value} after {len(self.losses)} trees, expected a number")
        self.losses.append(value)
        slope, bend = slope * lists, bend * lists
        if not bend.any():  # a loss that does not tell: one number for all documents
            self.flat = self.flat or 2 * float(np.abs(slope).mean())
            bend = np.full(scores.size, self.flat)
        return slope, bend + MIN_CURVATURE * bend.max()


#: Of the greatest second derivative, what each has at least: a leaf whose documents have none would score without end.
MIN_CURVATURE = 1e-6


def grow_trees(
    booster: Any,
    loss: LambdaMART,
    slopes: LossGradients | None,
    watch: EarlyStopping | None,
    progress: Callable[[int], Any] | None,
) -> int:
    """Tree after tree; how many there are."""

    def judge(scores: Reals, _: Any) -> tuple[str, float, bool]:
        if watch is not None:
            watch.better(scores)
        return "watched", 0.0, True

    for tree in range(loss.trees):
        with warnings.catch_warnings():  # there is no split left: told by what is returned
            warnings.simplefilter("ignore")
            over = booster.update(fobj=slopes)
        if over and not tree:
            raise InputError(
                "no tree can be grown: no feature parts the documents so that each side has enough of them; give more "
                "documents, or say a smaller min_documents, as in lambdamart(min_documents=5)"
            )
        if progress is not None:
            progress(1)
        if watch is not None:
            booster.eval_valid(judge)
            if watch.over:
                return tree + 1
        if over:
            return tree + 1
    return loss.trees
