"""The program, as the package's own tests find it."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """The tsrec program: $TSREC, or the one on the path."""
    found = os.environ.get("TSREC") or shutil.which("tsrec")
    assert found, "these tests need the program: build it with cargo build, and name it in $TSREC"
    return found
