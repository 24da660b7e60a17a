"""Returns: new orders that bring delivered items back to the pickup."""
