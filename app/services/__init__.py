"""One use case per class, written as prose."""
