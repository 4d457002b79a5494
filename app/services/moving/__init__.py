"""Out of this service and into it: exports, imports, and what a backup brings back."""
