"""Attempts to hand something over that failed: why, and what happens then."""
