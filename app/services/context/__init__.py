"""From a question to ranked candidates, and to the bundle that the forge makes of them."""
