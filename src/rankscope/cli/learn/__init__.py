"""Commands that train and use rankers."""
