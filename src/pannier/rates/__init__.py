"""Service rates and delivery prices.

A *rate* says where, when and for which deliveries it applies, and how to compute a price. A
*shipment* is the object to price: from a query, an order or a storefront. A *quote* is a price with
lines that can be accepted until it expires.
"""
