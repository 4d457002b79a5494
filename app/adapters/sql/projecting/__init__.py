"""What the vector index follows: the outbox, stored embeddings, their models."""
