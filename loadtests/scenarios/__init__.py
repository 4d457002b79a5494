"""What the users of a load test do, one kind of user per file."""
