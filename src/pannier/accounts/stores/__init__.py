"""Storefronts as an operator sees them: their name, and the providers they trust."""
