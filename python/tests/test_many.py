"""Many pages."""

import threading
import time

import pytest
import tsrec


def test_results_come_in_order_whatever_the_threads(news):
    pages = list(news.values()) * 5
    alone = [tsrec.extract(page).text for page in news.values()] * 5
    for threads in (1, 2, 5, None):
        assert [page.text for page in tsrec.extract_many(pages, threads=threads)] == alone


def test_pages_may_have_addresses(article):
    first, second = tsrec.extract_many([(article, "https://a.example/b"), (article, None)])
    assert first.url == "https://a.example/b" and second.url is None


def test_an_input_without_end_is_taken_little_ahead(article):
    taken = 0

    def pages():
        nonlocal taken
        while True:
            taken += 1
            yield article

    results = tsrec.extract_many(pages(), threads=2)
    for given in range(1, 6):
        assert "rain" in next(results).text
        assert taken <= given + 2 * 4
    del results


def test_the_lock_is_let_go_of(news):
    """A Python thread gets on while pages are extracted."""
    counted = 0
    over = threading.Event()

    def count():
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0.001)

    pages = list(news.values()) * 20
    counter = threading.Thread(target=count)
    counter.start()
    begun = time.perf_counter()
    assert sum(1 for _ in tsrec.extract_many(pages, threads=1)) == len(pages)
    took = time.perf_counter() - begun
    over.set()
    counter.join()
    # A thousand a second where it runs free; with the lock held it would count once a page.
    assert counted > len(pages) or counted > took * 100


def test_a_bad_page_is_raised_in_its_turn(article):
    results = tsrec.extract_many([article, b"%PDF-1.7", article], threads=1)
    assert "rain" in next(results).text
    with pytest.raises(tsrec.NotHtmlError, match="page 2 is no HTML but PDF"):
        next(results)
    assert list(results) == []


def test_a_bad_page_is_returned_where_that_is_asked_for(article):
    results = list(tsrec.extract_many([b"%PDF-1.7", article, 3, (article, "x")], threads=2, on_error="return"))
    assert [type(result) for result in results] == [tsrec.NotHtmlError, tsrec.Extraction, TypeError, ValueError]
    assert "page 3" not in str(results[1]) and "bytes or str" in str(results[2])


def test_an_input_that_fails_does_so_in_its_turn(article):
    def pages():
        yield article
        yield b"%PDF-1.7"
        raise KeyError("the cursor is gone")

    results = tsrec.extract_many(pages(), on_error="return")
    assert isinstance(next(results), tsrec.Extraction)
    assert isinstance(next(results), tsrec.NotHtmlError)
    with pytest.raises(KeyError, match="the cursor is gone"):
        next(results)
    assert list(results) == []


def test_what_means_nothing_is_refused():
    assert list(tsrec.extract_many([])) == []
    with pytest.raises(ValueError, match="at least 1"):
        tsrec.extract_many([], threads=0)
    with pytest.raises(ValueError, match="give siblings"):
        tsrec.extract_many([], method="template-paper")
    with pytest.raises(ValueError, match="on_error"):
        tsrec.extract_many([], on_error="ignore")
    with pytest.raises(TypeError):
        tsrec.extract_many(3)
