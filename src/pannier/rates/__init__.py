"""Rates: what a delivery costs.

A *rate* says where, when and for what it holds, and how a price is found. A *shipment* is what is
priced, whoever asks: a query, an order, a shop. A *quote* is a price with lines, for a while.
"""
