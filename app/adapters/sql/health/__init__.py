"""What must fit each other, looked at and put right; what operators see of it."""
