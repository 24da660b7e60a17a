"""Storefronts in the console: their name, sign-in providers and settings."""
