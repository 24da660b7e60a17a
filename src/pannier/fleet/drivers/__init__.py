"""Drivers: API and service."""
