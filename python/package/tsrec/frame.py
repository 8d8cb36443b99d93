"""Extraction of the pages in a table of pandas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ._fields import fields
from ._sites import SITES, Sites
from ._tsrec import Extraction, extract, extract_many, site_of
from .records import Favor, Method

if TYPE_CHECKING:
    import pandas

__all__ = ["extract_frame"]

COLUMNS = ("title", "text", "authors", "published", "language", "kind", "confidence")


def extract_frame(
    df: pandas.DataFrame,
    html: str = "html",
    url: str | None = "url",
    *,
    columns: Iterable[str] = COLUMNS,
    prefix: str = "",
    sites: bool = False,
    method: Method = "auto",
    favor: Favor = "balance",
    threads: int | None = None,
) -> pandas.DataFrame:
    """Returns a copy of the table with the content of each page, in new columns.

    `html` and `url` name the columns with the pages (bytes or str) and their URLs; `url=None` if there are none.
    `columns` names the attributes of `Extraction` that become columns; with `prefix` each new column begins with it.
    The index and the order of the rows stay.

    A row without a page, or whose page cannot be extracted, has None there, and the reason in the column `error`. In
    other rows `error` is None. Numbers are missing as NaN.

    With `sites`, rows of a site learn from those above them, as with `Site.extract(learn=True)`, on one thread. The
    256 sites used last are remembered, so sort by site a table of more.
    Without, each page is extracted alone, on `threads` threads: by default one per processor.

    Raises KeyError if a column is missing, and ValueError if a new column would replace one or an argument is wrong.
    """
    names = fields(columns, "columns")
    for column, argument in ((html, "html"), (url, "url")):
        if column is not None and column not in df.columns:
            there = ", ".join(map(str, df.columns))
            none = ", or url=None if there are no URLs" if argument == "url" else ""
            raise KeyError(f"the table has no column {column!r}: name another with {argument}={none}; it has {there}")
    new = [prefix + name for name in (*names, "error")]
    if taken := [name for name in new if name in df.columns]:
        raise ValueError(f"the table has a column {taken[0]!r} already: give a prefix, leave it out of columns, or drop it")
    if sites and method != "auto":
        raise ValueError(f"method: with sites it is auto, not {method}")
    urls = [None] * len(df) if url is None else [None if _missing(value) else value for value in df[url]]
    pages = zip(df[html], urls)
    rows = []
    for given, found in zip(df[html], _found(pages, sites, threads, method, favor), strict=True):
        if isinstance(found, Extraction) and not _missing(given):
            rows.append([getattr(found, name) for name in names] + [None])
        else:
            why = "there is no page" if _missing(given) else f"{type(found).__name__}: {found}"
            rows.append([None] * len(names) + [why])
    result = df.copy()
    for number, name in enumerate(new):
        result[name] = _column([row[number] for row in rows], df.index)
    return result


def _found(
    pages: Iterable[tuple[Any, Any]], sites: bool, threads: int | None, method: Method, favor: Favor
) -> Iterator[Any]:
    """A result or an exception for each row. A row without a page counts, so that messages have the row's number."""
    rows = (("", None) if _missing(page) else (page, url) for page, url in pages)
    if sites:
        return _by_site(rows, favor)
    return extract_many(rows, threads=threads, method=method, favor=favor, on_error="return")


def _column(values: list[Any], index: Any) -> Any:
    """A column that keeps None where it has no numbers."""
    import pandas

    numbers = all(value is None or isinstance(value, (int, float)) for value in values)
    has_any = any(value is not None for value in values)
    return pandas.Series(values, index, dtype=None if numbers and has_any else object)


def _by_site(pages: Iterable[tuple[Any, Any]], favor: Favor) -> Iterator[Extraction | Exception]:
    """Results page by page, each from what the pages of its site before it taught."""
    extract("", favor=favor)  # A wrong argument is no fault of a row.
    sites = Sites(SITES, site_of)
    for page, url in pages:
        try:
            site = sites.of(url)
            if site is None:
                yield extract(page, url, favor=favor)
            else:
                yield site.extract(page, url, learn=True, favor=favor)
        except Exception as error:  # One page of many: its row has the error.
            yield error


def _missing(value: Any) -> bool:
    """True of None, and of pandas' other signs that nothing is there."""
    if value is None:
        return True
    if isinstance(value, (str, bytes, bytearray)):
        return False
    import pandas

    return bool(pandas.api.types.is_scalar(value) and pandas.isna(value))
