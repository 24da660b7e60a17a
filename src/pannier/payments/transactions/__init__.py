"""Transactions: the amounts owed for orders, their payments and refunds."""
