"""What was said: conversations, messages, whose they are."""
