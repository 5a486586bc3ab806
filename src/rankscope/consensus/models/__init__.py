"""Models of rankings and comparisons: Markov chains, Bradley-Terry, Plackett-Luce, Mallows."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.consensus.models.bradley_terry import PAIR_MODELS as PAIR_MODELS
    from rankscope.consensus.models.bradley_terry import BradleyTerryFit as BradleyTerryFit
    from rankscope.consensus.models.bradley_terry import deviance_from_pairs as deviance_from_pairs
    from rankscope.consensus.models.bradley_terry import draws_from_covariance as draws_from_covariance
    from rankscope.consensus.models.bradley_terry import fit_preferences as fit_preferences
    from rankscope.consensus.models.bradley_terry import lost_resamples_note as lost_resamples_note
    from rankscope.consensus.models.bradley_terry_likelihood import POSITION as POSITION
    from rankscope.consensus.models.plackett_luce import LuceModel as LuceModel
    from rankscope.consensus.models.plackett_luce import PlackettLuce as PlackettLuce
    from rankscope.consensus.models.plackett_luce import scale_votes as scale_votes
    from rankscope.consensus.models.weight_unit import check_least as check_least

HOMES = {
    "BradleyTerryFit": "bradley_terry",
    "LuceModel": "plackett_luce",
    "PAIR_MODELS": "bradley_terry",
    "POSITION": "bradley_terry_likelihood",
    "PlackettLuce": "plackett_luce",
    "check_least": "weight_unit",
    "deviance_from_pairs": "bradley_terry",
    "draws_from_covariance": "bradley_terry",
    "fit_preferences": "bradley_terry",
    "lost_resamples_note": "bradley_terry",
    "scale_votes": "plackett_luce",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
