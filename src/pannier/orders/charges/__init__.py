"""Charges and credits of an order: its account."""
