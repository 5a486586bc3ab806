"""Listwise losses: ListNet, ListMLE, ApproxNDCG, NeuralNDCG."""
