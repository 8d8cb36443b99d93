"""Extracts the content of web pages by comparing them with each other.

    >>> import tsrec
    >>> page = tsrec.extract(html, url="https://example.org/a", siblings=[other])
    >>> page.text, page.title, page.confidence

`extract` takes one page, alone or with siblings (pages made by the same template). `extract_many` takes many pages and
uses all processors, and `extract_frame` the pages in a table of pandas. A `Site` remembers what the pages of a site have in common. `Client` reads the records of a running
daemon and follows its changes. `Store` reads the files of a store that no daemon uses.
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
from .frame import extract_frame
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
    "extract_frame",
    "extract_many",
    "site_of",
]
