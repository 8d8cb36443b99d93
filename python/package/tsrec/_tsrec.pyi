import datetime
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, Literal, final, overload

from .records import Element, Favor, Gates, Html, Method, OutputFormat, Page, Template

__all__ = [
    "Error",
    "Extraction",
    "Extractions",
    "ForgottenError",
    "MemoryFileError",
    "NotHtmlError",
    "Site",
    "StoreError",
    "StoreFiles",
    "StoreInUseError",
    "__version__",
    "extract",
    "extract_many",
    "site_of",
]

__version__: str

class Error(Exception):
    """tsrec raises this if Python has no exception of its own for the error."""

class NotHtmlError(Error):
    """The page is not HTML, but something else, such as PDF or an image."""

class MemoryFileError(Error):
    """A memory file cannot be used. It is another kind of file, damaged, or of another version or model."""

class StoreError(Error):
    """The files of a store cannot be read."""

class StoreInUseError(StoreError):
    """Another process has the store open, such as the crawl daemon. Use tsrec.Client to ask it, or stop it first."""

class ForgottenError(StoreError):
    """The store no longer knows what changed since a cursor."""

@final
class StoreFiles:
    """An open store. No other process can use the directory until it is closed. Records, summaries and feeds are
    JSON."""

    def __new__(cls, path: str) -> StoreFiles: ...
    def close(self) -> None:
        """Closes the store. After that, nothing can be read."""
    def page(self, url: str) -> str | None:
        """The record of the page with this URL. None if there is none."""
    def pages(self, host: str | None, after: str | None, limit: int) -> str:
        """At most `limit` summaries of records, by URL. They are of one host or of all, and come after a URL."""
    def end(self) -> str:
        """The cursor at the end of the feed."""
    def changes(self, since: str | None, limit: int, content: bool) -> str:
        """At most `limit` changes since a cursor, with `next`, the cursor after them. With `content` they include
        their records."""

@final
class Extraction:
    """The result of an extraction. It keeps the parsed page and renders each output when you access it."""

    @property
    def text(self) -> str:
        """The content as text, one block per line."""
    @property
    def markdown(self) -> str:
        """The content as Markdown (CommonMark with GitHub's tables), the same as `to_markdown()`."""
    @property
    def html(self) -> str:
        """The content in the markup that carries meaning, the same as `to_html()`. It is safe to show anywhere."""
    @property
    def title(self) -> str | None:
        """The headline, without the site's name."""
    @property
    def authors(self) -> list[str]:
        """The authors, one name each."""
    @property
    def published(self) -> str | None:
        """The date of publication in ISO 8601, as precise as it was found. It may have a time."""
    @property
    def published_date(self) -> datetime.date | None:
        """The day of publication as a `datetime.date`. None if the page does not state the day."""
    @property
    def modified_date(self) -> datetime.date | None:
        """The day of the last change, in the form of `published_date`."""
    @property
    def date(self) -> str | None:
        """The same as `published`. Other extractors use this name."""
    @property
    def modified(self) -> str | None:
        """The date of the last change, in the form of `published`."""
    @property
    def language(self) -> str | None:
        """The language of the text, as a language tag (BCP 47) such as `en` or `pt-BR`."""
    @property
    def language_confidence(self) -> float | None:
        """How sure the text is of that, from 0 to 1; None where the page alone declares it."""
    @property
    def site_name(self) -> str | None:
        """The site's own name."""
    @property
    def description(self) -> str | None:
        """The page's own description of its content."""
    @property
    def image(self) -> str | None:
        """The URL of the image that represents the page."""
    @property
    def canonical_url(self) -> str | None:
        """The URL that the page declares as its own."""
    @property
    def tags(self) -> list[str]:
        """The page's keywords and sections."""
    @property
    def license(self) -> str | None:
        """The licence of the page: a URL, or a name."""
    @property
    def metadata(self) -> dict[str, Any]:
        """Title, authors, dates and the other metadata as one dict."""
    @property
    def sources(self) -> dict[str, str]:
        """Where each value of the metadata was found, such as `json-ld` or `heading`."""
    @property
    def comments(self) -> str:
        """Readers' comments, unless the content has them."""
    @property
    def url(self) -> str | None:
        """The URL that the caller gave."""
    @property
    def kind(self) -> str | None:
        """The kind of the page, such as `article` or `listing`. None if the method does not find kinds."""
    @property
    def kind_probability(self) -> float | None:
        """The probability of the kind, from 0 to 1."""
    @property
    def confidence(self) -> float:
        """How far the result can be trusted: the F1 to expect, 0 to 1."""
    @property
    def method(self) -> str:
        """The method that found the content. `memory` uses what the site taught, `template` a sibling, `blocks` the page alone. If
        you asked for another method, it is that one."""
    @property
    def sibling(self) -> str | None:
        """The sibling that was used to find the content."""
    @property
    def remembered(self) -> int:
        """The number of other pages whose memory was used."""
    @property
    def gates(self) -> list[Gates]:
        """The comparisons with siblings. They say why a sibling was not used."""
    @property
    def notes(self) -> list[str]:
        """Notes about the result, as sentences."""
    @property
    def words(self) -> int:
        """The number of words in the text."""
    @property
    def charset(self) -> str:
        """The character encoding that was used to read the page."""
    def _repr_html_(self) -> str:
        """What a notebook shows: the content, and how far it can be trusted."""
    @property
    def cut(self) -> list[str]:
        """The limits that cut the page: any of `bytes`, `nodes`, `depth`, `attributes` and `steps`."""
    @property
    def elements(self) -> list[Element]:
        """The results for each element of the page, in page order. With `explain`, they include the evidence."""
    def to_markdown(self, *, links: bool = True, images: bool = True, front_matter: bool = False) -> str:
        """The content as Markdown. `front_matter` puts YAML that describes the page before it."""
    def to_html(self, *, links: bool = True, images: bool = True) -> str:
        """The content as HTML. It has only a fixed list of elements, and only http, https and mailto links."""
    def to_tei(self, *, links: bool = True, images: bool = True) -> str:
        """The content as a TEI P5 document."""
    def to_dict(self) -> dict[str, Any]:
        """All results, under the names of `tsrec extract --format json`."""

