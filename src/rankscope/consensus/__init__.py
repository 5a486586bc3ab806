"""Many rankings and preferences into one order."""
