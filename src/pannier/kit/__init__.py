"""Values without I/O that every domain uses: times, ids, money, phone numbers, points, keys."""
