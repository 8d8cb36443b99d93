#!/usr/bin/env python3
"""Pages of many sites through tsrec on Spark: web archives or Parquet in, Parquet out.

    python spark.py [--master MASTER] [--partitions N] [--most N] INPUT… OUTPUT

INPUT is web archives (.warc, .warc.gz; a folder or a glob of them too) or Parquet with the columns `url` and `html` (bytes or text), and maybe `charset`. OUTPUT is a folder that is not there
yet. Needs Java 17 or later, `pip install pyspark warcio`, and the wheel of tsrec on driver and workers.

Pages are grouped by site and stand within it in the order of the input, so that each is extracted from what those before it taught (tsrec.Site): every column is to the byte that
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

#: What is said of a page and what was found in it, by the names that both the package and the program's JSON have.
SAID = {
    "title": "string",
    "text": "string",
    "authors": "array<string>",
    "published": "string",
    "modified": "string",
    "language": "string",
    "site_name": "string",
    "description": "string",
    "image": "string",
    "canonical_url": "string",
    "tags": "array<string>",
    "license": "string",
    "kind": "string",
    "method": "string",
    "confidence": "double",
}
SCHEMA = ", ".join(f"{name} {kind}" for name, kind in {"url": "string", "site": "string", **SAID}.items())
#: Judgement: 16 MB are some hundred pages, a second of work. Spark itself deals to 200 tasks.
BYTES_OF_TASK, MOST_TASKS = 16 << 20, 200
HTML = ("text/html", "application/xhtml+xml")
WEB = ("http:", "https:")


def page_of(record):
    """The HTML page that a record has, if it was answered with success: address, bytes and the charset that the header names."""
    if record.rec_type != "response" or record.http_headers is None or record.http_headers.get_statuscode()[:1] != "2":
        return None
    media, _, parameters = (record.http_headers.get_header("Content-Type") or HTML[0]).partition(";")
    url = uri(record, "WARC-Target-URI")
    if media.strip().lower() not in HTML or not url.startswith(WEB):
        return None
    _, _, charset = parameters.partition("charset=")
    return url, record.content_stream().read(), charset.split(";")[0].strip(" \"'") or None


def uri(record, field):
    """A URI that a header has; some writers put it between angle brackets where none belong."""
    return (record.rec_headers.get_header(field) or "").strip("<>")


def records_of(path):
    """The records of an archive, each with its number."""
    from warcio.archiveiterator import ArchiveIterator

    with open(path, "rb") as file:
        records = ArchiveIterator(file)
        for number, record in enumerate(records):
            yield number, record, records


def pages_of(file):
    """The pages of an archive with their places in the input: the number of the file, and of the record in it."""
    for number, record, _ in records_of(file[1]):
        page = page_of(record)
        if page:
            yield (file[0], number), page


def names_of(file):
    """The names that answers can be called by, and those that revisits call theirs by, each with the place of its record."""
    for number, record, records in records_of(file[1]):
        place, header = (file[0], number), record.rec_headers.get_header
        target, digest = uri(record, "WARC-Target-URI"), (header("WARC-Payload-Digest") or "").lower()
        if record.rec_type in ("response", "resource"):
            # Where it stands, and when it came.
            answer = (file[1], records.get_record_offset(), moment(header("WARC-Date")))
            for kind, value in (("id", uri(record, "WARC-Record-ID")), ("target", target), ("payload", digest)):
                if value:
                    yield ((kind, value), place), (answer, None)
        elif record.rec_type == "revisit" and target.startswith(WEB) and can_be_page(record.http_headers):
            told, there = uri(record, "WARC-Refers-To"), uri(record, "WARC-Refers-To-Target-URI")
            called = [("id", told, ""), ("target", there, moment(header("WARC-Refers-To-Date"))), ("payload", digest, "")]
            if not (told or there or digest):
                # "Not modified", and nothing said of since when: since the last answer.
                called.append(("target", target, ""))
            for rank, (kind, value, date) in enumerate(called):
                if value:
                    yield ((kind, value), place), (None, (rank, date, target))


def can_be_page(head):
    """True of a revisit's own headers where they say success, or 304: it was asked whether it was the same."""
    return head is None or head.get_statuscode()[:1] == "2" or head.get_statuscode() == "304"


