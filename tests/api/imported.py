"""What commands import when they are told to work, and the tables that they read first."""

from importlib import import_module

import quicktok

for _module in ("backups", "cli", "client", "evaluation", "main", "mcp", "operations", "serving"):
    import_module(f"app.{_module}")
quicktok.get_encoding("o200k_base")
