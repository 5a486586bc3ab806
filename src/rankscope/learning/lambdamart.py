"""LambdaMART: gradient-boosted trees, trained by LightGBM; predictions need NumPy only."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.segments import bounds
from rankscope.kernels.trees import tree_sums
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses import CALL_FORM, LOSSES, Loss, LossFunction, NonFiniteLoss, finite_gains, parse_loss
from rankscope.learning.optional_libraries import load_lightgbm
from rankscope.learning.settings import LossName
from rankscope.learning.trainer import TrainingData
from rankscope.measures.names import parse_parameters
from rankscope.settings import NONNEGATIVE, POSITIVE, Number, Settings, count, declare, number, switch
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
    """Nodes of all trees one after the other; within each tree inner nodes come first, then leaves.

    Attributes
    ----------
    feature, threshold
        (nodes) a document whose feature is at most the threshold goes to the first child.
    children
        (nodes, 2) indices of nodes, greater than the node's own; a leaf has itself twice.
    worth
        (nodes) what a leaf adds to the score.
    roots
        (trees) the first node of each.
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
    """A trained ensemble of trees.

    Attributes
    ----------
    forest
        The trees up to the best one.
    losses
        The training loss before each tree was grown; none for LightGBM's own objective.
    values
        The validation measure after each tree.
    best_epoch
        The index of the last tree that was kept; the last of all without validation data.
    grown
        The number of trees that were grown.
    """

    forest: TreeEnsemble
    losses: tuple[float, ...]
    values: tuple[float, ...]
    best_epoch: int
    grown: int

    def scores(self, values: npt.NDArray[np.floating[Any]]) -> Floats:
        """(documents) scores of unscaled features."""
        return self.forest(values)

    @property
    def epochs(self) -> int:
        """How many trees were grown."""
        return self.grown


