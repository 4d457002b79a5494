"""What stands between an agent and its model: memory before the call, keeping it after."""
