"""The content of web pages, found by comparing them with each other.

    >>> import tsrec
    >>> page = tsrec.extract(html, url="https://example.org/a", siblings=[other])
    >>> page.text, page.title, page.confidence

`extract` takes one page, alone or with siblings (pages made by the same template); `extract_many` takes many, on all processors; a `Site`
remembers what the pages of a site have in common. `Client` reads the records of a running daemon and follows its changes.
"""

from ._tsrec import (
    Error,
    Extraction,
    Extractions,
    MemoryFileError,
    NotHtmlError,
    Site,
    __version__,
    extract,
    extract_many,
)
from .client import ApiError, Client, CursorGoneError, Feed, Snapshot

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
    "Site",
    "Snapshot",
    "__version__",
    "extract",
    "extract_many",
]
