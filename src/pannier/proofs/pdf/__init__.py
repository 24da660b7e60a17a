"""Printing proof sheets: letters, paper, and what stands where on it."""
