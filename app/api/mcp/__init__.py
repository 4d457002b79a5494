"""The service for models, by the Model Context Protocol: tools and resources over our services."""
