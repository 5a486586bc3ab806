"""What scikit-learn asks of whatever learns: its parameters by name, the names of its features, its tags."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.learning.columns import default_names

__all__ = ["Estimator", "defaults_of"]


class Estimator(ABC):
    """A class whose parameters are attributes of the same names; it says behind itself which they are."""

    #: What each parameter is where nothing is said, in the order of `__init__`.
    defaults: ClassVar[Mapping[str, Any]]

    feature_names_: tuple[str, ...]
    n_features_in_: int

    @property
    def feature_names_in_(self) -> npt.NDArray[np.object_]:
        """(features) the names of the columns; there is no such attribute where nobody named them."""
        if not self.__sklearn_is_fitted__() or self.feature_names_ == default_names(self.n_features_in_):
            raise AttributeError("the features have no names")
        return np.array(self.feature_names_, object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn asks for them; deep has no meaning here."""
        return {name: getattr(self, name) for name in self.defaults}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters by name. Raises ParameterError for one that there is not."""
        for name, value in parameters.items():
            if name not in self.defaults:
                raise ParameterError(
                    f"a {type(self).__name__} has no parameter {name!r}, expected one of {', '.join(self.defaults)}"
                )
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn's pipelines ask of what they end in."""
        from sklearn.utils import Tags, TargetTags  # only scikit-learn asks for it

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool: ...


def defaults_of(made: type[Estimator]) -> dict[str, Any]:
    """What each parameter of a class is where nothing is said."""
    return {name: one.default for name, one in inspect.signature(made).parameters.items()}
