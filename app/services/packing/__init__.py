"""Laying what was found out within a budget."""
