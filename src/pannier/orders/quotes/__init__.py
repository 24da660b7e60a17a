"""Quotes of orders: created with the order, accepted at most once, and owed from then on.

An order is priced when it is created and when a field changes that the price depends on. Earlier
open quotes are then *replaced* and kept. Accepting a quote, signed or of an order, opens a
transaction.
"""
