"""Answers as they are handed over: cached, recorded by receipts, replayed, compared."""