def parse_trees(text: str) -> TreeEnsemble:
    """The trees in LightGBM's text format of a model.

    Raises ValueError for trees that `TreeEnsemble` cannot represent: with categories, with linear leaves, and with
    branches for missing numbers, which our training does not make.
    """
    trees = [
        dict(line.split("=", 1) for line in section.splitlines() if "=" in line)
        for section in text.split("\nTree=")[1:]
    ]
    node_counts = [2 * int(tree["num_leaves"]) - 1 for tree in trees]
    starts = bounds(np.array(node_counts, np.int64))
    n_nodes = int(starts[-1])
    feature, worth, threshold = np.zeros(n_nodes, np.int32), np.zeros(n_nodes), np.zeros(n_nodes)
    children = np.repeat(np.arange(n_nodes, dtype=np.int32)[:, None], 2, axis=1)
    for tree, start, end in zip(trees, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        n_inner = int(tree["num_leaves"]) - 1
        worth[start + n_inner : end] = parse_numbers(tree["leaf_value"])
        if int(tree.get("num_cat", 0)) or int(tree.get("is_linear", 0)):
            raise ValueError("a tree with categories or linear leaves")
        if not n_inner:
            continue
        decision_types = parse_numbers(tree["decision_type"]).astype(np.int64)
        if (decision_types & ~2).any():  # the second bit only says where a missing number would go
            raise ValueError("a tree with categories or missing numbers")
        inner_nodes = slice(start, start + n_inner)
        feature[inner_nodes], threshold[inner_nodes] = (
            parse_numbers(tree["split_feature"]),
            parse_numbers(tree["threshold"]),
        )
        child_numbers = np.stack([parse_numbers(tree["left_child"]), parse_numbers(tree["right_child"])], axis=1)
        child = child_numbers.astype(np.int64)
        children[inner_nodes] = start + np.where(child >= 0, child, n_inner + ~child)  # leaf i is written as -1 - i
    roots = starts[:-1].astype(np.int32)
    return TreeEnsemble(feature=feature, threshold=threshold, children=children, worth=worth, roots=roots)


def parse_numbers(text: str) -> Floats:
    """Numbers separated by spaces."""
    return np.array(text.split(), np.float64)


#: The name of the loss, whose parameters are those of the class.
LAMBDAMART = "lambdamart"
#: Default minimum of documents in a leaf: a share of all, between two numbers, and never more than a larger share.
LEAF_SHARE, FEWEST_IN_LEAF, MOST_IN_LEAF, LARGEST_LEAF_SHARE = 1 / 100, 20, 200, 1 / 10
#: Default share of features, and how many features each tree has at least.
FEATURE_SHARE, FEWEST_FEATURES = 0.3, 13
#: A share of features or documents.
PART = Number(0, 1, low_open=True, expected="a share above 0 and at most 1")


@dataclass(frozen=True, kw_only=True)
class LambdaMART(Settings):
    """Gradient-boosted trees, grown by LightGBM one after the other, each to reduce the loss of those before it.

    Parameters
    ----------
    objective
        Loss that the trees minimise, as 'listnet' or "ranknet(weights='gains')". Default: LightGBM's own lambdarank.
    trees
        Maximum number of trees. Default: 1000.
    patience
        Stop after this number of trees without improvement on the validation lists. Default: 100.
    leaves
        Maximum number of leaves of a tree. Default: 7.
    rate
        Learning rate: the factor of each tree's scores. Default: 0.05.
    min_documents
        Minimum number of documents in a leaf. Default: by the number of documents, see the notes.
    features
        Share of features sampled for each tree. Default: by the numbers of documents and features, see the notes.
    documents
        Share of documents sampled for each tree. Default: 0.5.
    l2
        Strength of L2 regularisation of the leaves' scores. Default: 0.0.
    truncation
        Number of top ranks: LightGBM's own lambdarank uses pairs with a document among them. Default: 30.
    bins
        Maximum number of bins of the values of a feature. Default: 255.
    threads
        Number of threads of LightGBM. Default: 1.
    ranks
        Give trees, beside each feature, its rank within the list. Default: False.

    Raises
    ------
    ParameterError
        A value is out of range.
    UnknownName
        The objective does not exist.

    Notes
    -----
    With validation lists, growing ends when the measure `stop_on` of the `Ranker` has not improved for `patience`
    trees, and the trees up to the best one are kept. With ranks, a value of .7 may be the best of one list and the
    worst of another; `predict` then needs the queries.

    Two defaults depend on the size of the training data, without lists of one grade. A leaf has at least 1 in 100 of
    the documents, but no fewer than 20 and no more than 200 (of fewer than 200 documents, 1 in 10). Each tree sees a
    share of .3 of the features, but no fewer than 13 of them.

    Examples
    --------
    >>> print(LambdaMART(objective="listnet", trees=200))
    lambdamart(objective='listnet', trees=200)
    """

    FUNCTIONS = ("rankscope.learning:LambdaMART",)

    objective: str | LossFunction | None = declare(
        LossName(),
        None,
        "Loss that the trees minimise, as 'listnet' or \"ranknet(weights='gains')\".",
        flag="",
        unset="LightGBM's own lambdarank",
    )
    trees: int = count(1000, flag="", help="Maximum number of trees.")
    patience: int = count(
        100, flag="", help="Stop after this number of trees without improvement on the validation lists."
    )
    leaves: int = count(7, minimum=2, maximum=131_072, flag="", help="Maximum number of leaves of a tree.")
    rate: float = number(0.05, rule=POSITIVE, flag="", help="Learning rate: the factor of each tree's scores.")
    min_documents: int | None = count(
        None,
        flag="",
        help="Minimum number of documents in a leaf.",
        unset="by the number of documents, see the notes",
    )
    features: float | None = number(
        None,
        rule=PART,
        flag="",
        help="Share of features sampled for each tree.",
        unset="by the numbers of documents and features, see the notes",
    )
    documents: float = number(0.5, rule=PART, flag="", help="Share of documents sampled for each tree.")
    l2: float = number(0.0, rule=NONNEGATIVE, flag="", help="Strength of L2 regularisation of the leaves' scores.")
    truncation: int = count(
        30, flag="", help="Number of top ranks: LightGBM's own lambdarank uses pairs with a document among them."
    )
    bins: int = count(255, minimum=2, flag="", help="Maximum number of bins of the values of a feature.")
    threads: int = count(1, maximum=1024, flag="", help="Number of threads of LightGBM.")
    ranks: bool = switch(False, flag="", help="Give trees, beside each feature, its rank within the list.")

    def check(self) -> None:
        self.loss()

    def loss(self) -> Loss | None:
        """Our loss whose gradients trees are grown by; None for LightGBM's own objective."""
        if self.objective is None:
            return None
        loss = parse_objective(self.objective)
        if not isinstance(loss, Loss) or loss.ranks:
            raise ParameterError(
                f"objective is {self.objective!r}, expected a loss of rankscope without ranks, as 'listnet'"
            )
        return loss

    @property
    def name(self) -> str:
        return LAMBDAMART

    @property
    def objective_name(self) -> str:
        """The name of the objective, with LightGBM's name where it is not ours."""
        loss = self.loss()
        return "lambdarank of LightGBM" if loss is None else str(loss)

    def least_documents(self, documents: int) -> int:
        """The minimum number of documents in a leaf.

        Parameters
        ----------
        documents
            Number of documents in the training data; the default depends on it.
        """
        if self.min_documents is not None:
            return self.min_documents
        least = min(max(int(documents * LEAF_SHARE), FEWEST_IN_LEAF), MOST_IN_LEAF)
        return max(1, min(least, int(documents * LARGEST_LEAF_SHARE)))

    def share_of_features(self, features: int) -> float:
        """The share of features that each tree sees.

        Parameters
        ----------
        features
            Number of features; ranks within lists count.
        """
        if self.features is not None:
            return self.features
        return min(1.0, max(FEATURE_SHARE, FEWEST_FEATURES / features))

    def check_installed(self) -> None:
        """Raise ParameterError where LightGBM cannot be loaded."""
        load_lightgbm()

    def as_dict(self) -> Mapping[str, Any]:
        """All parameters, for a signature."""
        loss = self.loss()
        return {**asdict(self), "objective": None if loss is None else str(loss)}

    def __str__(self) -> str:
        default = {field.name: field.default for field in fields(self)}
        inner = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items() if value != default[name])
        return f"{LAMBDAMART}({inner})" if inner else LAMBDAMART


