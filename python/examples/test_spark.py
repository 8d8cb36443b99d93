"""The Spark job as a user runs it, on a cluster of two workers, held against the program on the same pages.

    pytest python/examples    (pip install pytest pyspark warcio pyarrow; Java; $TSREC)
"""

import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
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
    """The texts of the program's own batch, by address."""
    done = subprocess.run([program, "extract", "--batch", path, "--sites"], check=True, capture_output=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["url"]: row["text"] for row in rows}, {row["method"] for row in rows}


def spark(out, *inputs, more=()):
    command = [sys.executable, HERE / "spark.py", "--master", "local-cluster[2,1,1024]", "--partitions", "4", *more]
    done = subprocess.run([*map(str, command), *map(str, inputs), str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    rows = pyarrow.parquet.read_table(out).to_pylist()
    assert len({row["url"] for row in rows}) == len(rows)
    return {row["url"]: row for row in rows}


def test_archives_and_parquet_give_what_the_program_gives(program, pages, archives, tmp_path):
    together = tmp_path / "all.warc.gz"
    together.write_bytes(b"".join(path.read_bytes() for path in sorted(archives.iterdir())))
    texts, methods = batch(program, together)
    assert "template" in methods and len(texts) == len(pages)
    rows = spark(tmp_path / "of-warc", archives)
    assert {url: row["text"].encode() for url, row in rows.items()} == {url: text.encode() for url, text in texts.items()}
    assert {row["site"] for row in rows.values()} == {"a.example", "b.example"}
    assert rows["http://a.example/news/2026/04/school-roof-will-collect-rain.html"]["title"] == "School roof will collect rain"

    table = pyarrow.table({"url": [url for url, _ in pages], "html": [html for _, html in pages]})
    pyarrow.parquet.write_table(table, tmp_path / "pages.parquet")
    rows = spark(tmp_path / "of-parquet", tmp_path / "pages.parquet")
    assert {url: row["text"] for url, row in rows.items()} == texts


def test_a_site_that_is_split_loses_no_page(pages, archives, tmp_path):
    assert len(spark(tmp_path / "split", archives, more=["--most", "5"])) == len(pages)
