"""Memories of hosts or sites, up to a number."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import urlsplit

from ._tsrec import Site

__all__ = ["SITES", "Sites"]

#: How many hosts are remembered at a time. Judgement: typical hosts take 10 to 200 KB each, the largest 1 MB.
SITES = 256


def _host(url: str) -> str | None:
    """The host of a URL. None if it has none."""
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


class Sites:
    """A `tsrec.Site` for each name that `name` gives. If there are too many, the one that was used least recently is
    dropped."""

    def __init__(self, most: int, name: Callable[[str], str | None] = _host) -> None:
        if most < 0:
            raise ValueError(f"the number of hosts to remember is {most}: it must be at least 0; with 0 none is remembered")
        self._most = most
        self._name = name
        self._sites: OrderedDict[str, Site] = OrderedDict()

    def of(self, url: str | None) -> Site | None:
        """The memory of the URL's host or site. None if nothing is remembered, or if the URL has none."""
        name = self._name(url) if url else None
        if not name or self._most == 0:
            return None
        site = self._sites.pop(name, None) or Site()
        self._sites[name] = site
        if len(self._sites) > self._most:
            self._sites.popitem(last=False)
        return site
