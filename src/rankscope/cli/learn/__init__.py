"""Commands that train, test and apply rankers."""
