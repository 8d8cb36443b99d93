"""What the tests share: our own pages, and the program where a daemon is wanted."""

import os
import re
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "fixtures" / "demo"


@pytest.fixture(scope="session")
def news():
    """The articles of the demo site's news, by name."""
    pages = sorted(path for path in DEMO.glob("news/2026/*/*.html"))
    assert len(pages) >= 5
    return {path.stem: path.read_bytes() for path in pages}


@pytest.fixture(scope="session")
def article(news):
    return news["school-roof-will-collect-rain"]


@pytest.fixture(scope="session")
def sibling(news):
    return news["lifeboat-crew-finds-drifting-sauna"]


@pytest.fixture(scope="session")
def program():
    """The tsrec program: $TSREC, or the one that cargo built last."""
    built = [ROOT / "target" / profile / "tsrec" for profile in ("release", "debug")]
    found = os.environ.get("TSREC") or max(
        (str(path) for path in built if path.exists()), key=lambda path: Path(path).stat().st_mtime, default=None
    )
    found = found or shutil.which("tsrec")
    assert found, "these tests need the program: build it with cargo build, or name it in $TSREC"
    return found


@pytest.fixture(scope="session")
def daemon(program):
    """The address of a daemon that has crawled the demo site."""
    process = subprocess.Popen([program, "demo"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = []
    address = None
    for line in process.stderr:
        said.append(line)
        if found := re.search(r"the API is at (http://[^/]+)/", line):
            address = found[1]
            break
    assert address, "tsrec demo did not say where its API is:\n" + "".join(said)
    # What it says later must not fill the pipe.
    rest = threading.Thread(target=process.stderr.read)
    rest.start()
    yield address
    process.send_signal(signal.SIGINT)
    ended = process.wait(30)
    rest.join()
    process.stderr.close()
    assert ended in (0, 130)
