"""How much a message matters, and what a conversation comes down to."""
