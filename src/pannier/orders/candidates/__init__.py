"""Candidates: the drivers who could take an order, nearest first."""
