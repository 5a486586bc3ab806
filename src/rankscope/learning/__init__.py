"""Learning to rank."""
