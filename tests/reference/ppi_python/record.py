"""Records what ppi-python 0.2.3 gives on random values, for tests/stats/test_prediction_powered.py.

    python tests/reference/ppi_python/record.py

where ppi-python is installed (it asks for numba, pandas, statsmodels, scikit-learn and gdown). Its "unlabelled" are the
queries that people did not judge. lam: the weight that it tunes; its estimate and its 95 % interval, of the normal
distribution, with that weight and with weights that are given.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
GIVEN = (0.0, 0.5, 1.0)


def tuned(human, machine, others):
    """The weight that `ppi_mean_ci` and `ppi_mean_pointestimate` find, which they do not give away."""
    from ppi_py.ppi import _calc_lam_glm

    centre = others.mean() + (human - machine).mean()
    return _calc_lam_glm(human - centre, machine - centre, others - centre, np.eye(1), clip=True)


def case(rng, n, rest, noise, bias):
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    truth = rng.beta(2, 3, n + rest)
    judged = bias + truth + rng.normal(0, noise, n + rest)
    human, machine, others = truth[:n].round(6), judged[:n].round(6), judged[n:].round(6)
    found = []
    for lam in (tuned(human, machine, others), *GIVEN):
        low, high = ppi_mean_ci(human, machine, others, alpha=0.05, lam=lam)
        value = ppi_mean_pointestimate(human, machine, others, lam=lam)
        found.append(
            {
                "lam": float(lam),
                "value": float(np.squeeze(value)),
                "ends": [float(np.squeeze(low)), float(np.squeeze(high))],
            }
        )
    return {"human": human.tolist(), "machine": machine.tolist(), "others": others.tolist(), "found": found}


def main():
    rng = np.random.default_rng(18)
    sizes = ((8, 20, 0.1, 0.1), (20, 30, 0.05, -0.1), (20, 200, 0.3, 0.2), (60, 60, 0.15, 0.0), (100, 300, 2.0, 0.5))
    cases = [case(rng, *size) for size in sizes]
    recorded = {"ppi-python": version("ppi-python"), "cases": cases}
    (HERE / "recorded.json").write_text(json.dumps(recorded, indent=None) + "\n")


if __name__ == "__main__":
    main()
