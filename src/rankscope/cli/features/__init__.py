"""`rankscope features`: what rankers learn from, and the models that this needs."""
