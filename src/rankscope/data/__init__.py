"""The types that everything else passes on: Qrels, Run, Hits, Scores."""
