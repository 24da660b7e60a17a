"""Reopening of canceled orders."""
