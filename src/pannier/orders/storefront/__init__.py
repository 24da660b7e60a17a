"""What customers see of orders: their own, and of each only what is theirs."""
