"""Background work that several processes share: who has which piece, and until when."""
