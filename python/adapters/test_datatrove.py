"""The step in pipelines that datatrove's own executor runs."""

import gzip
import json

import pytest
import tsrec
from conftest import ferries
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from tsrec.adapters.datatrove import TsrecExtractor


def run(folder, pages, tasks=1, workers=1, **options):
    """The documents that come out for pages (URL, HTML), and the counts of the step."""
    (folder / "in").mkdir(parents=True)
    for task in range(tasks):
        lines = [json.dumps({"text": html, "id": str(at), "url": url}) for at, (url, html) in enumerate(pages)]
        (folder / "in" / f"{task}.jsonl").write_text("\n".join(lines))
    steps = [JsonlReader(str(folder / "in")), TsrecExtractor(**options), JsonlWriter(str(folder / "out"), output_filename="${rank}.jsonl.gz")]
    stats = LocalPipelineExecutor(steps, tasks=tasks, workers=workers, logging_dir=str(folder / "logs")).run()
    outputs = [gzip.open(file, "rt").read().splitlines() for file in sorted((folder / "out").glob("*.jsonl.gz"))]
    counts = {name: int(value.total) for name, value in stats.stats[1].stats.items()}
    return [[json.loads(line) for line in lines] for lines in outputs], counts


def test_a_pipeline_has_the_content_of_its_pages(tmp_path, demo):
    pages = [(f"https://courier.example/{path}", html.decode()) for path, html in demo.items()]
    # Two processes, one file each.
    outputs, counts = run(tmp_path, pages, tasks=2, workers=2)
    files = [{document["metadata"].pop("file_path") for document in documents} for documents in outputs]
    assert [len(names) for names in files] == [1, 1] and outputs[0] == outputs[1]
    site = tsrec.Site()
    expect = {url: site.extract(html, url, learn=True) for url, html in pages}
    found = {document["metadata"]["url"]: document for document in outputs[0]}
    assert {url: document["text"] for url, document in found.items()} == {url: page.text for url, page in expect.items() if page.text}
    for url, document in found.items():
        page = expect[url]
        said = {name: document["metadata"][name] for name in ("title", "authors", "published", "language", "kind", "confidence")}
        assert said == {name: getattr(page, name) for name in said}
    assert counts["total"] == 2 * len(pages) and counts["forwarded"] == 2 * len(found)


def test_hosts_are_remembered(tmp_path):
    pages = [(f"https://{host}.example/{n}", html) for host in ("a", "b") for n, html in enumerate(ferries(5))]
    options = {"metadata": ["method", "remembered"]}
    (documents,), _ = run(tmp_path / "sorted", pages, sites=1, **options)
    assert [document["metadata"]["remembered"] for document in documents] == [0, 0, 0, 3, 4] * 2
    mixed = [page for pair in zip(pages[:5], pages[5:]) for page in pair]
    (documents,), _ = run(tmp_path / "mixed", mixed, **options)
    assert [document["metadata"]["remembered"] for document in documents] == [0, 0, 0, 0, 0, 0, 3, 3, 4, 4]
    (documents,), _ = run(tmp_path / "alone", pages, sites=0, **options)
    assert {document["metadata"]["method"] for document in documents} == {"blocks"}


def test_bad_documents_are_dropped_and_counted(tmp_path, article):
    # datatrove's own reader leaves out documents without a text.
    pages = [("https://a.example/1", article.decode()), (None, article.decode()), ("here", article.decode()), ("https://[/", "<p>x"), ("https://a.example/2", "<p>")]
    (documents,), counts = run(tmp_path, pages, output_format="markdown", favor="precision")
    assert [document["id"] for document in documents] == ["0", "1"]
    assert documents[0]["text"].startswith("# School roof") and counts["error"] == 2 and counts["empty"] == 1
    assert (counts["total"], counts["forwarded"], counts["dropped"]) == (5, 2, 3)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"output_format": "tei"}, "'tei' is none of text, markdown, html"),
        ({"favor": "speed"}, "one of balance"),
        ({"metadata": ["name"]}, "'name' is none of authors"),
        ({"sites": -1}, "it must be at least 0"),
    ],
)
def test_what_is_wrong_is_said_before_the_run(options, says):
    with pytest.raises(ValueError, match=says):
        TsrecExtractor(**options)
