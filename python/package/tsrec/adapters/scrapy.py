"""An item pipeline for Scrapy, which replaces the page in an item by its content.

    # settings.py
    ITEM_PIPELINES = {"tsrec.adapters.scrapy.TsrecPipeline": 300}

    # the spider
    yield {"url": response.url, "html": response.body}

Settings, with their defaults:

    TSREC_HTML_FIELD = "html"       # the field with the page: response.body, or response.text
    TSREC_URL_FIELD = "url"         # the field with its URL; "" for none
    TSREC_FIELDS = ["title", "text", "authors", "published", "language", "confidence"]    # attributes of tsrec.Extraction
    TSREC_KEEP_HTML = False         # whether the page stays in the item; a dataclass keeps the field as None
    TSREC_FAVOR = "balance"         # or "precision", "recall"
    TSREC_SITES = 256               # how many hosts are remembered at a time; 0 extracts each page alone

Give response.body where you can: tsrec finds the charset as browsers do. An item without the page's field goes on
unchanged. An item whose page is no HTML is dropped.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from .._fields import fields
from .._sites import SITES, Sites
from .._tsrec import NotHtmlError, Site, extract
from ..records import Favor

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

__all__ = ["TsrecPipeline"]

FIELDS = ("title", "text", "authors", "published", "language", "confidence")


class TsrecPipeline:
    """Replaces the page in each item by its content. The module describes the settings."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        self._html: str = settings.get("TSREC_HTML_FIELD", "html")
        self._url: str = settings.get("TSREC_URL_FIELD", "url")
        self._fields = fields(settings.get("TSREC_FIELDS", FIELDS), "TSREC_FIELDS")
        self._keeps_html: bool = settings.getbool("TSREC_KEEP_HTML", False)
        self._favor: Favor = settings.get("TSREC_FAVOR", "balance")
        self._sites = Sites(settings.getint("TSREC_SITES", SITES))
        extract("", favor=self._favor)  # A wrong setting ends the crawl before its first request.

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TsrecPipeline:
        """Makes the pipeline, as Scrapy does. Raises ValueError or TypeError if a setting is wrong."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Extracts in a thread, so that the crawl goes on. Raises DropItem if the page is no HTML."""
        from itemadapter import ItemAdapter
        from scrapy.exceptions import DropItem
        from scrapy.utils.defer import maybe_deferred_to_future
        from twisted.internet.threads import deferToThread

        adapter = ItemAdapter(item)
        html = adapter.get(self._html)
        if html is None:
            return item
        url = adapter.get(self._url) if self._url else None
        # Sites are looked up here, because only the crawl's own thread may change their list.
        site = self._sites.of(url)
        try:
            found = await maybe_deferred_to_future(deferToThread(self._extract, html, url, site))
        except NotHtmlError as error:
            self._count("not_html")
            raise DropItem(f"tsrec: {error}") from error
        if not self._keeps_html:
            _remove(item, adapter, self._html)
        for field, value in found.items():
            try:
                adapter[field] = value
            except KeyError as error:
                message = f"{type(item).__name__} has no field {field!r}: declare it, or leave it out of TSREC_FIELDS"
                raise KeyError(message) from error
        self._count("extracted")
        return item

    def _extract(self, html: Any, url: str | None, site: Site | None) -> dict[str, Any]:
        if site is None:
            found = extract(html, url, favor=self._favor)
        else:
            found = site.extract(html, url, learn=True, favor=self._favor)
        return {field: getattr(found, field) for field in self._fields}

    def _count(self, what: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"tsrec/{what}")


def _remove(item: Any, adapter: Any, field: str) -> None:
    """Removes a field. Items that are no mappings, such as dataclasses, cannot be shown without one: there it is None."""
    if isinstance(item, MutableMapping):
        del adapter[field]
    else:
        adapter[field] = None
