"""Background work that several processes share by leases."""
