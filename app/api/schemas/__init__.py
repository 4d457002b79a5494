"""The shapes of requests and answers, as API.md fixes them."""
