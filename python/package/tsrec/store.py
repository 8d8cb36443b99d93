"""A reader of a store's files, where no daemon has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike, fspath

from ._tsrec import ForgottenError, StoreFiles
from .client import LISTING, CursorGoneError, Feed
from .records import Record, Summary

__all__ = ["Records", "Store"]

#: Changes that are read at a time: all, and those with records; as in the daemon's answers.
LIMIT, LIMIT_WITH_CONTENT = 1000, 100


class Records(Iterator[Record]):
    """All records of a store, one after the other; its `cursor` is where the feed goes on from them."""

    def __init__(self, store: Store) -> None:
        self.cursor = store._files.end()
        self._records = (record for page in store.pages() if (record := store.page(page["url"])) is not None)

    def __next__(self) -> Record:
        return next(self._records)

    def close(self) -> None:
        """Ends it; there is nothing to let go of, but a `Snapshot` has it too."""
        self._records.close()

    def __enter__(self) -> Records:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Store:
    """Reads the files of a store: what `tsrec.Client` reads of a running daemon, under the same names.

    `path` is the `data_dir` of a crawl. A store belongs to one process at a time: StoreInUseError is raised where a daemon has it, and no daemon can have it before
    this is closed, or its `with` is left. Opening takes a tenth of a second for 10,000 pages, and mends what a crash left. It may be used from several threads. Every method raises StoreError; ValueError
    where an argument is wrong, or the store is closed.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = fspath(path)
        self._files = StoreFiles(self.path)

    def __repr__(self) -> str:
        return f"tsrec.Store({self.path!r})"

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the files."""
        self._files.close()

    def page(self, url: str) -> Record | None:
        """The record of a page; None where the store has none."""
        found = self._files.page(url)
        if found is None:
            return None
        record: Record = json.loads(found)
        return record

    def pages(self, host: str | None = None) -> Iterator[Summary]:
        """The pages of a host, by URL; or of all hosts, by host and URL."""
        after = None
        while True:
            listing: list[Summary] = json.loads(self._files.pages(host, after, LISTING))
            yield from listing
            if len(listing) < LISTING:
                return
            after = listing[-1]["url"]

    def snapshot(self) -> Records:
        """All records: where an index begins. It goes on with `follow(snapshot.cursor)`, here or with a daemon's client."""
        return Records(self)

    def changes(self, since: str | None = None, *, content: bool = False, limit: int | None = None) -> Feed:
        """Changes past a cursor, or from the start: some of them, and none only where the end is reached.

        With `content` each upsert has its record as `page`. Raises CursorGoneError where the cursor's past is forgotten.
        """
        most = LIMIT_WITH_CONTENT if content else LIMIT
        if limit is not None and not 1 <= limit <= most:
            raise ValueError(f"limit is {limit}, it must be a whole number from 1 to {most}")
        try:
            feed = json.loads(self._files.changes(since, limit or min(most, 100), content))
        except ForgottenError as gone:
            raise CursorGoneError(f"{gone}: drop what you have and follow from the start") from None
        return Feed(feed["changes"], feed["next"])

    def follow(self, since: str | None = None, *, content: bool = False) -> Iterator[Feed]:
        """Changes past a cursor, some at a time, up to the end: while the files are open here, nobody adds any.

        Keep `feed.next` in the same transaction as what you made of `feed.changes`, and give it back as `since` the next time.
        """
        while True:
            feed = self.changes(since, content=content)
            if not feed.changes:
                return
            yield feed
            since = feed.next
