#!/usr/bin/env python3
"""The guides. The requests and programs of docs/service.md run as they are printed, only with other addresses. The
program of docs/search.md runs with the commands of that page.

python3 tests/guides.py PATH_OF_TSREC NODE_MODULES
(pip install scrapy datatrove psycopg2-binary; npm ci --prefix js/guides; apt install curl nodejs postgresql)
"""

import functools
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEMO, GUIDE = ROOT / "fixtures" / "demo", ROOT / "docs" / "service.md"
ARTICLE = "news/2026/04/school-roof-will-collect-rain.html"
TITLE = "School roof will collect rain"
TSREC, NODE_MODULES = (pathlib.Path(path).resolve() for path in sys.argv[1:3])


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def block(heading, language):
    """The first block of code in this language below this heading of the guide."""
    section = GUIDE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)[1]


class Service:
    """`tsrec serve` on a data directory, as the guide says."""

    def __init__(self, data):
        command = [TSREC, "serve", "--data-dir", data, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        address = data / "http.address"
        while not address.exists() or not address.read_text().strip():
            assert self.process.poll() is None, "the service does not start"
            time.sleep(0.05)
        self.api = f"http://{address.read_text().split()[0]}"

    def here(self, code):
        """Code that asks this service."""
        assert "http://127.0.0.1:7717" in code
        return code.replace("http://127.0.0.1:7717", self.api)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def demo_pages():
    """The path and the HTML of the pages of the demo site."""
    return [(str(file.relative_to(DEMO)), file.read_text()) for file in sorted(DEMO.rglob("*.html"))]


def check(name, found):
    """What a guide made of pages: of each its address, title and text."""
    found = list(found)
    articles = [text for url, title, text in found if url.endswith(ARTICLE) and title == TITLE]
    assert articles and all("rain" in text and "<p" not in text for text in articles), (name, found)
    print(f"{name}: {len(found)} pages")


def by_curl(service, folder, _site):
    (folder / "page.html").write_text((DEMO / ARTICLE).read_text())
    one = json.loads(run(["bash", "-euc", service.here(block("One page", "sh"))], folder))
    assert one["title"] == TITLE, one
    lines = [json.dumps({"url": f"https://courier.example/{path}", "html": html}) for path, html in demo_pages()]
    (folder / "pages.jsonl").write_text("\n".join(lines) + "\n")
    many = run(["bash", "-euc", service.here(block("Many pages", "sh"))], folder)
    answers = [json.loads(line) for line in many.splitlines()]
    assert len(answers) == len(lines)
    check("curl", ((answer["url"], answer["title"], answer["text"]) for answer in answers))


SPIDER = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Demo(scrapy.Spider):
    name = "demo"
    start_urls = [sys.argv[1]]

    def parse(self, response):
        yield {"url": response.url, "html": response.text}
        yield from response.follow_all(css="a[href$='.html']")

process = CrawlerProcess({
    "FEEDS": {"items.jsonl": {"format": "jsonlines"}},
    "ITEM_PIPELINES": {"pipelines.TsrecPipeline": 300},
})
process.crawl(Demo)
process.start()
"""


def by_scrapy(service, folder, site):
    (folder / "pipelines.py").write_text(service.here(block("Scrapy", "python")))
    (folder / "spider.py").write_text(SPIDER)
    run([sys.executable, "spider.py", f"{site}/index.html"], folder)
    items = map(json.loads, (folder / "items.jsonl").read_text().splitlines())
    check("Scrapy", ((item["url"], item["title"], item["text"]) for item in items))


def by_datatrove(service, _folder, _site):
    from datatrove.data import Document

    names = {}
    exec(service.here(block("datatrove", "python")), names)
    pages = ((f"https://trove.example/{path}", html) for path, html in demo_pages())
    documents = (Document(text=html, id=url, metadata={"url": url}) for url, html in pages)
    found = names["TsrecExtractor"]().run(documents)
    check("datatrove", ((document.metadata["url"], document.metadata["title"], document.text) for document in found))


def by_crawlee(service, folder, site):
    (folder / "guide.mjs").write_text(service.here(block("Crawlee", "js")))
    (folder / "node_modules").symlink_to(NODE_MODULES)
    run(["node", "guide.mjs", f"{site}/index.html"], folder)
    items = [json.loads(file.read_text()) for file in folder.glob("storage/datasets/default/*.json")]
    check("Crawlee", ((item["url"], item["title"], item["text"]) for item in items))


def by_node(service, folder, site):
    code = service.here(block("Node", "js")).replace("https://example.org/news/1", f"{site}/{ARTICLE}")
    (folder / "guide.mjs").write_text(code)
    markdown = run(["node", "guide.mjs"], folder)
    assert f'title: "{TITLE}"' in markdown and "rain" in markdown, markdown
    print("Node: a page as Markdown")


# As docs/search.md has it. The follower is killed again and again before it may finish.
SEARCH = """
createdb search
for delay in 0.2 0.3 0.4 0.5 0.6 0.8; do timeout -s KILL $delay "$FOLLOW" --api "$API" dbname=search || true; done
"$FOLLOW" --api "$API" --once dbname=search
psql --tuples-only --no-align --command 'SELECT count(*) FROM pages' search
"$FOLLOW" --search 'rain -winter' dbname=search
"""


def by_postgres(folder, site):
    data = folder / "data"
    configuration = folder / "config.toml"
    settings = {"fetch": "allow_private_addresses = true", "frontier": "delay = '0s'", "http": "listen = 'none'"}
    configuration.write_text("".join(f"[{section}]\n{line}\n" for section, line in settings.items()))
    options = ["--once", "--user-agent", "testbot", "--config", configuration, "--data-dir", data]
    run([TSREC, "crawl", f"{site}/index.html", *options], folder)
    records = len(run([TSREC, "list", "--data-dir", data], folder).splitlines())
    with Service(data) as service:
        more = {"API": service.api, "FOLLOW": str(ROOT / "examples" / "postgres" / "follow.py")}
        said = run(["pg_virtualenv", "bash", "-euc", SEARCH], folder, env={**os.environ, **more})
    assert f"\n{records}\n" in said and ARTICLE in said, said
    print(f"PostgreSQL: {records} records, as many rows after six kills")


def main():
    handler = functools.partial(Quiet, directory=DEMO)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site = f"http://127.0.0.1:{server.server_port}"
        for guide in (by_curl, by_scrapy, by_datatrove, by_crawlee, by_node):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                with Service(folder / "data") as service:
                    guide(service, folder, site)
        with tempfile.TemporaryDirectory() as scratch:
            by_postgres(pathlib.Path(scratch), site)
        server.shutdown()


if __name__ == "__main__":
    main()
