"""PostgreSQL access: connection pool, transactions, typed reads and writes, paging, migrations."""

from pannier.db.actor import Actor
from pannier.db.database import Database, DatabaseUnavailable, Db, connect
from pannier.db.paging import Page, PageIn, Sort, load_page, reject_paging
from pannier.db.sql import Where, columns, own_write_condition, parameters
from pannier.db.table import Table

__all__ = [
    "Actor",
    "Database",
    "DatabaseUnavailable",
    "Db",
    "Page",
    "PageIn",
    "Sort",
    "Table",
    "Where",
    "columns",
    "connect",
    "load_page",
    "own_write_condition",
    "parameters",
    "reject_paging",
]
