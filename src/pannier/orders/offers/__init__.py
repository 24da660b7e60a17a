"""Offers: dispatched ad-hoc orders that a nearby driver can take."""
