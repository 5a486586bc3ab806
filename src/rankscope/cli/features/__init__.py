"""`rankscope features`: features that rankers learn from, and the models that they need."""
