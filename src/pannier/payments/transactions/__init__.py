"""Transactions: what is owed for an order, and what was paid and refunded."""
