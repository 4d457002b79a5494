"""Memory items and profiles: told, corrected, superseded, consented to."""
