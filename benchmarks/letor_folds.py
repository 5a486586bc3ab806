"""MQ2007 in its five folds, for the benchmark of rankers and the search for their defaults.

Fold k trains on S(k), S(k + 1) and S(k + 2), validates on S(k + 3) and tests on S(k + 4), counted in a ring, as LETOR
4.0 says. The files are looked for in the folder `letor/MQ2007` of `RANKSCOPE_DATA`, or of `shared/data` beside the
repository.
"""

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLACE = Path(os.environ.get("RANKSCOPE_DATA") or HERE.parent.parent / "shared" / "data") / "letor" / "MQ2007"
FOLDS = 5


def there() -> bool:
    return (PLACE / f"S{FOLDS}.txt").exists()


def parts():
    """S1 to S5."""
    from rankscope.io.letor import read_features

    return [read_features(PLACE / f"S{k}.txt", n_features=46) for k in range(1, FOLDS + 1)]


def made_parts(queries=60, documents=20, features=10):
    """Five parts of made data: grades 0 to 2 from a curved function of some features, with noise."""
    import numpy as np

    from rankscope.data.features import Features

    rng = np.random.default_rng(13)
    found = []
    for _ in range(FOLDS):
        values = rng.standard_normal((queries * documents, features)).astype(np.float32)
        worth = values[:, 0] + np.abs(values[:, 1]) + 0.5 * rng.standard_normal(len(values))
        grades = np.digitize(worth, (1.0, 2.5))
        grades[::documents] = 0  # no list of one grade
        grades[1::documents] = 2
        found.append(Features.of(values, grades, sizes=[documents] * queries))
    return found


def folds(data):
    """(training, validation, test) of each fold."""
    from rankscope.experiments.crossvalidation import join_features

    for k in range(FOLDS):
        first, second, third, valid, test = ((k + step) % FOLDS for step in range(FOLDS))
        yield join_features([data[first], data[second], data[third]], f"Fold{k + 1}"), data[valid], data[test]
