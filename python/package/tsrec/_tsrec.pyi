from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, Literal, final

from .records import Element, Gates, Html, Method, Page, Template

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
    """What tsrec raises where Python has no exception of its own for it."""

class NotHtmlError(Error):
    """The bytes of a page are those of something else, such as PDF or an image."""

class MemoryFileError(Error):
    """A memory of a site cannot be used: it is none, damaged, or of another version or model."""

class StoreError(Error):
    """The files of a store cannot be read."""

class StoreInUseError(StoreError):
    """Another process has the store, such as the crawl daemon: ask that with tsrec.Client, or stop it first."""

class ForgottenError(StoreError):
    """What changed since a cursor is forgotten."""

@final
class StoreFiles:
    """An open store: it has the directory for itself until it is closed. Records, summaries and feeds are given as JSON."""

    def __new__(cls, path: str) -> StoreFiles: ...
    def close(self) -> None:
        """Gives the directory up. Nothing can be read after."""
    def page(self, url: str) -> str | None:
        """The record of a page by its URL. None where there is none."""
    def pages(self, host: str | None, after: str | None, limit: int) -> str:
        """Summaries of records, by URL: of a host or of all, after a URL, so many at most."""
    def end(self) -> str:
        """Where the feed ends."""
    def changes(self, since: str | None, limit: int, content: bool) -> str:
        """Changes since a cursor, so many at most, with `next`, the cursor after them; with their records where the content is asked for."""

@final
class Extraction:
    """What was found on a page. It keeps the parsed page, and renders what is asked of it at each access."""

    @property
    def text(self) -> str:
        """The content as text, one block a line."""
    @property
    def markdown(self) -> str:
        """The content as Markdown (CommonMark, GitHub's tables): `to_markdown()`."""
    @property
    def html(self) -> str:
        """The content in the markup that carries meaning, harmless wherever it is shown: `to_html()`."""
    @property
    def title(self) -> str | None:
        """The headline, without the site's name."""
    @property
    def authors(self) -> list[str]:
        """Who wrote it, a name each."""
    @property
    def published(self) -> str | None:
        """When it was published: a date of ISO 8601, maybe with a time, as precise as found."""
    @property
    def date(self) -> str | None:
        """The same as `published`, under the name that other extractors have for it."""
    @property
    def modified(self) -> str | None:
        """When it was changed last; as `published`."""
    @property
    def language(self) -> str | None:
        """The language of its text: a language tag (BCP 47), such as `en` or `pt-BR`."""
    @property
    def language_confidence(self) -> float | None:
        """How sure the text is of that, from 0 to 1; None where the page alone declares it."""
    @property
    def site_name(self) -> str | None:
        """What the site calls itself."""
    @property
    def description(self) -> str | None:
        """What it is about, in the page's own words."""
    @property
    def image(self) -> str | None:
        """The URL of the image that stands for it."""
    @property
    def canonical_url(self) -> str | None:
        """The address that the page calls its own."""
    @property
    def tags(self) -> list[str]:
        """Its keywords and sections."""
    @property
    def license(self) -> str | None:
        """Under which licence it is published: a URL, or a name."""
    @property
    def metadata(self) -> dict[str, Any]:
        """Title, authors, dates and the rest as one dict."""
    @property
    def sources(self) -> dict[str, str]:
        """Where each value of the metadata was found, such as `json-ld` or `heading`."""
    @property
    def comments(self) -> str:
        """What readers said, where the content has it not."""
    @property
    def url(self) -> str | None:
        """The address that was given."""
    @property
    def kind(self) -> str | None:
        """What kind of page it is, such as `article` or `listing`; None where the method does not say."""
    @property
    def kind_probability(self) -> float | None:
        """How likely that is, 0 to 1."""
    @property
    def confidence(self) -> float:
        """How far the result can be trusted: the F1 to expect, 0 to 1."""
    @property
    def method(self) -> str:
        """What made the content: `template` by siblings or from memory, `blocks` by the page alone, or the method that was asked for."""
    @property
    def sibling(self) -> str | None:
        """The sibling by which it was found."""
    @property
    def remembered(self) -> int:
        """Of how many other pages something was remembered."""
    @property
    def gates(self) -> list[Gates]:
        """The comparisons with siblings, and why one was not made use of."""
    @property
    def notes(self) -> list[str]:
        """What a reader should know beyond it, in sentences."""
    @property
    def words(self) -> int:
        """The words of the text."""
    @property
    def charset(self) -> str:
        """The character encoding by which the page was read."""
    @property
    def cut(self) -> list[str]:
        """The limits that cut the page, of `bytes`, `nodes`, `depth` and `attributes`."""
    @property
    def elements(self) -> list[Element]:
        """What was made of each element of the page, in its order; with the evidence where `explain` was asked for."""
    def to_markdown(self, *, links: bool = True, images: bool = True, front_matter: bool = False) -> str:
        """The content as Markdown; `front_matter` begins with what is known of the page, as YAML."""
    def to_html(self, *, links: bool = True, images: bool = True) -> str:
        """The content as HTML of a closed list of elements, with links of http, https and mailto alone."""
    def to_tei(self, *, links: bool = True, images: bool = True) -> str:
        """The content as a TEI P5 document."""
    def to_dict(self) -> dict[str, Any]:
        """All that is known, under the names of `tsrec extract --format json`."""

