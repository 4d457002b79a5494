"""What operators and callers see of what went on."""
