#!/usr/bin/env python3
"""Follows the change feed of a tsrec daemon into PostgreSQL, for full-text search.

    follow.py [--api URL] [--once] [DSN]
    follow.py --search WORDS [DSN]

Needs psycopg2 (Debian: python3-psycopg2). The cursor is kept in the database, in the transaction of
the pages that it stands for: whoever kills this program may start it again.
"""

import argparse
import json
import sys
import time
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import psycopg2

SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
    url text PRIMARY KEY, host text NOT NULL, title text NOT NULL, text text NOT NULL, language text, published text,
    words tsvector NOT NULL
);
CREATE INDEX IF NOT EXISTS pages_words ON pages USING gin (words);
CREATE TABLE IF NOT EXISTS followed (api text PRIMARY KEY, cursor text NOT NULL);
"""
# PostgreSQL's dictionaries by language; "simple" takes words as they are.
DICTIONARIES = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}
# The longest text that is indexed: a tsvector holds a megabyte.
LONGEST = 500_000
UPSERT = """
INSERT INTO pages VALUES (%(url)s, %(host)s, %(title)s, %(text)s, %(language)s, %(published)s,
    setweight(to_tsvector(%(dictionary)s::regconfig, %(title)s), 'A') || to_tsvector(%(dictionary)s::regconfig, %(text)s))
ON CONFLICT (url) DO UPDATE SET (host, title, text, language, published, words)
    = (excluded.host, excluded.title, excluded.text, excluded.language, excluded.published, excluded.words)
"""
SEARCH = """
SELECT url, title, ts_headline(text, query, 'MaxFragments=1, StartSel="", StopSel=""')
FROM pages, websearch_to_tsquery(%(dictionary)s::regconfig, %(words)s) query
WHERE words @@ query ORDER BY ts_rank_cd(words, query) DESC, url LIMIT 10
"""


def row(page):
    """The values of a page. PostgreSQL takes no zero bytes."""
    clean = {field: (page[field] or "").replace("\0", "") for field in ("title", "text")}
    language = (page["language"] or "").split("-")[0]
    return {**clean, "text": clean["text"][:LONGEST], "url": page["url"], "host": page["host"],
            "language": page["language"], "published": page["published"],
            "dictionary": DICTIONARIES.get(language, "simple")}


def step(connection, api, wait):
    """Reads one answer of the feed and enters it. Returns the number of its changes."""
    with connection, connection.cursor() as sql:
        sql.execute("SELECT cursor FROM followed WHERE api = %s", (api,))
        known = sql.fetchone()
    query = {"content": "true", "limit": 100, "wait": "max" if wait else 0}
    if known:
        query["since"] = known[0]
    try:
        feed = json.load(urlopen(f"{api}/v1/changes?{urlencode(query)}"))
    except HTTPError as error:
        if error.code != 410:
            raise
        # The store has forgotten the past of the cursor: begin anew.
        with connection, connection.cursor() as sql:
            sql.execute("TRUNCATE pages, followed")
        return 1
    with connection, connection.cursor() as sql:
        for change in feed["changes"]:
            if change.get("page"):
                sql.execute(UPSERT, row(change["page"]))
            else:
                sql.execute("DELETE FROM pages WHERE url = %s", (change["url"],))
        sql.execute("INSERT INTO followed VALUES (%s, %s) ON CONFLICT (api) DO UPDATE SET cursor = excluded.cursor",
                    (api, feed["next"]))
    return len(feed["changes"])


def follow(connection, api, once):
    with connection, connection.cursor() as sql:
        sql.execute(SCHEMA)
    while True:
        try:
            changes = step(connection, api, not once)
        except URLError as error:
            if once:
                raise
            print(f"{api} does not answer ({error}): trying again", file=sys.stderr)
            time.sleep(5)
            continue
        if once and changes == 0:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dsn", nargs="?", default="", help="such as 'dbname=search'; empty: the PG* variables")
    parser.add_argument("--api", default="http://127.0.0.1:7717", help="the daemon")
    parser.add_argument("--once", action="store_true", help="end when everything is read")
    parser.add_argument("--search", metavar="WORDS", help="search instead")
    parser.add_argument("--language", default="en", help="the language of the words [default: en]")
    args = parser.parse_args()
    connection = psycopg2.connect(args.dsn)
    if args.search is None:
        return follow(connection, args.api, args.once)
    with connection, connection.cursor() as sql:
        sql.execute(SEARCH, {"dictionary": DICTIONARIES.get(args.language, "simple"), "words": args.search})
        for url, title, headline in sql:
            print(f"{title}\n  {url}\n  {' '.join(headline.split())}")


if __name__ == "__main__":
    main()
