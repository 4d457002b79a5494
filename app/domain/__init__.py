"""Frozen values, ids and errors. Standard library only."""
