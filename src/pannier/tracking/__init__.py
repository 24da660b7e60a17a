"""The page on which a recipient follows a parcel: public, and with little on it."""
