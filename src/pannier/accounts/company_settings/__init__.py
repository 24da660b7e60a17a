"""What a company may want different: where it is, how strict, how long, and how it calls itself.

`models.py` has the parts as somebody set them and as they apply, `queries.of` reads what applies,
once for each transaction. The installation's own settings are in `pannier/settings/`.
"""
