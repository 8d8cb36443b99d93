"""One page."""

import datetime
import gzip
import inspect
import subprocess
import json

import pytest
import tsrec

URL = "https://courier.example/news/2026/04/school-roof-will-collect-rain.html"


def test_a_page_alone(article):
    page = tsrec.extract(article, URL)
    assert page.text.startswith("School roof will collect rain")
    assert "The Harbour Courier" not in page.text
    assert page.title == "School roof will collect rain"
    assert page.kind == "article" and 0.5 < page.kind_probability <= 1
    assert page.method == "blocks" and page.sibling is None and page.gates == []
    assert 0.5 < page.confidence <= 1
    assert page.url == URL and page.charset == "UTF-8" and page.cut == []
    assert page.words == len(page.text.split()) or page.words > 50
    assert "School roof" in repr(page)


def test_content_comes_as_a_str_if_that_is_asked_for(article):
    page = tsrec.extract(article, URL)
    for name, expect in [("text", page.text), ("markdown", page.markdown), ("html", page.html), ("tei", page.to_tei())]:
        assert tsrec.extract(article, URL, output_format=name) == expect
        assert tsrec.Site().extract(article, URL, output_format=name) == expect
    told = json.loads(tsrec.extract(article, URL, output_format="json"))
    assert told == {key: value for key, value in page.to_dict().items() if key != "elements"}
    for wrong in ("md", "", "Text"):
        with pytest.raises(ValueError, match="output_format: .* is none of text, markdown, html, tei, json"):
            tsrec.extract(article, output_format=wrong)


def test_dates_come_as_days(article):
    def day(meta):
        head = f"<meta property=article:published_time content='{meta}'><meta property=article:modified_time content='{meta}'>"
        page = tsrec.extract(f"<title>Ferry</title>{head}<h1>Ferry sails</h1><p>{'It sailed at nine. ' * 20}")
        return page.published, page.published_date, page.modified_date

    whole = datetime.date(2026, 4, 12)
    assert day("2026-04-12")[1:] == (whole, whole)
    assert day("2026-04-12T23:30:00+02:00")[1:] == (whole, whole)
    assert day("2026-04")[1:] == (None, None)
    assert day("") == (None, None, None)
    assert isinstance(tsrec.extract(article, URL).published, str)


def test_gzip_is_unpacked(article):
    packed = gzip.compress(article)
    assert tsrec.extract(packed).text == tsrec.extract(article).text
    half = len(article) // 2
    assert tsrec.extract(gzip.compress(article[:half]) + gzip.compress(article[half:])).text == tsrec.extract(article).text
    assert tsrec.extract(article, siblings=[packed]).method == "blocks"
    for broken in (packed[:200], packed[:-20], b"\x1f\x8bnothing"):
        with pytest.raises(tsrec.NotHtmlError, match="the page is gzip that cannot be unpacked"):
            tsrec.extract(broken)
    with pytest.raises(tsrec.NotHtmlError):
        tsrec.extract(gzip.compress(b"%PDF-1.7"))
    # A bomb is read up to the limit.
    assert "bytes" in tsrec.extract(gzip.compress(b"<p>It sailed at nine.</p>" * 1_000_000)).cut


def test_a_notebook_shows_the_content(article):
    page = tsrec.extract(article, URL)
    shown = page._repr_html_()
    assert shown.startswith(page.html) and f"{page.words} words by blocks" in shown


def test_a_sibling_is_compared(article, sibling):
    page = tsrec.extract(article, siblings=[sibling])
    assert page.method == "template" and page.sibling == "sibling 1" and page.remembered == 1
    assert page.gates[0]["passed"] and {gate["name"] for gate in page.gates[0]["gates"]} >= {"same-article"}
    labels = {element["label"] for element in page.elements}
    assert {"common", "content"} <= labels
    heading = next(element for element in page.elements if element["name"] == "h1")
    assert heading["label"] == "content" and heading["probability"] > 0.5 and heading["evidence"] is None


def test_a_sibling_that_is_the_page_itself_is_refused_with_its_reason(article):
    page = tsrec.extract(article, siblings=[(article, URL)])
    assert page.method == "blocks"
    failed = [gate["name"] for gate in page.gates[0]["gates"] if not gate["passed"]]
    assert page.gates[0]["sibling"] == URL and "same-article" in failed


