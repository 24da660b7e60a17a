"""Ingest: where trackers, phone apps and others' servers send what they have, each in its way."""