def parse_objective(text: str | LossFunction | LambdaMART) -> Loss | LambdaMART:
    """The loss of a `Ranker`, or the settings of its trees, from the name. Raises as `parse_loss`.

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
    parameter_names = [field.name for field in fields(LambdaMART)]
    for name in parameters:
        if name not in parameter_names:
            raise UnknownName(f"parameter of {LAMBDAMART}", name, parameter_names)
    return LambdaMART(**parameters)


#: The most documents in a list for LightGBM's own objective.
MAX_LIST_LENGTH = 10_000
#: The number of rows from which LightGBM chooses the bins of a feature.
BIN_SAMPLE_SIZE = 200_000


def boost(data: TrainingData, loss: LambdaMART) -> BoostedTrees:
    """Train one model.

    Raises InputError where there is nothing to learn from, no tree can be grown, and where the loss or the scores are
    no finite numbers.
    """
    library = load_lightgbm()
    features, stopping = lists_with_order(data.features), data.stopping
    own_loss = loss.loss()
    settings = lightgbm_parameters(loss, features, data.rng)
    try:
        train_set = dataset(library, features, settings, own_loss is None)
        booster = library.Booster(settings, train_set)
        if data.valid is not None:
            booster.add_valid(dataset(library, data.valid, settings, False, train_set), "held")
        gradients = None if own_loss is None else LossGradients(own_loss, features, data.rng)
        n_grown = grow_trees(booster, loss, gradients, stopping, data.report_epoch)
        n_kept = n_grown if stopping is None else stopping.best_epoch + 1
        text = booster.model_to_string(num_iteration=n_kept)
    except library.basic.LightGBMError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{features.name}: LightGBM cannot train on it ({reason})") from None
    forest = parse_trees(text)
    if not np.isfinite(forest.worth).all():
        raise InputError(
            f"{features.name}: trees diverged: their scores are not finite, with a rate of {loss.rate:g}; try a "
            "smaller one, as in lambdamart(rate=0.05)"
        )
    return BoostedTrees(
        forest=forest,
        losses=() if gradients is None else tuple(gradients.losses),
        values=() if stopping is None else tuple(stopping.values),
        best_epoch=n_kept - 1,
        grown=n_grown,
    )


def lists_with_order(features: Features) -> Features:
    """The lists with documents of two grades or more. Raises InputError where there is none."""
    lists = informative_lists(features)
    return features if lists.size == len(features.query_ids) else features.select(lists)


def lightgbm_parameters(loss: LambdaMART, features: Features, rng: np.random.Generator) -> dict[str, Any]:
    """LightGBM's parameters: all that change numbers are set, so that its defaults do not matter."""
    parameters: dict[str, Any] = {
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
        "feature_fraction": loss.share_of_features(features.values.shape[1]),
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
                "use a loss of rankscope, as in \"lambdamart(objective='listnet')\", or fewer documents"
            )
        gains = finite_gains(np.unique(features.relevance))
        parameters["lambdarank_truncation_level"] = loss.truncation
        parameters["label_gain"] = [repr(gain) for gain in gains.tolist()]
    return parameters


