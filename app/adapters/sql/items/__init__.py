"""Memory items: what was told or derived, when it holds, what supersedes it."""
