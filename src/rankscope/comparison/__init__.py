"""Comparison of systems: which is better, how sure that is, how many queries it takes. Also agreement of judges."""
