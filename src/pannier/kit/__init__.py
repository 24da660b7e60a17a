"""Pure values every domain speaks in: time, identifiers, money, phones, points, keys."""
