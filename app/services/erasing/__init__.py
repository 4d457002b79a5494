"""Forgetting, everywhere and for good."""
