"""The names of what a result says: the choices of adapters and of `extract_frame`."""

from __future__ import annotations

from collections.abc import Iterable

from ._tsrec import Extraction

__all__ = ["FIELDS", "fields"]

#: The attributes of a result, by name.
FIELDS = tuple(
    name for name in dir(Extraction) if not name.startswith("_") and not callable(getattr(Extraction, name))
)


def fields(names: Iterable[str], argument: str) -> tuple[str, ...]:
    """Checks names of attributes, given as this argument. Raises TypeError or ValueError."""
    if isinstance(names, str):
        raise TypeError(f"{argument} is one name, {names!r}: give a list of names")
    chosen = tuple(names)
    for name in chosen:
        if name not in FIELDS:
            raise ValueError(f"{argument}: {name!r} is none of {', '.join(FIELDS)}")
    return chosen
