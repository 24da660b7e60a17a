"""Routing: how far and how long it is, and where an address lies."""
