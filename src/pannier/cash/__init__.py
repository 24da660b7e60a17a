"""Cash on delivery: collections by drivers, hand-ins at the depot, remittances to merchants.

The cash belongs to the merchant, who is the customer of the order. It never counts as payment of
the order's price.
"""
