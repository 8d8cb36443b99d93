"""Memories of hosts, up to a number."""

from __future__ import annotations

from collections import OrderedDict
from urllib.parse import urlsplit

from .._tsrec import Site

__all__ = ["SITES", "Sites"]

#: How many hosts are remembered at a time. Judgement: typical hosts take 10 to 200 KB each, the largest 1 MB.
SITES = 256


class Sites:
    """A `tsrec.Site` for each host. If there are too many, the one that was used least recently is dropped."""

    def __init__(self, most: int) -> None:
        if most < 0:
            raise ValueError(f"the number of hosts to remember is {most}: it must be at least 0; with 0 none is remembered")
        self._most = most
        self._sites: OrderedDict[str, Site] = OrderedDict()

    def of(self, url: str | None) -> Site | None:
        """The memory of the URL's host. None if nothing is remembered, or if the URL has no host."""
        host = _host(url) if url else None
        if not host or self._most == 0:
            return None
        site = self._sites.pop(host, None) or Site()
        self._sites[host] = site
        if len(self._sites) > self._most:
            self._sites.popitem(last=False)
        return site


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
