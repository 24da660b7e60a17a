"""Payloads, stops and items as resources of their own, with or without an order."""
