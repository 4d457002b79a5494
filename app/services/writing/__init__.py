"""Storing what was said: once, counted, told apart from echoes."""
