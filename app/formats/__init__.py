"""Reading what other services and this one export: bytes in, conversations as handed in out."""
