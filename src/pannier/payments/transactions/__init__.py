"""Transactions: the amounts owed for orders, their payments and refunds."""

from pannier.payments.transactions import balances as _balances  # noqa: F401 - it registers hooks of packages below
