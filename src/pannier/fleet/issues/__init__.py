"""The doors and verbs of issues."""
