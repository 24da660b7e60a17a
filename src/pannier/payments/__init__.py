"""Payments: saved cards, charges, payments and refunds.

A *gateway* keeps cards and moves money: Stripe, or a fake one for development. An *account* is a
customer's record at the gateway. Each of our customers has one, created when first needed.

A *transaction* is the amount owed for an order, in lines. It is paid on a *checkout*, a page at
the gateway. The gateway's reports are stored as *facts* (`facts.py`). A pure function computes
the settlement from them in any order (`settlement.py`). Every request to a gateway is recorded
first and sent outside a transaction: by the HTTP request that needs it (`checkouts.py`), or else by
the worker (`sweep.py`).
"""
