"""What conversations come down to, made behind the answers."""
