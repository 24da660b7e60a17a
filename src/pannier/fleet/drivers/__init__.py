"""The doors and verbs of drivers."""
