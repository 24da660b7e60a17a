"""Failed delivery attempts: the reason, and what happens next."""
