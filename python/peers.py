#!/usr/bin/env python3
"""What a page costs and how well its content is found, from Python, here and with other tools, on the same pages in the same run.

    python peers.py [--rounds N] [--scorer SCORE.PY] SET…

Needs: pip install tsrec resiliparse==2.0.1 trafilatura==2.3.1 lxml_html_clean rapidfuzz

A SET holds html/<id>.html (or .html.gz), gold/<id>.txt and meta.jsonl, as sets of tsrec-lab eval do. Processor milliseconds a page, from bytes to text, on one thread: tools take
turns, of several rounds the quickest counts. Readers' comments are left out by all. F1 is that of the scorer (bags of words, mean over pages with gold). Rows are Markdown.
"""

import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import trafilatura
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree

import tsrec

#: Beside the repository, where its tests look for the pages too.
SCORER = pathlib.Path(__file__).resolve().parents[2] / "shared/tools/score.py"


def pages_of(folder):
    """The pages of a set: id, site, bytes."""
    lines = (folder / "meta.jsonl").read_text().splitlines()
    sites = {info["id"]: info.get("site") for info in map(json.loads, lines)}
    for file in sorted((folder / "html").iterdir()):
        page = file.name.removesuffix(".gz").removesuffix(".html")
        data = file.read_bytes()
        yield page, sites.get(page), gzip.decompress(data) if file.suffix == ".gz" else data


def each(extract):
    """A tool that takes pages one by one."""
    return lambda pages: [extract(data) or "" for _, _, data in pages]


def by_site(pages):
    """Each page from what those of its site before it taught."""
    sites = {}
    return [sites.setdefault(site, tsrec.Site()).extract(data, learn=True).text for _, site, data in pages]


def resiliparse(page):
    """Its main content, without readers' comments, which are no content here either."""
    tree = HTMLTree.parse_from_bytes(page, detect_encoding(page, from_html_meta=True))
    return extract_plain_text(tree, main_content=True, comments=False)


TOOLS = {
    "tsrec.extract": each(lambda page: tsrec.extract(page).text),
    "tsrec.Site, page by page": by_site,
    "resiliparse": each(resiliparse),
    "trafilatura": each(lambda page: trafilatura.extract(page, include_comments=False)),
}


def measure(pages, rounds):
    """Of each tool the texts, and milliseconds a page."""
    texts, best = {}, {}
    for number in range(rounds):
        for name, work in TOOLS.items():
            # It takes so long that once is enough to say so.
            if number and name == "trafilatura":
                continue
            begun = time.process_time()
            texts[name] = work(pages)
            took = (time.process_time() - begun) * 1e3 / len(pages)
            best[name] = min(took, best.get(name, took))
    return texts, best


def score(scorer, folder, pages, texts):
    """The F1 of a tool's texts."""
    with tempfile.TemporaryDirectory() as out:
        place = pathlib.Path(out) / folder.name
        place.mkdir()
        for (page, _, _), text in zip(pages, texts, strict=True):
            (place / f"{page}.txt").write_text(text)
        command = [sys.executable, scorer, folder, "--texts", out]
        head, row = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[:2]
    return dict(zip(head.split(), row.split()))["bowF"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=pathlib.Path, metavar="SET")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--scorer", type=pathlib.Path, default=SCORER)
    args = parser.parse_args()
    print("| pages | KB a page | tool | ms a page | F1 |\n|---|---|---|---|---|")
    for folder in args.sets:
        folder = folder.resolve()
        pages = list(pages_of(folder))
        size = sum(len(data) for _, _, data in pages) / len(pages) / 1e3
        texts, best = measure(pages, args.rounds)
        for name in TOOLS:
            f1 = score(args.scorer, folder, pages, texts[name])
            print(f"| `{folder.name}` ({len(pages)}) | {size:.0f} | {name} | {best[name]:.2f} | {f1} |", flush=True)


if __name__ == "__main__":
    main()
