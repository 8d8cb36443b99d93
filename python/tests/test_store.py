"""The files of a store, held against the program that wrote them."""

import functools
import http.server
import json
import subprocess
import threading

import pytest
import tsrec
from conftest import DEMO


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def crawled(program, tmp_path_factory):
    """The data directory of a crawl of the demo site that has ended, and what `tsrec` needs to go on with it."""
    data = tmp_path_factory.mktemp("store") / "data"
    handler = functools.partial(Quiet, directory=DEMO)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        thread = threading.Thread(target=site.serve_forever)
        thread.start()
        crawl = [program, "crawl", f"http://127.0.0.1:{site.server_port}/index.html", "--allow-private-addresses"]
        crawl += ["--delay", "1ms", "--user-agent", "test-crawler (a test)", "--data-dir", str(data)]
        subprocess.run([*crawl, "--once", "--listen", "none"], check=True, capture_output=True)
        yield data, crawl
        site.shutdown()
        thread.join()


@pytest.fixture
def store(crawled):
    with tsrec.Store(crawled[0]) as store:
        yield store


@pytest.fixture
def records(program, crawled):
    """The records as the program exports them."""
    export = subprocess.run([program, "export", "--data-dir", str(crawled[0])], check=True, capture_output=True)
    records = [json.loads(line) for line in export.stdout.splitlines()]
    assert len(records) >= 10
    return {record["url"]: record for record in records}


def test_records_are_those_that_are_exported(records, store, monkeypatch):
    assert {url: store.page(url) for url in records} == records
    assert store.page("http://nowhere.example/") is None
    listed = list(store.pages())
    assert {page["url"] for page in listed} == set(records)
    assert all(page["title"] == records[page["url"]]["title"] for page in listed)
    monkeypatch.setattr("tsrec.store.LISTING", 3)
    assert list(store.pages()) == listed
    assert list(store.pages(records[listed[0]["url"]]["host"])) == listed
    assert list(store.pages("nowhere.example")) == []


def test_a_snapshot_and_changes_lead_to_the_same(records, store):
    with store.snapshot() as snapshot:
        assert {record["url"]: record for record in snapshot} == records
    assert store.changes(snapshot.cursor) == ([], snapshot.cursor)
    kept = {}
    for feed in store.follow(content=True):
        kept |= {change["url"]: change["page"] for change in feed.changes}
    assert kept == records and feed.next == snapshot.cursor
    some, cursor = [], None
    while (feed := store.changes(cursor, limit=2)).changes:
        some += feed.changes
        cursor = feed.next
    assert [change["url"] for change in some] == list(records) and "page" not in some[0]


def test_a_cursor_goes_on_with_the_daemon(crawled, records):
    data, crawl = crawled
    with tsrec.Store(data) as store:
        cursor = store.snapshot().cursor
    daemon = subprocess.Popen([*crawl, "--listen", "127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        address = None
        while not address:
            address = next(iter((data / "http.address").read_text().splitlines()), None) if (data / "http.address").exists() else None
            assert daemon.poll() is None
        client = tsrec.Client(f"http://{address}")
        assert list(client.follow(cursor, wait=0)) == []
        assert {page["url"] for page in client.pages()} == set(records)
        with pytest.raises(tsrec.StoreInUseError, match=r"in use by another process.*tsrec\.Client"):
            tsrec.Store(data)
    finally:
        daemon.kill()
        daemon.communicate()
    with tsrec.Store(data) as store:
        assert store.changes(cursor).changes == []


def test_what_is_wrong_is_said(store, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no store in .*data_dir"):
        tsrec.Store(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(tsrec.CursorGoneError, match="drop what you have"):
        store.changes("00c0ffee00c0ffee:9")
    with pytest.raises(tsrec.StoreError):
        store.changes("00c0ffee00c0ffee:9")
    with pytest.raises(ValueError, match="not a cursor"):
        store.changes("9")
    with pytest.raises(ValueError, match="from 1 to 100"):
        store.changes(limit=101, content=True)
    with pytest.raises(ValueError, match="cannot be a key"):
        store.page("no address")
    store.close()
    store.close()
    with pytest.raises(ValueError, match="closed"):
        store.page("http://a.example/")
