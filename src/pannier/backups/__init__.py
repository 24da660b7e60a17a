"""Backups of the whole installation: database, files and, if encrypted, the secret."""
