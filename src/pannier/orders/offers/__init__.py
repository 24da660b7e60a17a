"""Offers: ad-hoc orders, which drivers nearby see and of whom one takes each."""
