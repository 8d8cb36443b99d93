"""The Spark job as a user runs it, on a cluster of two workers, held against the program on the same pages.

    pytest python/examples    (pip install pytest pyspark warcio pyarrow; Java; $TSREC)
"""

import io
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow
import pyarrow.parquet
import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

# warcio leaves its temporary files to the collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

HERE = Path(__file__).resolve().parent
DEMO = HERE.parents[1] / "fixtures" / "demo"
#: The demo site is three sites here, two of them under one domain.
HOSTS = ["a.example", "www.a.example", "b.example"]


@pytest.fixture(scope="module")
def pages():
    """Addresses and bytes. The order is such that sites take turns."""
    files = sorted(DEMO.rglob("*.html"))
    assert len(files) >= 10
    return [(f"http://{host}/{file.relative_to(DEMO)}", file.read_bytes()) for file in files for host in HOSTS]


@pytest.fixture(scope="module")
def archives(pages, tmp_path_factory):
    """Two archives of the pages, and of what is no page."""
    folder = tmp_path_factory.mktemp("warc")
    half = len(pages) // 2
    for name, some in (("1.warc.gz", pages[:half]), ("2.warc.gz", pages[half:])):
        with open(folder / name, "wb") as file:
            writer = WARCWriter(file, gzip=True)
            for url, html in [*some, ("http://b.example/logo.png", b"\x89PNG\r\n\x1a\n")]:
                kind = "image/png" if url.endswith("png") else "text/html; charset=utf-8"
                headers = StatusAndHeaders("200 OK", [("Content-Type", kind)], protocol="HTTP/1.1")
                writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(html), http_headers=headers))
    return folder


def batch(program, path):
    """What the program's own batch makes of an archive."""
    done = subprocess.run([program, "extract", "--batch", path, "--sites"], check=True, capture_output=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def spark(out, *inputs, more=()):
    command = [sys.executable, HERE / "spark.py", "--master", "local-cluster[2,1,1024]", *more]
    done = subprocess.run([*map(str, command), *map(str, inputs), str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return pyarrow.parquet.read_table(out).to_pylist()


def same(rows, of_batch):
    """Every column of the job against the field of that name in the program's JSON, to the byte: rows come in no order."""
    columns = list(rows[0])
    assert set(columns) <= set(of_batch[0]), columns

    def encoded(some):
        return sorted(json.dumps([row[column] for column in columns], ensure_ascii=False).encode() for row in some)

    assert encoded(rows) == encoded(of_batch)


def put_together(folder, path):
    """One archive of all that are in a folder."""
    path.write_bytes(b"".join(path.read_bytes() for path in sorted(folder.iterdir())))
    return path


def test_small_inputs_make_few_tasks(tmp_path):
    from spark import tasks

    session = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=4))
    (tmp_path / "part").mkdir()
    small, large = tmp_path / "a.warc.gz", tmp_path / "part" / "large.parquet"
    small.write_bytes(b"a")
    assert tasks(session, [str(small)]) == 4
    for size, expect in ((100 << 20, 7), (1 << 40, 200)):
        # A file with a hole takes no room.
        with open(large, "wb") as file:
            file.truncate(size)
        assert tasks(session, [str(small), str(tmp_path / "part")]) == expect
    assert tasks(session, [str(small), "hdfs://host/part"]) == 200


def test_archives_and_parquet_give_what_the_program_gives(program, pages, archives, tmp_path):
    of_batch = batch(program, put_together(archives, tmp_path / "all.warc.gz"))
    assert "memory" in {row["method"] for row in of_batch} and len(of_batch) == len(pages)
    rows = spark(tmp_path / "of-warc", archives)
    same(rows, of_batch)
    assert all(row["language"] == "en" for row in rows) and any(row["description"] for row in rows)
    assert {row["site"] for row in rows} == {"a.example", "b.example"}
    titles = {row["url"]: row["title"] for row in rows}
    assert titles["http://a.example/news/2026/04/school-roof-will-collect-rain.html"] == "School roof will collect rain"

    table = pyarrow.table({"url": [url for url, _ in pages], "html": [html for _, html in pages]})
    pyarrow.parquet.write_table(table, tmp_path / "pages.parquet")
    # Parquet says no charset: these pages are in UTF-8, and say so themselves.
    same(spark(tmp_path / "of-parquet", tmp_path / "pages.parquet"), of_batch)


def test_a_site_that_is_split_loses_no_page(pages, archives, tmp_path):
    rows = spark(tmp_path / "split", archives, more=["--most", "5"])
    assert sorted(row["url"] for row in rows) == sorted(url for url, _ in pages)


def test_a_revisit_is_the_page_that_it_was_the_same_as(program, pages, archives, tmp_path):
    """By each name that a revisit can call its answer by; by none that is not there, comes later or was another's."""
    folder = tmp_path / "archives"
    shutil.copytree(archives, folder)
    with open(folder / "1.warc.gz", "rb") as file:
        first, second = (dict(record.rec_headers.headers) for record in itertools.islice(ArchiveIterator(file), 2))
    digest, there, then = {"WARC-Payload-Digest": first["WARC-Payload-Digest"]}, "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"
    found = {
        "http://b.example/digest": digest,
        "http://b.example/name": {"WARC-Refers-To": second["WARC-Record-ID"], "WARC-Payload-Digest": "sha1:unknown"},
        "http://b.example/address": {there: second["WARC-Target-URI"], then: second["WARC-Date"]},
        "http://b.example/another-date": {there: second["WARC-Target-URI"], then: "2001-01-01T00:00:00Z", **digest},
        second["WARC-Target-URI"]: {},
    }
    not_found = {
        "http://b.example/of-no-answer": {"WARC-Refers-To": "<urn:uuid:unknown>"},
        "http://b.example/of-then": {there: second["WARC-Target-URI"], then: "2001-01-01T00:00:00Z"},
        "http://b.example/too-early": {there: "http://b.example/later"},
        "http://b.example/gone": digest,
    }
    with open(folder / "3.warc.gz", "wb") as file:
        writer = WARCWriter(file, gzip=True)
        for url, names in {**found, **not_found}.items():
            head = StatusAndHeaders("404 Not Found" if url.endswith("gone") else "304 Not Modified", [("ETag", "1")], protocol="HTTP/1.1")
            names = {"WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/server-not-modified", **names}
            writer.write_record(writer.create_warc_record(url, "revisit", http_headers=head, warc_headers_dict=names))
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        payload = io.BytesIO(pages[0][1])
        writer.write_record(writer.create_warc_record("http://b.example/later", "response", payload=payload, http_headers=head))
    rows = spark(tmp_path / "rows", folder)
    assert sorted(row["url"] for row in rows) == sorted([*(url for url, _ in pages), *found, "http://b.example/later"])
    same(rows, batch(program, put_together(folder, tmp_path / "all.warc.gz")))
