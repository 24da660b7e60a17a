"""City files: street tiles, routing graphs and addresses from one OpenStreetMap extract.

`pannier map build` builds them in the data directory. The server fetches nothing.
"""
