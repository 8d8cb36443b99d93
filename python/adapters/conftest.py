"""Pages for the tests of the adapters. They need pandas, Scrapy and datatrove beside the package."""

import functools
import http.server
import threading
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def demo():
    """The pages of the demo site, by path."""
    return {str(path.relative_to(DEMO)): path.read_bytes() for path in sorted(DEMO.rglob("*.html"))}


@pytest.fixture(scope="session")
def article(demo):
    return demo["news/2026/04/school-roof-will-collect-rain.html"]


@pytest.fixture(scope="session")
def address():
    """The address of a server of the demo site."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=DEMO)) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def ferries(count):
    """Pages of a site of ours, which share a frame."""
    for number in range(count):
        story = "".join(
            f"<p>On day {number * 7 + day} the ferry number {number} met {day} seals, and nobody on board was surprised.</p>"
            for day in range(6)
        )
        yield f"<title>Ferry {number}</title><ul><li><a href=/>Home</a></ul><div><h1>Ferry {number} sails</h1>{story}</div><p>All rights reserved by us.</p>"