def test_siblings_with_addresses_are_ordered_by_them(article, sibling, news):
    other = news["harbour-dredging-to-start-after-easter"]
    far, near = (sibling, "https://courier.example/x/y.html"), (other, URL.replace("school-roof-will", "school-roof-shall"))
    assert tsrec.extract(article, URL, [far, near]).sibling == near[1]
    assert tsrec.extract(article, URL, [near, far]).sibling == near[1]


def test_evidence_is_said_where_it_is_asked_for(article):
    page = tsrec.extract(article, explain=True)
    evidence = [reason for element in page.elements for reason in element["evidence"] or []]
    assert evidence and all(isinstance(reason["moves"], float) for reason in evidence)


def test_precision_and_recall_are_favoured(article):
    words = {favor: tsrec.extract(article, favor=favor).words for favor in ("precision", "balance", "recall")}
    assert words["precision"] < words["balance"] <= words["recall"]
    site = tsrec.Site()
    assert site.extract(article, favor="precision").words == words["precision"]
    (many,) = tsrec.extract_many([article], favor="precision")
    assert many.words == words["precision"]


def test_formats(article):
    page = tsrec.extract(article, URL)
    assert page.markdown.startswith("# School roof will collect rain")
    assert page.to_markdown(front_matter=True).startswith('---\ntitle: "School roof will collect rain"\n')
    assert "<h1>School roof will collect rain</h1>" in page.html
    assert page.to_tei().startswith("<?xml") and "<TEI" in page.to_tei()
    linked = "<article>" + "<p>It rains a good deal here, and <a href=/why>nobody knows why</a>, says the mayor.</p>" * 9
    page = tsrec.extract(linked, "https://a.example/b/")
    assert "(https://a.example/why)" in page.markdown and "https:" not in page.to_markdown(links=False)
    assert 'href="https://a.example/why"' in page.html and "href" not in page.to_html(links=False)


def test_markup_that_runs_is_not_given_on():
    page = tsrec.extract(
        "<article><h1>Ferry</h1><script>alert(1)</script>"
        + "<p onclick=alert(2)>The ferry <a href='javascript:alert(3)'>sails</a> again<img src=x onerror=alert(4)>.</p>" * 9
    )
    assert "ferry" in page.html and not any(word in page.html for word in ("alert", "onclick", "onerror", "<script"))


def test_metadata():
    html = """<html lang=en><head><title>A cat on the quay – The Courier</title><meta property=og:site_name content='The Courier'>
      <meta property=article:published_time content=2026-03-04T10:00:00Z><meta name=author content='Ann Orr'>
      <link rel=canonical href=/cat></head><article><h1>A cat on the quay</h1>""" + "<p>A cat was found on the quay, and it was wet.</p>" * 9
    page = tsrec.extract(html, "https://courier.example/a")
    assert (page.title, page.authors, page.site_name) == ("A cat on the quay", ["Ann Orr"], "The Courier")
    assert page.published == page.date and page.date.startswith("2026-03-04")
    assert page.language == "en" and 0.5 < page.language_confidence <= 1 and page.canonical_url == "https://courier.example/cat"
    assert page.metadata["title"] == page.title and page.sources["published"] == "article"
    assert page.modified is None and page.image is None and page.license is None and page.tags == []
    assert page.description is None and page.comments == ""


def test_a_dict_is_what_the_command_line_prints(program, article, sibling, tmp_path):
    (tmp_path / "a.html").write_bytes(article)
    (tmp_path / "b.html").write_bytes(sibling)
    command = [program, "extract", "a.html", "--sibling", "b.html", "--url", URL, "--format", "json", "--elements"]
    printed = json.loads(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout)
    ours = tsrec.extract(article, URL, siblings=[sibling]).to_dict()
    # What the pages are called is the caller's.
    for said in (printed, ours):
        said.pop("input"), said.pop("sibling"), said["gates"][0].pop("sibling")
    assert ours == printed


def test_str_and_bytes_are_alike(article):
    expect = tsrec.extract(article).text
    assert tsrec.extract(article.decode()).text == expect
    assert tsrec.extract(bytearray(article)).text == expect


def test_charsets():
    page = "<article>" + "<p>Die Fähre fährt wieder über den großen Fluß, sagt Jürgen.</p>" * 9
    assert "Fähre" in tsrec.extract(page).text
    assert "Fähre" in tsrec.extract(page.encode("latin-1"), charset="iso-8859-1").text
    # Text is text, whatever the page says of its bytes.
    assert "Fähre" in tsrec.extract("<meta charset=koi8-r>" + page).text


