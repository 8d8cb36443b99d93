#!/usr/bin/env python3
"""What it costs to split a site into groups that learn by themselves, as spark.py --most does.

    python split.py TSREC SET [--scorer SCORE.PY]

A SET holds html/, gold/ and meta.jsonl with sites, as sets of tsrec-lab eval do. Each of its sites is split into 1, 2 and 4 groups by a hash of the page's id, and all pages are extracted by `tsrec extract --batch
--sites`, in two orders; printed is the mean F1 over bags of words. Alone: without what other pages teach.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

SCORER = pathlib.Path(__file__).resolve().parents[3] / "shared/tools/score.py"


def score(scorer, folder, texts):
    command = [sys.executable, scorer, folder, "--texts", texts]
    head, row = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[:2]
    return float(dict(zip(head.split(), row.split()))["bowF"])


def extract(tsrec, folder, scorer, parts, order):
    """The F1 with so many groups a site; 0: each page alone."""
    lines = [json.loads(line) for line in (folder / "meta.jsonl").read_text().splitlines()]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "texts" / folder.name).mkdir(parents=True)
        pages = scratch / "pages.jsonl"
        with open(pages, "w") as file:
            for page in sorted(lines, key=lambda page: (page["site"], zlib.crc32((order + page["id"]).encode()))):
                path = next(path for ending in (".html", ".html.gz") if (path := folder / "html" / (page["id"] + ending)).exists())
                group = zlib.crc32(page["id"].encode()) % max(parts, 1)
                row = {"path": str(path), "id": page["id"], "url": page.get("url"), "site": f"{page['site']}-{group}"}
                file.write(json.dumps(row) + "\n")
        remembers = ["--sites"] if parts else []
        subprocess.run([tsrec, "extract", "--batch", pages, *remembers, "--out", scratch / "texts" / folder.name], check=True)
        return score(scorer, folder, scratch / "texts")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tsrec", type=os.path.abspath)
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("--scorer", type=pathlib.Path, default=SCORER)
    args = parser.parse_args()
    print("| groups a site | F1 in one order | in another |\n|---|---|---|")
    for parts, name in ((1, "1"), (2, "2"), (4, "4"), (0, "alone")):
        found = [extract(args.tsrec, args.set.resolve(), args.scorer, parts, order) for order in "ab"]
        print(f"| {name} | {found[0]:.4f} | {found[1]:.4f} |", flush=True)


if __name__ == "__main__":
    main()
