"""What may be recalled, and how a filter narrows it: conditions that every read has."""
