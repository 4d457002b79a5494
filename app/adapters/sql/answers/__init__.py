"""What was answered: receipts, metrics, answers under idempotency keys."""
