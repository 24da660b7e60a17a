"""Transactions: what is owed for an order, what was paid of it, and what was given back."""
