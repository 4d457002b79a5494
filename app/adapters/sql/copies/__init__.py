"""Out of a database and into another: backups, restores, exports, replicas."""
