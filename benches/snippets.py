#!/usr/bin/env python3
"""The share of WCXB's snippets in Markdown, by trafilatura: what `tsrec-lab eval --report markdown SET` prints for ours.

    PYTHONPATH=target/peers python3 benches/snippets.py SET

`benches/peers` puts trafilatura into target/peers. Both leave links and images out; a snippet is looked for, case apart, with Markdown's marks taken out
of both and white space folded. "absent" is the share of what must not be there that is not.
"""

import gzip
import json
import re
import sys
from pathlib import Path

import trafilatura


def read(page: Path) -> bytes:
    packed = page.with_suffix(".html.gz")
    return page.read_bytes() if page.exists() else gzip.decompress(packed.read_bytes())


def plain(text: str) -> str:
    return " ".join(re.sub(r"[\\*_`~#>|]", "", text).split()).lower()


def share(snippets: list[str], text: str) -> float:
    return sum(plain(snippet) in text for snippet in snippets) / max(1, len(snippets))


def main() -> None:
    folder = Path(sys.argv[1])
    pages = [json.loads(line) for line in (folder / "meta.jsonl").read_text().splitlines()]
    found = []
    for page in pages:
        if page["with"] or page["without"]:
            html = read(folder / "html" / f"{page['id']}.html")
            text = trafilatura.extract(html, output_format="markdown", include_links=False, include_images=False)
            text = plain(text or "")
            found.append((share(page["with"], text), 1 - share(page["without"], text)))
    with_, absent = (sum(column) / len(found) for column in zip(*found))
    print(f"trafilatura {trafilatura.__version__}: pages {len(found)}, with {with_:.4f}, absent {absent:.4f}")


if __name__ == "__main__":
    main()
