"""Quotes: what each rate that holds asks for a shipment, for a while.

A quote that somebody asks for is kept nowhere: its id carries the price, signed.
"""
