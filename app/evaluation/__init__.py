"""Measuring retrieval on sets of questions, and learning the weights of ranking from them."""
