"""Settings of companies and stores.

`models.py` has the sections of the settings, as they are set and with defaults. `queries.load`
returns the effective settings, once for each transaction. The installation's own settings are in
`pannier/settings/`.
"""
