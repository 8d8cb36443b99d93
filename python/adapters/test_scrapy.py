"""The pipeline in crawls of Scrapy, each in a process of its own as Scrapy wants it."""

import json
import subprocess
import sys

import pytest
import tsrec
from scrapy.utils.test import get_crawler
from tsrec.adapters.scrapy import TsrecPipeline

SPIDER = """
import dataclasses, json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Page(scrapy.Item):
    url, html, title, text = (scrapy.Field() for _ in range(4))

@dataclasses.dataclass
class Record:
    url: str
    html: bytes
    title: str = None
    text: str = None

KINDS = {"dict": dict, "item": Page, "dataclass": Record}
address, kind, settings = sys.argv[1], KINDS[sys.argv[2]], json.loads(sys.argv[3])

class Demo(scrapy.Spider):
    name = "demo"
    start_urls = [f"{address}/index.html"]

    def parse(self, response):
        yield kind(url=response.url, html=response.text if "TSREC_KEEP_HTML" in settings else response.body)
        yield from (response.follow(link) for link in response.css("a[href$='.html']:not([href^='sms:'])"))

class Other(scrapy.Spider):
    name = "other"
    start_urls = [f"{address}/index.html"]

    def parse(self, response):
        yield {"url": response.url, "price": 3}
        yield {"url": response.url, "html": b"%PDF-1.7"}

process = CrawlerProcess({"FEEDS": {"items.jsonl": {"format": "jsonlines"}}, "ITEM_PIPELINES": {"tsrec.adapters.scrapy.TsrecPipeline": 300}, **settings})
process.crawl(Other if sys.argv[4:] == ["other"] else Demo)
process.start()
"""
TITLE = "School roof will collect rain"


def crawl(folder, address, kind="dict", spider="demo", **settings):
    """The items of a crawl, and its log."""
    command = [sys.executable, "-c", SPIDER, address, kind, json.dumps(settings), spider]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    items = folder / "items.jsonl"
    found = [json.loads(line) for line in items.read_text().splitlines()] if items.exists() else []
    return found, done.stderr


def test_a_crawl_has_the_content_of_its_pages(tmp_path, address, article):
    items, log = crawl(tmp_path, address)
    assert len(items) > 10 and "ERROR" not in log, log
    for item in items:
        assert list(item) == ["url", "title", "text", "authors", "published", "language", "confidence"]
    found = next(item for item in items if item["title"] == TITLE)
    assert found["text"].startswith(TITLE) and "<p" not in found["text"]
    assert f"'tsrec/extracted': {len(items)}" in log


def test_hosts_are_remembered_unless_nothing_is_to_be(tmp_path, address, article):
    known, _ = crawl(tmp_path / make(tmp_path, "known"), address, TSREC_FIELDS=["method", "text"])
    assert "memory" in {item["method"] for item in known}
    alone, _ = crawl(tmp_path / make(tmp_path, "alone"), address, TSREC_SITES=0, TSREC_FIELDS=["method", "text"])
    assert {item["method"] for item in alone} == {"blocks"}
    url = next(item["url"] for item in alone if "school-roof" in item["url"])
    assert [item["text"] for item in alone if item["url"] == url] == [tsrec.extract(article, url).text]


def make(folder, name):
    (folder / name).mkdir()
    return name


@pytest.mark.parametrize("kind", ["item", "dataclass"])
def test_items_of_every_kind(tmp_path, address, kind):
    items, log = crawl(tmp_path, address, kind, TSREC_FIELDS=["title", "text"])
    assert TITLE in [item["title"] for item in items] and "ERROR" not in log, log
    assert not any(item.get("html") for item in items)


def test_a_page_may_stay_and_other_items_go_on(tmp_path, address):
    items, log = crawl(tmp_path, address, TSREC_KEEP_HTML=True, TSREC_FAVOR="recall", CLOSESPIDER_ITEMCOUNT=1)
    assert items and all("<html" in item["html"] and item["text"] for item in items), log
    items, log = crawl(tmp_path / make(tmp_path, "other"), address, spider="other")
    assert [item.get("price") for item in items] == [3]
    assert "Dropped: tsrec:" in log and "is no HTML but PDF" in log and "'tsrec/not_html': 1" in log


@pytest.mark.parametrize(
    "settings, says",
    [
        ({"TSREC_FIELDS": ["body"]}, "TSREC_FIELDS: 'body' is none of authors"),
        ({"TSREC_FAVOR": "speed"}, "one of balance"),
        ({"TSREC_SITES": -1}, "it must be at least 0"),
    ],
)
def test_a_wrong_setting_ends_the_crawl_before_its_first_request(settings, says):
    with pytest.raises(ValueError, match=says):
        TsrecPipeline.from_crawler(get_crawler(settings_dict=settings))


def test_a_field_that_an_item_lacks_is_named(tmp_path, address):
    items, log = crawl(tmp_path, address, "item", TSREC_FIELDS=["title", "kind"], CLOSESPIDER_ERRORCOUNT=1)
    assert "Page has no field 'kind': declare it, or leave it out of TSREC_FIELDS" in log and not items
