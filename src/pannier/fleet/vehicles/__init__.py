"""Vehicles: API and service."""