@pytest.mark.parametrize("html", ["", b"", "plain words", "<p>", "<" * 10_000, "\0" * 10, "<div>" * 5_000])
def test_every_page_gives_something(html):
    page = tsrec.extract(html)
    assert isinstance(page.text, str) and isinstance(page.markdown, str) and isinstance(page.elements, list)
    assert 0 <= page.confidence <= 1


def test_every_method(article, sibling):
    methods = "auto blocks template template-paper mss mss-blocks mss-supervised mss-semi swarm segments crf vote longest"
    for method in methods.split():
        assert "rain" in tsrec.extract(article, siblings=[sibling], method=method).text, method


@pytest.mark.parametrize(
    "call, error, says",
    [
        (lambda: tsrec.extract(b"%PDF-1.7 \x00\x01"), tsrec.NotHtmlError, "PDF: unpack or convert"),
        (lambda: tsrec.extract(b"\x1f\x8b\x08\x00"), tsrec.NotHtmlError, "gzip"),
        (lambda: tsrec.extract(7), TypeError, "bytes or str, not int: read a file"),
        (lambda: tsrec.extract(None), TypeError, "bytes or str"),
        (lambda: tsrec.extract("https://example.org/a"), ValueError, "fetches nothing"),
        (lambda: tsrec.extract("<p>", "example.org"), ValueError, "give an absolute one"),
        (lambda: tsrec.extract("<p>\ud800"), ValueError, "surrogates"),
        (lambda: tsrec.extract("<p>", method="magic"), ValueError, "unknown method \"magic\": it is one of"),
        (lambda: tsrec.extract("<p>", favor="speed"), ValueError, "one of balance, precision and recall"),
        (lambda: tsrec.extract("<p>", method="mss", favor="recall"), ValueError, "take the method auto or blocks"),
        (lambda: tsrec.extract("<p>", method="template-paper"), ValueError, "give siblings"),
        (lambda: tsrec.extract("<p>", siblings="<p>"), TypeError, "put it into a list"),
        (lambda: tsrec.extract("<p>", siblings=[("<p>", 3)]), TypeError, "no address"),
        (lambda: tsrec.extract("<p>", siblings=[("<p>",)]), TypeError, "tuple of 1"),
        (lambda: tsrec.extract("<p>", siblings=[b"%PDF-1.7"]), tsrec.NotHtmlError, "sibling 1 is no HTML"),
    ],
)
def test_what_is_wrong_is_said_with_the_way_out(call, error, says):
    with pytest.raises(error) as raised:
        call()
    assert says in str(raised.value)


def test_errors_have_one_root():
    for error in (tsrec.NotHtmlError, tsrec.MemoryFileError, tsrec.ApiError, tsrec.CursorGoneError):
        assert issubclass(error, tsrec.Error)


def test_everything_is_typed_and_documented():
    """The stubs have every name with its documentation, and no other."""
    import ast
    import importlib.resources

    package = importlib.resources.files("tsrec")
    assert package.joinpath("py.typed").is_file()

    def named(nodes):
        """The nodes with a name. Of several signatures of one function, the first has the documentation."""
        first = {}
        return [node for node in nodes if hasattr(node, "name") and first.setdefault(node.name, node) is node]

    stubs = {node.name: node for node in named(ast.parse(package.joinpath("_tsrec.pyi").read_text()).body)}
    from tsrec import _tsrec

    public = {name for name in dir(_tsrec) if not name.startswith("_")}
    assert public == set(stubs)
    for name, stub in stubs.items():
        assert ast.get_docstring(stub), name
        if inspect.isclass(getattr(_tsrec, name)) and not issubclass(getattr(_tsrec, name), Exception):
            listed = {node.name for node in named(stub.body) if not node.name.startswith("_")}
            assert listed == {member for member in dir(getattr(_tsrec, name)) if not member.startswith("_")}, name
            undocumented = [node.name for node in named(stub.body) if node.name in listed and not ast.get_docstring(node)]
            assert not undocumented, name
            # What help() shows is the same.
            for node in named(stub.body):
                if getattr(node, "name", "_")[0] != "_":
                    said = inspect.getdoc(getattr(getattr(_tsrec, name), node.name))
                    assert " ".join(said.split()) == " ".join(ast.get_docstring(node).split()), node.name
