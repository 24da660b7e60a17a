"""City files: streets, roads and addresses made from one OpenStreetMap extract.

`pannier map build` makes them in the data directory. Nothing is fetched while serving.
"""
