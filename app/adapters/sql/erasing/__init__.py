"""Deleting for good."""
