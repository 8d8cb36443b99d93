"""A step for datatrove pipelines, which replaces the HTML of each document by its content.

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import WarcReader
    from datatrove.pipeline.writers import JsonlWriter
    from tsrec.adapters.datatrove import TsrecExtractor

    LocalPipelineExecutor([WarcReader("crawl/"), TsrecExtractor(), JsonlWriter("texts/")]).run()

It reads the URL from `metadata["url"]`, and remembers hosts. Sort documents by host: then each host is remembered for
as long as its pages come. Documents in another order work, too, while their hosts are among the last `sites`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

try:
    from datatrove.pipeline.base import PipelineStep
    from datatrove.utils.logging import logger
except ImportError as error:
    raise ImportError(f"tsrec.adapters.datatrove needs datatrove (pip install datatrove): {error}") from error

from .._fields import fields
from .._sites import SITES, Sites
from .._tsrec import Extraction, NotHtmlError, extract
from ..records import Favor, OutputFormat

if TYPE_CHECKING:
    from datatrove.data import Document

__all__ = ["TsrecExtractor"]

METADATA = ("title", "authors", "published", "language", "kind", "confidence")
FORMATS = ("text", "markdown", "html")


class TsrecExtractor(PipelineStep):
    """Replaces the HTML of each document by its content, and adds metadata.

    `output_format` is text, markdown or html. `favor` is that of `tsrec.extract`. `metadata` names the attributes of
    `tsrec.Extraction` that are added to the document's. `sites` is how many hosts are remembered at a time; with 0
    each page is extracted alone.

    Documents without content, and those that are no HTML, are dropped and counted (`empty`, `not_html`, `error`). No
    time limit is needed: tsrec bounds its work on each page.
    """

    name = "tsrec"
    type = "🛢 - EXTRAC"

    def __init__(
        self,
        output_format: OutputFormat = "text",
        favor: Favor = "balance",
        metadata: Iterable[str] = METADATA,
        sites: int = SITES,
    ) -> None:
        super().__init__()
        if output_format not in FORMATS:
            raise ValueError(f"output_format: {output_format!r} is none of {', '.join(FORMATS)}")
        extract("", favor=favor)  # Checks it.
        Sites(sites)
        self.output_format = output_format
        self.favor = favor
        self.metadata = fields(metadata, "metadata")
        self.sites = sites
        self._has_warned = False

    def run(self, data: Iterable[Document], rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yields the documents that have content."""
        sites = Sites(self.sites)
        for document in data:
            self.stat_update("total")
            with self.track_time():
                kept = self._extract(document, sites)
            if kept:
                self.stat_update("forwarded")
                self.update_doc_stats(document)
                yield document
            else:
                self.stat_update("dropped")

    def _extract(self, document: Document, sites: Sites) -> bool:
        """Whether the document has content."""
        url = document.metadata.get("url")
        site = sites.of(url)
        try:
            found: Extraction = (
                site.extract(document.text, url, learn=True, favor=self.favor)
                if site is not None
                else extract(document.text, url, favor=self.favor)
            )
        except NotHtmlError:
            self.stat_update("not_html")
            return False
        except (TypeError, ValueError) as error:
            self._warn(document, error)
            return False
        document.text = getattr(found, self.output_format)
        document.metadata |= {name: getattr(found, name) for name in self.metadata}
        if not document.text:
            self.stat_update("empty")
        return bool(document.text)

    def _warn(self, document: Any, error: Exception) -> None:
        self.stat_update("error")
        if not self._has_warned:
            self._has_warned = True
            logger.warning(f"tsrec drops document {document.id}: {error}. Later ones are only counted, as error.")
