"""`extract_frame` on tables of pandas."""

import numpy
import pandas
import pytest
import tsrec
from conftest import ferries

URL = "https://courier.example/news/roof.html"


def test_columns_are_added_and_the_rest_stays(article):
    table = pandas.DataFrame(
        {"url": [URL, None, URL], "html": [article, article.decode(), article], "seen": [3, 1, 2]}, index=["b", "a", "b"]
    )
    before = table.copy(deep=True)
    found = tsrec.extract_frame(table)
    pandas.testing.assert_frame_equal(table, before)
    pandas.testing.assert_frame_equal(found[["url", "html", "seen"]], before)
    assert list(found.columns[3:]) == ["title", "text", "authors", "published", "language", "kind", "confidence", "error"]
    page = tsrec.extract(article, URL)
    for row in range(3):
        row = found.iloc[row]
        assert (row.title, row.text, row.authors, row.language, row.kind) == (page.title, page.text, page.authors, "en", page.kind)
        assert row.confidence == pytest.approx(page.confidence, abs=0.05) and row.error is None
    assert found.confidence.dtype == float


def test_a_bad_row_says_why_and_spoils_no_other(article):
    table = pandas.DataFrame({"html": [None, article, b"%PDF-1.7", 3, float("nan"), pandas.NA, article], "url": [URL, URL, None, URL, None, None, "here"]})
    found = tsrec.extract_frame(table, columns=["title", "words", "confidence"])
    assert [title for title in found.title] == [None, "School roof will collect rain", *[None] * 5]
    assert list(found.confidence.isna()) == [True, False, True, True, True, True, True]
    assert found.words.isna().sum() == 6 and found.words[1] > 100
    reasons = ["there is no page", None, "NotHtmlError: page 3 is no HTML but PDF", "TypeError: a page is bytes or str, not int",
               "there is no page", "there is no page", 'ValueError: "here" is no URL']
    for said, expect in zip(found.error, reasons, strict=True):
        assert said is None if expect is None else said.startswith(expect), said


def test_urls_may_be_missing_and_columns_have_other_names(article):
    table = pandas.DataFrame({"page": [article], "title": ["ours"]})
    found = tsrec.extract_frame(table, "page", None, columns=["title", "markdown"], prefix="found_")
    assert list(found.columns) == ["page", "title", "found_title", "found_markdown", "found_error"]
    assert found.title[0] == "ours" and found.found_markdown[0] == tsrec.extract(article).markdown
    empty = tsrec.extract_frame(table.iloc[:0], "page", None, prefix="found_")
    assert len(empty) == 0 and "found_text" in empty
    # What pandas makes of numbers, of lists of bytes, and of its own type of text.
    for dtype in (object, "string"):
        text = pandas.DataFrame({"html": pandas.Series([article.decode(), None], dtype=dtype)})
        assert list(tsrec.extract_frame(text, url=None).title) == ["School roof will collect rain", None]


def test_rows_of_a_site_learn_from_those_above():
    pages = list(ferries(6))
    table = pandas.DataFrame({"html": [*pages, pages[0]], "url": [*(f"https://ferry.example/{n}" for n in range(6)), None]})
    alone = tsrec.extract_frame(table, columns=["method"])
    assert set(alone.method) == {"blocks"}
    found = tsrec.extract_frame(table, columns=["method", "remembered", "text"], sites=True)
    assert list(found.method) == ["blocks"] * 3 + ["memory"] * 3 + ["blocks"] and list(found.remembered) == [0, 0, 0, 3, 4, 5, 0]
    site = tsrec.Site()
    expect = [site.extract(page, url, learn=True).text for page, url in zip(table.html[:6], table.url[:6])]
    assert list(found.text[:6]) == expect


def test_the_256_sites_used_last_are_remembered():
    pages = list(ferries(6))

    def remembered(others):
        urls = [*("https://ferry.example/" + str(n) for n in range(5)), *(f"https://other{n}.example/" for n in range(others))]
        table = pandas.DataFrame({"html": [*pages[:5], *["<p>A line."] * others, pages[5]], "url": [*urls, "https://ferry.example/5"]})
        return tsrec.extract_frame(table, columns=["remembered"], sites=True).remembered.iloc[-1]

    assert (remembered(255), remembered(256)) == (5, 0)


@pytest.mark.parametrize(
    "arguments, error, says",
    [
        ({"html": "body"}, KeyError, "no column 'body': name another with html=; it has html, url"),
        ({"url": "link"}, KeyError, "with url=, or url=None if there are no URLs"),
        ({"columns": "text"}, TypeError, "columns is one name, 'text': give a list"),
        ({"columns": ["txt"]}, ValueError, "'txt' is none of authors"),
        ({"columns": ["url"]}, ValueError, "has a column 'url' already: give a prefix"),
        ({"favor": "speed"}, ValueError, "one of balance"),
        ({"favor": "speed", "sites": True}, ValueError, "one of balance"),
        ({"method": "mss", "sites": True}, ValueError, "with sites it is auto"),
    ],
)
def test_what_is_wrong_is_said_with_the_way_out(article, arguments, error, says):
    table = pandas.DataFrame({"html": [article], "url": [URL]})
    with pytest.raises(error, match=says):
        tsrec.extract_frame(table, **arguments)


def test_numbers_keep_their_type(article):
    table = pandas.DataFrame({"html": [article, article]})
    found = tsrec.extract_frame(table, url=None, columns=["words", "published_date"])
    assert found.words.dtype == numpy.int64 and str(found.published_date[0]).startswith("2026-04-")
