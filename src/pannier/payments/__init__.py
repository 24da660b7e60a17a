"""Payments: what an app needs to save a card and to show a payment sheet.

A *gateway* keeps cards and moves money: Stripe, or a fake one for development. An *account* is a
customer at the gateway; each customer of ours has one, made when it is first needed.
"""
