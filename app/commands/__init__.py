"""The commands, a file per noun: what they are told, and how they show what came of it."""
