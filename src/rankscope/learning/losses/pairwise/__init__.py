"""Pairwise losses: RankNet, RankSVM, LambdaRank, LambdaLoss."""
