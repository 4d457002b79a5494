"""Entities and edges: built, walked, and what they lose with messages."""
