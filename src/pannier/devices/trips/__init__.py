"""Trips and stops of vehicles, as the rules derived them from positions."""
