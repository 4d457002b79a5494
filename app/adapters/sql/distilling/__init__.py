"""What is to be distilled and summed up, and how far that is."""
