"""What several of these rooms need."""
