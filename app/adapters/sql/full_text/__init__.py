"""Full text on either database, and making it anew."""
