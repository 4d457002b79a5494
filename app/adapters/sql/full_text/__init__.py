"""Full text on either database."""
