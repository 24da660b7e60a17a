"""Captures: proofs of delivery as they come in for an order, a stop or an item."""
