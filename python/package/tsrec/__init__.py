"""The content of web pages, found by comparing them with each other.

    >>> import tsrec
    >>> page = tsrec.extract(html, url="https://example.org/a", siblings=[other])
    >>> page.text, page.title, page.confidence

`extract` takes one page, alone or with siblings (pages made by the same template); `extract_many` takes many, on all processors; a `Site`
remembers what the pages of a site have in common. `Client` reads the records of a running daemon and follows its changes, `Store` those of its files.
"""

from ._tsrec import (
    Error,
    Extraction,
    Extractions,
    MemoryFileError,
    NotHtmlError,
    Site,
    StoreError,
    StoreInUseError,
    __version__,
    extract,
    extract_many,
    site_of,
)
from .client import ApiError, Client, CursorGoneError, Feed, Snapshot
from .store import Records, Store

__all__ = [
    "ApiError",
    "Client",
    "CursorGoneError",
    "Error",
    "Extraction",
    "Extractions",
    "Feed",
    "MemoryFileError",
    "NotHtmlError",
    "Records",
    "Site",
    "Snapshot",
    "Store",
    "StoreError",
    "StoreInUseError",
    "__version__",
    "extract",
    "extract_many",
    "site_of",
]
