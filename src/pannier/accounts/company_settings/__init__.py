"""Settings of companies and stores.

`models.py` has the sections of the settings: configured, and effective. `queries.load`
returns the effective settings, once for each transaction. The installation's own settings are in
`pannier/settings/`.
"""
