"""Orders as customers see them: only their own, and only their share of each."""
