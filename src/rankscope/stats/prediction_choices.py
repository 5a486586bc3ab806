"""What a prediction-powered estimate may be of, how the machine is calibrated, and how labels are shared out between
strata: names, for settings to offer.
"""

__all__ = [
    "ALLOCATIONS",
    "CALIBRATIONS",
    "POPULATIONS",
]


#: Of which population the mean is estimated.
POPULATIONS = ("source", "items")
#: How the machine's values are calibrated.
CALIBRATIONS = ("none", "isotonic")
#: How a budget of labels is shared out between strata.
ALLOCATIONS = ("neyman", "proportional")
