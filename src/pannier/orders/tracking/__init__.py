"""Tracking numbers and the tracking history of orders."""
