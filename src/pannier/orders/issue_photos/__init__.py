"""Photos of issues, looked at as those of proofs are: whoever reports shows what went wrong."""