@final
class Extractions(Iterator[Any]):
    """The results of `extract_many`, in the order of the pages. Only one thread at a time may read them."""

    def __iter__(self) -> Extractions: ...
    def __next__(self) -> Any: ...

@final
class Site:
    """What the pages of a site have in common, by place. It keeps hashes and counts, but no text. It can be pickled,
    and used from several threads."""

    def __init__(self) -> None: ...
    def learn(self, html: Html, url: str | None = None, *, charset: str | None = None) -> int:
        """Learns a page and returns the number of its template, from 1. A page that is already known is not counted
        again."""
    @overload
    def extract(
        self,
        html: Html,
        url: str | None = None,
        *,
        learn: bool = False,
        favor: Favor = "balance",
        charset: str | None = None,
        explain: bool = False,
        output_format: None = None,
    ) -> Extraction:
        """Finds the content of a page from what was learned. If fewer than three other pages of its template are
        known, it uses the page alone. With `learn` the page is learned afterwards. This is what `tsrec extract
        --batch --sites` does, page by page. `output_format` is that of `tsrec.extract`."""
    @overload
    def extract(
        self,
        html: Html,
        url: str | None = None,
        *,
        learn: bool = False,
        favor: Favor = "balance",
        charset: str | None = None,
        explain: bool = False,
        output_format: OutputFormat,
    ) -> str: ...
    @property
    def pages(self) -> int:
        """The number of pages that were learned."""
    @property
    def templates(self) -> list[Template]:
        """The templates of the site."""
    def to_bytes(self) -> bytes:
        """The memory of the site, as the bytes of a memory file (`tsrec extract --memory`)."""
    @classmethod
    def from_bytes(cls, memory: bytes) -> Site:
        """Makes a site from the bytes of a memory file. Raises MemoryFileError."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes a memory file."""
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Site:
        """Reads a memory file. Raises OSError or MemoryFileError."""

def site_of(url: str) -> str | None:
    """The site of a page, from its URL. This is the domain under which its owner can register no more names, such as
    `example.co.uk`. None if the URL has no such domain. `tsrec extract --batch --sites` groups pages by it."""

@overload
def extract(
    html: Html,
    url: str | None = None,
    siblings: Iterable[Page] | None = None,
    *,
    method: Method = "auto",
    favor: Favor = "balance",
    charset: str | None = None,
    explain: bool = False,
    output_format: None = None,
) -> Extraction:
    """Finds the content of a page.

    `url` is the page's URL. It makes links absolute, orders siblings that have a URL, and may hold the date.
    `siblings` are pages made by the same template, with or without their URLs. Siblings that do not fit are not
    used, and `gates` says why. `favor` says what to favour where precision and recall conflict: "precision" keeps
    less of the page, "recall" more; only the methods auto and blocks can. `charset` is the one from the HTTP header,
    if the page is bytes. With `explain`, the elements say which evidence moved their probability.

    With `output_format` the result is a str, not an Extraction.

    Other threads run meanwhile. Raises NotHtmlError. If an argument is wrong, raises ValueError or TypeError.
    """

@overload
def extract(
    html: Html,
    url: str | None = None,
    siblings: Iterable[Page] | None = None,
    *,
    method: Method = "auto",
    favor: Favor = "balance",
    charset: str | None = None,
    explain: bool = False,
    output_format: OutputFormat,
) -> str: ...

def extract_many(
    pages: Iterable[Page],
    *,
    threads: int | None = None,
    method: Method = "auto",
    favor: Favor = "balance",
    on_error: Literal["raise", "return"] = "raise",
) -> Extractions:
    """Finds the content of many pages, each alone, on several threads. The default is one thread per processor. The
    threads run without the interpreter's lock.

    Results come in the order of the pages. At most four pages per thread are read ahead, so `pages` may be an
    endless generator. If a page cannot be extracted, its exception is raised in its turn, which ends the run. With
    `on_error="return"` the exception is returned in place of the result.
    """
