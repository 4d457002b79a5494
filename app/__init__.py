"""Foreword: the context an agent reads before its next turn."""

__version__ = "0.1.0"
