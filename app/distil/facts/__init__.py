"""Durable statements and preferences, drawn by rules; rather none than a wrong one."""
