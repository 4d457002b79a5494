"""Keeping the indexes true to SQL, whatever happens to them."""
