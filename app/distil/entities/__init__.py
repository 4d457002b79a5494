"""Who and what messages speak of, and how they relate."""
