"""PostgreSQL access: connection pool, transactions, typed reads and writes, paging, migrations."""

from pannier.db.actor import Actor
from pannier.db.paging import Page, PageIn, Sort, page, refuse_paging
from pannier.db.pool import Database, DatabaseAway, Db, connect
from pannier.db.sql import Where, columns, ours, parameters
from pannier.db.table import Table

__all__ = [
    "Actor",
    "Database",
    "DatabaseAway",
    "Db",
    "Page",
    "PageIn",
    "Sort",
    "Table",
    "Where",
    "columns",
    "connect",
    "ours",
    "page",
    "parameters",
    "refuse_paging",
]
