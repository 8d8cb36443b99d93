"""Results can be pickled: they go to other processes, into caches, and through `copy`."""

import copy
import datetime
import gzip
import multiprocessing
import operator
import pickle

import pytest
import tsrec
from test_site import pages

URL = "https://courier.example/news/2026/04/school-roof.html"
MEMBERS = [name for name in dir(tsrec.Extraction) if not name.startswith("_")]


def everything(page):
    """What a result says by each of its public names."""
    said = {name: getattr(page, name) for name in MEMBERS}
    said = {name: value() if callable(value) else value for name, value in said.items()}
    return {"repr": repr(page), "shown": page._repr_html_(), **said}


def site():
    known = tsrec.Site()
    for page in pages(5):
        known.learn(page)
    return known


def results(article, sibling):
    """Results of each kind of input."""
    *_, last = pages(6)
    return {
        "bytes": tsrec.extract(article, URL),
        "str": tsrec.extract(article.decode(), URL, explain=True),
        "bytearray": tsrec.extract(bytearray(article)),
        "gzip": tsrec.extract(gzip.compress(article), URL),
        "charset": tsrec.extract("<p>Die Fähre fährt wieder über den großen Fluß.".encode("latin-1"), charset="iso-8859-1"),
        "siblings": tsrec.extract(article, URL, siblings=[(b"<p>Of another template", None), (sibling, URL + "2"), sibling]),
        "method": tsrec.extract(article, siblings=[sibling], method="template-paper"),
        "favor": tsrec.extract(article, favor="recall"),
        "site": site().extract(last, "https://ferry.example/6", explain=True),
        "learnt": site().extract(last, learn=True),
        "unknown site": tsrec.Site().extract(last),
        "many": list(tsrec.extract_many([b"<p>", (article, URL)], favor="precision"))[1],
        "unnamed": next(tsrec.extract_many([article])),
        "empty": tsrec.extract(b""),
        # The deepest parts are cut.
        "cut": tsrec.extract("<div>" * 5_000 + "<p>Rain fell."),
    }


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_result_comes_back_with_everything(article, sibling, protocol):
    for kind, page in results(article, sibling).items():
        back = pickle.loads(pickle.dumps(page, protocol))
        assert everything(back) == everything(page), kind
        # And can go on from there.
        assert everything(pickle.loads(pickle.dumps(back, protocol))) == everything(page), kind


def test_a_site_is_asked_for_what_it_knew_then(article):
    *_, last = pages(6)
    known = site()
    page = known.extract(last)
    kept = pickle.dumps(page)
    for _ in range(3):
        known.learn(article)
    back = pickle.loads(kept)
    assert (back.method, back.remembered) == ("memory", 5) and everything(back) == everything(page)
    assert tsrec.extract(last).method == "blocks"


def test_a_page_that_changes_later_is_the_page_that_was_extracted(article):
    given = bytearray(article)
    page = tsrec.extract(given)
    given[:] = b"<p>Something else."
    assert "rain" in pickle.loads(pickle.dumps(page)).text


def test_a_pickle_is_little_more_than_what_was_given(article):
    pickled = pickle.dumps(tsrec.extract(article, URL))
    assert len(article) < len(pickled) < len(article) + 500
    # Siblings that several results share are in it once.
    sibling = article + b"<p>."
    many = [tsrec.extract(article, siblings=[sibling]) for _ in range(5)]
    assert len(pickle.dumps(many)) < 3 * len(article)


def test_copies_are_the_result_itself(article):
    page = tsrec.extract(article)
    assert copy.copy(page) is page and copy.deepcopy(page) is page
    assert copy.deepcopy({"page": [page]})["page"][0] is page


def test_results_go_to_other_processes_and_come_back(article):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.map(tsrec.extract, [article, article.decode()])
        text = pool.map(operator.attrgetter("text"), there)
    assert [everything(page) for page in there] == [everything(tsrec.extract(page)) for page in (article, article.decode())]
    assert text == [page.text for page in there]


def changed(page, **parts):
    """The pickle of a result, with other parts."""
    again, arguments = page.__reduce__()
    version, *rest, site = arguments
    return pickle.dumps(Made(again, (parts.get("version", version), *rest, parts.get("site", site))))


class Made:
    """An object that is pickled as these say."""

    def __init__(self, *reduced):
        self.reduced = reduced

    def __reduce__(self):
        return self.reduced


@pytest.mark.parametrize(
    "parts, says",
    [
        ({"version": ("9.8.7", "")}, f"pickled by tsrec 9.8.7, and this is tsrec {tsrec.__version__}: .* Extract the page again"),
        ({"version": (tsrec.__version__, "f00")}, f"pickled by a tsrec {tsrec.__version__} with another model"),
        ({"version": 3}, "pickled by another version of tsrec"),
        ({"site": b"\xff"}, "the pickled result is damaged .* extract the page again"),
    ],
)
def test_what_cannot_come_back_says_why(article, parts, says):
    page = tsrec.extract(article)
    assert everything(pickle.loads(changed(page))) == everything(page)
    with pytest.raises(tsrec.Error, match=says):
        pickle.loads(changed(page, **parts))


def test_errors_and_records_can_be_pickled(article):
    error, found, _ = tsrec.extract_many([b"%PDF-1.7", article, 3], on_error="return")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is tsrec.NotHtmlError and back.args == error.args
    assert pickle.loads(pickle.dumps(found)).text == found.text
    refused = tsrec.ApiError("no such page", 404, "not-found")
    back = pickle.loads(pickle.dumps(refused))
    assert (str(back), back.status, back.type) == ("no such page", 404, "not-found")
    feed = tsrec.Feed([{"kind": "delete", "url": URL}], "1-7")
    assert pickle.loads(pickle.dumps(feed)) == feed
    assert isinstance(pickle.loads(pickle.dumps(found)).published_date, datetime.date | None)
