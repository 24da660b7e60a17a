"""The doors and verbs of fleets."""
