"""The remaining flow of an order: everything a phone needs to continue offline."""
