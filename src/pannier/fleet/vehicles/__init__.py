"""The doors and verbs of vehicles."""
