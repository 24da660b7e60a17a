"""Payments: saved cards, and what is owed, paid and given back.

A *gateway* keeps cards and moves money: Stripe, or a fake one for development. An *account* is a
customer at the gateway; each customer of ours has one, made when it is first needed.

A *transaction* is what somebody owes for an order, in lines. It is paid on a *checkout*, a page at
the gateway. What the gateway says of it is kept as *facts* (`facts.py`); what they come to is a
pure rule (`settlement.py`), whatever their order. Whatever is asked of a gateway is written down
first, and asked with no transaction open: by the request that wants it (`checkouts.py`), or else by
the worker (`sweep.py`).
"""
