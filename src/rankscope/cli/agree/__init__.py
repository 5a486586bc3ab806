"""`rankscope agree`: agreement of judges, metrics, labels, rankings, measures."""
