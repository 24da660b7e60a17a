"""Ingestion from trackers, phone apps and third-party servers, each in its own protocol."""