def dataset(
    library: Any, features: Features, settings: dict[str, Any], with_grades: bool, reference: Any = None
) -> Any:
    """LightGBM's dataset. with_grades: labels are indices into the sorted grades, whose gains are in the settings."""
    labels = np.unique(features.relevance, return_inverse=True)[1] if with_grades else None
    sizes = np.diff(features.offsets) if with_grades else None
    return library.Dataset(features.values, labels, group=sizes, reference=reference, params=settings)


class LossGradients:
    """The gradient and the second derivatives of one of our losses, in LightGBM's form. losses: of each round.

    Lists are summed, not averaged, so that numbers do not shrink with their count: LightGBM uses float32.
    """

    def __init__(self, loss: Loss, features: Features, rng: np.random.Generator) -> None:
        self.loss, self.features, self.rng = loss, features, rng
        self.max_grade = highest_grade(features.relevance)
        self.losses: list[float] = []
        self.constant_curvature = 0.0

    def __call__(self, scores: Reals, _: Any) -> tuple[Reals, Reals]:
        features, curvature = self.features, np.zeros(scores.size)
        n_lists = features.offsets.size - 1
        try:
            value, slope = self.loss(
                np.asarray(scores, np.float64),
                features.relevance,
                features.offsets,
                rng=self.rng,
                max_grade=self.max_grade,
                curvature=curvature,
            )
        except NonFiniteLoss:
            value, slope = np.nan, scores
        if not np.isfinite(value):
            raise InputError(f"the loss {self.loss} is {value} after {len(self.losses)} trees, expected a number")
        self.losses.append(value)
        slope, curvature = slope * n_lists, curvature * n_lists
        if not curvature.any():  # a loss without second derivatives: one number for all documents
            self.constant_curvature = self.constant_curvature or 2 * float(np.abs(slope).mean())
            curvature = np.full(scores.size, self.constant_curvature)
        return slope, curvature + MIN_CURVATURE * curvature.max()


#: The least second derivative as a share of the greatest: a leaf whose documents had none would get an infinite score.
MIN_CURVATURE = 1e-6


def grow_trees(
    booster: Any,
    loss: LambdaMART,
    gradients: LossGradients | None,
    stopping: EarlyStopping | None,
    report_tree: Callable[[], None],
) -> int:
    """Grow the trees; returns how many there are."""

    def record_scores(scores: Reals, _: Any) -> tuple[str, float, bool]:
        if stopping is not None:
            stopping.add_epoch(scores)
        return "watched", 0.0, True

    for tree in range(loss.trees):
        with warnings.catch_warnings():  # no split is left: known from the returned value
            warnings.simplefilter("ignore")
            is_finished = booster.update(fobj=gradients)
        if is_finished and not tree:
            raise InputError(
                "no tree can be grown: no feature splits the documents into two parts that are large enough; use more "
                "documents, or a smaller min_documents, as in lambdamart(min_documents=5)"
            )
        report_tree()
        if stopping is not None:
            booster.eval_valid(record_scores)
            if stopping.should_stop:
                return tree + 1
        if is_finished:
            return tree + 1
    return loss.trees
