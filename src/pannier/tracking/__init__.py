"""The public page on which a recipient tracks a delivery. It shows as little as possible."""
