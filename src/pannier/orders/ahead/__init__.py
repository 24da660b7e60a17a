"""What lies ahead of an order: all that a phone needs to go on without reception."""
