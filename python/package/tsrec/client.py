"""Reads the records of a running daemon, and its changes as they come."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any, NamedTuple

from ._tsrec import Error, StoreError, __version__
from .records import Change, Record, Summary

__all__ = ["ApiError", "Client", "CursorGoneError", "Feed", "Snapshot"]

#: Where the daemon listens unless its configuration says otherwise.
DEFAULT_URL = "http://127.0.0.1:7717"

#: Pages of a listing that are asked for at a time; the most that the API gives.
LISTING = 1000


class ApiError(Error):
    """The daemon refused a request, or could not be reached.

    `status` is the HTTP status, or None if there was no answer. `type` is the type of the problem (RFC 9457), a name
    that does not change.
    """

    def __init__(self, message: str, status: int | None = None, type: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.type = type


class CursorGoneError(ApiError, StoreError):
    """Daemon or store no longer know what changed since a cursor. Drop what you have, and follow from the start,
    without `since`."""


class Feed(NamedTuple):
    """Some changes, oldest first, and the cursor where the next ones begin."""

    changes: list[Change]
    #: To be kept with what was made of the changes, and given back as `since`.
    next: str


class Snapshot(Iterator[Record]):
    """All records of a store, one after the other. The feed continues from them at `cursor`."""

    def __init__(self, answer: http.client.HTTPResponse, cursor: str) -> None:
        self._answer = answer
        self.cursor = cursor

    def __next__(self) -> Record:
        line = _read(self._answer.readline)
        if not line:
            self.close()
            raise StopIteration
        if not line.endswith(b"\n"):
            raise ApiError("the snapshot ends amid a record: the daemon has stopped; ask it again")
        record: Record = json.loads(line)
        return record

    def close(self) -> None:
        """Closes the connection. Reading to the end does so too."""
        self._answer.close()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Client:
    """Reads a daemon's API.

    `url` is where the daemon listens. `token` is the content of `http.token_file`. `timeout` is in seconds: how long
    the daemon may be silent, beyond the time that you asked it to wait. A client has no state, and several threads
    may use it. Every method raises ApiError.
    """

    def __init__(self, url: str = DEFAULT_URL, *, token: str | None = None, timeout: float = 30) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{url!r} is no address of a daemon: give one such as {DEFAULT_URL}")
        if parts.path not in ("", "/") or parts.query or parts.fragment:
            raise ValueError(f"{url!r} says more than where the daemon is: leave out what follows the host and port")
        self.url = f"{parts.scheme}://{parts.netloc}"
        self.timeout = timeout
        self._headers = {"User-Agent": f"tsrec-python/{__version__}"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        # Redirects are not followed (there are none), and no proxy is asked: a daemon is near, and the token is for it alone.
        self._opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.HTTPHandler(), urllib.request.HTTPSHandler()):
            self._opener.add_handler(handler)

    def __repr__(self) -> str:
        return f"tsrec.Client({self.url!r})"

    def page(self, url: str) -> Record | None:
        """Returns the record of a page. None if the store has none."""
        try:
            record: Record = self._json("/v1/pages", url=url)
        except ApiError as error:
            if error.type == "urn:tsrec:problem:no-such-page":
                return None
            raise
        return record

    def pages(self, host: str | None = None) -> Iterator[Summary]:
        """Lists the pages of a host, by URL. Without a host, lists all pages, by host and URL."""
        path = "/v1/pages" if host is None else f"/v1/hosts/{urllib.parse.quote(host, safe='')}/pages"
        after = None
        while True:
            listing = self._json(path, after=after, limit=LISTING)
            yield from listing["pages"]
            after = listing["next"]
            if after is None:
                return

    def snapshot(self) -> Snapshot:
        """Returns all records, to build an index from. To continue, call `follow(snapshot.cursor)`."""
        answer = self._open("/v1/snapshot")
        head = json.loads(_read(answer.readline) or b"{}")
        if "cursor" not in head:
            answer.close()
            raise ApiError(f"{self.url} gave no snapshot: is it a tsrec daemon, and as new as this package?")
        return Snapshot(answer, head["cursor"])

    def changes(
        self, since: str | None = None, *, content: bool = False, limit: int | None = None, wait: int = 0
    ) -> Feed:
        """Returns some changes after a cursor, or from the start. The list is empty only at the end of the feed.

        With `content`, each upsert has its record as `page`. With `wait`, the daemon holds back an empty answer for
        that many seconds. Raises CursorGoneError if the store no longer knows what changed since the cursor.
        """
        asked = {"since": since, "limit": limit, "wait": wait, "content": "true" if content else None}
        feed = self._json("/v1/changes", patience=wait, **asked)
        return Feed(feed["changes"], feed["next"])

    def follow(self, since: str | None = None, *, content: bool = False, wait: int = 60) -> Iterator[Feed]:
        """Yields changes after a cursor as they come, some at a time, without end. With `wait=0`, it stops at the
        current end of the feed.

        Keep `feed.next` in the same transaction as what you made of `feed.changes`. A reader that is killed then
        misses nothing, and sees nothing twice.
        """
        while True:
            feed = self.changes(since, content=content, wait=wait)
            if feed.changes:
                yield feed
            elif wait == 0:
                return
            since = feed.next

    def acknowledge(self, name: str, cursor: str) -> None:
        """Reports that the reader of this name has seen all changes up to a cursor. Deletions are kept until all
        readers have seen them."""
        self._open(f"/v1/consumers/{urllib.parse.quote(name, safe='')}", "PUT", cursor=cursor).close()

    def why(self, url: str) -> dict[str, Any]:
        """Returns all known facts about a URL: where it was found, what robots.txt said, its last requests, how its
        content was found."""
        known: dict[str, Any] = self._json("/v1/why", url=url)
        return known

    def _json(self, path: str, patience: float = 0, **query: Any) -> Any:
        with self._open(path, patience=patience, **query) as answer:
            body = _read(answer.read)
        try:
            return json.loads(body)
        except ValueError:
            raise ApiError(f"{self.url}{path} answered, but not in JSON: is it a tsrec daemon?") from None

    def _open(self, path: str, method: str = "GET", patience: float = 0, **query: Any) -> http.client.HTTPResponse:
        asked = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
        url = f"{self.url}{path}" + (f"?{asked}" if asked else "")
        request = urllib.request.Request(url, headers=self._headers, method=method)
        try:
            answer: http.client.HTTPResponse = self._opener.open(request, timeout=self.timeout + patience)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise ApiError(
                f"no daemon answers at {self.url} ({reason}): start `tsrec crawl` or `tsrec demo`, or give the address it listens on"
            ) from error
        if answer.status >= 400:
            with answer:
                raise _problem(url, answer)
        return answer


def _read(read: Any) -> bytes:
    """Reads from an answer that may break off."""
    try:
        body: bytes = read()
    except (OSError, http.client.HTTPException) as error:
        raise ApiError(f"the daemon's answer broke off ({error!r}): ask it again") from error
    return body


def _problem(url: str, answer: http.client.HTTPResponse) -> ApiError:
    """The daemon's problem (RFC 9457), or else the status."""
    try:
        problem = json.loads(_read(answer.read))
        detail, kind = str(problem["detail"]), str(problem["type"])
    except (ValueError, LookupError, TypeError):
        return ApiError(f"{url}: {answer.status} {answer.reason}", answer.status)
    if answer.status == 410:
        return CursorGoneError(f"{detail}: drop what you have and follow from the start", 410, kind)
    if answer.status == 401:
        return ApiError(f"{detail} (token=… of tsrec.Client, what http.token_file holds)", 401, kind)
    return ApiError(f"{url}: {detail}", answer.status, kind)
