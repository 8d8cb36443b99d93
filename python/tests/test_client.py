"""The client against a real daemon, which has crawled the demo site."""

import http.server
import socket
import threading

import pytest
import tsrec


@pytest.fixture
def client(daemon):
    return tsrec.Client(daemon)


def test_pages_and_records(client):
    listed = list(client.pages())
    assert len(listed) >= 10
    for summary in listed:
        record = client.page(summary["url"])
        assert record["text"] and record["title"] == summary["title"] and record["seq"] == summary["seq"]
    host = record["host"]
    assert [page["url"] for page in client.pages(host)] == [page["url"] for page in listed]
    assert list(client.pages("nowhere.example")) == []
    assert client.page("http://nowhere.example/") is None


def test_every_page_of_a_listing_is_given_once(client, monkeypatch):
    whole = list(client.pages())
    monkeypatch.setattr("tsrec.client.LISTING", 3)
    assert list(client.pages()) == whole


def test_a_snapshot_and_what_follows(client):
    with client.snapshot() as snapshot:
        records = {record["url"]: record for record in snapshot}
    assert set(records) == {page["url"] for page in client.pages()}
    assert client.changes(snapshot.cursor) == ([], snapshot.cursor)


def test_changes_lead_to_what_the_store_has(client):
    kept = {}
    for feed in client.follow(content=True, wait=0):
        for change in feed.changes:
            if change["kind"] == "upsert":
                kept[change["url"]] = change["page"]
            else:
                assert change["reason"]
                kept.pop(change["url"], None)
        cursor = feed.next
    assert kept == {page["url"]: client.page(page["url"]) for page in client.pages()}
    assert list(client.follow(cursor, wait=0)) == []
    client.acknowledge("python-tests", cursor)


def test_changes_come_by_cursors_however_few_are_asked_for(client):
    whole = client.changes(limit=1000).changes
    assert "page" not in whole[0]
    some, cursor = [], None
    while feed := client.changes(cursor, limit=2):
        some += feed.changes
        cursor = feed.next
        if not feed.changes:
            break
    assert some == whole


def test_a_wait_is_waited(client):
    end = client.snapshot()
    end.close()
    assert client.changes(end.cursor, wait=1).changes == []


def test_a_cursor_of_another_store_means_to_start_over(client):
    with pytest.raises(tsrec.CursorGoneError, match="drop what you have") as raised:
        client.changes("00c0ffee00c0ffee:9")
    assert raised.value.status == 410 and raised.value.type == "urn:tsrec:problem:cursor-gone"


def test_why(client):
    url = next(client.pages())["url"]
    assert client.why(url)["url"] == url


def test_what_is_refused_is_said_in_the_daemons_words(client):
    with pytest.raises(tsrec.ApiError, match='limit is "0", it must be a whole number') as raised:
        client.changes(limit=0)
    assert raised.value.status == 400
    with pytest.raises(tsrec.ApiError) as raised:
        client.changes("no cursor")
    assert raised.value.status == 400


def test_no_daemon():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "http://127.0.0.1:%d" % free.getsockname()[1]
        with pytest.raises(tsrec.ApiError, match="no daemon answers at .*start `tsrec crawl`") as raised:
            tsrec.Client(address).changes()
    assert raised.value.status is None


@pytest.mark.parametrize("url", ["localhost:7717", "ftp://a", "http://", "http://127.0.0.1:7717/v1/changes"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ValueError, match="give one such as|leave out"):
        tsrec.Client(url)


@pytest.fixture
def strange():
    """A server that is no daemon: it answers as it is told, and remembers what it was asked."""
    answers, asked = [], []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(dict(self.headers))
            status, length, body = answers.pop(0)
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield "http://127.0.0.1:%d" % server.server_port, answers, asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_other_servers(strange):
    address, answers, asked = strange
    client = tsrec.Client(address, token="secret")
    answers += [(200, 5, b"hello"), (500, 2, b"no"), (200, 5, b"hello"), (200, 900, b'{"changes": [')]
    with pytest.raises(tsrec.ApiError, match="not in JSON"):
        client.changes()
    assert asked[0]["Authorization"] == "Bearer secret" and asked[0]["User-Agent"].startswith("tsrec-python/")
    with pytest.raises(tsrec.ApiError, match="500"):
        client.changes()
    with pytest.raises((tsrec.ApiError, ValueError)):
        client.snapshot()
    with pytest.raises(tsrec.ApiError, match="broke off"):
        client.changes()


def test_a_snapshot_that_breaks_off_is_no_end(strange):
    address, answers, _ = strange
    head = b'{"cursor": "a:1", "pages": 2}\n'
    answers += [(200, len(head) + 900, head + b'{"url": "a"}\n{"url"')]
    snapshot = tsrec.Client(address).snapshot()
    assert next(snapshot) == {"url": "a"}
    with pytest.raises(tsrec.ApiError):
        next(snapshot)
