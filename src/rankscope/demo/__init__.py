"""A test collection that the project simulates itself, and a guided tour on it."""
