"""Quotes: the prices of a shipment by each rate that applies, until they expire.

Quotes are not stored. A quote's id carries the price, signed.
"""