@final
class Extractions(Iterator[Any]):
    """What comes of pages, in their order. One thread may ask it at a time."""

    def __iter__(self) -> Extractions: ...
    def __next__(self) -> Any: ...

@final
class Site:
    """What the pages of a site have in common, by place: hashes and counts, no text. It can be pickled, and used from several threads."""

    def __init__(self) -> None: ...
    def learn(self, html: Html, url: str | None = None, *, charset: str | None = None) -> int:
        """Remembers a page, and says the number of its template, from 1. A page that is known is not counted again."""
    def extract(
        self,
        html: Html,
        url: str | None = None,
        *,
        learn: bool = False,
        charset: str | None = None,
        explain: bool = False,
    ) -> Extraction:
        """Finds the content of a page by what is remembered, or by the page alone where its template is not known from three other pages. With `learn` the page is remembered
        afterwards: page by page that is what `tsrec extract --batch --sites` does."""
    @property
    def pages(self) -> int:
        """Pages that were learned."""
    @property
    def templates(self) -> list[Template]:
        """The templates of the site."""
    def to_bytes(self) -> bytes:
        """What is remembered, as the bytes of a memory file (`tsrec extract --memory`)."""
    @classmethod
    def from_bytes(cls, memory: bytes) -> Site:
        """A site of such bytes. Raises MemoryFileError."""
    def save(self, path: str | PathLike[str]) -> None:
        """Writes a memory file."""
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Site:
        """Reads a memory file. Raises OSError, MemoryFileError."""

def site_of(url: str) -> str | None:
    """The site that a page is of, by its address: the domain under which its owner can register no more names, such as `example.co.uk`; None where the address has none.
    `tsrec extract --batch --sites` puts pages together by it."""

def extract(
    html: Html,
    url: str | None = None,
    siblings: Iterable[Page] | None = None,
    *,
    method: Method = "auto",
    charset: str | None = None,
    explain: bool = False,
) -> Extraction:
    """Finds the content of a page.

    `url` is its address: it makes links absolute, orders siblings that have one, and is evidence. `siblings` are pages made by the same template, with
    or without their addresses; those that do not fit are not used, and `gates` says why. `charset` is what the HTTP header said, for bytes. With
    `explain` the elements say which evidence moved their probability.

    Other threads run meanwhile. Raises NotHtmlError; ValueError and TypeError where an argument is wrong.
    """

def extract_many(
    pages: Iterable[Page],
    *,
    threads: int | None = None,
    method: Method = "auto",
    on_error: Literal["raise", "return"] = "raise",
) -> Extractions:
    """Finds the content of many pages, each alone, on several threads (by default as many as there are processors), without the interpreter's lock.

    Results come in the order of the pages, of which no more are taken than four a thread ahead of them: `pages` may be a generator without end. Of a page
    that cannot be extracted the exception is raised in its turn, which ends the run; with `on_error="return"` it stands in the place of the result.
    """
