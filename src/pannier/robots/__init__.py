"""Simulated drivers of test companies."""
