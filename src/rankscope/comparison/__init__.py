"""Systems against each other: which is better, how sure that is, how many queries it takes. Judges, too."""
