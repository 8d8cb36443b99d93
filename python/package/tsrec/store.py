"""Reads the files of a store that no daemon uses."""

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
    """All records of a store, one after the other. The feed continues from them at `cursor`."""

    def __init__(self, store: Store) -> None:
        self.cursor = store._files.end()
        self._records = (record for page in store.pages() if (record := store.page(page["url"])) is not None)

    def __next__(self) -> Record:
        return next(self._records)

    def close(self) -> None:
        """Ends the iteration. It holds no resource; the method exists because `Snapshot` has it."""
        self._records.close()

    def __enter__(self) -> Records:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Store:
    """Reads the files of a store. It has the method names of `tsrec.Client`, which reads a running daemon.

    `path` is the `data_dir` of a crawl. Only one process at a time can use a store. If a daemon has it,
    StoreInUseError is raised. A daemon can open it only after `close`, or after the `with` block ends. Opening takes
    a tenth of a second for 10,000 pages, and repairs what a crash left. Several threads may use it. Every method
    raises StoreError. If an argument is wrong or the store is closed, it raises ValueError.
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
        """Closes the files."""
        self._files.close()

    def page(self, url: str) -> Record | None:
        """Returns the record of a page. None if the store has none."""
        found = self._files.page(url)
        if found is None:
            return None
        record: Record = json.loads(found)
        return record

    def pages(self, host: str | None = None) -> Iterator[Summary]:
        """Lists the pages of a host, by URL. Without a host, lists all pages, by host and URL."""
        after = None
        while True:
            listing: list[Summary] = json.loads(self._files.pages(host, after, LISTING))
            yield from listing
            if len(listing) < LISTING:
                return
            after = listing[-1]["url"]

    def snapshot(self) -> Records:
        """Returns all records, to build an index from. To continue, call `follow(snapshot.cursor)`, here or with a
        daemon's client."""
        return Records(self)

    def changes(self, since: str | None = None, *, content: bool = False, limit: int | None = None) -> Feed:
        """Returns some changes after a cursor, or from the start. The list is empty only at the end of the feed.

        With `content`, each upsert has its record as `page`. Raises CursorGoneError if the store no longer knows
        what changed since the cursor.
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
        """Yields changes after a cursor, some at a time, up to the end. While the files are open here, no other
        process adds any.

        Keep `feed.next` in the same transaction as what you made of `feed.changes`. Pass it as `since` the next
        time.
        """
        while True:
            feed = self.changes(since, content=content)
            if not feed.changes:
                return
            yield feed
            since = feed.next
