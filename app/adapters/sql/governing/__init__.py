"""Who may do what, and what was agreed to: keys, flags, consent, the audit log."""
