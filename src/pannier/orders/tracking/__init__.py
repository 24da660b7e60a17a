"""Tracking: the numbers people follow an order by, and what happened to it so far."""
