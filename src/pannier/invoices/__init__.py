"""Invoices and credit notes: numbered documents of what customers were charged."""

from pannier.invoices import balances as _balances  # noqa: F401 - it registers a hook of payments
