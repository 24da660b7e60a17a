"""Trips and stops of vehicles, derived from positions."""
