"""How far records depend on the order in which a crawl sees the pages of a site.

    cargo build --release && python3 benches/orders.py target/release/tsrec SET [--again]

The pages of SET (a folder with meta.jsonl and html/) are crawled from a web archive in five orders:
by URL, and in four random ones, always the same. Prints for each field on how many pages the records
differ, and these pages with their words in each order. With --again, each store is extracted again
(tsrec store reextract), which shows what second looks at all pages would give.
"""

import collections
import gzip
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ORDERS = 5
FIELDS = ("text", "title", "authors", "kind")


def body(folder, page):
    plain = folder / "html" / f"{page}.html"
    return plain.read_bytes() if plain.exists() else gzip.decompress(Path(f"{plain}.gz").read_bytes())


def archive(folder, pages):
    """The bytes of a WARC file with these pages, in this order."""
    records = []
    for number, page in enumerate(pages):
        html = body(folder, page["id"])
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(html) + html
        records.append(
            b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
            b"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
            b"Content-Type: application/http; msgtype=response\r\n"
            b"WARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n" % (number, page["url"].encode(), len(http))
            + http
            + b"\r\n\r\n"
        )
    return b"".join(records)


def crawled(program, warc, again):
    """The records of a crawl of the archive, by URL."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "pages.warc"
        file.write_bytes(warc)

        def tsrec(*arguments):
            command = [program, *arguments, "--data-dir", f"{scratch}/data"]
            return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

        agent = ("--user-agent", "bench (a bench)", "--log", "error")
        tsrec("crawl", "--once", "--from-warc", str(file), *agent)
        if again:
            tsrec("store", "reextract", *agent)
        records = (json.loads(line) for line in tsrec("export").splitlines())
        return {record["url"]: record for record in records if "url" in record}


def main(program, folder, *options):
    folder = Path(folder)
    pages = [json.loads(line) for line in (folder / "meta.jsonl").read_text().splitlines()]
    crawls = []
    for order in range(ORDERS):
        pages.sort(key=lambda page: page["url"])
        if order:
            random.Random(order).shuffle(pages)
        crawls.append(crawled(program, archive(folder, pages), "--again" in options))
        methods = collections.Counter(record["method"] for record in crawls[-1].values())
        print(f"order {order}: {len(crawls[-1])} records, by method {dict(methods)}")
    urls = sorted(set().union(*crawls))
    for field in FIELDS:
        said = {url: [json.dumps(crawl.get(url, {}).get(field)) for crawl in crawls] for url in urls}
        differ = [url for url in urls if len(set(said[url])) > 1]
        print(f"{field} differs on {len(differ)} of {len(urls)} pages")
        for url in differ if field == "text" else []:
            print(f"    {url}: words {[len(text.split()) for text in said[url]]}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
