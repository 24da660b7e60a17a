"""Photos of issues, processed like photos of proofs."""
