"""What the rules read: words, sentences, what was said."""
