"""Who is here: companies, their stores, operators with roles, keys, and the audit log."""
