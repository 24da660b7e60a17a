"""Issues: API and service."""
