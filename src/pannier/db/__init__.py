"""PostgreSQL access: connection pool, transactions, typed reads and writes, paging, migrations."""

from pannier.db.actor import Actor
from pannier.db.database import Database, DatabaseUnavailable, Db, connect
from pannier.db.paging import (
    CreatedPageIn,
    Page,
    PageIn,
    PagingIn,
    Sort,
    add_times,
    load_page,
    reject_paging,
)
from pannier.db.sql import Where, columns, own_write_condition, parameters
from pannier.db.table import Table

__all__ = [
    "Actor",
    "CreatedPageIn",
    "Database",
    "DatabaseUnavailable",
    "Db",
    "Page",
    "PageIn",
    "PagingIn",
    "Sort",
    "Table",
    "Where",
    "add_times",
    "columns",
    "connect",
    "load_page",
    "own_write_condition",
    "parameters",
    "reject_paging",
]
