"""Messages and items stored, with all that must follow them."""
