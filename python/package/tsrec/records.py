"""The types of what tsrec takes, and of the dicts that it returns."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

#: A page: its bytes as they came, or its text.
Html: TypeAlias = bytes | bytearray | str
#: A page, or a pair of a page and its address.
Page: TypeAlias = Html | tuple[Html, str | None]
#: What to favour where precision and recall conflict.
Favor: TypeAlias = Literal["balance", "precision", "recall"]
#: The form of content as a str.
OutputFormat: TypeAlias = Literal["text", "markdown", "html", "tei", "json"]
Method: TypeAlias = Literal[
    "auto",
    "blocks",
    "template",
    "template-paper",
    "mss",
    "mss-blocks",
    "mss-supervised",
    "mss-semi",
    "swarm",
    "segments",
    "crf",
    "vote",
    "longest",
]


class Evidence(TypedDict):
    """A piece of evidence on an element."""

    name: str
    kind: str
    value: float | None
    #: By how much it moved the log-odds.
    moves: float


class Element(TypedDict):
    """An element of the page's tag sequence, and its results."""

    #: From 1.
    number: int
    name: str
    begin: int
    end: int
    parent: int
    level: int
    label: Literal["common", "regular", "hidden", "content", "outside"]
    #: The number of the equal element on the sibling.
    partner: int | None
    #: How likely it is content, 0 to 1; None where it has no text.
    probability: float | None
    evidence: list[Evidence] | None
    #: A CSS selector that a browser's inspector accepts.
    path: str


class Gate(TypedDict):
    """A measure of a comparison, and its limits."""

    name: str
    measured: float
    least: float | None
    most: float | None
    passed: bool


class Gates(TypedDict):
    """A comparison with a sibling."""

    sibling: str
    passed: bool
    exact: bool
    gates: list[Gate]


class Template(TypedDict):
    """A template of a site."""

    number: int
    pages: int
    #: Whether pages are judged by it.
    serves: bool
    taught: bool
    #: The number of the template that took its place.
    replaced_by: int | None
    bytes: int


class Summary(TypedDict):
    """A page in the daemon's listing."""

    url: str
    seq: int
    title: str | None
    method: str
    confidence: float
    kind: str | None
    words: int
    fetched_at: str


class Record(TypedDict):
    """The record of a page in the daemon's store."""

    url: str
    host: str
    seq: int
    title: str | None
    authors: list[str]
    published: str | None
    modified: str | None
    language: str | None
    language_confidence: float | None
    site_name: str | None
    description: str | None
    image: str | None
    canonical_url: str | None
    tags: list[str]
    license: str | None
    comments: str
    text: str
    #: The same in the markup that carries meaning; None where it was not kept.
    html: str | None
    words: int
    method: str
    confidence: float
    kind: str | None
    kind_probability: float | None
    sibling: str | None
    template: dict[str, Any] | None
    gates: list[Gates]
    labels: dict[str, int]
    content_hash: str
    simhash: str
    fetched_at: str
    changed_at: str
    status: int
    charset: str | None
    cut: list[str]


class _Change(TypedDict):
    seq: int
    url: str
    kind: Literal["upsert", "delete"]
    #: Of a delete: `gone`, `disallowed`, `redirected`, `noindex`, `unavailable` or `duplicate`.
    reason: str | None
    #: Of an upsert.
    content_hash: str | None
    at: str


class Change(_Change, total=False):
    """The latest change of a URL."""

    #: The record of an upsert, where it was asked for.
    page: Record
