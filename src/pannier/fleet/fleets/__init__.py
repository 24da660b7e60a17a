"""Fleets: API and service."""
