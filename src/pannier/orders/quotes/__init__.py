"""Quotes of orders: made with the order, accepted once, and owed from then on.

An order is priced when it is placed and when something changes that a price depends on; what was
open before is *replaced*, and kept. Accepting a quote, signed or of an order, opens a transaction.
"""