def moment(date):
    """A date, whatever of its seconds is written."""
    return (date or "").partition(".")[0].rstrip("Z")


def answers_before(rows):
    """Of each name that a revisit calls its answer by the last answer before it that has that name, if it came when it should have. Rows come by name, and of a name by place."""
    for _, of_name in itertools.groupby(rows, key=lambda row: row[0][0]):
        last = None
        for (_, place), (answer, call) in of_name:
            if answer:
                last = answer
                continue
            rank, date, url = call
            if last and date in ("", last[2]):
                yield place, (rank, url, last[:2])


def unchanged(files, partitions):
    """The pages of revisits, which an archive says had not changed: each has the body of an answer before, and an address and a place of its own. Nothing where there are none."""
    names = files.flatMap(names_of)
    if names.filter(lambda row: row[1][1]).isEmpty():
        return None
    ordered = names.repartitionAndSortWithinPartitions(partitions, lambda key: spread("%s %s" % key[0]))
    # The first name that leads to an answer counts.
    return ordered.mapPartitions(answers_before).reduceByKey(min, partitions).flatMap(read_again)


def read_again(found):
    """The page that a revisit was the same as, read from where it stands."""
    from warcio.archiveiterator import ArchiveIterator

    place, (_, url, (path, offset)) = found
    with open(path, "rb") as file:
        file.seek(offset)
        page = page_of(next(ArchiveIterator(file)))
    if page:
        yield place, (url, *page[1:])


def archives(context, inputs, partitions):
    """Pages with their places in the input."""
    # Workers read files where they are: a path must lead to the same file on each of them. From HDFS or S3 take context.binaryFiles.
    files = context.parallelize(list(enumerate(inputs)), len(inputs))
    pages, revisits = files.flatMap(pages_of), unchanged(files, partitions)
    return pages.union(revisits) if revisits else pages


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
            yield (url, name or None, *(getattr(page, field) for field in SAID))


def run(session, inputs, output, partitions, most=None):
    """Takes pages from the inputs to the output."""
    is_archive = inputs[0].endswith((".warc", ".warc.gz"))
    pages = archives(session.sparkContext, inputs, partitions) if is_archive else parquet(session, inputs)
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


def tasks(session, inputs):
    """How many tasks the groups are dealt to: one per 16 MB of input, at least one per processor, at most 200. 200 too where the driver cannot see the input."""
    sizes = [size(name) for name in inputs]
    if None in sizes:
        return MOST_TASKS
    return min(MOST_TASKS, max(session.sparkContext.defaultParallelism, -(-sum(sizes) // BYTES_OF_TASK)))


def size(name):
    """The bytes of a file, or of all in a folder; None if there is neither, as of a glob."""
    if os.path.isdir(name):
        return sum(os.path.getsize(os.path.join(folder, file)) for folder, _, found in os.walk(name) for file in found)
    return os.path.getsize(name) if os.path.exists(name) else None


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
    parser.add_argument("--partitions", type=int, metavar="N", help="tasks that groups are dealt to (default: one per 16 MB of input, from the number of processors to 200)")
    parser.add_argument("--most", type=int, metavar="N", help="split sites of more pages (default: none is split)")
    args = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("tsrec")
    session = (builder.master(args.master) if args.master else builder).getOrCreate()
    try:
        inputs = list(files(args.inputs))
        run(session, inputs, args.output, args.partitions or tasks(session, inputs), args.most)
    finally:
        session.stop()


if __name__ == "__main__":
    main()
