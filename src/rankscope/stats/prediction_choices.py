"""What a prediction-powered estimate may be of, and how the machine is calibrated: names, for settings to offer."""

__all__ = [
    "CALIBRATIONS",
    "POPULATIONS",
]


#: Of which population the mean is estimated.
POPULATIONS = ("source", "items")
#: How the machine's values are calibrated.
CALIBRATIONS = ("none", "isotonic")
