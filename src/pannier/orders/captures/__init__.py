"""Captures: proofs of delivery received for an order, a stop or an item."""
