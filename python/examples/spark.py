#!/usr/bin/env python3
"""Pages of many sites through tsrec on Spark: web archives or Parquet in, Parquet out.

    python spark.py [--master MASTER] [--partitions N] [--most N] INPUT… OUTPUT

INPUT is web archives (.warc, .warc.gz; a folder or a glob of them too) or Parquet with the columns `url` and `html` (bytes or text), and maybe `charset`. OUTPUT is a folder that is not there
yet. Needs Java 17 or later, `pip install pyspark warcio`, and the wheel of tsrec on driver and workers.

Pages are grouped by site and stand within it in the order of the input, so that each is extracted from what those before it taught (tsrec.Site): the text of each is to the byte that
of `tsrec extract --batch --sites`. Groups are streamed: of a site no more is in memory than what is remembered of it, and a page. A site is one group, and is worked on by one processor; --most N
splits those of more pages into groups of at most about N, each of which learns by itself (docs/spark.md says what that costs).
"""

import argparse
import itertools
import os
import sys
import zlib

import tsrec
from pyspark.sql import SparkSession

SCHEMA = (
    "url string, site string, title string, text string, authors array<string>, published string, language string, kind string, "
    "method string, confidence double"
)
HTML = ("text/html", "application/xhtml+xml")


def pages_of_archive(path):
    """The HTML pages of an archive that were answered with success: address, bytes and the charset that the header names."""
    from warcio.archiveiterator import ArchiveIterator

    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != "response" or record.http_headers is None or record.http_headers.get_statuscode()[:1] != "2":
                continue
            media, _, parameters = (record.http_headers.get_header("Content-Type") or HTML[0]).partition(";")
            url = record.rec_headers.get_header("WARC-Target-URI").strip("<>")
            if media.strip().lower() not in HTML or not url.startswith(("http:", "https:")):
                continue
            _, _, charset = parameters.partition("charset=")
            yield url, record.content_stream().read(), charset.split(";")[0].strip(" \"'") or None


def archives(context, inputs):
    """Pages with their places in the input: the number of the file, and of the page in it."""
    # Workers read files where they are: a path must lead to the same file on each of them. From HDFS or S3 take context.binaryFiles.
    files = context.parallelize(list(enumerate(inputs)), len(inputs))
    return files.flatMap(
        lambda file: (((file[0], number), page) for number, page in enumerate(pages_of_archive(file[1])))
    )


def parquet(session, inputs):
    """The same of Parquet, whose files are numbered by their names."""
    frame = session.read.parquet(*inputs)
    charset = "charset" if "charset" in frame.columns else "null as charset"
    rows = frame.selectExpr("_metadata.file_path", "_metadata.row_index", "url", "html", charset)
    return rows.rdd.map(lambda row: ((row[0], row[1]), (row[2], bytes(row[3]) if isinstance(row[3], bytearray) else row[3], row[4])))


def site_of(url):
    """The site of a page, or nothing: then it is extracted alone."""
    try:
        return tsrec.site_of(url) or ""
    except ValueError:
        return ""


def spread(key):
    """A number of a text, the same on every worker."""
    return zlib.crc32(key.encode())


def extract(pages):
    """Rows of pages, which come group by group, each in its order."""
    for (name, _), group in itertools.groupby(pages, key=lambda page: page[0][0]):
        site = tsrec.Site()
        for _, (url, html, charset) in group:
            try:
                if name:
                    page = site.extract(html, url, learn=True, charset=charset)
                else:
                    page = tsrec.extract(html, charset=charset)
            except tsrec.NotHtmlError:
                continue
            said = (page.title, page.text, page.authors, page.published, page.language, page.kind)
            yield (url, name or None, *said, page.method, page.confidence)


def run(session, inputs, output, partitions, most=None):
    """Takes pages from the inputs to the output."""
    is_archive = inputs[0].endswith((".warc", ".warc.gz"))
    pages = archives(session.sparkContext, inputs) if is_archive else parquet(session, inputs)
    parts = {}
    if most:
        counts = pages.map(lambda page: site_of(page[1][0])).countByValue()
        parts = {site: -(-count // most) for site, count in counts.items() if count > most}

    def key(page):
        """Its group and its place in it. Pages of no site are no group: they are spread."""
        place, (url, _, _) = page
        site = site_of(url)
        return (site, spread(url) % parts.get(site, 1) if site else spread(url)), place

    keyed = pages.map(lambda page: (key(page), page[1]))
    grouped = keyed.repartitionAndSortWithinPartitions(partitions, lambda key: spread("%s %d" % key[0]))
    session.createDataFrame(grouped.mapPartitions(extract), SCHEMA).write.parquet(output)


def files(inputs):
    """What is in the folders that are named; what is none stays, such as a glob of Parquet files."""
    for name in inputs:
        if os.path.isdir(name):
            found = sorted(os.path.join(name, file) for file in os.listdir(name) if file.endswith((".warc", ".warc.gz")))
            yield from found or [name]
        else:
            yield name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", metavar="INPUT")
    parser.add_argument("output", metavar="OUTPUT")
    parser.add_argument("--master", help="where Spark runs, such as local[*] or spark://HOST:7077; as Spark is configured where it is left out")
    parser.add_argument("--partitions", type=int, default=200, metavar="N", help="tasks that groups are dealt to (default: 200)")
    parser.add_argument("--most", type=int, metavar="N", help="split sites of more pages (default: none is split)")
    args = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("tsrec")
    session = (builder.master(args.master) if args.master else builder).getOrCreate()
    try:
        run(session, list(files(args.inputs)), args.output, args.partitions, args.most)
    finally:
        session.stop()


if __name__ == "__main__":
    main()
